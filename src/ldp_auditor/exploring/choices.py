"""What the page of choices asks for, and the answer as its script shows it."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ldp_auditor.choosing.interface import choose
from ldp_auditor.errors import require
from ldp_auditor.exploring.settings import check_number, whole_setting
from ldp_auditor.figures.data import Cases
from ldp_auditor.figures.results import figure_of
from ldp_auditor.figures.words import shown
from ldp_auditor.report.choices import choice_content
from ldp_auditor.report.text_table import TextTable

NUMBERS = ("domain_size", "users", "reports", "max_epsilon", "max_error")


def answer(given: Mapping[str, Any]) -> dict[str, Any]:
    """Choose a protocol as the page asks; what is wrong is said in one line."""
    known = (*NUMBERS, "fingerprint")
    extra = [name for name in given if name not in known]
    require(not extra, f"unknown settings: {', '.join(extra[:3])}; known are {', '.join(known)}")
    for name in NUMBERS:
        require(name in given, f"{name} is missing")
        check_number(name, given[name])
    fingerprint = given.get("fingerprint", True)
    require(isinstance(fingerprint, bool), "fingerprint must be true or false")
    found = choose(
        users=given["users"],
        domain_size=whole_setting("domain_size", given["domain_size"]),
        reports=whole_setting("reports", given["reports"]),
        max_epsilon=given["max_epsilon"],
        max_error=given["max_error"],
        fingerprint=fingerprint,
    )
    parts = choice_content(found, every=True)
    tables = [part for part in parts if isinstance(part, TextTable)]
    figure = Cases("trade-off", "", ["all"], [figure_of(found)], 0) if found.curves else None
    return {
        "sentences": [shown(part, 600) for part in parts if isinstance(part, str)],
        "figure": figure and figure.to_plain(partial(shown, most=300)),
        "table": {
            "head": [column.heading for table in tables for column in table.columns],
            "rows": [list(row) for table in tables for row in table.rows],
        },
    }
