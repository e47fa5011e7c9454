"""Events about the difference of two numbers: noise that is used twice, a key beside what it hides.

The same randomness in two numbers of a report makes their difference take few values, or vary less
than they do; where it was scaled, the difference with a multiple of one, or their ratio. A number
that was shifted by a key gives itself away modulo the size of its range.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from ldp_auditor.checks.search.events import Event
from ldp_auditor.checks.search.layout import Column
from ldp_auditor.checks.search.number_events import DECIMALS, Apart, Difference
from ldp_auditor.checks.search.number_pairs import (
    FEW,
    MOST_PAIRS,
    first_entries,
    later,
    plain_numbers,
)
from ldp_auditor.checks.search.one_column import Counted
from ldp_auditor.checks.search.proposals import Family, Proposal, Sample, proposals, proposals_of
from ldp_auditor.core import Floats

SIGNS = (-1, 1)
"""For differences and for sums."""

DIGITS = 4
"""Digits of the number by which one of two numbers is multiplied."""

NEAR_ONE = 0.02
"""A factor that is no further from 1 is left out: plain differences tell as much."""

FIRST = 400
"""Reports of all inputs by which it is decided whether the differences of two columns repeat."""

FEWEST_REPEATS = 0.2
"""Share of these reports whose difference another one must have, more than each number has."""

MOST_VALUES = 64
"""Largest number of values of a difference: the commonest."""

NARROW = 0.5
"""Part of the spread of both numbers below which that of their difference or sum must be."""

FEWEST_REPORTS = 20
"""Reports with both numbers of which spreads are compared."""

SHARES = (*(0.001, 0.01), *np.linspace(0.05, 0.95, 19).tolist(), *(0.99, 0.999))
"""Shares of the reports below the thresholds of a difference or sum that are tried."""

LARGEST = 2.0**52
"""Whole numbers beyond this have differences that a float does not hold."""


def propose_differences(sample: Sample, tables: Sequence[Counted]) -> list[Proposal]:
    """Two columns of numbers differ by a value, also in steps of the range of one of them."""
    kinds = plain_numbers(sample, tables, "Differences")
    few = {c.name: _first(sample, c) for c in kinds}
    pairs = list(combinations(kinds, 2))
    if len(kinds) <= FEW:
        together = [Apart(a, b, sign, 0.0, True) for (a, b), sign in product(pairs, SIGNS)]
        together += [scaled for a, b in pairs for scaled in _scaled(sample, a, b, few)]
        return _values(sample, pairs, kinds, few) + _thresholds(sample, together, few)
    repeating, narrow = _closest(np.concatenate(first_entries(sample, kinds), axis=1))
    sample.notes.append(
        f"Differences and sums: {len(repeating) + len(narrow):,} of {2 * len(pairs):,}, those that "
        f"repeat or vary least in the first reports; modulo a number of {FEW} numbers; no ratios."
    )
    together = [Apart(*pairs[i], sign, 0.0, True) for i, sign in narrow]
    return _values(sample, [pairs[i] for i in repeating], kinds[:FEW], few) + _thresholds(
        sample, together, few
    )


def _closest(rows: Floats) -> tuple[list[int], list[tuple[int, int]]]:
    """Pairs of rows whose differences repeat the most, and whose differences or sums vary least."""
    different = _different(rows)
    spreads = _spreads(rows)
    repeats: list[Floats] = []
    widths: dict[int, list[Floats]] = {sign: [] for sign in SIGNS}
    for i, (row, rest) in enumerate(later(rows)):
        usual = np.minimum(different[i], different[i + 1 :])
        narrower = np.minimum(spreads[i], spreads[i + 1 :])
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            repeats.append(_different(np.round(rest - row, DECIMALS)) / usual)
            for sign in SIGNS:
                widths[sign].append(_spreads(rest + sign * row) / narrower)
    shares = np.concatenate(repeats)
    first = np.argsort(shares, kind="stable")[:MOST_PAIRS]
    repeating = sorted(first[shares[first] < 1 - FEWEST_REPEATS].tolist())
    both = np.concatenate([np.concatenate(widths[sign]) for sign in SIGNS])
    first = np.argsort(both, kind="stable")[:MOST_PAIRS]
    chosen = sorted(first[both[first] < NARROW].tolist())
    return repeating, [(i % len(shares), SIGNS[i // len(shares)]) for i in chosen]


def _different(rows: Floats) -> Floats:
    """How many different numbers every row has."""
    ordered = np.sort(rows, axis=1)
    found: Floats = 1.0 + np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)
    return found


def _spreads(rows: Floats) -> Floats:
    """The middle half of every row; NaN if a number is missing."""
    last = rows.shape[1] - 1
    places = round(0.25 * last), round(0.75 * last), last
    ordered = np.partition(rows, places, axis=1)
    low, high, most = (ordered[:, place] for place in places)
    return np.where(np.isnan(most), np.nan, high - low)


def _values(
    sample: Sample,
    differing: Sequence[tuple[Column, Column]],
    kinds: Sequence[Column],
    few: Mapping[Any, Floats],
) -> list[Proposal]:
    """Differences that repeat, each by its value; of `kinds` also modulo their ranges."""
    pairs = [Difference(a, b, 0.0) for a, b in differing]
    for a, b in permutations(kinds, 2):
        size = _size(few[b.name])
        if size and size < np.max(few[a.name], initial=0.0, where=~np.isnan(few[a.name])):
            pairs += [Difference(a, b, 0.0, size, sign) for sign in SIGNS]
    events: list[Event] = []
    counts: list[Floats] = []
    for pair in (p for p in pairs if _repeats(few[p.first.name], few[p.second.name], p)):
        found, values = _counted(sample, pair)
        events += values
        counts.append(found)
    if not events:
        return []
    tried = MOST_VALUES * len(pairs)
    return proposals(sample, Family(events.__getitem__, np.concatenate(counts, axis=1), tried))


def _scaled(sample: Sample, a: Column, b: Column, few: Mapping[Any, Floats]) -> list[Apart]:
    """A ratio, and differences and sums with a multiple of one of two numbers.

    The factor is how many times more one varies than the other for the first input: the same noise,
    once scaled, has all its quantiles scaled.
    """
    mine = min(int(sample.trials[0]), _first_of_each(sample))
    first, second = (_spread(few[column.name][:mine]) for column in (a, b))
    if not (0 < first < np.inf and 0 < second < np.inf):
        return []
    small, large = (a, b) if first < second else (b, a)
    scale = float(f"{max(first, second) / min(first, second):.{DIGITS}g}")
    found = [Apart(a, b, 0, 0.0, True)]
    if scale > 1 + NEAR_ONE:
        found += [Apart(small, large, sign, 0.0, True, scale) for sign in SIGNS]
    return found


def _thresholds(
    sample: Sample, pairs: Sequence[Apart], few: Mapping[Any, Floats]
) -> list[Proposal]:
    """What two numbers make together, where it varies much less than they do, by thresholds."""
    events: list[Event] = []
    for pair in pairs:
        if _is_narrow(few[pair.first.name], few[pair.second.name], pair):
            entries = np.concatenate([pair.entries(table) for table in sample.tables])
            at = np.unique(np.quantile(entries[~np.isnan(entries)], SHARES, method="nearest"))
            events += [
                replace(pair, threshold=float(t), at_least=at_least)
                for t in at
                for at_least in (True, False)
            ]
    return proposals_of(sample, events)


def _is_narrow(first: Floats, second: Floats, pair: Apart) -> bool:
    """Whether a difference, sum or ratio varies much less than both numbers do."""
    there = ~(np.isnan(first) | np.isnan(second))
    if there.sum() < FEWEST_REPORTS:
        return False
    first, second = first[there], second[there]
    if pair.sign == 0 and not (first.min() > 0 and second.min() > 0):
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        three = first * pair.scale, second, pair.between(first, second)
        spreads = [_spread(numbers) for numbers in three]
        if pair.sign == 0:  # each in units of its own size
            spreads = [s / float(_middle(n)) for s, n in zip(spreads, three, strict=True)]
    return bool(0 < spreads[2] < NARROW * min(spreads[:2]))


def _middle(numbers: Floats) -> float:
    return float(np.sort(numbers)[len(numbers) // 2])


def _spread(numbers: Floats) -> float:
    """The middle half of the numbers, without a sum: the same on every processor."""
    ordered = np.sort(numbers)  # `np.quantile` takes several times as long for so few
    last = len(ordered) - 1
    if np.isnan(ordered[last]):
        return np.nan
    return float(ordered[round(0.75 * last)] - ordered[round(0.25 * last)])


def _first(sample: Sample, column: Column) -> Floats:
    """Entries of a column of the first reports of every input."""
    each = _first_of_each(sample)
    some = [table.of(column)[:each] for table in sample.tables]
    return np.concatenate(some).astype(np.float64)


def _first_of_each(sample: Sample) -> int:
    return max(20, FIRST // len(sample.tables))


def _size(entries: Floats) -> int:
    """The size of the range 0, 1, ... of whole numbers; 0 if they are none, or few or many."""
    there = entries[~np.isnan(entries)]
    if not len(there) or there.min() < 0 or not 3 <= there.max() < 10**6:
        return 0
    return int(there.max()) + 1 if np.all(there == np.floor(there)) else 0


def _repeats(first: Floats, second: Floats, pair: Difference) -> bool:
    """Whether differences repeat more often than the numbers that they come from do."""
    there = ~(np.isnan(first) | np.isnan(second))
    first, second = first[there], second[there]
    if not len(first) or max(np.abs(first).max(), np.abs(second).max()) > LARGEST:
        return False
    shown = pair.between(first, second)
    usual = min(len(np.unique(first)), len(np.unique(second)))
    return len(np.unique(shown)) < (1 - FEWEST_REPEATS) * min(usual, len(shown))


def _counted(sample: Sample, pair: Difference) -> tuple[Floats, list[Event]]:
    """The commonest differences, and how often every input has each."""
    apart = [pair.differences(table) for table in sample.tables]
    values, totals = np.unique(np.concatenate(apart), return_counts=True)
    order = np.argsort(-totals, kind="stable")[:MOST_VALUES]
    chosen = np.sort(values[order][(totals[order] > 2) & ~np.isnan(values[order])])
    counts = np.zeros((len(apart), len(chosen)))
    for i, entries in enumerate(apart):
        place = np.searchsorted(chosen, entries)
        place = np.minimum(place, max(0, len(chosen) - 1))
        if len(chosen):
            counts[i] = np.bincount(place[chosen[place] == entries], minlength=len(chosen))
    return counts, [replace(pair, value=float(value)) for value in chosen]
