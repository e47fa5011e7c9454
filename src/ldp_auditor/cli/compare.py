"""The command `compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ldp_auditor.cli.arguments import (
    NUMBER,
    WHOLE,
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
    Reports,
    Seed,
    Trials,
    Workers,
    convert_options,
    parse_numbers,
    parse_pair,
    parse_reports,
    split_words,
)
from ldp_auditor.cli.output import EXIT_BAD_INPUT, exit_code, show, tell


def compare(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[PROTOCOL]...", show_default="all")
    ] = None,
    epsilon: Epsilon = None,
    domain_size: DomainSize = None,
    delta: Delta = None,
    epsilon_1: Annotated[
        float | None,
        typer.Option(help="Claimed epsilon of one report of memoized protocols.", **NUMBER),
    ] = None,
    epsilon_infinity: Annotated[
        float | None,
        typer.Option(help="Guarantee of memoized protocols for any number of reports.", **NUMBER),
    ] = None,
    attributes: Annotated[
        int | None,
        typer.Option(help="Number of attributes of records (RS+FD, SPL, SMP).", **WHOLE),
    ] = None,
    domain_sizes: Annotated[
        str | None, typer.Option(help="Sizes of the attributes of records, such as 2,25,100.")
    ] = None,
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
        typer.Option(
            help="Where to draw the bars, or the curves over several --reports.",
            show_default="compare.png; none with --json",
        ),
    ] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> int:
    """Audit all protocols, or those named, under one claim: a table and a figure.

    A protocol that is named is audited as 'audit' does it. If none is named, those that promise
    nothing are measured without a claim. Options of protocols go to those that have them.
    """
    from ldp_auditor.audits.comparison import plan_comparison, run_comparison
    from ldp_auditor.audits.interface import option_types
    from ldp_auditor.execution.engines import open_engine
    from ldp_auditor.figures.files import check_figure_path, default_figure
    from ldp_auditor.report.progress import progress_bar
    from ldp_auditor.results.folder import results_folder

    protocols, own = split_words(words or [])
    types = {key: kind for name in protocols for key, kind in option_types(name).items()}
    plan = plan_comparison(
        protocols,
        epsilon=epsilon,
        domain_size=domain_size,
        delta=delta,
        epsilon_1=epsilon_1,
        epsilon_infinity=epsilon_infinity,
        attributes=attributes,
        domain_sizes=None if domain_sizes is None else parse_numbers("domain_sizes", domain_sizes),
        **convert_options("a comparison of these", types, own),
        neighbours=neighbours,
        attribute=attribute,
        reports=parse_reports(reports),
        composition=composition,
        composed_delta=composed_delta,
        pair=parse_pair(pair),
        attack=attack,
        bound=bound,
        alpha=alpha,
        trials=trials,
        precision=precision,
        max_trials=max_trials,
        seed=seed,
    )
    if figure is None and not as_json:
        figure = default_figure("compare.png")
    if figure is not None:
        check_figure_path(figure)
    with (
        results_folder(out) as journal,
        open_engine(engine, workers, address) as opened,
        progress_bar("comparing", plan.trials) as bar,
    ):
        comparison = run_comparison(
            plan, engine=opened, journal=journal, progress=bar.advance, on_start=bar.describe
        )
    show(comparison, comparison.to_dict(), as_json=as_json, figure=figure)
    left_out = [name for name in comparison.refused if name in protocols]
    for name in left_out:
        tell(f"ldp-auditor: {name}: {comparison.refused[name]}")
    return EXIT_BAD_INPUT if left_out else exit_code(comparison.violations.violations)
