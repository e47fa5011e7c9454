"""Events about all parts of a report together: their log-likelihood ratios, added up.

Where no single part breaks the claim, many weak ones may do so together: by the lemma of Neyman and
Pearson the best event of independent parts is a threshold of the sum of their log-ratios.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.checks.search.events import Scored
from ldp_auditor.checks.search.layout import WHOLE_REPORT, Column, Table
from ldp_auditor.checks.search.one_column import Counted
from ldp_auditor.checks.search.proposals import Half, Proposal
from ldp_auditor.core import Floats
from ldp_auditor.portable_math import log

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


def propose_added_ratios(half: Half, tables: Sequence[Counted]) -> list[Proposal]:
    """Thresholds of the summed ratios of all parts, and of all columns, of a report.

    Their strength is 0: on the reports that it was fitted to, a sum of many ratios looks too good.
    """
    columns = [t for t in tables if t.column.words != WHOLE_REPORT]
    parts = [t for t in columns if t.column.words == t.column.place]
    counted = {t.column.name: _by_range(half, t) for t in columns} if len(columns) > 1 else {}
    found: list[Proposal] = []
    seen: set[tuple[Any, ...]] = set()
    for kind, chosen in (("parts", parts), ("columns", columns)):
        names = tuple(t.column.name for t in chosen)
        if len(names) < 2 or names in seen:
            continue  # values of a single column are tried anyway
        seen.add(names)
        named = [(t.column, *counted[t.column.name]) for t in chosen]
        for a, b in _apart(half, [counts for _, _, counts in named]):
            ratios = [_ratios(half, column, edges, counts, a, b) for column, edges, counts in named]
            score = AddedRatios(tuple(part for part in ratios if part.weights.any()))
            if len(score.parts) > 1:
                found += _thresholds(half, score, kind, a, b)
    return found


def _by_range(half: Half, table: Counted) -> tuple[Floats, Floats]:
    """Edges of the ranges of a column, and how often every input is in each."""
    entries = [t.of(table.column).astype(np.float64) for t in half.tables]
    if table.is_complete and len(table.values) <= MOST_VALUES:
        values = table.values[~np.isnan(table.values)]
    else:
        pooled = np.concatenate(entries)
        shares = np.linspace(0, 1, BINS + 1)[:-1]
        values = np.quantile(pooled[~np.isnan(pooled)], shares, method="nearest")
    edges = np.unique(values)[1:].astype(np.float64)
    size = len(edges) + 2
    counts = [np.bincount(ranges(e, edges), minlength=size) for e in entries]
    return edges, np.array(counts, dtype=np.float64)


def _apart(half: Half, columns: Sequence[Floats]) -> list[tuple[int, int]]:
    """Pairs of inputs that the columns tell apart the most, all together."""
    inputs = len(half.tables)
    distance = np.zeros((inputs, inputs))
    for counts in columns:
        roots = np.sqrt(counts / half.trials[:, None])
        for a, root in enumerate(roots):
            distance[a] += ((roots - root) ** 2).sum(axis=1)
    pairs = list(combinations(range(inputs), 2))
    # Rounded: which of two equal pairs is larger by its last bits differs between processors.
    return sorted(pairs, key=lambda pair: (-round(float(distance[pair]), 9), pair))[:MOST_PAIRS]


def _ratios(half: Half, column: Column, edges: Floats, counts: Floats, a: int, b: int) -> Ratios:
    """Smoothed log-ratios of a column, the smaller the less they exceed what chance does."""
    hits, alarms = counts[a], counts[b]
    there = hits + alarms > 0
    trials = half.trials[a], half.trials[b]
    expected = (hits + alarms)[there] / sum(trials)
    chance = int(there.sum()) - 1
    excess = float(
        sum(
            ((side[there] - n * expected) ** 2 / (n * expected)).sum()
            for side, n in zip((hits, alarms), trials, strict=True)
        )
    )
    kept = max(0.0, 1 - chance / excess) if excess > 0 else 0.0
    weights = [
        kept * (log((x + 0.5) / (trials[0] + 1)) - log((y + 0.5) / (trials[1] + 1))) if found else 0
        for x, y, found in zip(hits.tolist(), alarms.tolist(), there.tolist(), strict=True)
    ]
    return Ratios(column, edges, np.round(np.array(weights) * UNIT).astype(np.int64))


def _thresholds(half: Half, score: AddedRatios, kind: str, a: int, b: int) -> list[Proposal]:
    """Thresholds of a sum of ratios, for the pair of inputs in both orders."""
    name = f"summed log-ratio of {len(score.parts)} {kind} for input {a} against {b}"
    found = []
    for first, second, upwards in ((a, b, True), (b, a, False)):
        scores = score(half.reports[first], half.tables[first])
        shares = 1 - np.array(LEVELS) if upwards else np.array(LEVELS)
        for at in np.unique(np.quantile(scores, shares, method="nearest")).tolist():
            event = Scored(name, score, at, at_least=upwards)
            found.append(Proposal(event, first, second, 0.0))
    return found
