"""The best setting of a protocol under limits, by root finding and searches that end."""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ldp_auditor.choosing.columns import Columns, Question
from ldp_auditor.choosing.families import (
    SHARES,
    ByWholeNumber,
    Family,
    Line,
    Memoized,
    short,
)
from ldp_auditor.choosing.limits import ERRORS, LEAKAGE, LIMITED, Limits
from ldp_auditor.mechanisms.capabilities import default_pair
from ldp_auditor.theory.roots import find_root

Rank = tuple[bool, float, float, float]
"""Smaller is better: whether a limit is broken, by how much or the objective, then ties."""

GOLDEN = (math.sqrt(5) - 1) / 2
AS_GOOD = 1e-4
"""By which share the objective of a setting may be larger than the least one if it is simpler."""

FEW = 20
"""Numbers up to which all are looked at."""

CLOSE = 1e-11
"""How far, as a share, a column may be from its limit where it is said to reach it."""

ROUNDS = 16
"""Steps of the search for the best share; each leaves 0.62 of an interval."""


def best_setting(
    family: Family, question: Question, limits: Limits, objective: str, budget: float
) -> Columns | None:
    """Return the setting with the smallest `objective` among those that keep the limits.

    If none does, return one that keeps the limits on leakage, if there is one, and breaks others
    as little as it can; None where no setting keeps those. `budget` is the most that all reports of
    a memoized protocol may lose.
    """

    def best(line: Line) -> Columns | None:
        return best_on_line(line, question, limits, objective)

    def rank_of(columns: Columns | None) -> Rank:
        return rank(columns, limits, objective)

    if isinstance(family, ByWholeNumber):
        return _over_numbers(family.numbers, lambda number: best(family.line(number)), rank_of)
    if isinstance(family, Memoized):
        return _over_shapes(family, budget, best, rank_of)
    return best(family.first_line(budget))


def rank(columns: Columns | None, limits: Limits, objective: str) -> Rank:
    """Tell how good a setting is; none at all is the worst."""
    if columns is None:
        return (True, math.inf, math.inf, math.inf)
    broken = limits.broken_by(columns)
    excess = sum(math.log(columns.of(LIMITED[name]) / limits.given[name]) for name in broken)
    value = excess if broken else columns.of(objective)
    error = columns.standard_error
    if objective == "standard_error":  # the same each round, but not of the mean over all of them
        error = columns.standard_error_of_mean
    ties = error, columns.worst_case_epsilon
    value, error, loss = (float(f"{number:.9g}") for number in (value, *ties))
    return (bool(broken), value, error, loss)


def in_order(mine: Rank, best: Rank) -> Rank:
    """Return `mine` as a rank to sort by: settings as good as the `best` differ in ties alone."""
    as_good = mine[0] == best[0] and mine[1] <= best[1] * (1 + AS_GOOD)
    return (mine[0], best[1], *mine[2:]) if as_good else mine


def best_on_line(
    line: Line, question: Question, limits: Limits, objective: str, close: float = CLOSE
) -> Columns | None:
    """Return the best setting of a line: one of the ends of what keeps the limits, so `close`."""
    span = line.span()
    if span is None:
        return None
    start, end = span

    pair = default_pair(line.at(start))  # that of all settings of the line

    @cache
    def columns(place: float) -> Columns:
        return Columns(line.at(place), question, pair)

    def keeps(place: float, names: tuple[str, ...]) -> bool:
        return not limits.broken_by(columns(place), names)

    top = _last(columns, start, end, limits, keeps, close)
    if top is None:
        return None
    if objective in ("standard_error", "worst_standard_error") or not keeps(top, ERRORS):
        return columns(short(top))
    return columns(short(_first(columns, start, top, limits, keeps, close)))


def _last(
    columns: Any, start: float, end: float, limits: Limits, keeps: Any, close: float
) -> float | None:
    """The largest place up to `end` that keeps all limits on leakage."""
    if keeps(end, LEAKAGE):
        return end
    if not keeps(start, LEAKAGE):
        return None
    place = end
    for name in set(LEAKAGE) & set(limits.given):
        if not keeps(place, (name,)):
            place = _crossing(columns, name, limits, (start, place), close)
    if close > CLOSE:
        return place
    return _nudged(place, -1.0, lambda t: bool(keeps(t, LEAKAGE)), start)


def _first(
    columns: Any, start: float, top: float, limits: Limits, keeps: Any, close: float
) -> float:
    """The smallest place up to `top`, which keeps them, that keeps all limits on errors."""
    place = start
    for name in set(ERRORS) & set(limits.given):
        if not keeps(place, (name,)):
            place = _crossing(columns, name, limits, (place, top), close)
    return _nudged(place, 1.0, lambda t: bool(keeps(t, ERRORS)), top)


def _crossing(
    columns: Any, name: str, limits: Limits, between: tuple[float, float], close: float
) -> float:
    """The place `between` two at which a column has the value of its limit."""
    limit, (low, high) = limits.given[name], between
    if name in LEAKAGE:  # near the budget of one report, most often
        low, high = _bracket(columns, name, limit, low, high)

    def distance(log_place: float) -> float:
        value = columns(math.exp(log_place)).of(LIMITED[name])
        apart = math.log(max(value, 1e-300) / limit)
        return apart if abs(apart) > close else 0.0

    return math.exp(find_root(distance, math.log(low), math.log(high), absolute=1e-11))


def _bracket(columns: Any, name: str, limit: float, low: float, high: float) -> tuple[float, float]:
    """A part of the interval, from one half to twice a place, in which a rising column crosses."""
    reports = columns(low).question.reports if name == "max_epsilon" else 1
    place = min(max(limit / reports, low), high)
    rises = columns(place).of(LIMITED[name]) > limit
    while low < place < high:
        further = min(max(place / 2 if rises else place * 2, low), high)
        if (columns(further).of(LIMITED[name]) > limit) != rises:
            return min(place, further), max(place, further)
        place = further
    return low, high


def _nudged(place: float, way: float, is_right: Callable[[float], bool], end: float) -> float:
    """The place, or one a little further on its way to `end`, that is right beyond rounding."""
    for step in (0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3):
        tried = short(place * (1 + way * step))
        if (end - tried) * way >= 0 and is_right(tried):
            return tried
    return end


def _over_numbers(
    numbers: Sequence[int],
    solve: Callable[[int], Columns | None],
    rank_of: Callable[[Columns | None], Rank],
) -> Columns | None:
    """Search the best of ascending numbers: coarsely, then between the neighbours of the best.

    Few numbers are all looked at, because the best of powers of two may have worse neighbours.
    """

    @cache
    def solved(place: int) -> Columns | None:
        return solve(numbers[place])

    def at(place: int) -> Rank:
        return rank_of(solved(place))

    starts, last = [0], len(numbers) - 1
    while starts[-1] < last:
        further = starts[-1] + 1 if last < FEW else 3 * starts[-1] + 1
        starts.append(min(last, further))
    best = min(range(len(starts)), key=lambda i: at(starts[i]))
    low, high = starts[max(0, best - 1)], starts[min(len(starts) - 1, best + 1)]
    while high - low > 3:
        left, right = low + (high - low) // 3, high - (high - low) // 3
        low, high = (low, right) if at(left) <= at(right) else (left, high)
    return solved(min({*range(low, high + 1), starts[best]}, key=at))


def _over_shapes(
    family: Memoized,
    budget: float,
    best: Callable[[Line], Columns | None],
    rank_of: Callable[[Columns | None], Rank],
) -> Columns | None:
    """Search the best share of the budget for one report, then the best shape of the second round.

    Then the share once more: with another shape, another one is best.
    """
    found = _over_shares(family, budget, best, rank_of, None)
    if found is None or not family.shapes:
        return found
    share = found.mechanism.epsilon / found.mechanism.epsilon_infinity
    shaped = _over_numbers(family.shapes, lambda shape: best(family.ray(share, shape)), rank_of)
    if shaped is None or rank_of(shaped)[:2] >= rank_of(found)[:2]:
        return found
    again = _over_shares(family, budget, best, rank_of, family.shape_of(shaped.mechanism))
    return min((shaped, again), key=rank_of)


def _over_shares(
    family: Memoized,
    budget: float,
    best: Callable[[Line], Columns | None],
    rank_of: Callable[[Columns | None], Rank],
    shape: int | None,
) -> Columns | None:
    """Search the best share of the budget that one report spends, or any with the whole budget.

    The latter is preferred if it is as good: its guarantee holds for any number of reports.
    """
    whole = best(family.fixed(budget, shape))

    @cache
    def solved(share: float) -> Columns | None:
        return best(family.ray(share, shape))

    def at(share: float) -> Rank:
        return rank_of(solved(share))

    place = min(range(len(SHARES)), key=lambda i: at(SHARES[i]))
    found = SHARES[place]
    if place > 0:
        high, low = SHARES[place - 1], SHARES[min(len(SHARES) - 1, place + 1)]
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        for _ in range(ROUNDS):
            if at(left) <= at(right):
                high, right, left = right, left, right - GOLDEN * (right - low)
            else:
                low, left, right = left, right, left + GOLDEN * (high - left)
        found = min((found, left, right), key=at)
    (broken, value, *_), (worse, least, *_) = rank_of(whole), at(found)
    as_good = broken < worse or (broken == worse and value <= least * (1 + AS_GOOD))
    return whole if as_good else solved(found)
