"""The command line: arguments in, calls out.

Heavy packages are imported by the commands that use them, so that help is instant.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from typer.exceptions import TyperException

from ldp_auditor import __version__
from ldp_auditor.arguments import (
    Alpha,
    AsJson,
    Attack,
    Attribute,
    Bound,
    ComposedDelta,
    Composition,
    Delta,
    DomainSize,
    Epsilon,
    MaxTrials,
    Neighbours,
    Pair,
    Precision,
    Protocol,
    Reports,
    Seed,
    Trials,
    Workers,
    make_protocol,
    parse_pair,
    parse_sizes,
    parse_study,
    parse_trials,
)
from ldp_auditor.errors import AuditError, require

if TYPE_CHECKING:
    from rich.console import Console

EXIT_NO_VIOLATION, EXIT_VIOLATION, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 0, 1, 2, 130

app = typer.Typer(
    name="ldp-auditor",
    help="Measure what local differential privacy mechanisms really leak.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def main_options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Measure what local differential privacy mechanisms really leak."""
    if version:
        say(f"ldp-auditor {__version__}")
    elif context.invoked_subcommand is None:
        say(context.get_help())


@app.command(name="list")
def list_protocols(
    adapters: Annotated[
        bool, typer.Option("--adapters", help="Show foreign packages that can be checked.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the protocols that can be audited, or the foreign packages that can be checked."""
    from ldp_auditor import mechanisms
    from ldp_auditor.report.tables import adapter_table, protocol_table

    if adapters:
        table = adapter_table()
    else:
        table = protocol_table(
            [*mechanisms.available().values(), *mechanisms.available_for_records().values()]
        )
    if as_json:
        say_json([dict(zip(table.columns, row, strict=True)) for row in table.rows])
    else:
        say(table.draw(console()))


@app.command(context_settings={"ignore_unknown_options": True})
def audit(
    words: Protocol,
    domain_size: DomainSize = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
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
    precision: Precision = 0.01,
    max_trials: MaxTrials = "1e9",
    figure: Annotated[
        Path | None,
        typer.Option(help="With several --reports: where to draw the curve.", show_default="none"),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Audit one protocol. Its own options, such as --hash-range, are shown by 'list'."""
    from ldp_auditor.auditing import run
    from ldp_auditor.execution.threads import ThreadEngine
    from ldp_auditor.interface import plan_audit
    from ldp_auditor.longitudinal import run_study
    from ldp_auditor.report.figures import check_figure_path
    from ldp_auditor.report.progress import progress_bar
    from ldp_auditor.sequential import Stopping, run_until_precise

    automatic = trials == "auto"
    most = parse_trials(max_trials if automatic else trials)
    plan = plan_audit(
        make_protocol(words, epsilon, domain_size, delta),
        pair=parse_pair(pair),
        neighbours=neighbours,
        attribute=attribute,
        attack=attack,
        bound=bound,
        alpha=alpha,
        trials=most,
        seed=seed,
    )
    study = parse_study(reports, composition, composed_delta)
    require(
        not (automatic and study), "--trials auto is for single reports; give --trials a number"
    )
    require(
        figure is None or (study is not None and len(study.reports) > 1),
        "--figure draws a curve over several numbers of reports, such as --reports 5,10,25",
    )
    if figure is not None:
        check_figure_path(figure)
    engine = ThreadEngine.of(workers)
    with progress_bar(f"auditing {plan.mechanism.name}", 2 * most) as bar:
        if study is not None:
            results = run_study(plan, study, engine, bar.advance)
        elif automatic:
            results = (run_until_precise(plan, Stopping(precision, most), engine, bar.advance),)
        else:
            results = (run(plan, engine, bar.advance),)
    if study is None and reports is not None:
        results = tuple(replace(r, options={**r.options, "reports": 1}) for r in results)
    if as_json:
        several = {"results": [result.to_dict() for result in results]}
        say_json(several if len(results) > 1 else results[0].to_dict())
    else:
        from ldp_auditor.report.tables import over_time_table, result_table

        table = over_time_table(results) if len(results) > 1 else result_table(results[0])
        say(table.draw(console()))
    if figure is not None:
        from ldp_auditor.report.over_time import draw_over_time, over_time_curves

        draw_over_time(over_time_curves(results), figure)
        print(f"figure written to {figure}", file=sys.stderr)
    return max(exit_code(result.verdict) for result in results)


@app.command()
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
    figure: Annotated[
        Path | None,
        typer.Option(
            help="Where to draw the bars, or the curves over several --reports.",
            show_default="compare.png; none with --json",
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Audit all protocols, or those named, under one claim: a table and a figure."""
    from ldp_auditor.comparison import plan_comparison, run_comparison
    from ldp_auditor.execution.threads import ThreadEngine
    from ldp_auditor.report.figures import check_figure_path
    from ldp_auditor.report.progress import progress_bar

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
        figure = Path("compare.png")
    if figure is not None:
        check_figure_path(figure)
    with progress_bar("comparing", plan.trials) as bar:
        comparison = run_comparison(plan, ThreadEngine.of(workers), bar.advance, bar.describe)
    if as_json:
        say_json(comparison.to_dict())
    else:
        from ldp_auditor.report.tables import comparison_table

        say(comparison_table(comparison).draw(console()))
        for name, reason in comparison.refused.items():
            say(f"{name} was left out: {reason}")
    if figure is not None:
        if plan.study is None:
            from ldp_auditor.report.figures import comparison_bars, draw_comparison

            draw_comparison(comparison_bars(comparison), figure)
        else:
            from ldp_auditor.report.over_time import draw_over_time, over_time_curves

            draw_over_time(over_time_curves(comparison.results), figure)
        print(f"figure written to {figure}", file=sys.stderr)
    return max(exit_code(result.verdict) for result in comparison.results)


@app.command(context_settings={"ignore_unknown_options": True})
def explain(
    words: Protocol,
    domain_size: DomainSize = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    pair: Pair = None,
    neighbours: Neighbours = None,
    attribute: Attribute = None,
    trials: Trials = "1e6",
    alpha: Alpha = 0.01,
    bound: Bound = "clopper-pearson",
    seed: Seed = 42,
    workers: Workers = None,
    figure: Annotated[
        Path | None,
        typer.Option(help="Where to draw the waterfall.", show_default="explain.png"),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Tell where the gap between the claim and the measured epsilon comes from."""
    from ldp_auditor.execution.threads import ThreadEngine
    from ldp_auditor.explanation import explain as run_explanation
    from ldp_auditor.interface import plan_audit
    from ldp_auditor.report.figures import check_figure_path, draw_explanation
    from ldp_auditor.report.progress import progress_bar
    from ldp_auditor.report.tables import certificate_lines, explanation_table

    plan = plan_audit(
        make_protocol(words, epsilon, domain_size, delta),
        pair=parse_pair(pair),
        neighbours=neighbours,
        attribute=attribute,
        bound=bound,
        alpha=alpha,
        trials=parse_trials(trials),
        seed=seed,
    )
    if figure is None and not as_json:
        figure = Path("explain.png")
    if figure is not None:
        check_figure_path(figure)
    with progress_bar(f"explaining {plan.mechanism.name}", 4 * plan.trials) as bar:
        explanation = run_explanation(plan, ThreadEngine.of(workers), bar.advance)
    if as_json:
        say_json(explanation.to_dict())
    else:
        say(explanation_table(explanation).draw(console()))
        say(certificate_lines(explanation))
    if figure is not None:
        draw_explanation(explanation, figure)
        print(f"figure written to {figure}", file=sys.stderr)
    return max(exit_code(result.verdict) for result in explanation.results)


@app.command(context_settings={"ignore_unknown_options": True})
def profile(
    words: Protocol,
    domain_size: DomainSize = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    pair: Pair = None,
    neighbours: Neighbours = None,
    attribute: Attribute = None,
    points: Annotated[int, typer.Option(help="Epsilons to tabulate.", min=2, max=10_000)] = 21,
    figure: Annotated[
        Path | None, typer.Option(help="Where to draw it.", show_default="profile.png")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the exact privacy profile of a protocol: the smallest delta at every epsilon."""
    from ldp_auditor.interface import plan_audit
    from ldp_auditor.report.figures import check_figure_path, draw_profile
    from ldp_auditor.report.tables import profile_table
    from ldp_auditor.theory.loss_law import privacy_profile

    plan = plan_audit(
        make_protocol(words, epsilon, domain_size, delta),
        pair=parse_pair(pair),
        neighbours=neighbours,
        attribute=attribute,
    )
    mechanism, law = plan.mechanism, plan.loss_law
    if law is None:
        raise AuditError(f"the exact law of the loss of {mechanism.name} is not known here")
    if figure is None and not as_json:
        figure = Path("profile.png")
    if figure is not None:
        check_figure_path(figure)
    largest = min(1.2 * mechanism.claim.epsilon, 20.0)
    curve = privacy_profile(law, largest, points)
    title = f"Privacy profile of {mechanism.name}, k = {mechanism.domain_size}"
    if as_json:
        say_json([{"epsilon": e, "delta": d} for e, d in curve])
    else:
        say(profile_table(title, curve).draw(console()))
    if figure is not None:
        draw_profile(title, privacy_profile(law, largest, 400), mechanism.claim, figure)
        print(f"figure written to {figure}", file=sys.stderr)


@app.command(context_settings={"ignore_unknown_options": True})
def check(
    target: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TARGET]",
            help="package.module:function, package.module:Class(args), or an adapter such as "
            "pure-ldp:OUE (see list --adapters).",
            show_default=False,
        ),
    ] = None,
    epsilon: Annotated[float | None, typer.Option(help="Claimed epsilon.")] = None,
    delta: Annotated[float, typer.Option(help="Claimed delta.")] = 0.0,
    values: Annotated[
        str | None, typer.Option(help='Inputs: 0,1,2 or JSON such as \'["red", "green"]\'.')
    ] = None,
    domain_size: Annotated[
        int | None, typer.Option(help="Inputs 0 to k - 1, for adapters and for short.")
    ] = None,
    command: Annotated[
        str | None, typer.Option(help="A program: values in, reports out, as JSON lines.")
    ] = None,
    recorded: Annotated[
        Path | None, typer.Option(help="A file of values and reports: .csv, .jsonl or .parquet.")
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(help="package.module:function of (report, first, second) that scores it."),
    ] = None,
    batch: Annotated[
        bool | None, typer.Option(help="Whether the target is called with (value, n).")
    ] = None,
    trials: Annotated[str, typer.Option(help="Reports in all, e.g. 1e6.")] = "2e5",
    alpha: Alpha = 0.01,
    seed: Seed = 42,
    workers: Workers = None,
    call_seconds: Annotated[float, typer.Option(help="Longest time of one call.")] = 10.0,
    total_seconds: Annotated[float, typer.Option(help="Longest time in all.")] = 600.0,
    as_json: AsJson = False,
) -> int:
    """Check anybody's mechanism against its claim, and show the evidence."""
    from ldp_auditor.arguments import parse_check
    from ldp_auditor.checking import check_recorded, run_check
    from ldp_auditor.report.evidence import evidence_text
    from ldp_auditor.report.progress import progress_bar

    require(epsilon is not None, "a check needs the claim: --epsilon")
    asked = parse_check(
        target or [],
        epsilon=epsilon,
        delta=delta,
        values=values,
        domain_size=domain_size,
        command=command,
        recorded=recorded,
        score=score,
        batch=batch,
        trials=parse_trials(trials),
        alpha=alpha,
        seed=seed,
        call_seconds=call_seconds,
        total_seconds=total_seconds,
    )
    plan = asked.pop("plan", None)
    with progress_bar("checking", 0 if plan is None else plan.trials) as bar:
        result = check_recorded(**asked) if plan is None else run_check(plan, workers, bar.advance)
    if as_json:
        say_json(result.to_dict())
    else:
        say(evidence_text(result, " ".join(["ldp-auditor", *map(shlex.quote, sys.argv[1:])])))
    return exit_code(result.verdict)


def exit_code(verdict: str) -> int:
    """The code by which scripts learn the verdict."""
    return EXIT_VIOLATION if verdict == "violation" else EXIT_NO_VIOLATION


def say(text: str) -> None:
    """Print on standard output; if nobody takes it, end with one line and not as a violation."""
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left in the buffer goes nowhere
        fail(f"cannot write the output: {error}")


def say_json(value: object) -> None:
    """Print one JSON value on standard output."""
    say(json.dumps(value, allow_nan=False))


def console() -> Console:
    """A console on standard output; files and pipes get lines as long as they need."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 10_000)


def main() -> None:
    """Run the command line; whatever goes wrong is one line on standard error and exit code 2."""
    try:
        code = app(standalone_mode=False)
    except AuditError as error:
        fail(str(error))
    except TyperException as error:
        fail(error.format_message())
    except MemoryError:
        fail("out of memory: choose a smaller domain, fewer reports or a smaller epsilon")
    except (KeyboardInterrupt, typer.Abort):
        code = EXIT_INTERRUPTED
    except Exception as error:
        fail(f"internal error, please report it: {type(error).__name__}: {error}")
    if code == EXIT_INTERRUPTED:  # typer turns Ctrl-C within a command into this code
        print("ldp-auditor: interrupted", file=sys.stderr, flush=True)
        os._exit(EXIT_INTERRUPTED)  # an ordinary exit would wait for threads to finish their piece
    sys.exit(code if isinstance(code, int) else EXIT_NO_VIOLATION)


def fail(message: str) -> NoReturn:
    """End with one line on standard error."""
    with contextlib.suppress(OSError):
        print(f"ldp-auditor: {' '.join(message.split())}", file=sys.stderr, flush=True)
    sys.exit(EXIT_BAD_INPUT)
