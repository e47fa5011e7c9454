"""The command `compare`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ldp_auditor.cli.arguments import (
    ATTACKED,
    CLAIMED,
    COUNTED,
    DRAWN,
    ENGINE,
    JSON,
    OUT,
    argument,
    command,
    integer,
    number,
    path,
    word,
)
from ldp_auditor.cli.output import EXIT_BAD_INPUT, exit_code, progress, show, tell
from ldp_auditor.cli.words import (
    convert_options,
    drawing_of,
    engine_of,
    parse_numbers,
    planned,
    split_words,
)

FIGURE = "Where to draw the bars, or the curves over several --reports."


@command(
    CLAIMED,
    COUNTED,
    ATTACKED,
    ENGINE,
    DRAWN,
    own_options=True,
    words=argument("[PROTOCOL]...", "All, if none is named.", nargs=-1),
    epsilon_1=number("Claimed epsilon of one report of memoized protocols."),
    epsilon_infinity=number("Guarantee of memoized protocols for any number of reports."),
    attributes=integer("Number of attributes of records (RS+FD, SPL, SMP)."),
    domain_sizes=word("Sizes of the attributes of records, such as 2,25,100."),
    figure=path(FIGURE, shown="compare.png; none with --json"),
    out=OUT,
    as_json=JSON,
)
def compare(
    words: Sequence[str],
    *,
    domain_sizes: str | None,
    figure: Path | None,
    out: Path | None,
    as_json: bool,
    **settings: Any,
) -> int:
    """Audit the paper's protocols, or those named, under one claim: a table and a figure.

    A protocol that is named is audited as 'audit' does it. If none is named, those that promise
    nothing are measured without a claim. Options of protocols go to those that have them.
    """
    from ldp_auditor.audits.comparison import plan_comparison, run_comparison
    from ldp_auditor.audits.interface import option_types
    from ldp_auditor.figures.files import figure_path
    from ldp_auditor.mechanisms import expanded
    from ldp_auditor.results.folder import results_folder

    drawn = drawing_of(settings)
    protocols, own = split_words(words)
    protocols = expanded(protocols)
    types = {key: kind for name in protocols for key, kind in option_types(name).items()}
    plan = plan_comparison(
        protocols,
        domain_sizes=None if domain_sizes is None else parse_numbers("domain_sizes", domain_sizes),
        **convert_options("a comparison of these", types, own),
        **planned(settings),
    )
    figure = figure_path(figure, None if as_json else "compare.png", **drawn)
    with (
        results_folder(out) as journal,
        engine_of(settings) as opened,
        progress("comparing", plan.trials) as bar,
    ):
        comparison = run_comparison(
            plan, engine=opened, journal=journal, progress=bar.advance, on_start=bar.describe
        )
    show(comparison, as_json=as_json, figure=figure, **drawn)
    left_out = [name for name in comparison.refused if name in protocols]
    for name in left_out:
        tell(f"ldp-auditor: {name}: {comparison.refused[name]}")
    return EXIT_BAD_INPUT if left_out else exit_code(comparison.violations.violations)
