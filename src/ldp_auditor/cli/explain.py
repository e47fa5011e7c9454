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
from ldp_auditor.cli.output import console, exit_code, say, say_json, say_sentences, tell
from ldp_auditor.errors import whole_number

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
    from ldp_auditor.report.figures import check_figure_path, default_figure, draw_explanation
    from ldp_auditor.report.progress import progress_bar
    from ldp_auditor.report.tables import certificate_lines, explanation_table

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
    if as_json:
        say_json(explanation.to_dict())
    else:
        say(explanation_table(explanation).draw(console()))
        say_sentences(certificate_lines(explanation))
        say_sentences(explanation.violations.words)
    if figure is not None:
        draw_explanation(explanation, figure)
        tell(f"figure written to {figure}")
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
    from ldp_auditor.audits.gap import known_law
    from ldp_auditor.audits.interface import plan_audit
    from ldp_auditor.report.figures import check_figure_path, default_figure, draw_profile
    from ldp_auditor.report.tables import profile_table
    from ldp_auditor.theory.loss_law import privacy_profile

    plan = plan_audit(
        make_protocol(words, epsilon, domain_size, delta),
        pair=parse_pair(pair),
        neighbours=neighbours,
        attribute=attribute,
        reports=parse_reports(reports),
    )
    points = whole_number("points", points, 2, 10_000)
    look, law = known_law(plan)
    mechanism = look.mechanism
    if figure is None and not as_json:
        figure = default_figure("profile.png")
    if figure is not None:
        check_figure_path(figure)
    largest = min(1.2 * mechanism.claim.epsilon, 20.0)
    curve = privacy_profile(law, largest, points)
    title = f"Privacy profile of {mechanism.name}, k = {mechanism.domain_size}"
    if plan.is_over_time:
        title += f", {plan.reports[0]} reports"
    if as_json:
        say_json([{"epsilon": e, "delta": d} for e, d in curve])
    else:
        say(profile_table(title, curve).draw(console()))
    if figure is not None:
        draw_profile(title, privacy_profile(law, largest, 400), mechanism.claim, figure)
        tell(f"figure written to {figure}")
