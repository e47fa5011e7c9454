"""What stands at the head and the foot of the page: how much was looked at, and how it was made."""

import platform
from collections.abc import Sequence
from importlib import metadata
from typing import Any

from ldp_auditor import __version__
from ldp_auditor.figures.points import Point
from ldp_auditor.figures.words import value_in_words
from ldp_auditor.page.folder import Contents
from ldp_auditor.page.summaries import BROKEN, VIOLATION, Kind, confidence


def size_of(
    contents: Contents, points: dict[str, list[Point]], kinds: Sequence[Kind]
) -> dict[str, Any]:
    """How much was looked at, and how many mechanisms are of the bad `kinds`."""
    settings = sum(len({repr(point.setting) for point in mine}) for mine in points.values())
    reports = sum(2 * result.counts.trials * result.reports for _, result in contents.audits)
    alphas = sorted({result.alpha for result in contents.every})
    return {
        "mechanisms": len(kinds),
        "settings": settings + len(contents.checks),
        "violations": kinds.count(VIOLATION),
        "broken": kinds.count(BROKEN),
        "reports": _large(reports + sum(check.reports for check in contents.checks)),
        "confidence": [confidence(alpha) for alpha in alphas],
    }


def making_of(contents: Contents, plotly: str) -> dict[str, list[str]]:
    """Settings, seeds and versions, each value once."""
    audits = [result for _, result in contents.audits]
    found = {
        "attacks": [result.attack for result in audits],
        "bounds": [result.bound for result in audits],
        "alpha": [value_in_words(result.alpha) for result in contents.every],
        "trials of each input": [f"{result.counts.trials:,}" for result in audits],
        "reports of each check": [f"{check.reports:,}" for check in contents.checks],
        "seeds": [str(result.seed) for result in contents.every],
        "results made by": [f"ldp-auditor {version}" for version in contents.versions],
        "page made by": [f"ldp-auditor {__version__}"],
        "Python": [platform.python_version()],
        **{name: [metadata.version(name)] for name in ("numpy", "scipy", "numba")},
        "figures": [f"plotly.js {plotly} (MIT), inside this page"] if plotly else [],
    }
    return {name: list(dict.fromkeys(values)) for name, values in found.items()}


def _large(value: float) -> str:
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if value >= size:
            return f"{value / size:.3g} {word}"
    return f"{value:,.0f}"
