"""The data of the page's figures: plain values that the page's script draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ldp_auditor.page.markup import shown
from ldp_auditor.page.points import (
    AXES,
    Point,
    axis_of,
    in_order,
    value_in_words,
    varied,
    words_of,
)
from ldp_auditor.report.gap import gap_steps

AXIS_TITLES = {
    "epsilon": "claimed epsilon",
    "domain_size": "domain size k",
    "reports": "reports of each user",
    "delta": "claimed delta",
    "attributes": "number of attributes d",
    "hash_range": "hash range g",
    "trials": "trials T of each input",
}

Plain = dict[str, Any]


def curve_figure(mechanism: str, points: Sequence[Point]) -> Plain | None:
    """Epsilons over the axis that was swept, a case for every combination of the others."""
    axis = axis_of(points)
    if axis is None:
        return None
    others = [name for name in varied(points) if name != axis]
    cases: dict[str, list[Point]] = {}
    for point in sorted(points, key=lambda point: sort_key(point, [*others, axis])):
        cases.setdefault(shown(words_of(point.setting, others)), []).append(point)
    return {
        "kind": "curve",
        "name": shown(mechanism),
        "start": len(cases) // 2,
        "axis": AXIS_TITLES.get(axis, shown(axis.replace("_", " "))),
        "seeds": max(len(point.results) for point in points),
        "cases": [_case(label, axis, mine) for label, mine in cases.items()],
    }


def _case(label: str, axis: str, points: Sequence[Point]) -> Plain:
    """The curves of one case: the promise, the worst case, and two for every attack."""
    x = list(dict.fromkeys(point.setting[axis] for point in points))
    at = [next(point for point in points if point.setting[axis] == place) for place in x]
    attacks: list[Plain] = []
    for attack in dict.fromkeys(point.first.attack for point in points):
        mine = {p.setting[axis]: p for p in points if p.first.attack == attack}
        found = [mine.get(place) for place in x]
        attacks.append(
            {
                "attack": shown(attack, 40),
                "exact": [p and plain(p.first.attack_epsilon) for p in found],
                "measured": [p and plain(p.measured) for p in found],
                "deviation": [p and plain(p.deviation) for p in found],
                "estimate": [p and plain(p.estimate) for p in found],
                "violated": [bool(p and p.violations) for p in found],
            }
        )
    worst = [
        next((p.first.worst_case_epsilon for p in points if p.setting[axis] == place), None)
        for place in x
    ]
    return {
        "label": label,
        "x": [plain(place) for place in x],
        "claimed": [plain(point.claimed) for point in at],
        "worst": [plain(value) for value in worst],
        "attacks": attacks,
    }


def gap_figure(mechanism: str, points: Sequence[Point]) -> Plain | None:
    """The account of the gap for every setting whose four numbers are known and finite."""
    names = varied(points)
    cases: dict[str, list[Plain]] = {}
    for point in sorted(points, key=lambda point: sort_key(point, names)):
        result = point.averaged
        numbers = (result.worst_case_epsilon, result.attack_epsilon, result.empirical_epsilon)
        if point.claimed == math.inf or any(n is None or n == math.inf for n in numbers):
            continue
        steps = [plain(step) for step in (*gap_steps(result), result.empirical_epsilon)]
        label = shown(words_of(point.setting, names))
        cases.setdefault(label, []).append({"attack": shown(result.attack, 40), "steps": steps})
    if not cases:
        return None
    return {
        "kind": "gap",
        "name": shown(mechanism),
        "start": len(cases) // 2,
        "cases": [{"label": label, "attacks": attacks} for label, attacks in cases.items()],
    }


def bars_figure(points: dict[str, list[Point]]) -> Plain | None:
    """All mechanisms side by side, a case for every setting that two of them share."""
    everything = [point for mine in points.values() for point in mine]
    shared = [name for name in AXES if name not in ("delta", "hash_range")]
    names = [name for name in shared if name in varied([p for p in everything if promises(p)])]
    cases: dict[str, list[Point]] = {}
    for point in sorted(everything, key=lambda point: sort_key(point, names)):
        if promises(point):
            cases.setdefault(words_of(point.setting, names), []).append(point)
    rest = [name for name in names if name != "epsilon"]
    for mine in cases.values():  # what promises nothing stands beside all that it is comparable to
        at = words_of(mine[0].setting, rest)
        mine += [p for p in everything if not promises(p) and words_of(p.setting, rest) == at]
    kept = {
        label: mine
        for label, mine in cases.items()
        if len({point.first.mechanism for point in mine}) > 1
    }
    if not kept:
        return None
    return {
        "kind": "bars",
        "name": "All mechanisms",
        "start": _most_shared(list(kept.values())),
        "cases": [_bars(shown(label), mine) for label, mine in kept.items()],
    }


def _most_shared(cases: Sequence[Sequence[Point]]) -> int:
    """The case that most mechanisms share; of several the one in the middle."""
    counts = [len({p.first.mechanism for p in mine if promises(p)}) for mine in cases]
    largest = [place for place, count in enumerate(counts) if count == max(counts)]
    return largest[len(largest) // 2]


def promises(point: Point) -> bool:
    """Whether anything is promised."""
    return point.claimed < math.inf


def _bars(label: str, points: Sequence[Point]) -> Plain:
    """The bars of one case, those that prove the most first."""
    rows: dict[str, dict[str, Point]] = {}
    for mechanism in dict.fromkeys(point.first.mechanism for point in points):
        mine = [point for point in points if point.first.mechanism == mechanism]
        names = varied(mine)
        for point in mine:
            more = words_of(point.setting, names)
            name = shown(f"{mechanism}, {more}" if more else mechanism, 36)
            rows.setdefault(name, {})[point.first.attack] = point
    attacks = list(dict.fromkeys(point.first.attack for point in points))
    any_of = {name: next(iter(mine.values())) for name, mine in rows.items()}
    most = {name: max(p.measured for p in mine.values()) for name, mine in rows.items()}
    order = sorted(rows, key=lambda name: (not promises(any_of[name]), -most[name]))
    return {
        "label": label,
        "names": order,
        "claimed": [plain(any_of[name].claimed) for name in order],
        "worst": [plain(any_of[name].first.worst_case_epsilon) for name in order],
        "attacks": [
            {
                "attack": shown(attack, 40),
                "measured": [
                    plain(rows[name][attack].measured) if attack in rows[name] else None
                    for name in order
                ],
                "exact": [
                    plain(rows[name][attack].first.attack_epsilon) if attack in rows[name] else None
                    for name in order
                ],
            }
            for attack in attacks
        ],
    }


def sort_key(point: Point, names: Sequence[str]) -> list[tuple[int, float, str]]:
    """Numbers by size, before words by the alphabet."""
    keys = []
    for name in in_order(names):
        value = point.setting.get(name)
        numeric = isinstance(value, int | float)
        keys.append((0, float(value or 0), "") if numeric else (1, 0.0, value_in_words(value)))
    return keys


def plain(value: float | None) -> float | str | None:
    """A number in few digits; an infinite one is a word."""
    if value is None:
        return None
    if math.isinf(value):
        return "inf"
    short = float(f"{value:.6g}")
    return int(short) if short.is_integer() and abs(short) < 2**53 else short
