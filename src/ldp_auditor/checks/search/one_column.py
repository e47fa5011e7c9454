"""Events about one column: a value, a threshold, an interval, a set of values."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.checks.search.events import Beyond, Both, Equals, Event, OneOf
from ldp_auditor.checks.search.layout import Column, named
from ldp_auditor.checks.search.proposals import Family, Proposal, Sample, proposals
from ldp_auditor.checks.search.strength import largest, strength
from ldp_auditor.core import Floats

MOST_VALUES = 4096
"""Largest number of values of a column that are counted: the commonest that repeat."""

MOST_IN_SETS = 1024
"""Largest number of values of a column of which sets are tried."""

QUANTILES = (
    *(1e-4, 3e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02),
    *np.linspace(0.04, 0.96, 24).tolist(),
    *(0.98, 0.99, 0.995, 0.998, 0.999, 0.9997, 0.9999),
)
"""Thresholds that are tried for a column of numbers, close together in the tails."""

INTERVAL_COLUMNS = 40
"""Largest number of columns of numbers for which intervals are tried."""

MOST_SET_PAIRS = 30
"""Largest number of pairs of inputs for which sets of values of a column are tried."""


@dataclass(frozen=True)
class Counted:
    """Values of a column, and how often every input has each."""

    column: Column
    values: Floats
    counts: Floats
    """A row for every input, a column for every value."""
    first_half: Floats
    """The counts of every other report."""
    is_complete: bool
    """Whether the column has no other value."""
    different: int
    """Number of all different values."""

    @property
    def is_bit(self) -> bool:
        """Whether the column has two values."""
        return self.is_complete and len(self.values) == 2


def counted(sample: Sample, column: Column) -> Counted:
    """Count the values of a column; of many, those that repeat."""
    entries = [table.of(column) for table in sample.tables]
    joint = np.concatenate(entries)
    if joint.dtype.kind == "f":
        joint = np.where(np.isnan(joint), -np.inf, joint)
    owners = np.repeat(np.arange(len(entries)), [len(e) for e in entries])
    halves = np.concatenate([np.arange(len(e)) for e in entries]) % 2
    values, codes, totals = _unique(joint)
    different = len(values)
    if different > MOST_VALUES // 4:
        common = np.argsort(-totals, kind="stable")[:MOST_VALUES]
        common = np.sort(common[totals[common] > 2])
        place = np.full(different, -1)
        place[common] = np.arange(len(common))
        kept = place[codes] >= 0
        values, codes, owners = values[common], place[codes][kept], owners[kept]
        halves = halves[kept]
    size = len(values)
    numbers = (halves * len(entries) + owners) * size + codes
    table = np.bincount(numbers, minlength=2 * len(entries) * size)
    first, second = table.reshape(2, len(entries), size).astype(np.float64)
    shown = values.astype(np.float64)
    shown[np.isneginf(shown)] = np.nan
    return Counted(column, shown, first + second, first, size == different, different)


def _unique(joint: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Values, their numbers for every entry, and their counts; quick for small integers."""
    if joint.dtype.kind in "bui" and len(joint):
        low, high = int(joint.min()), int(joint.max())
        if high - low < 100_000:
            codes = joint.astype(np.int64) - low
            totals = np.bincount(codes)
            there = np.flatnonzero(totals)
            if len(there) < len(totals):
                place = np.zeros(len(totals), dtype=np.int64)
                place[there] = np.arange(len(there))
                codes = place[codes]
            return there + low, codes, totals[there]
    values, codes, totals = np.unique(joint, return_inverse=True, return_counts=True)
    return values, codes, totals


def propose_values(sample: Sample, tables: Sequence[Counted]) -> list[Proposal]:
    """A column has one value."""
    owner = np.concatenate([np.full(len(t.values), i) for i, t in enumerate(tables)])
    values = np.concatenate([t.values for t in tables])
    counts = np.concatenate([t.counts for t in tables], axis=1)

    def make(i: int) -> Event:
        return Equals(tables[int(owner[i])].column, float(values[i]))

    return proposals(sample, Family(make, counts))


@dataclass(frozen=True)
class Thresholds:
    """Thresholds of a column of numbers, and how many reports of every input are beyond each."""

    column: Column
    at: Floats
    under: Floats
    """Reports below each threshold, by input."""
    upto: Floats
    """Reports that are not above it."""
    present: Floats
    """Reports that have a number there, by input, as a column."""

    @property
    def at_least(self) -> Floats:
        """Reports that are not below each threshold, by input."""
        return self.present - self.under


def thresholds_of(sample: Sample, column: Column, shares: Sequence[float]) -> Thresholds:
    """Count a column at these shares of all reports."""
    ordered = [np.sort(table.of(column)) for table in sample.tables]
    ordered = [o[: np.searchsorted(o, np.nan)] if o.dtype.kind == "f" else o for o in ordered]
    pooled = np.concatenate(ordered)
    at = np.unique(np.quantile(pooled, shares, method="nearest")).astype(np.float64)
    under = np.stack([np.searchsorted(o, at, side="left") for o in ordered])
    upto = np.stack([np.searchsorted(o, at, side="right") for o in ordered])
    present = np.array([[float(len(o))] for o in ordered])
    return Thresholds(column, at, under.astype(np.float64), upto.astype(np.float64), present)


def propose_thresholds(sample: Sample, tables: Sequence[Counted]) -> list[Proposal]:
    """A column of numbers is at least or at most a threshold, or between two."""
    wide = [
        thresholds_of(sample, t.column, QUANTILES)
        for t in tables
        if t.column.is_ordered and t.different > 8
    ]
    if not wide:
        return []
    names = [(t.column, float(at)) for t in wide for at in t.at]

    def least(i: int) -> Event:
        return Beyond(*names[i], at_least=True)

    def most(i: int) -> Event:
        return Beyond(*names[i], at_least=False)

    at_least = np.concatenate([t.at_least for t in wide], axis=1)
    apart = np.ptp(at_least / sample.trials[:, None], axis=0)
    starts = np.cumsum([0, *(len(t.at) for t in wide)])
    furthest = np.array([apart[a:b].max() for a, b in pairwise(starts.tolist())])
    chosen = largest(furthest, INTERVAL_COLUMNS).tolist()
    if len(chosen) < len(wide):
        left = [t.column.words for i, t in enumerate(wide) if i not in set(chosen)]
        sample.notes.append(
            f"Intervals: those of the {INTERVAL_COLUMNS} columns of numbers that differ most "
            f"between inputs, not of {named(left)}."
        )
    between: list[tuple[int, int]] = []
    slices: list[Floats] = []
    for i in chosen:
        low, high = np.triu_indices(len(wide[i].at), k=1)
        slices.append(wide[i].upto[:, high] - wide[i].under[:, low])
        between += zip((starts[i] + low).tolist(), (starts[i] + high).tolist(), strict=True)
    return proposals(
        sample,
        Family(least, at_least),
        Family(most, np.concatenate([t.upto for t in wide], axis=1)),
        Family(
            lambda i: Both(least(between[i][0]), most(between[i][1])),
            np.concatenate(slices, axis=1),
        ),
    )


def propose_sets(sample: Sample, tables: Sequence[Counted]) -> list[Proposal]:
    """Sets of values of a column that one input has much more often than another.

    By the lemma of Neyman and Pearson the best sets collect the largest ratios, which half of the
    reports order; the other half decides how many of them.
    """
    several = [t for t in tables if len(t.values) >= 3]
    pairs = [_pairs_beyond_claim(sample, table.counts) for table in several]
    tried = sum(
        min(len(t.values), MOST_IN_SETS) * len(p) for t, p in zip(several, pairs, strict=True)
    )
    cut = [t.column.words for t in several if len(t.values) > MOST_IN_SETS]
    if cut:
        sample.notes.append(
            f"Sets of values: of {named(cut)} the {MOST_IN_SETS:,} commonest values were looked at."
        )
    return [
        proposal
        for table, chosen in zip(several, pairs, strict=True)
        for a, b in chosen
        for proposal in _sets(sample, _commonest(table), a, b, tried)
    ]


def _commonest(table: Counted) -> Counted:
    if len(table.values) <= MOST_IN_SETS:
        return table
    kept = np.sort(np.argsort(-table.counts.sum(axis=0), kind="stable")[:MOST_IN_SETS])
    return replace(
        table,
        values=table.values[kept],
        counts=table.counts[:, kept],
        first_half=table.first_half[:, kept],
    )


def _pairs_beyond_claim(sample: Sample, counts: Floats) -> list[tuple[int, int]]:
    """Pairs of inputs with the largest excess over the claim, summed over values."""
    rates = counts / sample.trials[:, None]
    excess = np.empty((len(rates), len(rates)))
    for a, rate in enumerate(rates):
        factor = np.reshape(sample.factor(a, slice(None)), (-1, 1))
        excess[a] = np.maximum(rate[None, :] - factor * rates, 0).sum(axis=1)
    np.fill_diagonal(excess, -1.0)
    order = np.argsort(-excess.ravel(), kind="stable")[:MOST_SET_PAIRS]
    pairs = [(int(i) // len(rates), int(i) % len(rates)) for i in order]
    return [(a, b) for a, b in pairs if a != b]


def _sets(sample: Sample, table: Counted, a: int, b: int, tried: int) -> list[Proposal]:
    fitted = _largest_ratios(table.first_half, a, b)
    second_half = table.counts - table.first_half
    trials = [float(sample.trials[i] // 2) for i in (a, b)]
    if not len(fitted) or min(trials) < 1:
        return []
    hits, alarms = (np.cumsum(second_half[i][fitted]) for i in (a, b))
    z = strength(hits, trials[0], alarms, trials[1], sample.factor(a, b), sample.claim.delta)
    best = int(np.argmax(z))

    def of(order: NDArray[np.int64], end: int) -> OneOf:
        return OneOf(table.column, tuple(table.values[order[: end + 1]].tolist()))

    return [
        Proposal(
            of(fitted, end),
            a,
            b,
            float(z[end]),
            int(hits[end]),
            int(alarms[end]),
            (trials[0], trials[1]),
            tried,
            partial(of, _largest_ratios(table.counts, a, b), end),
        )
        for end in sorted({best, best // 2})
    ]


def _largest_ratios(counts: Floats, a: int, b: int) -> NDArray[np.int64]:
    """Values in the order of their ratios, the largest first, without those that never were."""
    hits, alarms = counts[a], counts[b]
    order = np.argsort(-(hits + 0.5) / (alarms + 0.5), kind="stable")
    there: NDArray[np.int64] = order[hits[order] > 0]
    return there
