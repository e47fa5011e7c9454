"""The figures of a page about many results: a case for every setting."""

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from ldp_auditor.figures.data import Bars, Cases, Curves, Line
from ldp_auditor.figures.points import AXES, Point, axis_of, sort_key, varied, words_of
from ldp_auditor.figures.results import gap_account
from ldp_auditor.figures.series import (
    attack_places,
    attack_title,
    line_of,
    make_bars,
    note_on,
    proven_line,
    told_once,
)
from ldp_auditor.figures.shares import EACH_AT_ITS_WORST, alarm_of, proven_part, shares_of
from ldp_auditor.figures.words import short, value_in_words
from ldp_auditor.results.check_result import CheckResult

FILTERS = ("epsilon", "domain_size", "reports")
"""Settings by which a page is filtered."""

SIDE_BY_SIDE = "Proven epsilon of every mechanism"

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
    cases, start = _curves_of(points, axis)
    log_x = _spans([point.setting[axis] for point in points])
    exact = [value for p in points for value in (p.claimed, p.worst)]
    title = AXIS_TITLES.get(axis, axis.replace("_", " "))
    figures = []
    for mine in cases.values():
        lines = _lines(axis, mine)
        figures.append(
            Curves(
                f"Epsilon over the {title}",
                title,
                _drawn(lines),
                log_x=log_x,
                log_y=_spans(exact),
                note=note_on(lines),
            )
        )
    note = SPREAD if any(len(point.results) > 1 for point in points) else COUNTS
    return Cases(mechanism, note, list(cases), figures, start, _settings(cases.values()))


def _curves_of(points: Sequence[Point], axis: str) -> tuple[dict[str, list[Point]], int]:
    """The points of every curve over an axis, and which curve is shown first."""
    cases = _by_setting(points, [name for name in varied(points) if name != axis], axis)
    counts = [len({p.setting[axis] for p in mine}) for mine in cases.values()]
    return cases, _first_shown(counts, [max(map(proven_part, mine)) for mine in cases.values()])


def _first_shown(counts: Sequence[int], parts: Sequence[float] = ()) -> int:
    """The place of the case that is shown first: one of those that have most to show.

    If the promise is broken there, where most of it was proven; else the one in the middle.
    """
    largest = [place for place, count in enumerate(counts) if count == max(counts)]
    worst = max(largest, key=lambda place: parts[place]) if parts else None
    if worst is not None and parts[worst] > 1:
        return worst
    return largest[len(largest) // 2]


def _settings(cases: Iterable[Sequence[Point]]) -> list[dict[str, list[str]]]:
    """Which values of the settings that pages filter by every case is about."""
    return [
        {
            name: list(dict.fromkeys(value_in_words(point.setting[name]) for point in mine))
            for name in FILTERS
        }
        for mine in cases
    ]


def _by_setting(
    points: Sequence[Point], names: Sequence[str], *then: str
) -> dict[str, list[Point]]:
    """Points by the words for some of their settings, in order of these and `then` of others."""
    cases: dict[str, list[Point]] = {}
    for point in sorted(points, key=lambda point: sort_key(point, [*names, *then])):
        cases.setdefault(short(words_of(point.setting, names), 120), []).append(point)
    return cases


def _spans(values: Sequence[float | None]) -> bool:
    """Whether values reach over more than a decade or so, for a logarithmic axis."""
    numbers = [value for value in values if value is not None and value < math.inf]
    return len(numbers) > 1 and min(numbers) > 0 and max(numbers) / min(numbers) >= 16


def _lines(axis: str, points: Sequence[Point]) -> list[Line]:
    """The lines of one case: the promise, the worst case, and two for every attack."""
    first_at = list({point.setting[axis]: point for point in reversed(points)}.values())[::-1]
    lines = [line_of(role, first_at, axis) for role in ("claimed", "worst")]
    for attack, place in attack_places([point.first.attack for point in points]).items():
        about = ([p for p in points if p.first.attack == attack], axis, attack_title(attack), place)
        lines += [line_of("exact", *about), proven_line(*about)]
    return lines


def _drawn(lines: Sequence[Line]) -> list[Line]:
    """Lines that have something to draw, those that coincide as one."""
    known = [line for line in lines if any(y is not None and y < math.inf for y in line.y)]
    return told_once(known, across_roles=True)


def gap_cases(mechanism: str, points: Sequence[Point]) -> Cases | None:
    """The account of the gap for every setting whose four numbers are known and finite."""
    known = [
        point
        for point in points
        if point.promises
        and not any(n in (None, math.inf) for n in (point.worst, point.exact, point.measured))
    ]
    cases = _by_setting(known, varied(points))
    if not cases:
        return None
    title = "From the promise to the proof"
    averaged = [
        [replace(point.first, empirical_epsilon=point.measured) for point in mine]
        for mine in cases.values()
    ]
    note = (
        "Claimed, minus slack (or plus what the worst case exceeds it by), minus weakness "
        "of the attack, minus Monte Carlo, is what was proven."
    )
    figures = [gap_account(results, title) for results in averaged]
    parts = [max(map(proven_part, mine)) for mine in cases.values()]
    near = [1] * len(cases) if max(parts) > 1 else _on_first_curve(points, cases.values())
    start = _first_shown(near, parts)
    return Cases(mechanism, note, list(cases), figures, start, _settings(cases.values()))


def _on_first_curve(points: Sequence[Point], cases: Iterable[Sequence[Point]]) -> list[int]:
    """1 for every case with a point on the curve that is shown first, 0 for others."""
    axis = axis_of(points)
    if axis is None:
        return [1 for _ in cases]
    curves, start = _curves_of(points, axis)
    shown = {id(point) for point in list(curves.values())[start]}
    return [int(any(id(point) in shown for point in mine)) for mine in cases]


def bar_cases(
    points: Mapping[str, Sequence[Point]],
    checks: Sequence[CheckResult] = (),
    by_chance: Set[str] = frozenset(),
) -> Cases | None:
    """All mechanisms side by side, a case for every setting that two of them share.

    If no case has all of them, the first one does: each where it proves the most of its promise.
    Mechanisms of `by_chance` are measured above their promise by chance, and stand behind others
    that break it.
    """
    everything = [point for mine in points.values() for point in mine]
    shared = [name for name in AXES if name not in ("delta", "hash_range")]
    promising = [point for point in everything if point.promises]
    names = [name for name in shared if name in varied(promising)]
    cases = _by_setting(promising, names)
    rest = [name for name in names if name != "epsilon"]
    silent = [point for point in everything if not point.promises]
    for mine in cases.values():  # what promises nothing stands beside all that it is comparable to
        at = words_of(mine[0].setting, rest)
        mine += [point for point in silent if words_of(point.setting, rest) == at]
    counts = {label: len({p.first.mechanism for p in mine}) for label, mine in cases.items()}
    kept = {label: mine for label, mine in cases.items() if counts[label] > 1}
    labels, settings = list(kept), _settings(kept.values())
    figures = [bars_of(SIDE_BY_SIDE, _rows(mine, by_chance)) for mine in kept.values()]
    start = _first_shown([counts[label] for label in kept]) if kept else 0
    if len(points) + len(checks) > max(1, *(counts[label] for label in kept), 0):
        labels = [EACH_AT_ITS_WORST, *labels]
        figures = [shares_of(points, checks, by_chance), *figures]
        settings, start = [{}, *settings], 0
    if not figures:
        return None
    note = "The longer the bar, the more of the promise an attacker really gets."
    if any(value is not None for bars in figures for s in bars.series for value in s.exact):
        note += " Diamonds are what the same attack would prove with unlimited trials."
    return Cases("All mechanisms", note, labels, figures, start, settings)


def bars_of(title: str, rows: Mapping[str, Mapping[str, Point]]) -> Bars:
    """Bars of epsilons, of which it is known whose they are."""
    owners = [next(iter(mine.values())).first.mechanism for mine in rows.values()]
    return replace(make_bars(title, rows, "epsilon"), mechanisms=owners)


def _rows(points: Sequence[Point], by_chance: Set[str]) -> dict[str, dict[str, Point]]:
    """The bars of one case: violators first, then by what is proven, no promise last."""
    rows: dict[str, dict[str, Point]] = {}
    for mechanism in dict.fromkeys(point.first.mechanism for point in points):
        mine = [point for point in points if point.first.mechanism == mechanism]
        names = varied(mine)
        for point in mine:
            more = words_of(point.setting, names)
            name = short(f"{mechanism}, {more}" if more else mechanism, 36)
            rows.setdefault(name, {})[point.first.attack] = point

    def order(name: str) -> tuple[int, float]:
        mine = list(rows[name].values())
        alarm = alarm_of(mine, mine[0].first.mechanism in by_chance)
        return alarm, -max(point.measured for point in mine)

    return {name: rows[name] for name in sorted(rows, key=order)}
