"""The table of everything: a row for every setting and attack, to sort and to filter."""

import math
from collections.abc import Sequence, Set
from typing import Any

from ldp_auditor.figures.points import AXES, Point, sort_key, varied, words_of
from ldp_auditor.figures.shares import SEARCH
from ldp_auditor.figures.words import NONE, digits
from ldp_auditor.page.markup import counted
from ldp_auditor.page.summaries import BROKEN, VIOLATION, kind_of_point, summary_of_check
from ldp_auditor.results.check_result import CheckResult

MOST_ROWS = 2_500
"""Rows of the table; beyond them it would outweigh the page."""

SEEDS = "± over seeds"
"""The column that is left out if every setting has one seed."""

COLUMNS = {
    "Mechanism": "text",
    "Verdict": "verdict",
    "Setting": "text",
    "Attack": "attack",
    "Claimed ε": "number",
    "Worst case": "number",
    "Attack, unlimited": "number",
    "Proven ε": "number",
    SEEDS: "number",
    "Of claim": "number",
}
"""The columns and their kinds."""


def overview_of(
    points: dict[str, list[Point]], checks: Sequence[CheckResult], by_chance: Set[str]
) -> dict[str, Any]:
    """The table and what filters it; rows in the colour of alarm stand first, and are told so."""
    rows = overview_rows(points, checks, by_chance)
    # The verdict without the number of seeds.
    titles = [row["Verdict"].partition(" (")[0] for row in rows]
    bad = {VIOLATION.title: 0, BROKEN.title: 1}
    order = sorted(range(len(rows)), key=lambda place: bad.get(titles[place], len(bad)))
    several = any(row[SEEDS] != NONE for row in rows)
    return {
        "rows": [(rows[place], titles[place] in bad) for place in order[:MOST_ROWS]],
        "left": max(0, len(rows) - MOST_ROWS),
        "columns": {name: kind for name, kind in COLUMNS.items() if name != SEEDS or several},
        "several_seeds": several,
        "attacks": list(dict.fromkeys(row["Attack"] for row in rows)),
        "verdicts": list(dict.fromkeys(titles)),
    }


def overview_rows(
    points: dict[str, list[Point]], checks: Sequence[CheckResult], by_chance: Set[str] = frozenset()
) -> list[dict[str, str]]:
    """The rows as text; `by_chance` are mechanisms measured above their promise by chance."""
    rows: list[dict[str, str]] = []
    common = varied([point for mine in points.values() for point in mine])
    for name, mine in points.items():
        own = varied(mine)
        named = [setting for setting in common if setting in AXES or setting in own]
        for point in sorted(mine, key=lambda point: sort_key(point, common)):
            verdict = _verdict(point, name in by_chance)
            words = (name, verdict, _setting(point, named), point.first.attack)
            exact = (point.worst, point.exact)
            rows.append(_row(words, point.claimed, exact, point.measured, point.deviation))
    for check in checks:
        setting = f"check, {counted(len(check.values), 'input')}"
        words = (check.name, summary_of_check(check).kind.title, setting, SEARCH)
        proven = check.best.empirical_epsilon if check.findings else 0.0
        rows.append(_row(words, check.claim.epsilon, (None, None), proven, None))
    return rows


def _row(
    words: Sequence[str],
    claimed: float,
    exact: Sequence[float | None],
    proven: float,
    deviation: float | None,
) -> dict[str, str]:
    numbers = map(digits, (claimed, *exact, proven, deviation))
    return dict(zip(COLUMNS, (*words, *numbers, share(proven, claimed)), strict=True))


def _verdict(point: Point, by_chance: bool) -> str:
    """The verdict on a row; if some of its seeds only broke the promise, how many."""
    title = kind_of_point(point, by_chance).title
    broken, seeds = len(point.violations), len(point.results)
    return f"{title} ({broken:,} of {seeds:,} seeds)" if 0 < broken < seeds else title


def _setting(point: Point, names: Sequence[str]) -> str:
    """What the row is about, beyond the columns of its own: the domain size and what varied."""
    settings = {"domain_size": point.setting["domain_size"]}
    for name in names:
        is_claim = name == "epsilon" and point.setting[name] == point.claimed
        if name != "pair" and not is_claim and point.setting.get(name) not in (0, None):
            settings[name] = point.setting[name]
    return words_of(settings, settings)


def share(proven: float, claimed: float) -> str:
    """What part of the claim was proven."""
    if math.inf in (proven, claimed):
        return NONE
    part = proven / claimed
    return f"{part:.0%}" if part < 100 else f"{part:.3g} times"
