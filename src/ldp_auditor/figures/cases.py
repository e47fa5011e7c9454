"""The figures of a page about many results: a case for every setting."""

import math
from collections.abc import Mapping, Sequence

from ldp_auditor.figures.data import Cases, Curves, GapAccount, Line
from ldp_auditor.figures.points import AXES, Point, axis_of, sort_key, varied, words_of
from ldp_auditor.figures.results import (
    Measured,
    attack_places,
    attack_title,
    gap_account,
    make_bars,
)
from ldp_auditor.figures.words import digits, short

AXIS_TITLES = {
    "epsilon": "claimed epsilon",
    "domain_size": "domain size k",
    "reports": "reports of each user",
    "delta": "claimed delta",
    "attributes": "number of attributes d",
    "hash_range": "hash range g",
    "trials": "trials T of each input",
}

SPREAD = "Whiskers are one standard deviation over seeds."
COUNTS = "Whiskers reach from the proven bound up to what the counts alone suggest."


def curve_cases(mechanism: str, points: Sequence[Point]) -> Cases | None:
    """Epsilons over the axis that was swept, a case for every combination of the others."""
    axis = axis_of(points)
    if axis is None:
        return None
    others = [name for name in varied(points) if name != axis]
    cases: dict[str, list[Point]] = {}
    for point in sorted(points, key=lambda point: sort_key(point, [*others, axis])):
        cases.setdefault(_label(point, others), []).append(point)
    log_x = _spans([point.setting[axis] for point in points])
    exact = [value for p in points for value in (p.claimed, p.first.worst_case_epsilon)]
    title = AXIS_TITLES.get(axis, axis.replace("_", " "))
    figures = [
        Curves(
            f"Epsilon over the {title}", title, _lines(axis, mine), log_x=log_x, log_y=_spans(exact)
        )
        for mine in cases.values()
    ]
    several = any(len(point.results) > 1 for point in points)
    note = SPREAD if several else COUNTS
    return Cases(mechanism, note, list(cases), figures, len(cases) // 2)


def _spans(values: Sequence[float | None]) -> bool:
    """Whether values reach over more than a decade or so, for a logarithmic axis."""
    numbers = [value for value in values if value is not None and value < math.inf]
    return len(numbers) > 1 and min(numbers) > 0 and max(numbers) / min(numbers) >= 16


def _lines(axis: str, points: Sequence[Point]) -> list[Line]:
    """The lines of one case: the promise, the worst case, and two for every attack."""
    by_place: dict[float, list[Point]] = {}
    for point in points:
        by_place.setdefault(point.setting[axis], []).append(point)
    x = list(by_place)
    lines = [
        Line("claimed", "claimed", x, [mine[0].claimed for mine in by_place.values()]),
        Line(
            "worst case (exact)",
            "worst",
            x,
            [mine[0].first.worst_case_epsilon for mine in by_place.values()],
        ),
    ]
    for attack, place in attack_places([point.first.attack for point in points]).items():
        name = attack_title(attack)
        mine = [point for point in points if point.first.attack == attack]
        at = [point.setting[axis] for point in mine]
        exact = [point.first.attack_epsilon for point in mine]
        lines.append(Line(f"{name}, unlimited trials", "exact", at, exact, name, place))
        lines.append(proven_line(name, place, axis, mine))
    return [line for line in lines if any(y is not None and y < math.inf for y in line.y)]


def proven_line(
    series: str, place: int, axis: str, points: Sequence[Point], marks: str = "full"
) -> Line:
    """What was proven at `points` over an axis; whiskers tell how sure it is."""
    several = any(point.deviation is not None for point in points)
    return Line(
        f"{series}, proven",
        "proven",
        [point.setting[axis] for point in points],
        [point.measured for point in points],
        series,
        place,
        marks,
        [point.average.low if several else point.measured for point in points],
        [point.average.high if several else _above(point) for point in points],
        [bool(point.violations) for point in points],
        [_in_words(point) for point in points],
        {
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


def gap_cases(mechanism: str, points: Sequence[Point]) -> Cases | None:
    """The account of the gap for every setting whose four numbers are known and finite."""
    names = varied(points)
    cases: dict[str, list[Point]] = {}
    for point in sorted(points, key=lambda point: sort_key(point, names)):
        result = point.first
        numbers = (result.worst_case_epsilon, result.attack_epsilon, point.measured)
        if point.promises and not any(n is None or n == math.inf for n in numbers):
            cases.setdefault(_label(point, names), []).append(point)
    if not cases:
        return None
    figures: list[GapAccount] = [
        gap_account([point.averaged for point in mine], "From the promise to the proof")
        for mine in cases.values()
    ]
    note = (
        "Claimed, minus slack (or plus what the worst case exceeds it by), minus weakness "
        "of the attack, minus Monte Carlo, is what was proven."
    )
    return Cases(mechanism, note, list(cases), figures, len(cases) // 2)


def bar_cases(points: Mapping[str, Sequence[Point]]) -> Cases | None:
    """All mechanisms side by side, a case for every setting that two of them share."""
    everything = [point for mine in points.values() for point in mine]
    shared = [name for name in AXES if name not in ("delta", "hash_range")]
    names = [name for name in shared if name in varied([p for p in everything if p.promises])]
    cases: dict[str, list[Point]] = {}
    for point in sorted(everything, key=lambda point: sort_key(point, names)):
        if point.promises:
            cases.setdefault(_label(point, names), []).append(point)
    rest = [name for name in names if name != "epsilon"]
    silent = [point for point in everything if not point.promises]
    for mine in cases.values():  # what promises nothing stands beside all that it is comparable to
        at = words_of(mine[0].setting, rest)
        mine += [point for point in silent if words_of(point.setting, rest) == at]
    kept = {
        label: mine
        for label, mine in cases.items()
        if len({point.first.mechanism for point in mine}) > 1
    }
    if not kept:
        return None
    note = (
        "The longer the bar, the more of the promise an attacker really gets. Diamonds are what "
        "the same attack would prove with unlimited trials."
    )
    title = "Proven epsilon of every mechanism"
    figures = [make_bars(title, _rows(mine), "epsilon") for mine in kept.values()]
    return Cases("All mechanisms", note, list(kept), figures, _most_shared(list(kept.values())))


def _most_shared(cases: Sequence[Sequence[Point]]) -> int:
    """The case that most mechanisms share; of several the one in the middle."""
    counts = [len({p.first.mechanism for p in mine if p.promises}) for mine in cases]
    largest = [place for place, count in enumerate(counts) if count == max(counts)]
    return largest[len(largest) // 2]


def _rows(points: Sequence[Point]) -> dict[str, dict[str, Measured]]:
    """The bars of one case, those that prove the most first, those that promise nothing last."""
    rows: dict[str, dict[str, Measured]] = {}
    for mechanism in dict.fromkeys(point.first.mechanism for point in points):
        mine = [point for point in points if point.first.mechanism == mechanism]
        names = varied(mine)
        for point in mine:
            more = words_of(point.setting, names)
            name = short(f"{mechanism}, {more}" if more else mechanism, 36)
            exact, worst = point.first.attack_epsilon, point.first.worst_case_epsilon
            found = Measured(point.average, exact, point.claimed, worst)
            rows.setdefault(name, {})[point.first.attack] = found

    def order(name: str) -> tuple[bool, float]:
        mine = list(rows[name].values())
        return mine[0].claimed == math.inf, -max(entry.average.mean for entry in mine)

    return {name: rows[name] for name in sorted(rows, key=order)}


def _label(point: Point, names: Sequence[str]) -> str:
    return short(words_of(point.setting, names), 120)
