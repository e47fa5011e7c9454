"""Bars and lines of points: what was proven, beside what is promised and what is exact."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ldp_auditor.attacks import ATTACKS
from ldp_auditor.figures.data import Bars, BarSeries, Line
from ldp_auditor.figures.points import Point
from ldp_auditor.figures.words import digits, proven_in_words, short

LIMIT = "most that the trials can prove"
"""What a perfect attack proves with the trials of a figure."""

VALUES: Mapping[str, Callable[[Point], float | None]] = {
    "proven": lambda point: point.measured,
    "exact": lambda point: point.exact,
    "composed": lambda point: point.first.composed_epsilon,
    "claimed": lambda point: point.claimed,
    "worst": lambda point: point.worst,
}
"""What a line of every role shows of a point."""

UNKNOWN = "no exact line: these rates are not known here"
"""Said where no point has an exact value of its attack."""

NAMES = {"exact": "unlimited trials", "worst": "worst case (exact)"}
"""Roles in the names of lines, where they are not called so."""


def attack_places(attacks: Sequence[str]) -> dict[str, int]:
    """Which colour every attack has: our own the same in all figures, others after them."""
    return {name: place for place, name in enumerate(dict.fromkeys([*ATTACKS, *attacks]))}


def attack_title(attack: str) -> str:
    """How an attack is called in the name of a series."""
    return f"{short(attack, 40)} attack"


def line_of(
    role: str,
    points: Sequence[Point],
    axis: str,
    series: str = "",
    place: int | None = None,
    **look: Any,
) -> Line:
    """The line of a `role` through points over an axis; of one `series`, if it is named."""
    name = ", ".join(filter(None, (series, NAMES.get(role, role))))
    x, y = [point.setting[axis] for point in points], [VALUES[role](point) for point in points]
    return Line(name, role, x, y, series, place, **look)


def note_on(lines: Sequence[Line]) -> str:
    """Why there is no exact line, if any of those is missing."""
    exact = [line for line in lines if line.role == "exact" and line.y]
    return UNKNOWN if any(all(y is None for y in line.y) for line in exact) else ""


def limit_line(points: Sequence[Point], axis: str) -> Line:
    """What the trials of some points can prove at most."""
    x = sorted({point.setting[axis] for point in points})
    return Line(LIMIT, "limit", x, [limit_of(points)] * len(x))


def limit_of(points: Sequence[Point]) -> float:
    """The largest epsilon that the trials of any of some points can prove."""
    return max(point.first.monte_carlo_limit for point in points)


def told_once(lines: Sequence[Line], across_roles: bool = False) -> list[Line]:
    """Lines without marks that lie on each other as one, whose name has the names of all.

    Lines of one role alone are joined, unless `across_roles`: then the first one's look is taken.
    """
    found: list[tuple[Line, list[Line]]] = []
    for line in lines:
        like = next(
            (
                alike
                for first, alike in found
                if not (line.marks or first.marks)
                and (across_roles or first.role == line.role)
                and _coincide(first, line)
            ),
            None,
        )
        if like is None:
            found.append((line, [line]))
        else:
            like.append(line)
    return [_joined(first, alike, across_roles) for first, alike in found]


def _coincide(one: Line, other: Line) -> bool:
    return list(one.x) == list(other.x) and all(
        a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=DRAWN_ALIKE))
        for a, b in zip(one.y, other.y, strict=True)
    )


DRAWN_ALIKE = 1e-4
"""Numbers that differ by less than this share are one place of a figure."""


def _joined(first: Line, alike: Sequence[Line], across_roles: bool) -> Line:
    if len(alike) == 1:
        return first
    if across_roles:
        return replace(first, name=" = ".join(line.name for line in alike))
    series = ", ".join(dict.fromkeys(line.series for line in alike))
    name = f"{series}: {NAMES.get(first.role, first.role)}"
    return replace(first, name=name, series="", place=None)


def proven_line(
    points: Sequence[Point], axis: str, series: str, place: int, marks: str = "full"
) -> Line:
    """What was proven at `points` over an axis; whiskers tell how sure it is."""
    several = any(point.deviation is not None for point in points)
    return line_of(
        "proven",
        points,
        axis,
        series,
        place,
        marks=marks,
        low=[point.low if several else point.measured for point in points],
        high=[point.high if several else _above(point) for point in points],
        broken=[bool(point.violations) for point in points],
        words=[_in_words(point) for point in points],
        columns={
            f"{series}, counts alone": [point.estimate for point in points],
            f"{series}, ± over seeds": [point.deviation for point in points],
        },
    )


def _above(point: Point) -> float:
    """How far the whisker of a single seed reaches up: to what the counts alone suggest."""
    return max(point.measured, point.estimate) if point.estimate < math.inf else point.measured


def _in_words(point: Point) -> str:
    """What was proven at a point, and how sure it is."""
    more = f"(counts {digits(point.estimate)})"
    if point.deviation is not None:
        more = f"± {digits(point.deviation)}"
    return f"{digits(point.measured)} {more}" + (" VIOLATION" if point.violations else "")


def make_bars(title: str, rows: Mapping[str, Mapping[str, Point]], value_title: str) -> Bars:
    """Make bars of what every attack proved of every mechanism of `rows`, in their order."""
    attacks = list(dict.fromkeys(attack for mine in rows.values() for attack in mine))
    any_of = [next(iter(mine.values())) for mine in rows.values()]
    claims = {point.claimed for point in any_of} - {math.inf}
    promised = [
        value
        for mine in rows.values()
        for point in mine.values()
        for value in (point.claimed, point.high, point.exact)
        if point.promises and value is not None and value < math.inf
    ]
    silent = not all(point.promises for point in any_of)
    places = attack_places(attacks)
    return Bars(
        title=title,
        names=list(rows),
        claimed=[point.claimed for point in any_of],
        worst=[point.worst for point in any_of],
        series=[
            _bar_series(attack, places[attack], [mine.get(attack) for mine in rows.values()])
            for attack in attacks
        ],
        claimed_name="claimed epsilon" + "".join(f" = {e:g}" for e in claims if len(claims) == 1),
        unclaimed_name="protocol claims nothing" if silent else "",
        top=1.12 * max(promised, default=1.0),
        value_title=value_title,
    )


def _bar_series(attack: str, place: int, found: Sequence[Point | None]) -> BarSeries:
    means = [None if point is None else point.measured for point in found]
    deviations = [None if point is None else point.deviation for point in found]
    several = any(deviation is not None for deviation in deviations)
    name = attack_title(attack)
    return BarSeries(
        name=f"{name}, proven" + (" (mean and standard deviation)" if several else ""),
        place=place,
        measured=means,
        words=["" if mean is None else proven_in_words(mean) for mean in means],
        exact=[None if point is None else point.exact for point in found],
        exact_name=f"{name}, {NAMES['exact']}",
        deviation=deviations if several else (),
    )
