"""The command `audit`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ldp_auditor.cli.arguments import (
    Address,
    Alpha,
    AsJson,
    Attack,
    Attribute,
    Bound,
    ComposedDelta,
    Composition,
    Delta,
    DomainSize,
    EngineName,
    Epsilon,
    MaxTrials,
    Neighbours,
    Out,
    Pair,
    Precision,
    Protocol,
    Reports,
    Seed,
    Trials,
    Workers,
    make_protocol,
    parse_pair,
    parse_study,
)
from ldp_auditor.cli.output import console, exit_code, say, say_json, tell
from ldp_auditor.errors import require

if TYPE_CHECKING:
    from ldp_auditor.core import AuditResult


def audit(
    words: Protocol,
    domain_size: DomainSize = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    pair: Pair = None,
    neighbours: Neighbours = None,
    attribute: Attribute = None,
    reports: Reports = None,
    composition: Composition = None,
    composed_delta: ComposedDelta = None,
    trials: Trials = 1_000_000,
    alpha: Alpha = 0.01,
    bound: Bound = "clopper-pearson",
    attack: Attack = "paper",
    seed: Seed = 42,
    workers: Workers = None,
    engine: EngineName = None,
    address: Address = None,
    precision: Precision = 0.01,
    max_trials: MaxTrials = 10**9,
    figure: Annotated[
        Path | None,
        typer.Option(help="With several --reports: where to draw the curve.", show_default="none"),
    ] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> int:
    """Audit one protocol. Its own options, such as --hash-range, are shown by 'list'."""
    from ldp_auditor.execution.engines import open_engine
    from ldp_auditor.interface import plan_audit
    from ldp_auditor.report.figures import check_figure_path
    from ldp_auditor.report.progress import progress_bar
    from ldp_auditor.sequential import Stopping, run_until_precise
    from ldp_auditor.sweeps.recording import recorder
    from ldp_auditor.violations import ViolationCount

    automatic = str(trials) == "auto"
    plan = plan_audit(
        make_protocol(words, epsilon, domain_size, delta),
        pair=parse_pair(pair),
        neighbours=neighbours,
        attribute=attribute,
        attack=attack,
        bound=bound,
        alpha=alpha,
        trials=Stopping(precision, max_trials).max_trials if automatic else trials,
        seed=seed,
    )
    most = plan.trials
    study = parse_study(reports, composition, composed_delta)
    require(
        not (automatic and study), "--trials auto is for single reports; give --trials a number"
    )
    require(not (automatic and out), "--out is for a given number of trials, not for auto")
    require(
        figure is None or (study is not None and len(study.reports) > 1),
        "--figure draws a curve over several numbers of reports, such as --reports 5,10,25",
    )
    if figure is not None:
        check_figure_path(figure)
    name = f"auditing {plan.mechanism.name}"
    with (
        recorder(out) as record,
        open_engine(engine, workers, address) as opened,
        progress_bar(name, 2 * most) as bar,
    ):
        results: tuple[AuditResult, ...]
        if automatic:
            results = (run_until_precise(plan, Stopping(precision, most), opened, bar.advance),)
        else:
            results = record.carry_out(plan, study, opened, bar.advance)
    if study is None and reports is not None:
        results = tuple(replace(r, options={**r.options, "reports": 1}) for r in results)
    found = ViolationCount.of_results(results)
    if as_json:
        several = {"results": [result.to_dict() for result in results], **found.to_dict()}
        say_json(several if len(results) > 1 else results[0].to_dict())
    else:
        from ldp_auditor.report.tables import over_time_table, result_table

        table = over_time_table(results) if len(results) > 1 else result_table(results[0])
        say(table.draw(console()))
        if len(results) > 1:
            say(found.words)
    if figure is not None:
        from ldp_auditor.report.over_time import draw_over_time, over_time_curves

        draw_over_time(over_time_curves(results), figure)
        tell(f"figure written to {figure}")
    return exit_code(found.violations)
