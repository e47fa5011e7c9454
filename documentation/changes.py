"""The page of all changes that can move a number, from the entries of the CHANGELOG that say so."""

from __future__ import annotations

import re
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"
MARK = "results change"


def marked(changelog: str) -> dict[str, list[str]]:
    r"""Return the entries that are marked, by the heading of their release.

    >>> marked("# Changes\n\n## 2\n\n- One.\n- Two (results\n  change).\n\n## 1\n\n- Old.\n")
    {'2': ['- Two (results\n  change).'], '1': []}
    """
    found = {}
    for release in re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]:
        heading, _, text = release.partition("\n")
        entries = [entry.rstrip() for entry in re.split(r"^(?=- )", text, flags=re.MULTILINE)[1:]]
        found[heading] = [entry for entry in entries if MARK in " ".join(entry.lower().split())]
    return found


def page() -> str:
    """Return the page, the newest release first."""
    parts = [
        "# What moved a number",
        'Every entry of the [changelog](changelog.md) that is marked "results change": the same'
        " seed, or the same reports, may give other numbers than before it.",
    ]
    for heading, entries in marked(CHANGELOG.read_text(encoding="utf-8")).items():
        if entries:
            parts += [f"## {heading}", "\n".join(entries)]
    return "\n\n".join(parts) + "\n"
