"""The commands `explain` and `profile`: where a gap comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ldp_auditor.cli.arguments import (
    WHOLE,
    Address,
    Alpha,
    AsJson,
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
    Pair,
    Precision,
    Protocol,
    Seed,
    Trials,
    Workers,
    make_protocol,
    parse_pair,
    parse_reports,
)
from ldp_auditor.cli.output import exit_code, show

OneReports = Annotated[
    str | None,
    typer.Option(help="Reports of the same value by each user.", show_default="1"),
]


def explain(
    words: Protocol,
    domain_size: DomainSize = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    pair: Pair = None,
    neighbours: Neighbours = None,
    attribute: Attribute = None,
    reports: OneReports = None,
    composition: Composition = None,
    composed_delta: ComposedDelta = None,
    trials: Trials = 1_000_000,
    alpha: Alpha = 0.01,
    bound: Bound = "clopper-pearson",
    seed: Seed = 42,
    workers: Workers = None,
    engine: EngineName = None,
    address: Address = None,
    precision: Precision = None,
    max_trials: MaxTrials = None,
    figure: Annotated[
        Path | None,
        typer.Option(help="Where to draw the waterfall.", show_default="explain.png"),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Tell where the gap between the claim and the measured epsilon comes from, by every attack."""
    from ldp_auditor.audits.gap import explain_plan
    from ldp_auditor.audits.interface import plan_audit
    from ldp_auditor.execution.engines import open_engine
    from ldp_auditor.figures.files import check_figure_path, default_figure
    from ldp_auditor.report.progress import progress_bar

    plan = plan_audit(
        make_protocol(words, epsilon, domain_size, delta),
        pair=parse_pair(pair),
        neighbours=neighbours,
        attribute=attribute,
        bound=bound,
        alpha=alpha,
        trials=trials,
        precision=precision,
        max_trials=max_trials,
        seed=seed,
        reports=parse_reports(reports),
        composition=composition,
        composed_delta=composed_delta,
    )
    if figure is None and not as_json:
        figure = default_figure("explain.png")
    if figure is not None:
        check_figure_path(figure)
    with (
        open_engine(engine, workers, address) as opened,
        progress_bar(f"explaining {plan.mechanism.name}", 4 * plan.most_trials) as bar,
    ):
        explanation = explain_plan(plan, engine=opened, progress=bar.advance)
    show(explanation, explanation.to_dict(), as_json=as_json, figure=figure)
    return exit_code(explanation.violations.violations)


def profile(
    words: Protocol,
    domain_size: DomainSize = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    pair: Pair = None,
    neighbours: Neighbours = None,
    attribute: Attribute = None,
    reports: OneReports = None,
    points: Annotated[int, typer.Option(help="Epsilons to tabulate.", **WHOLE)] = 21,
    figure: Annotated[
        Path | None, typer.Option(help="Where to draw it.", show_default="profile.png")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the exact privacy profile of a protocol: the smallest delta at every epsilon."""
    from ldp_auditor.audits.gap import profile_of
    from ldp_auditor.audits.interface import plan_audit
    from ldp_auditor.figures.files import check_figure_path, default_figure

    plan = plan_audit(
        make_protocol(words, epsilon, domain_size, delta),
        pair=parse_pair(pair),
        neighbours=neighbours,
        attribute=attribute,
        reports=parse_reports(reports),
    )
    found = profile_of(plan, points)
    if figure is None and not as_json:
        figure = default_figure("profile.png")
    if figure is not None:
        check_figure_path(figure)
    show(found, found.to_rows(), as_json=as_json, figure=figure)
