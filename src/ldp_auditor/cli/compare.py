"""The command `compare`."""

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
    Neighbours,
    Out,
    Pair,
    Reports,
    Seed,
    Trials,
    Workers,
    parse_pair,
    parse_sizes,
    parse_study,
    parse_trials,
)
from ldp_auditor.cli.output import console, exit_code, say, say_json, say_sentences, tell


def compare(
    epsilon: Annotated[float, typer.Option(help="Claimed epsilon.")],
    domain_size: DomainSize = None,
    protocols: Annotated[
        list[str] | None, typer.Argument(metavar="[PROTOCOL]...", show_default="all")
    ] = None,
    delta: Delta = None,
    epsilon_infinity: Annotated[
        float | None,
        typer.Option(help="Guarantee of memoized protocols for any number of reports."),
    ] = None,
    attributes: Annotated[
        int | None, typer.Option(help="Number of attributes of records (RS+FD, SPL, SMP).")
    ] = None,
    domain_sizes: Annotated[
        str | None, typer.Option(help="Sizes of the attributes of records, such as 2,25,100.")
    ] = None,
    pair: Pair = None,
    neighbours: Neighbours = None,
    attribute: Attribute = None,
    reports: Reports = None,
    composition: Composition = "auto",
    composed_delta: ComposedDelta = None,
    trials: Trials = "1e6",
    alpha: Alpha = 0.01,
    bound: Bound = "clopper-pearson",
    attack: Attack = "paper",
    seed: Seed = 42,
    workers: Workers = None,
    engine: EngineName = None,
    address: Address = None,
    figure: Annotated[
        Path | None,
        typer.Option(
            help="Where to draw the bars, or the curves over several --reports.",
            show_default="compare.png; none with --json",
        ),
    ] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> int:
    """Audit all protocols, or those named, under one claim: a table and a figure."""
    from ldp_auditor.comparison import plan_comparison, run_comparison
    from ldp_auditor.execution.engines import open_engine
    from ldp_auditor.report.figures import check_figure_path, default_figure
    from ldp_auditor.report.progress import progress_bar
    from ldp_auditor.sweeps.recording import recorder

    plan = plan_comparison(
        protocols or (),
        epsilon=epsilon,
        domain_size=domain_size,
        delta=delta,
        epsilon_infinity=epsilon_infinity,
        attributes=attributes,
        domain_sizes=None if domain_sizes is None else parse_sizes(domain_sizes),
        neighbours=neighbours,
        attribute=attribute,
        study=parse_study(reports, composition, composed_delta),
        pair=parse_pair(pair),
        attack=attack,
        bound=bound,
        alpha=alpha,
        trials=parse_trials(trials),
        seed=seed,
    )
    if figure is None and not as_json:
        figure = default_figure("compare.png")
    if figure is not None:
        check_figure_path(figure)
    with (
        recorder(out) as record,
        open_engine(engine, workers, address) as opened,
        progress_bar("comparing", plan.trials) as bar,
    ):
        comparison = run_comparison(plan, opened, bar.advance, bar.describe, record.carry_out)
    if as_json:
        say_json(comparison.to_dict())
    else:
        from ldp_auditor.report.tables import comparison_table

        say(comparison_table(comparison).draw(console()))
        for name, reason in comparison.refused.items():
            say_sentences(f"{name} was left out: {reason}")
    if figure is not None:
        if plan.study is None:
            from ldp_auditor.report.figures import comparison_bars, draw_comparison

            draw_comparison(comparison_bars(comparison), figure)
        else:
            from ldp_auditor.report.over_time import draw_over_time, over_time_curves

            draw_over_time(over_time_curves(comparison.results), figure)
        tell(f"figure written to {figure}")
    return max(exit_code(result.verdict) for result in comparison.results)
