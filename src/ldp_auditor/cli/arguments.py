"""What the commands take: the types of their options, and how words become values."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from ldp_auditor.errors import numeral, of_kind, require

if TYPE_CHECKING:
    from ldp_auditor.audits.plan import AuditPlan
    from ldp_auditor.execution.contract import Engine

Option = tuple[Any, Any]
"""Type and default of an option."""

Options = Mapping[str, Option]
"""Options by their names."""


def number(text: str, default: float | None = None, shown: str | bool = True) -> Option:
    """An option that is a number; `shown` is what help says of its default.

    What is no number is refused by the audit, in the same words as in Python and in grids.
    """
    about = typer.Option(help=text, show_default=shown, parser=numeral, metavar="<float>")
    return Annotated[float | None, about], default


def integer(text: str, default: int | None = None, shown: str | bool = True) -> Option:
    """An option that is a whole number; 1e6 is one."""
    about = typer.Option(help=text, show_default=shown, parser=numeral, metavar="<int>")
    return Annotated[int | None, about], default


def word(text: str, default: str | None = None, shown: str | bool = True) -> Option:
    """An option that is text."""
    return Annotated[str | None, typer.Option(help=text, show_default=shown)], default


def path(text: str, default: Path | None = None, shown: str | bool = True) -> Option:
    """An option that is a file or a folder."""
    return Annotated[Path | None, typer.Option(help=text, show_default=shown)], default


def switch(name: str, text: str) -> Option:
    """An option that is there or not."""
    return Annotated[bool, typer.Option(name, help=text)], False


Protocol = Annotated[list[str], typer.Argument(metavar="PROTOCOL", show_default=False)]

CLAIMED: Options = {
    "domain_size": integer("Number k of values in the domain, e.g. 1e6."),
    "epsilon": number("Claimed epsilon."),
    "delta": number("Claimed delta.", shown="0, or 1e-5 for approximate protocols"),
    "pair": word(
        "The two values to tell apart, counted from 0, or two records such as 0,0,0:1,2,1.",
        shown="0,1; for dBitFlipPM the first and the last",
    ),
    "neighbours": word(
        "For records: compare records that differ in all attributes (all), or in one (one).",
        shown="all",
    ),
    "attribute": integer("With --neighbours one: the attribute that differs, counted from 0."),
    "reports": word(
        "Reports that each user sends of the same value: 250, or several such as 5,10,25.",
        shown="1",
    ),
}

ALPHA = number("Largest probability that the lower bound is wrong.", 0.01)
BOUND = (
    "How counts become an epsilon: clopper-pearson, clopper-pearson-one-sided, likelihood-ratio "
    "(the tightest), betting (holds whenever one stops), jeffreys (Bayesian)."
)
SEED = integer("Seed of the random numbers; the same seed gives the same counts.", 42)

COUNTED: Options = {
    "composition": word(
        "With --reports: draw sums of reports from their exact law where it is known (auto, law), "
        "or report by report (simulate).",
        shown="auto",
    ),
    "composed_delta": number(
        "With --reports: delta at which the tight composition is computed.",
        shown="that of the claim, or 1e-5",
    ),
    "trials": integer(
        "Number of reports of each of the two values, e.g. 1e6; or auto, with --precision.",
        1_000_000,
    ),
    "alpha": ALPHA,
    "bound": word(BOUND, shown="clopper-pearson; with --trials auto betting"),
    "seed": SEED,
    "precision": number(
        "With --trials auto: stop when the proven epsilon is this close, as a share, to what the "
        "attack can reach.",
        shown="0.01",
    ),
    "max_trials": integer("With --trials auto: largest number of trials.", shown="1000000000"),
}

ATTACKED: Options = {
    "attack": word("Attack on the reports: paper, optimal; for compare also both.", "paper")
}

ENGINE: Options = {
    "workers": integer("Number of threads; it does not change the counts.", shown="cores"),
    "engine": word(
        "Run the work on threads, processes or ray; this does not change the counts.",
        shown="threads; for check, sweep and reproduce processes",
    ),
    "address": word(
        "With --engine ray: the cluster, as host:port, or auto for the one on this host.",
        shown="one that is started for this command",
    ),
}

OUT = path("Folder for the results; a run that was killed continues from it.")
JSON = switch("--json", "Print JSON on standard output.")

Command = TypeVar("Command", bound=Callable[..., Any])


def takes(*tables: Options, **own: Option) -> Callable[[Command], Command]:
    """Give a command its options: those of some tables, and its own; it gets them by name."""

    def give(command: Command) -> Command:
        named = inspect.signature(command, eval_str=True).parameters.values()
        first = [p for p in named if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
        options = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for table in (*tables, own)
            for name, (kind, default) in table.items()
        ]
        command.__signature__ = inspect.Signature([*first, *options])  # type: ignore[attr-defined]
        return command

    return give


def parse_pair(text: str | None) -> tuple[Any, Any] | None:
    """Read two values separated by a comma, or two records separated by a colon.

    Without any, the default is meant.
    """
    if text is None:
        return None
    pair: tuple[Any, ...]
    if ":" in text:
        pair = tuple(parse_numbers("pair", part) for part in text.split(":"))
    else:
        pair = parse_numbers("pair", text)
    require(
        len(pair) == 2,
        f"pair must be two values such as 0,1, or two records such as 0,0:1,1, got {text!r}",
        argument="pair",
    )
    return pair[0], pair[1]


def parse_numbers(name: str, text: str) -> tuple[int, ...]:
    """Read whole numbers separated by commas."""
    numbers = [numeral(part) for part in text.split(",")]
    for number in numbers:
        require(
            not isinstance(number, str),
            f"{name} must be whole numbers such as {EXAMPLES.get(name, '2,25,100')}, "
            f"got {text[:40]!r}",
        )
    return tuple(numbers)


EXAMPLES = {"pair": "0,1", "reports": "5,10,25"}
"""What lists of numbers look like."""


def parse_reports(text: str | None) -> tuple[int, ...] | None:
    """Read numbers of reports, separated by commas."""
    return None if text is None else parse_numbers("reports", text)


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


def convert_options(
    name: str, types: Mapping[str, Any], options: Mapping[str, str]
) -> dict[str, Any]:
    """Give the own options of the protocol or adapter `name` the types that it declares."""
    converted: dict[str, Any] = {}
    for option, text in options.items():
        flag = "--" + option.replace("_", "-")
        known = ", ".join("--" + known.replace("_", "-") for known in types) or "none"
        require(
            option in types,
            f"no such option: {flag}; beyond those in --help, {name} takes: {known}"
            f"{found_elsewhere(option)}",
        )
        require(text != "", f"option {flag} needs a value")
        kind = types[option]
        converted[option] = (
            parse_numbers(option, text) if kind is tuple else of_kind(option, kind, text)
        )
    return converted


def found_elsewhere(option: str) -> str:
    """Name the commands that have an option which this command lacks."""
    from ldp_auditor.cli import app

    having = [
        command.name or command.callback.__name__
        for command in app.registered_commands
        if command.callback is not None and option in inspect.signature(command.callback).parameters
    ]
    return f" (it is an option of {', '.join(having)})" if having else ""


def make_plan(words: list[str], settings: Mapping[str, Any]) -> AuditPlan:
    """Plan the audit of the protocol that the words name, with its own options."""
    from ldp_auditor.audits.interface import option_types, plan_audit

    protocol, own = parse_protocol(words)
    options = convert_options(protocol, option_types(protocol), own)
    return plan_audit(protocol, **options, **planned(settings))


def planned(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings that are of the plan, with their words read."""
    plan = {name: value for name, value in settings.items() if name not in ENGINE}
    plan["pair"], plan["reports"] = parse_pair(plan["pair"]), parse_reports(plan["reports"])
    return plan


def engine_of(settings: Mapping[str, Any]) -> AbstractContextManager[Engine]:
    """Open the engine that is asked for."""
    from ldp_auditor.execution.engines import open_engine

    return open_engine(**{name: settings[name] for name in ENGINE})
