"""Events about one column: a value, a threshold, an interval, a set of values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.checks.search.events import Beyond, Both, Equals, Event, OneOf
from ldp_auditor.checks.search.layout import Column
from ldp_auditor.checks.search.proposals import Half, Proposal, proposals
from ldp_auditor.checks.search.strength import strength
from ldp_auditor.core import Floats
from ldp_auditor.portable_math import exp

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
    is_complete: bool
    """Whether the column has no other value."""
    different: int
    """Number of all different values."""

    @property
    def is_bit(self) -> bool:
        """Whether the column has two values."""
        return self.is_complete and len(self.values) == 2


def counted(half: Half, column: Column) -> Counted:
    """Count the values of a column; of many, those that repeat."""
    entries = [table.of(column) for table in half.tables]
    joint = np.concatenate(entries)
    if joint.dtype.kind == "f":
        joint = np.where(np.isnan(joint), -np.inf, joint)
    owners = np.repeat(np.arange(len(entries)), [len(e) for e in entries])
    values, codes, totals = _unique(joint)
    different = len(values)
    if different > MOST_VALUES // 4:
        common = np.argsort(-totals, kind="stable")[:MOST_VALUES]
        common = np.sort(common[totals[common] > 2])
        place = np.full(different, -1)
        place[common] = np.arange(len(common))
        kept = place[codes] >= 0
        values, codes, owners = values[common], place[codes][kept], owners[kept]
    size = len(values)
    table = np.bincount(owners * size + codes, minlength=len(entries) * size)
    counts = table.reshape(len(entries), size).astype(np.float64)
    shown = values.astype(np.float64)
    shown[np.isneginf(shown)] = np.nan
    return Counted(column, shown, counts, size == different, different)


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


def propose_values(half: Half, tables: Sequence[Counted]) -> list[Proposal]:
    """A column has one value."""
    owner = np.concatenate([np.full(len(t.values), i) for i, t in enumerate(tables)])
    values = np.concatenate([t.values for t in tables])
    counts = np.concatenate([t.counts for t in tables], axis=1)

    def make(i: int) -> Event:
        return Equals(tables[int(owner[i])].column, float(values[i]))

    return proposals(half, make, counts)


def propose_thresholds(half: Half, tables: Sequence[Counted]) -> list[Proposal]:
    """A column of numbers is at least or at most a threshold, or between two."""
    wide = [t.column for t in tables if t.column.is_ordered and t.different > 8]
    names: list[tuple[Column, float]] = []
    at_least: list[Floats] = []
    at_most: list[Floats] = []
    between: list[tuple[int, int]] = []
    slices: list[Floats] = []
    for column in wide:
        ordered = [np.sort(table.of(column)) for table in half.tables]
        ordered = [o[: np.searchsorted(o, np.nan)] if o.dtype.kind == "f" else o for o in ordered]
        pooled = np.concatenate(ordered)
        thresholds = np.unique(np.quantile(pooled, QUANTILES, method="nearest")).astype(np.float64)
        start = len(names)
        names += [(column, float(t)) for t in thresholds]
        under = np.stack([np.searchsorted(o, thresholds, side="left") for o in ordered])
        upto = np.stack([np.searchsorted(o, thresholds, side="right") for o in ordered])
        present = np.array([[len(o)] for o in ordered])
        at_least.append((present - under).astype(np.float64))
        at_most.append(upto.astype(np.float64))
        if len(wide) <= INTERVAL_COLUMNS:
            low, high = np.triu_indices(len(thresholds), k=1)
            slices.append((upto[:, high] - under[:, low]).astype(np.float64))
            between += [(start + int(a), start + int(b)) for a, b in zip(low, high, strict=True)]
    if not names:
        return []

    def least(i: int) -> Event:
        return Beyond(*names[i], at_least=True)

    def most(i: int) -> Event:
        return Beyond(*names[i], at_least=False)

    found = proposals(half, least, np.concatenate(at_least, axis=1))
    found += proposals(half, most, np.concatenate(at_most, axis=1))
    if slices:
        found += proposals(
            half,
            lambda i: Both(least(between[i][0]), most(between[i][1])),
            np.concatenate(slices, axis=1),
        )
    return found


def propose_sets(half: Half, tables: Sequence[Counted]) -> list[Proposal]:
    """Sets of values of a column that one input has much more often than another.

    By the lemma of Neyman and Pearson the best sets collect the largest ratios.
    """
    found = []
    for table in tables:
        if not 3 <= len(table.values) <= MOST_IN_SETS or table.different > 2 * MOST_IN_SETS:
            continue
        for a, b in _pairs_beyond_claim(half, table.counts):
            found += _sets(half, table, a, b)
    found.sort(key=lambda proposal: -proposal.strength)
    return found


def _pairs_beyond_claim(half: Half, counts: Floats) -> list[tuple[int, int]]:
    """Pairs of inputs with the largest excess over the claim, summed over values."""
    rates = counts / half.trials[:, None]
    factor = exp(min(half.claim.epsilon, 300.0))
    excess = np.empty((len(rates), len(rates)))
    for a, rate in enumerate(rates):
        excess[a] = np.maximum(rate[None, :] - factor * rates, 0).sum(axis=1)
    np.fill_diagonal(excess, -1.0)
    order = np.argsort(-excess.ravel(), kind="stable")[:MOST_SET_PAIRS]
    pairs = [(int(i) // len(rates), int(i) % len(rates)) for i in order]
    return [(a, b) for a, b in pairs if a != b]


def _sets(half: Half, table: Counted, a: int, b: int) -> list[Proposal]:
    hits, alarms = table.counts[a], table.counts[b]
    order = np.argsort(-(hits + 0.5) / (alarms + 0.5), kind="stable")
    order = order[hits[order] > 0]
    if not len(order):
        return []
    z = strength(
        np.cumsum(hits[order]), half.trials[a], np.cumsum(alarms[order]), half.trials[b], half.claim
    )
    best = int(np.argmax(z))
    return [
        Proposal(
            OneOf(table.column, tuple(table.values[order[: end + 1]].tolist())), a, b, float(z[end])
        )
        for end in sorted({best, best // 2})
    ]
