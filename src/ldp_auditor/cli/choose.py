"""The commands `choose` and `simulate`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ldp_auditor.cli.arguments import (
    DRAWN,
    JSON,
    PROTOCOL,
    SEED,
    argument,
    command,
    integer,
    number,
    path,
    switch,
    word,
)
from ldp_auditor.cli.output import exit_code, progress, show
from ldp_auditor.cli.words import convert_options, drawing_of, parse_numbers, parse_protocol

FREQUENCIES = path("A file of counts, a line for each value: count, or name,count.", shown="none")


@command(
    DRAWN,
    protocols=argument("[PROTOCOL]...", "Those to consider; all that apply, if none.", nargs=-1),
    domain_size=integer("Number k of values in the domain.", shown="that of --frequencies"),
    users=integer("Number of users who report, e.g. 1e6.", required=True),
    reports=integer("Reports that each user sends of the same value.", 1),
    max_epsilon=number("Largest exact worst case of all reports of a user together."),
    max_epsilon_1=number("Largest exact worst case of one report."),
    max_error=number(
        "Largest standard error of a frequency (0.0025 is a quarter of a percentage point), root "
        "mean square over the values."
    ),
    max_worst_error=number("Largest standard error of the value that is known worst."),
    max_attack_success=number("Largest probability that a value is guessed from one report."),
    max_bits=number("Largest number of bits of a report, as it is usually sent."),
    objective=word(
        "What is made small within the limits: error, epsilon (of all reports) or epsilon-1.",
        shown="error; epsilon, if only the error is limited",
    ),
    delta=number("Delta at which losses are told; with one, approximate protocols take part.", 0.0),
    attributes=integer("Number of attributes of records, each of --domain-size values."),
    domain_sizes=word("Sizes of the attributes of records, such as 2,25,100."),
    frequencies=FREQUENCIES,
    error_of=word("Whose error is meant: each round of reports, or the mean of all.", "round"),
    no_fingerprint=switch(
        "--no-fingerprint", "Leave out protocols that send a part that never changes."
    ),
    measure=switch("--measure", "Time client and server of every protocol on this machine."),
    verify=switch("--verify", "Audit the choice, and simulate a collection of all users."),
    seed=SEED,
    figure=path("Where to draw error against leakage.", shown="choose.png; none with --json"),
    out=path("Folder for the choice, from which 'report' makes a page."),
    as_json=JSON,
)
def choose(
    protocols: Sequence[str],
    *,
    domain_sizes: str | None,
    no_fingerprint: bool,
    figure: Path | None,
    out: Path | None,
    as_json: bool,
    **settings: Any,
) -> int:
    """Choose a protocol and its setting: the least error, or epsilon, within your limits."""
    from ldp_auditor.choosing.interface import choose as find
    from ldp_auditor.figures.files import figure_path
    from ldp_auditor.page.saved_checks import can_keep, keep_choice

    drawn = drawing_of(settings)
    figure = figure_path(figure, None if as_json else "choose.png", **drawn)
    if out is not None:
        can_keep(out)
    sizes = () if domain_sizes is None else parse_numbers("domain_sizes", domain_sizes)
    with progress("choosing", 0, "protocols") as bar:

        def tell(done: int, expected: int) -> None:
            bar.expect(expected)
            bar.advance(1)

        found = find(
            protocols=protocols,
            domain_sizes=sizes,
            fingerprint=not no_fingerprint,
            progress=tell,
            **settings,
        )
    if out is not None:
        keep_choice(out, found)
    show(found, as_json=as_json, figure=figure if found.curves else None, **drawn)
    checked = found.verification
    broken = checked is not None and checked.audit.verdict == "violation"
    return exit_code(found.choice is None or broken)


@command(
    DRAWN,
    own_options=True,
    words=PROTOCOL,
    domain_size=integer("Number k of values in the domain.", shown="that of --frequencies"),
    epsilon=number("Epsilon of the protocol."),
    delta=number("Delta of the protocol.", shown="0, or 1e-5 for approximate protocols"),
    users=integer("Number of users who report, e.g. 1e6.", required=True),
    reports=integer("Reports of each user, all of which the estimate is made of.", 1),
    frequencies=FREQUENCIES,
    alpha=number("Probability that an interval misses the true share.", 0.05),
    seed=SEED,
    figure=path("Where to draw true and estimated shares.", shown="simulate.png; none with --json"),
    as_json=JSON,
)
def simulate(words: Sequence[str], *, figure: Path | None, as_json: bool, **settings: Any) -> int:
    """Simulate a collection end to end: true and estimated shares, with their intervals."""
    from ldp_auditor.audits.interface import option_types
    from ldp_auditor.choosing.simulation import simulate as collect
    from ldp_auditor.figures.files import figure_path

    drawn = drawing_of(settings)
    protocol, own = parse_protocol(words)
    options = convert_options(protocol, option_types(protocol), own)
    figure = figure_path(figure, None if as_json else "simulate.png", **drawn)
    found = collect(protocol, **options, **settings)
    show(found, as_json=as_json, figure=figure, **drawn)
    return exit_code(False)
