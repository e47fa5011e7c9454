"""How the words of a command become values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import click

from ldp_auditor.cli.arguments import DRAWN, ENGINE, flag_of
from ldp_auditor.errors import numeral, of_kind, require

if TYPE_CHECKING:
    from ldp_auditor.audits.plan import AuditPlan
    from ldp_auditor.execution.contract import Engine


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


EXAMPLES = {"reports": "5,10,25"}
"""What lists of numbers look like."""


def parse_reports(text: str | None) -> tuple[int, ...] | None:
    """Read numbers of reports, separated by commas."""
    return None if text is None else parse_numbers("reports", text)


def parse_protocol(words: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Split the words that no common option took into a protocol and its own options."""
    names, options = split_words(words)
    require(bool(names), "name a protocol to audit; 'ldp-auditor list' shows them")
    require(len(names) == 1, f"one protocol at a time, got {' '.join(names)}")
    return names[0], options


def split_words(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
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
        flag = flag_of(option)
        known = ", ".join(map(flag_of, types)) or "none"
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

    context = click.Context(app)
    every = {name: app.get_command(context, name) for name in app.list_commands(context)}
    having = [
        name
        for name, command in every.items()
        if command is not None and any(known.name == option for known in command.params)
    ]
    return f" (it is an option of {', '.join(having)})" if having else ""


def make_plan(words: Sequence[str], settings: Mapping[str, Any]) -> AuditPlan:
    """Plan the audit of the protocol that the words name, with its own options."""
    from ldp_auditor.audits.interface import option_types, plan_audit

    protocol, own = parse_protocol(words)
    options = convert_options(protocol, option_types(protocol), own)
    return plan_audit(protocol, **options, **planned(settings))


def planned(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the plan among `settings`, with `reports` as numbers."""
    plan = {name: value for name, value in settings.items() if name not in ENGINE}
    plan["reports"] = parse_reports(plan["reports"])
    return plan


def drawing_of(settings: dict[str, Any]) -> dict[str, Any]:
    """Take the settings of a figure out of `settings`, and return them."""
    return {name: settings.pop(name) for name in DRAWN}


def engine_of(settings: Mapping[str, Any]) -> AbstractContextManager[Engine]:
    """Open the engine that is asked for."""
    from ldp_auditor.execution.engines import open_engine

    return open_engine(**{name: settings[name] for name in ENGINE})
