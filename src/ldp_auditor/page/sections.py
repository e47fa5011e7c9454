"""What stands at the head and the foot of the page: what was found in which results, made how."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from importlib import metadata

from ldp_auditor import __version__
from ldp_auditor.page.folder import Contents
from ldp_auditor.page.markup import counted
from ldp_auditor.page.points import Point, value_in_words
from ldp_auditor.page.summaries import (
    BROKEN,
    KINDS,
    VIOLATION,
    Kind,
    Summary,
    confidence,
    worst_of,
)

Rows = list[tuple[str, str]]
"""Names and what stands beside them."""


def tiles_of(
    contents: Contents, points: dict[str, list[Point]], verdicts: Sequence[Summary]
) -> Rows:
    """How much was looked at, and how much of it is broken."""
    audits, checks = [result for _, result in contents.audits], contents.checks
    settings = len(checks) + sum(len({repr(p.setting) for p in mine}) for mine in points.values())
    reports = sum(2 * result.counts.trials * result.reports for result in audits)
    reports += sum(check.reports for check in checks)
    alphas = sorted({result.alpha for result in contents.every})
    kinds = list(worst_of(verdicts).values())
    mechanisms, mechanism_word = counted(len(kinds), "mechanism").split()
    settings_count, setting_word = counted(settings, "setting").split()
    by_theory = kinds.count(BROKEN)
    return [
        (mechanism_word, mechanisms),
        (setting_word, settings_count),
        ("proven in violation", f"{kinds.count(VIOLATION):,}"),
        *([("broken by theory", f"{by_theory:,}")] if by_theory else []),
        ("reports attacked", _large(reports)),
        ("confidence of each result", " / ".join(map(confidence, alphas[:2]))),
    ]


def lede_of(verdicts: Sequence[Summary]) -> list[tuple[Kind, list[str]]]:
    """The mechanisms of every kind of verdict, the worst first."""
    worst = worst_of(verdicts)
    names = {kind: [name for name in worst if worst[name] == kind] for kind in KINDS}
    return [(kind, mine) for kind, mine in names.items() if mine]


def making_of(contents: Contents, plotly: str) -> Rows:
    """Settings, seeds and versions."""
    audits, checks = [result for _, result in contents.audits], contents.checks
    rows = [
        ("attacks", _distinct(result.attack for result in audits)),
        ("bounds", _distinct(result.bound for result in audits)),
        ("alpha", _distinct(value_in_words(entry.alpha) for entry in contents.every)),
        ("trials of each input", _distinct(f"{r.counts.trials:,}" for r in audits)),
        ("reports of each check", _distinct(f"{check.reports:,}" for check in checks)),
        ("seeds", _distinct(str(entry.seed) for entry in contents.every)),
        ("results made by", ", ".join(f"ldp-auditor {v}" for v in contents.versions)),
        ("page made by", f"ldp-auditor {__version__}"),
        ("Python", platform.python_version()),
        *((name, metadata.version(name)) for name in ("numpy", "scipy", "numba")),
        ("figures", f"plotly.js {plotly} (MIT), inside this page" if plotly else ""),
    ]
    return [(name, value) for name, value in rows if value]


def _large(value: float) -> str:
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if value >= size:
            return f"{value / size:.3g} {word}"
    return f"{value:,.0f}"


def _distinct(values: Iterable[str]) -> str:
    found = list(dict.fromkeys(values))
    shown = ", ".join(found[:12])
    return f"{shown} and {len(found) - 12:,} more" if len(found) > 12 else shown
