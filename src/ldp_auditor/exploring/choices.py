"""What the page of choices asks for, and the answer as its script shows it."""

import shlex
from collections.abc import Mapping
from functools import partial
from typing import Any

from ldp_auditor.choosing.choice import Choice
from ldp_auditor.choosing.interface import choose
from ldp_auditor.errors import require
from ldp_auditor.exploring.settings import check_number, whole_setting
from ldp_auditor.figures.data import Cases
from ldp_auditor.figures.results import figure_of
from ldp_auditor.figures.words import shown
from ldp_auditor.report.choices import choice_content
from ldp_auditor.report.text_table import TextTable

NUMBERS = ("domain_size", "users", "reports", "max_epsilon", "max_error")


def chosen(given: Mapping[str, Any]) -> tuple[Choice, dict[str, Any]]:
    """Choose a protocol as the page asks, and return what was asked; errors are one line."""
    known = (*NUMBERS, "fingerprint")
    extra = [name for name in given if name not in known]
    require(not extra, f"unknown settings: {', '.join(extra[:3])}; known are {', '.join(known)}")
    for name in NUMBERS:
        require(name in given, f"{name} is missing")
        check_number(name, given[name])
    fingerprint = given.get("fingerprint", True)
    require(isinstance(fingerprint, bool), "fingerprint must be true or false")
    asked = {
        "domain_size": whole_setting("domain_size", given["domain_size"]),
        "users": given["users"],
        "reports": whole_setting("reports", given["reports"]),
        "max_epsilon": given["max_epsilon"],
        "max_error": given["max_error"],
        **({} if fingerprint else {"fingerprint": False}),
    }
    return choose(**asked), asked


def answer(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a choice in words, as a figure and a table, and what repeats it."""
    found, asked = chosen(given)
    parts = choice_content(found, every=True)
    tables = [part for part in parts if isinstance(part, TextTable)]
    figure = Cases("trade-off", "", [""], [figure_of(found)], 0) if found.curves else None
    return {
        "sentences": [shown(part, 600) for part in parts if isinstance(part, str)],
        "figure": figure and figure.to_plain(partial(shown, most=300)),
        "table": {
            "head": [column.heading for table in tables for column in table.columns],
            "rows": [list(row) for table in tables for row in table.rows],
        },
        "command": _command(asked),
        "cell": _cell(asked),
    }


def _command(asked: Mapping[str, Any]) -> str:
    """The command that chooses so, and draws the figure."""
    words = ["ldp-auditor", "choose"]
    for name, value in asked.items():
        option = "--" + name.replace("_", "-")
        words += ["--no-fingerprint"] if value is False else [option, str(value)]
    return shlex.join([*words, "--figure", "choose.svg"])


def _cell(asked: Mapping[str, Any]) -> str:
    """A cell of a notebook that does so."""
    given = "".join(f"    {name}={value!r},\n" for name, value in asked.items())
    return (
        f"from ldp_auditor import choose\n\nfound = choose(\n{given})\nprint(found)\nfound.plot()\n"
    )
