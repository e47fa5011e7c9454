"""The command `audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
    parse_reports,
)
from ldp_auditor.cli.output import exit_code, show
from ldp_auditor.errors import require


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
    precision: Precision = None,
    max_trials: MaxTrials = None,
    figure: Annotated[
        Path | None,
        typer.Option(help="With several --reports: where to draw the curve.", show_default="none"),
    ] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> int:
    """Audit one protocol. Its own options, such as --hash-range, are shown by 'list'."""
    from ldp_auditor.audits.interface import plan_audit
    from ldp_auditor.audits.run import run
    from ldp_auditor.execution.engines import open_engine
    from ldp_auditor.figures.files import check_figure_path
    from ldp_auditor.report.progress import progress_bar
    from ldp_auditor.results.folder import results_folder

    plan = plan_audit(
        make_protocol(words, epsilon, domain_size, delta),
        pair=parse_pair(pair),
        neighbours=neighbours,
        attribute=attribute,
        reports=parse_reports(reports),
        composition=composition,
        composed_delta=composed_delta,
        attack=attack,
        bound=bound,
        alpha=alpha,
        trials=trials,
        precision=precision,
        max_trials=max_trials,
        seed=seed,
    )
    require(
        figure is None or len(plan.reports) > 1,
        "--figure draws a curve over several numbers of reports, such as --reports 5,10,25",
    )
    if figure is not None:
        check_figure_path(figure)
    with (
        results_folder(out) as journal,
        open_engine(engine, workers, address) as opened,
        progress_bar(f"auditing {plan.mechanism.name}", 2 * plan.most_trials) as bar,
    ):
        results = run(plan, engine=opened, journal=journal, progress=bar.advance)
    shown = results if len(results) > 1 else results[0]
    show(shown, shown.to_dict(), as_json=as_json, figure=figure)
    return exit_code(results.violations.violations)
