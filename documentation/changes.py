"""The page of all changes that can move a number, from the entries of the CHANGELOG that say so."""

from __future__ import annotations

import re
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"
MARK = "results change"


def marked(changelog: str) -> dict[str, list[str]]:
    r"""Return the entries that are marked, by the heading that they stand under.

    >>> marked("# All\n\n### New\n\n- One.\n- Two (results\n  change).\n\n### Old\n\n- X.\n")
    {'New': ['- Two (results\n  change).']}
    """
    found = {}
    for section in re.split(r"^##+ ", changelog, flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        entries = [entry.rstrip() for entry in re.split(r"^(?=- )", text, flags=re.MULTILINE)[1:]]
        changes = [entry for entry in entries if MARK in " ".join(entry.lower().split())]
        if changes:
            found[heading] = changes
    return found


def page() -> str:
    """Return the page, in the order of the changelog."""
    parts = [
        "# What moved a number",
        'Every entry of the [changelog](changelog.md) that is marked "results change": the same'
        " seed, or the same reports, may give other numbers than before it.",
    ]
    for heading, entries in marked(CHANGELOG.read_text(encoding="utf-8")).items():
        parts += [f"## {heading}", "\n".join(entries)]
    return "\n\n".join(parts) + "\n"
