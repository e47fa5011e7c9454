"""The table of everything: a row for every setting and attack, to sort and to filter."""

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise
from typing import Any

from ldp_auditor.figures.points import AXES, Point, sort_key, varied, words_of
from ldp_auditor.figures.shares import SEARCH
from ldp_auditor.figures.words import (
    NONE,
    digits,
    inputs_in_words,
    share_in_words,
    value_in_words,
)
from ldp_auditor.report.verdicts import BROKEN, VIOLATION, kind_of_point, summary_of_check
from ldp_auditor.results.check_result import CheckResult

MOST_ROWS = 2_500
"""Rows of the table; beyond them it would outweigh the page."""

MOST_PRINTED = 60
"""Rows of a printed table; of more the strongest are printed."""

SEEDS = "± over seeds"
"""The column that is left out if every setting has one seed."""

LOST = "Lost to"
"""The column that says why no more was proven of a claim."""

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
    LOST: "text",
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
    proven = [place for place in order if titles[place] == VIOLATION.title]
    printed = _printed(rows, proven[:MOST_PRINTED])
    shown = order[:MOST_ROWS]
    classes = {True: "bad", False: ""}
    return {
        "rows": [
            (rows[n], f"{classes[titles[n] in bad]} {'' if n in printed else 'unprinted'}".strip())
            for n in shown
        ],
        "proven": len(proven),
        "unprinted": len(set(shown) - printed),
        "protocols": _ordered(row["Mechanism"] for row in rows),
        "epsilons": _ordered(row["epsilon"] for row in rows),
        "sizes": _ordered(row["k"] for row in rows),
        "reports": _ordered(row["reports"] for row in rows),
        "left": max(0, len(rows) - MOST_ROWS),
        "columns": {name: kind for name, kind in COLUMNS.items() if name != SEEDS or several},
        "several_seeds": several,
        "attacks": list(dict.fromkeys(row["Attack"] for row in rows)),
        "verdicts": list(dict.fromkeys(titles)),
    }


def _ordered(values: Iterable[str]) -> list[str]:
    """Different values, numbers by size; those that are not known are left out."""

    def key(value: str) -> tuple[bool, float, str]:
        try:
            return False, float(value.replace(",", "")), ""
        except ValueError:
            return True, 0.0, value

    return sorted({value for value in values if value != "-"}, key=key)


def _printed(rows: Sequence[Mapping[str, str]], proven: Sequence[int]) -> set[int]:
    """Rows of a printed page: all of a few, else violations and the strongest of every attack."""
    if len(rows) <= MOST_PRINTED:
        return set(range(len(rows)))
    strongest: dict[tuple[str, str], int] = {}
    for place, row in enumerate(rows):
        about = (row["Mechanism"], row["Attack"])
        if about not in strongest or float(row["part"]) > float(rows[strongest[about]]["part"]):
            strongest[about] = place
    return {*strongest.values(), *proven}


def losses_of(
    points: Mapping[str, Sequence[Point]], checks: Sequence[CheckResult]
) -> dict[str, list[str]]:
    """The loss of every setting of a mechanism, for a reader's budget.

    What broke its promise, and whose worst case is not known, may lose anything.
    """
    found: dict[str, dict[str, float]] = {}
    for name, mine in points.items():
        losses = found.setdefault(name, {})
        for point in mine:
            loss = math.inf if point.worst is None and point.violations else loss_of(point)
            losses[repr(point.setting)] = max(loss, losses.get(repr(point.setting), 0.0))
    for check in checks:
        losses = found.setdefault(check.name, {})
        loss = math.inf if check.verdict == "violation" else check.claim.epsilon
        losses[repr(check.claim)] = max(loss, losses.get(repr(check.claim), 0.0))
    return {name: [_plain(loss) for loss in losses.values()] for name, losses in found.items()}


def loss_of(point: Point) -> float:
    """What a setting really loses: its exact worst case, or what is promised or proven."""
    return max(point.claimed, point.measured) if point.worst is None else point.worst


def _plain(value: float) -> str:
    """A number that scripts read."""
    return "Infinity" if value == math.inf else f"{value:.4g}"


def overview_rows(
    points: dict[str, list[Point]], checks: Sequence[CheckResult], by_chance: Set[str] = frozenset()
) -> list[dict[str, str]]:
    """The rows as text, with what they are filtered by.

    Mechanisms of `by_chance` are measured above their promise by chance.
    """
    rows: list[dict[str, str]] = []
    common = varied([point for mine in points.values() for point in mine])
    for name, mine in points.items():
        own = varied(mine)
        named = [setting for setting in common if setting in AXES or setting in own]
        for point in sorted(mine, key=lambda point: sort_key(point, common)):
            verdict = _verdict(point, name in by_chance)
            words = (name, verdict, _setting(point, named), point.first.attack)
            exact = (point.worst, point.exact)
            row = _row(words, point.claimed, exact, point.measured, point.deviation)
            row[LOST] = _lost_to(point)
            size, given = point.setting["domain_size"], point.setting["epsilon"]
            row |= {
                "epsilon": "-" if given == math.inf else value_in_words(given),
                "k": "-" if size is None else value_in_words(size),
                "reports": value_in_words(point.setting["reports"]),
                "loss": _plain(loss_of(point)),
            }
            rows.append(row)
    for check in checks:
        setting = f"check, {inputs_in_words(check)}"
        words = (check.name, summary_of_check(check).kind.title, setting, SEARCH)
        proven = check.best.empirical_epsilon if check.findings else 0.0
        row = _row(words, check.claim.epsilon, (None, None), proven, None)
        row |= {"epsilon": value_in_words(check.claim.epsilon), "k": "-", "reports": "-"}
        rows.append(row | {"loss": _plain(max(proven, check.claim.epsilon))})
    return rows


def _row(
    words: Sequence[str],
    claimed: float,
    exact: Sequence[float | None],
    proven: float,
    deviation: float | None,
) -> dict[str, str]:
    numbers = map(digits, (claimed, *exact, proven, deviation))
    cells = (*words, *numbers, share_in_words(proven, claimed), NONE)
    row = dict(zip(COLUMNS, cells, strict=True))
    return row | {"part": str(proven / claimed if 0 < claimed < math.inf else 0.0)}


def _lost_to(point: Point) -> str:
    """The largest step from the claim down to what was proven."""
    levels = (point.claimed, point.worst, point.exact, point.measured)
    if any(level is None or level == math.inf for level in levels):
        return NONE
    steps = pairwise(level for level in levels if level is not None)
    names = ("slack", "attack", "trials")
    losses = {name: before - after for name, (before, after) in zip(names, steps, strict=True)}
    most = max(losses, key=losses.__getitem__)
    return most if losses[most] > LITTLE * point.claimed else NONE


LITTLE = 0.005
"""Losses of less than this part of a claim are none."""


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
        if not is_claim and point.setting.get(name) not in (0, None):
            settings[name] = point.setting[name]
    return words_of(settings, settings)
