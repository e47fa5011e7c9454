"""The command `reproduce`: the paper's figures and claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ldp_auditor.cli.arguments import WHOLE, Address, EngineName, Workers
from ldp_auditor.cli.output import (
    EXIT_BAD_INPUT,
    EXIT_NO_VIOLATION,
    console,
    exit_code,
    say,
    say_sentences,
    tell,
)
from ldp_auditor.cli.sweep import tell_damaged, tell_failed, watching
from ldp_auditor.errors import AuditError, require, whole_number

if TYPE_CHECKING:
    from ldp_auditor.execution.contract import Engine
    from ldp_auditor.results.journal import Journal
    from ldp_auditor.results.table import Row
    from ldp_auditor.studies import Scale, Study


def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="figure-1 to figure-12 (no 9), claims, or all."),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the journal, tables and figures.")] = Path(
        "results"
    ),
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer trials and one seed: minutes, not hours.")
    ] = False,
    optimal: Annotated[
        bool, typer.Option("--optimal", help="The optimal attack beside the paper's.")
    ] = False,
    trials: Annotated[
        int | None,
        typer.Option(
            help="Trials per input.",
            show_default="1e6 as in the paper; quick: 1e5; fewer where reports are slow",
            **WHOLE,
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(help="Repetitions.", show_default="5 as in the paper; quick: 1", **WHOLE),
    ] = None,
    document: Annotated[
        Path | None,
        typer.Option(help="With claims: where to write them.", show_default="OUT/claims.md"),
    ] = None,
    workers: Workers = None,
    engine: EngineName = None,
    address: Address = None,
) -> int:
    """Reproduce experiments of the paper; a run that was killed goes on with the same command.

    The exit code is 1 if any audit proves a violation: figure 8 is about one.
    """
    from ldp_auditor import studies
    from ldp_auditor.audits.stopping import MOST_TRIALS
    from ldp_auditor.execution.engines import open_engine
    from ldp_auditor.results.journal import Journal
    from ldp_auditor.results.violations import ViolationCount

    known = studies.available()
    wanted = list(dict.fromkeys(names))
    with_claims = bool({"claims", "all"} & set(wanted))
    chosen = list(known.values()) if with_claims else [studies.find(name) for name in wanted]
    scale = studies.QUICK_SCALE if quick else studies.PAPER_SCALE
    scale = replace(
        scale,
        trials=None if trials is None else whole_number("trials", trials, 1, MOST_TRIALS),
        seeds=scale.seeds
        if seeds is None
        else tuple(range(1, whole_number("seeds", seeds, 1, MOST_SEEDS) + 1)),
        optimal=optimal,
    )
    require(document is None or with_claims, "--document is for claims")
    code = EXIT_NO_VIOLATION
    rows: list[Row] = []
    with (
        open_engine(engine, workers, address, isolated=True) as opened,
        Journal.open(out) as journal,
    ):
        for study in chosen:
            more, ended = _reproduce(study, scale, journal, opened)
            rows += more
            code = max(code, ended)
    tell_damaged(journal.damaged)
    if len(chosen) > 1:
        _tell_agreement(
            "all studies", list({(r["key"], r.get("reports")): r for r in rows}.values())
        )
        say(f"all studies: {ViolationCount.of_rows(rows).words}")
    if with_claims:
        _judge(rows, chosen, scale, document or out / "claims.md")
    return max(code, exit_code(ViolationCount.of_rows(rows).violations))


MOST_SEEDS = 10_000
"""Repetitions at most."""


def _reproduce(
    study: Study, scale: Scale, journal: Journal, engine: Engine
) -> tuple[list[Row], int]:
    """Run a study, draw it, and tell how well it agrees with the theory."""
    from ldp_auditor.report.paper import draw_study
    from ldp_auditor.report.progress import progress_bar
    from ldp_auditor.sweeps.running import sweep_into

    reason = study.unavailable(journal.folder)
    if reason is not None:
        tell(f"ldp-auditor: {study.name} was left out: {reason}")
        return [], EXIT_BAD_INPUT
    with progress_bar(study.name, 0) as bar:
        outcome = sweep_into(
            journal,
            study.grid(scale),
            name=study.name,
            engine=engine,
            watch=watching(bar, study.name),
        )
    rows = list(outcome.rows)
    drawn = draw_study(study, rows, scale, journal.folder) if rows else []
    say_sentences(f"{study.name}: {' '.join(str(path) for path in [*drawn, *outcome.files])}")
    _tell_agreement(study.name, rows)
    say(f"{study.name}: {outcome.violations.words}")
    return rows, tell_failed(outcome)


def _tell_agreement(name: str, rows: list[Row]) -> None:
    from ldp_auditor.report.paper import agreement_text

    say_sentences(f"{name}: {agreement_text(rows)}")


def _judge(rows: list[Row], chosen: Sequence[Study], scale: Scale, path: Path) -> None:
    """Print the claims and their outcomes, and write them down."""
    from ldp_auditor.report.paper import claims_table
    from ldp_auditor.results.files import replace_file
    from ldp_auditor.studies.claims import available, claims_document, judge

    judgements = [judge(statement, rows) for statement in available()]
    say(claims_table(judgements).draw(console()))
    named: dict[str, list[str]] = {}
    for study in chosen:
        named.setdefault(study.words(scale), []).append(study.name)
    run = "; ".join(f"{words}: {', '.join(names)}" for words, names in named.items())
    try:
        replace_file(path, claims_document(judgements, run).encode())
    except OSError as error:
        raise AuditError(f"cannot write the claims to {path}: {error}") from None
    tell(f"claims written to {path}")
