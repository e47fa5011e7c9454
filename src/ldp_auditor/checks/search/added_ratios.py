"""Events about all parts of a report together: their log-likelihood ratios, added up.

Where no single part breaks the claim, many weak ones may do so together: by the lemma of Neyman and
Pearson the best event of independent parts is a threshold of the sum of their log-ratios.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.checks.search.events import Scored
from ldp_auditor.checks.search.layout import WHOLE_REPORT, Column, Table
from ldp_auditor.checks.search.one_column import Counted
from ldp_auditor.checks.search.proposals import Proposal, Sample
from ldp_auditor.checks.search.strength import strength
from ldp_auditor.core import Floats
from ldp_auditor.portable_arrays import logs

MOST_VALUES = 300
"""Values of a column up to which each has a ratio of its own."""

BINS = 16
"""Ranges of about equal frequency into which columns with more values are divided."""

MOST_PAIRS = 4
"""Pairs of inputs for which ratios are added up: those that all columns tell apart the most."""

UNIT = 2**16
"""Ratios are whole multiples of 1 / UNIT: their sum is the same in any order."""

LEVELS = (*(0.001, 0.003, 0.01, 0.03), *np.linspace(0.06, 0.94, 12).tolist())
LEVELS = (*LEVELS, *(0.97, 0.99, 0.997, 0.999))
"""Shares of the reports that a threshold leaves above it."""


@dataclass(frozen=True)
class Ratios:
    """Log-likelihood ratios of the values, or ranges of values, of a column."""

    column: Column
    edges: Floats
    """Smallest value of every range but the first."""
    weights: NDArray[np.int64]
    """In units; the last is that of a missing entry."""

    def of(self, table: Table) -> NDArray[np.int64]:
        """Ratios of the entries of all reports."""
        found: NDArray[np.int64] = self.weights[ranges(table.of(self.column), self.edges)]
        return found


@dataclass(frozen=True)
class AddedRatios:
    """The sum of the log-likelihood ratios of many columns."""

    parts: tuple[Ratios, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns that are read."""
        return tuple(part.column for part in self.parts)

    def __call__(self, reports: Sequence[Any], table: Table) -> Floats:
        """Scores of all reports."""
        total = np.zeros(table.rows, dtype=np.int64)
        for part in self.parts:
            total += part.of(table)
        return total / UNIT


def ranges(entries: NDArray[Any], edges: Floats) -> NDArray[np.int64]:
    """Number of the range of every entry; a missing one has a number of its own."""
    found = np.searchsorted(edges, entries, side="right")
    return np.where(np.isnan(entries), len(edges) + 1, found)


def propose_added_ratios(sample: Sample, tables: Sequence[Counted]) -> list[Proposal]:
    """Thresholds of the summed ratios of all parts, and of all columns, of a report.

    Half of the reports give the ratios and the other half is counted: on the reports that it was
    fitted to, a sum of many ratios looks too good.
    """
    columns = [t for t in tables if t.column.words != WHOLE_REPORT]
    parts = [t for t in columns if t.column.words == t.column.place]
    ranged = {t.column.name: _by_range(sample, t) for t in columns} if len(columns) > 1 else {}
    found: list[Proposal] = []
    seen: set[tuple[Any, ...]] = set()
    for kind, chosen in (("parts", parts), ("columns", columns)):
        names = tuple(t.column.name for t in chosen)
        if len(names) < 2 or names in seen:
            continue  # values of a single column are tried anyway
        seen.add(names)
        inside = [ranged[name] for name in names]
        pairs = _furthest_apart(sample, [column.counts for column in inside])
        if len(pairs) > MOST_PAIRS:
            sample.notes.append(
                f"Summed log-ratios of {kind}: {MOST_PAIRS} of {len(pairs):,} pairs of inputs, "
                "those whose reports differ most."
            )
        for a, b in pairs[:MOST_PAIRS]:
            found += _thresholds(sample, inside, kind, a, b)
    return found


def pairs_apart(sample: Sample, tables: Sequence[Counted]) -> list[tuple[int, int]]:
    """All pairs of inputs, first those whose reports differ most, all columns together."""
    return _furthest_apart(sample, [table.counts for table in tables])


@dataclass(frozen=True)
class Ranged:
    """Ranges of the values of a column, and how often every input is in each."""

    column: Column
    edges: Floats
    counts: Floats
    """A row for every input; the last range is that of missing entries."""
    first_half: Floats
    """The counts of every other report."""


def _by_range(sample: Sample, table: Counted) -> Ranged:
    """The ranges of a column: its values if there are few, else about equally many reports."""
    column = table.column
    if table.is_complete and len(table.values) <= MOST_VALUES:
        there = ~np.isnan(table.values)
        counts, first = (
            np.concatenate([c[:, there], c[:, ~there].sum(axis=1, keepdims=True)], axis=1)
            for c in (table.counts, table.first_half)
        )
        return Ranged(column, table.values[there][1:], counts, first)
    entries = [t.of(column).astype(np.float64) for t in sample.tables]
    pooled = np.concatenate(entries)
    shares = np.linspace(0, 1, BINS + 1)[:-1]
    values = np.quantile(pooled[~np.isnan(pooled)], shares, method="nearest")
    edges = np.unique(values)[1:]
    size = len(edges) + 2
    found = [ranges(e, edges) for e in entries]
    counts, first = (
        np.array([np.bincount(f[::step], minlength=size) for f in found], dtype=np.float64)
        for step in (1, 2)
    )
    return Ranged(column, edges, counts, first)


def _furthest_apart(sample: Sample, columns: Sequence[Floats]) -> list[tuple[int, int]]:
    """All pairs of inputs, first those that the columns tell apart the most, all together."""
    inputs = len(sample.tables)
    distance = np.zeros((inputs, inputs))
    for counts in columns:
        roots = np.sqrt(counts / sample.trials[:, None])
        for a, root in enumerate(roots):
            distance[a] += ((roots - root) ** 2).sum(axis=1)
    pairs = combinations(range(inputs), 2)
    # Rounded: which of two equal pairs is larger by its last bits differs between processors.
    return sorted(pairs, key=lambda pair: (-round(float(distance[pair]), 9), pair))


def _score(columns: Sequence[Ranged], trials: Floats, a: int, b: int, half: bool) -> AddedRatios:
    """The sum of the ratios of those columns that say anything."""
    ratios = [_ratios(c, c.first_half if half else c.counts, trials, a, b) for c in columns]
    return AddedRatios(tuple(part for part in ratios if part.weights.any()))


def _ratios(ranged: Ranged, counts: Floats, trials: Floats, a: int, b: int) -> Ratios:
    """Smoothed log-ratios of a column, the smaller the less they exceed what chance does."""
    hits, alarms = counts[a], counts[b]
    there = hits + alarms > 0
    both = float(trials[a]), float(trials[b])
    expected = (hits + alarms)[there] / sum(both)
    chance = int(there.sum()) - 1
    excess = float(
        sum(
            ((side[there] - n * expected) ** 2 / (n * expected)).sum()
            for side, n in zip((hits, alarms), both, strict=True)
        )
    )
    kept = max(0.0, 1 - chance / excess) if excess > 0 else 0.0
    logs_of_rates = logs((np.stack([hits, alarms]) + 0.5) / (np.array(both)[:, None] + 1))
    weights = np.where(there, kept * (logs_of_rates[0] - logs_of_rates[1]), 0.0)
    return Ratios(ranged.column, ranged.edges, np.round(weights * UNIT).astype(np.int64))


def _thresholds(
    sample: Sample, columns: Sequence[Ranged], kind: str, a: int, b: int
) -> list[Proposal]:
    """Thresholds of a sum of ratios, for the pair of inputs in both orders."""
    fitting, counting = sample.halves
    fitted = _score(columns, fitting.trials, a, b, half=True)
    if len(fitted.parts) < 2:
        return []
    refitted = cache(lambda: _score(columns, sample.trials, a, b, half=False))

    def scores(score: AddedRatios, of: Sample, i: int) -> Floats:
        found: Floats = of.tables[i].once(
            ("score", id(score)), lambda: score(of.reports[i], of.tables[i])
        )
        return found

    def events(score: AddedRatios, of: Sample, first: int) -> list[Scored]:
        shares = np.array(LEVELS)
        levels = 1 - shares if first == a else shares
        at = np.quantile(scores(score, of, first), levels, method="nearest")
        both = f"{sample.name(a)} against {sample.name(b)}"
        name = f"summed log-ratio of {len(score.parts)} {kind} for {both}"
        return [Scored(name, score, threshold, at_least=first == a) for threshold in at.tolist()]

    @cache
    def refitted_events(first: int) -> list[Scored]:
        return events(refitted(), sample, first)

    tried = 2 * len(LEVELS) * MOST_PAIRS
    found: list[Proposal] = []
    for first, second in ((a, b), (b, a)):
        fits = events(fitted, fitting, first)
        hits, alarms = (_held(scores(fitted, counting, i), fits) for i in (first, second))
        trials = float(counting.trials[first]), float(counting.trials[second])
        factor = sample.factor(first, second)
        z = strength(hits, trials[0], alarms, trials[1], factor, sample.claim.delta)
        found += [
            Proposal(
                event, first, second, float(z[i]), int(hits[i]), int(alarms[i]), trials, tried,
                lambda first=first, i=i: refitted_events(first)[i],  # type: ignore[misc]
            )
            for i, event in enumerate(fits)
        ]  # fmt: skip
    return found


def _held(scores: Floats, events: Sequence[Scored]) -> NDArray[np.int64]:
    """How often each of several thresholds of one score, all of one direction, holds."""
    ordered = np.sort(scores)
    at = [event.threshold for event in events]
    if events[0].at_least:
        return len(ordered) - np.searchsorted(ordered, at, side="left")
    return np.searchsorted(ordered, at, side="right")
