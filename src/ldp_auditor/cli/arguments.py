"""What the commands take: the types of their options, and how words become values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ldp_auditor.errors import AuditError, require

if TYPE_CHECKING:
    from ldp_auditor.longitudinal import Study

Protocol = Annotated[list[str], typer.Argument(metavar="PROTOCOL", show_default=False)]
Epsilon = Annotated[float | None, typer.Option(help="Claimed epsilon.")]
DomainSize = Annotated[int | None, typer.Option(help="Number k of values in the domain.")]
Neighbours = Annotated[
    str | None,
    typer.Option(
        help="For records: compare such that differ in all attributes, or in one.",
        show_default="all",
    ),
]
Attribute = Annotated[
    int | None,
    typer.Option(help="With --neighbours one: the attribute that differs, counted from 0."),
]
Delta = Annotated[
    float | None,
    typer.Option(help="Claimed delta.", show_default="0, or 1e-5 for approximate protocols"),
]
Pair = Annotated[
    str | None,
    typer.Option(
        help="The two values to tell apart, counted from 0, or two records such as 0,0,0:1,2,1.",
        show_default="0,1; for dBitFlipPM the first and the last",
    ),
]
Reports = Annotated[
    str | None,
    typer.Option(
        help="Reports of the same value by each user: 250, or several numbers such as 5,10,25.",
        show_default="1",
    ),
]
Composition = Annotated[
    str,
    typer.Option(
        help="With --reports: draw sums of reports from their exact law where it is known (auto, "
        "law), or report by report (simulate)."
    ),
]
ComposedDelta = Annotated[
    float | None,
    typer.Option(
        help="With --reports: delta at which the tight composition is told.",
        show_default="that of the claim, or 1e-5",
    ),
]
Trials = Annotated[
    str, typer.Option(help="Reports of each of the two values, e.g. 1e6 (for audit also auto).")
]
Precision = Annotated[
    float, typer.Option(help="With --trials auto: stop this close to what is reachable.")
]
MaxTrials = Annotated[str, typer.Option(help="With --trials auto: stop here at the latest.")]
Alpha = Annotated[float, typer.Option(help="Probability that the lower bound is wrong.")]
Bound = Annotated[
    str,
    typer.Option(
        help="From counts to epsilon: clopper-pearson, clopper-pearson-one-sided, "
        "likelihood-ratio (the tightest), jeffreys (Bayesian)."
    ),
]
Attack = Annotated[
    str, typer.Option(help="Attack on the reports: paper, optimal (compare: or both).")
]
Seed = Annotated[int, typer.Option(help="Seed; the same one gives the same counts.")]
Workers = Annotated[
    int | None, typer.Option(help="Threads; they do not change the counts.", show_default="cores")
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="What runs the work: threads, processes, ray; it does not change the counts.",
        show_default="threads; for check, sweep and reproduce processes",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        help="With --engine ray: a cluster, host:port or auto for the one on this host.",
        show_default="one that is started for this command",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder to write results to; a killed run goes on from there."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]


def parse_trials(text: str) -> int:
    """Read a number of trials: 1000000, 1_000_000 or 1e6."""
    from decimal import Decimal, InvalidOperation

    try:
        number = Decimal(text)
    except InvalidOperation:
        raise AuditError(f"trials must be a number such as 1000000 or 1e6, got {text!r}") from None
    possible = number.is_finite() and number.adjusted() <= 18
    whole = possible and number == number.to_integral_value()
    require(whole, f"trials must be a whole number of a possible size, got trials={text}")
    return int(number)


def parse_pair(text: str | None) -> tuple[Any, Any] | None:
    """Read two values separated by a comma, or two records separated by a colon.

    Without any, the default is meant.
    """
    if text is None:
        return None
    try:
        if ":" in text:
            first, second = (parse_numbers(part) for part in text.split(":"))
            return first, second
        one, other = parse_numbers(text)
    except ValueError:
        raise AuditError(
            f"pair must be two values such as 0,1, or two records such as 0,0:1,1, got {text!r}"
        ) from None
    return one, other


def parse_numbers(text: str) -> tuple[int, ...]:
    """Read whole numbers separated by commas."""
    return tuple(int(part) for part in text.split(","))


def parse_sizes(text: str) -> tuple[int, ...]:
    """Read the sizes of the attributes of records."""
    try:
        return parse_numbers(text)
    except ValueError:
        raise AuditError(
            f"domain-sizes must be whole numbers such as 2,25,100, got {text!r}"
        ) from None


def parse_study(
    reports: str | None, composition: str, composed_delta: float | None
) -> Study | None:
    """Read numbers of reports, separated by commas; a single report is no study."""
    from ldp_auditor.longitudinal import Study

    try:
        numbers = parse_numbers(reports or "1")
    except ValueError:
        raise AuditError(
            f"reports must be a whole number, or several such as 5,10,25, got {reports!r}"
        ) from None
    study = Study(reports=numbers, composition=composition, composed_delta=composed_delta)
    return None if study.reports == (1,) else study


def parse_protocol(words: list[str]) -> tuple[str, dict[str, str]]:
    """Split the words that no common option took into a protocol and its own options."""
    names, options = split_words(words)
    require(bool(names), "name a protocol to audit; 'ldp-auditor list' shows them")
    require(len(names) == 1, f"one protocol at a time, got {' '.join(names)}")
    return names[0], options


def split_words(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Tell names from options with their values."""
    names: list[str] = []
    options: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            names.append(word)
            continue
        option, has_value, value = word.lstrip("-").partition("=")
        if not has_value:
            value = next(rest, "")
        options[option.replace("-", "_")] = value
    return names, options


def convert_options(protocol: str, options: dict[str, str]) -> dict[str, Any]:
    """Give a protocol's own options the types that it declares."""
    from ldp_auditor import mechanisms

    types: dict[str, Any] = dict(mechanisms.find(protocol).option_types())
    if "epsilon_infinity" in types:
        types = {"epsilon_1": float, **types}
    converted: dict[str, Any] = {}
    for name, text in options.items():
        flag = "--" + name.replace("_", "-")
        known = ", ".join("--" + known.replace("_", "-") for known in types) or "none"
        require(
            name in types,
            f"no such option: {flag}; beyond those in --help, {protocol} takes: {known}",
        )
        require(text != "", f"option {flag} needs a value")
        is_list = types[name] is tuple
        try:
            converted[name] = parse_numbers(text) if is_list else types[name](text)
        except ValueError:
            what = "whole numbers such as 2,25,100" if is_list else types[name].__name__
            raise AuditError(f"{flag} must be of type {what}, got {text[:40]!r}") from None
    return converted


def make_protocol(
    words: list[str], epsilon: float | None, domain_size: int | None, delta: float | None
) -> Any:
    """Make the protocol that the words name, with its own options."""
    from ldp_auditor import mechanisms

    protocol, options = parse_protocol(words)
    return mechanisms.make(
        protocol,
        epsilon=epsilon,
        domain_size=domain_size,
        delta=delta,
        **convert_options(protocol, options),
    )
