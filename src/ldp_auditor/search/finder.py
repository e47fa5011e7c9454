"""Look for the event and the pair of inputs that break a claim the most, on pilot reports.

Half of the pilot proposes events, the other half ranks them. Whatever is chosen here is measured on
fresh reports elsewhere, so nothing depends on how many events were tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np

from ldp_auditor.core import Claim, Floats
from ldp_auditor.search.events import Beyond, Both, Equals, Event, Not, OneOf, Scored, Supports
from ldp_auditor.search.layout import WHOLE, Layout

MOST_PAIRS = 30
"""Pairs of inputs for which whole reports and learned scores are looked at."""

MOST_INDICATORS = 220
"""Indicators of which all pairs are looked at."""

QUANTILES = 40
"""Thresholds that are tried for a column of numbers."""

MOST_LEARNED_PAIRS = 3
"""Pairs of inputs for which a classifier is trained."""

MOST_LEARNED = 5_000
"""Reports of an input that a classifier learns from."""

SHORTLIST = 150
"""Events that the second half of the pilot ranks."""


@dataclass(frozen=True)
class Candidate:
    """An event that is likelier for the first input than its claim allows for the second."""

    event: Event
    first: int
    second: int
    strength: float
    """Standard errors by which the pilot exceeds the claim; negative if it does not."""
    proven: float = 0.0
    """Log of the ratio of the rates, each three standard errors to the worse side."""


@dataclass(frozen=True)
class Pilot:
    """Pilot reports of every input, and what the target can tell about them."""

    reports: Sequence[Sequence[Any]]
    claim: Claim
    values: Sequence[Any]
    supports: Callable[[Any, Any], bool] | None = None
    score: Callable[[Any, Any, Any], float] | None = None
    """A user's score of a report, given the two values to tell apart."""


def strengths(counts: Floats, trials: int, claim: Claim) -> tuple[Floats, Any, Any]:
    """Strength of every event with its best pair of inputs; `counts` has a row per input."""
    p = (counts + 0.5) / (trials + 1)
    factor = math.exp(min(claim.epsilon, 300.0))
    variance = p * (1 - p) / trials
    if len(p) <= 12:
        pairs = list(permutations(range(len(p)), 2))
        first = np.array([a for a, _ in pairs])
        second = np.array([b for _, b in pairs])
        z = (p[first] - factor * p[second] - claim.delta) / np.sqrt(
            variance[first] + factor**2 * variance[second]
        )
        best = np.argmax(z, axis=0)
        return np.take_along_axis(z, best[None], axis=0)[0], first[best], second[best]
    first, second = np.argmax(p, axis=0), np.argmin(p, axis=0)  # the largest against the smallest
    events = np.arange(p.shape[1])
    z = (p[first, events] - factor * p[second, events] - claim.delta) / np.sqrt(
        variance[first, events] + factor**2 * variance[second, events]
    )
    return z, first, second


def find_events(pilot: Pilot, most: int, learn: bool, seed: int) -> tuple[Layout, list[Candidate]]:
    """Return the strongest events, at most so many, and the layout they are written in."""
    layout = Layout.of([r for reports in pilot.reports for r in reports[:2000]])
    matrices = [layout.matrix(reports) for reports in pilot.reports]
    halves = [
        [
            (list(reports[h::2]), matrix[h::2])
            for reports, matrix in zip(pilot.reports, matrices, strict=True)
        ]
        for h in (0, 1)
    ]
    proposed = _propose(pilot, layout, halves[0], learn, seed)
    ranked: dict[str, Candidate] = {}
    for event, counts in zip(proposed, _count(proposed, halves[1]).T[:, :, None], strict=True):
        trials = min(len(r) for r, _ in halves[1])
        for turned, these in ((event, counts), (Not(event), trials - counts)):
            z, first, second = strengths(these, trials, pilot.claim)
            a, b = int(first[0]), int(second[0])
            proven = _proven(these[a, 0], these[b, 0], trials, pilot.claim.delta)
            found = Candidate(turned, a, b, float(z[0]), proven)
            known = ranked.get(turned.words)
            if known is None or known.strength < found.strength:
                ranked[turned.words] = found
    by_strength = sorted(ranked.values(), key=lambda candidate: -candidate.strength)
    chosen = by_strength[: max(1, most - 1)]
    # One more for what it proves rather than for how far it exceeds the claim.
    left = [c for c in by_strength if c not in chosen]
    if left and most > 1:
        chosen.append(max(left, key=lambda candidate: candidate.proven))
    return layout, chosen


def _count(events: Sequence[Event], half: Half) -> Floats:
    """How often every event holds for every input; a score is computed once for all thresholds."""
    counts = np.zeros((len(half), len(events)))
    for row, (reports, matrix) in enumerate(half):
        scores: dict[int, Floats] = {}
        for column, event in enumerate(events):
            if isinstance(event, Scored):
                key = id(event.score)
                if key not in scores:
                    scores[key] = event.score(reports, matrix)
                counts[row, column] = event.reached(scores[key]).sum()
            else:
                counts[row, column] = event.holds(reports, matrix).sum()
    return counts


def _proven(hits: float, alarms: float, trials: int, delta: float) -> float:
    p = hits / trials - 3 * math.sqrt(hits + 1) / trials - delta
    q = alarms / trials + 3 * math.sqrt(alarms + 1) / trials
    return math.log(p / q) if p > q else 0.0


Half = Sequence[tuple[Sequence[Any], Floats]]


def _propose(pilot: Pilot, layout: Layout, half: Half, learn: bool, seed: int) -> list[Event]:
    """Events that stand out in the first half of the pilot."""
    trials = min(len(reports) for reports, _ in half)
    singles = _single_events(layout, half)
    pool: list[tuple[float, Event]] = []

    def consider(events: Sequence[Event], counts: Floats) -> None:
        if not len(events):
            return
        for sign in (1, -1):
            these = counts if sign == 1 else trials - counts
            z, _, _ = strengths(these, trials, pilot.claim)
            for i in np.argsort(-z)[:SHORTLIST]:
                pool.append((float(z[i]), events[i]))

    counts = _count(singles, half)
    consider(singles, counts)
    consider(*_pairs_of_events(singles, counts, half, trials))
    for events in (
        _sets_of_values(pilot, layout, half, trials),
        _supported(pilot),
        _scored(pilot, half),
    ):
        consider(events, _count(events, half))
    pool.sort(key=lambda entry: -entry[0])
    chosen = {event.words: event for _, event in pool[: 2 * SHORTLIST]}
    proposed = list(chosen.values())[:SHORTLIST]
    if learn:
        proposed += _learned(half, seed)
    return proposed


def _single_events(layout: Layout, half: Half) -> list[Event]:
    """Values of columns, and thresholds of columns of numbers."""
    events: list[Event] = []
    for index, column in enumerate(layout.columns):
        entries = np.concatenate([matrix[:, index] for _, matrix in half])
        missing = bool(np.isnan(entries).any())
        known = entries[~np.isnan(entries)]
        values, counts = np.unique(known, return_counts=True)
        if missing:
            events.append(Equals(column, index, math.nan))
        common = values[np.argsort(-counts)][:24]
        if len(values) <= 24 or counts.max(initial=0) > 0.001 * len(entries):
            events += [Equals(column, index, float(v)) for v in common]
        if column.codes is None and len(values) > 8:
            for t in np.unique(np.quantile(known, np.linspace(0, 1, QUANTILES), method="nearest")):
                events.append(Beyond(column, index, float(t), at_least=True))
                events.append(Beyond(column, index, float(t), at_least=False))
    return events


def _pairs_of_events(
    singles: Sequence[Event], counts: Floats, half: Half, trials: int
) -> tuple[list[Event], Floats]:
    """All conjunctions of two indicators of different columns."""
    rates = counts.mean(axis=0) / trials
    useful = [
        i
        for i, event in enumerate(singles)
        if isinstance(event, Equals) and event.column.words != WHOLE and 0.002 < rates[i] < 0.998
    ][:MOST_INDICATORS]
    useful += _thresholds_for_pairs(singles, rates)[: MOST_INDICATORS - len(useful)]
    if len(useful) < 2:
        return [], np.zeros((len(half), 0))
    events: list[Any] = [singles[i] for i in useful]
    joint = []
    for reports, matrix in half:
        held = np.stack([event.holds(reports, matrix) for event in events], axis=1)
        joint.append((held.T.astype(np.float32) @ held.astype(np.float32)).astype(np.float64))
    columns = np.array([event.index for event in events])
    first, second = np.triu_indices(len(events), k=1)
    different = columns[first] != columns[second]
    first, second = first[different], second[different]
    table = np.stack([j[first, second] for j in joint])
    return _Lazy(events, first, second), table  # type: ignore[return-value]


def _thresholds_for_pairs(singles: Sequence[Event], rates: Floats) -> list[int]:
    """A few thresholds of every column of numbers, both ways, column after column."""
    by_column: dict[tuple[int, bool], list[int]] = {}
    for i, event in enumerate(singles):
        if isinstance(event, Beyond):
            by_column.setdefault((event.index, event.at_least), []).append(i)
    chosen: dict[int, None] = {}
    for wanted in (0.3, 0.6, 0.1):  # the likeliest to help first, in case there are many columns
        for group in by_column.values():
            chosen[min(group, key=lambda i: abs(rates[i] - wanted))] = None
    return list(chosen)


class _Lazy(Sequence[Event]):
    """Conjunctions that are made when they are asked for; there may be tens of thousands."""

    def __init__(self, events: Sequence[Event], first: Any, second: Any) -> None:
        self.events, self.first, self.second = events, first, second

    def __len__(self) -> int:
        return len(self.first)

    def __getitem__(self, i: Any) -> Any:
        return Both(self.events[self.first[i]], self.events[self.second[i]])


def _sets_of_values(pilot: Pilot, layout: Layout, half: Half, trials: int) -> list[Event]:
    """Sets of values of a column that one input has much more often than another.

    By the lemma of Neyman and Pearson the best sets collect the largest ratios.
    """
    events: list[Event] = []
    factor = math.exp(min(pilot.claim.epsilon, 300.0))
    for index, column in enumerate(layout.columns):
        if column.codes is None or len(column.codes) < 3:
            continue
        size = len(column.codes) + 3
        tables = [np.bincount(m[:, index].astype(np.int64) + 2, minlength=size) for _, m in half]
        for a, b in list(permutations(range(len(half)), 2))[:MOST_PAIRS]:
            hits, alarms = tables[a], tables[b]
            order = np.argsort(-(hits + 0.5) / (alarms + 0.5), kind="stable")
            order = order[hits[order] > 0]
            p = np.cumsum(hits[order]) / trials
            q = (np.cumsum(alarms[order]) + 0.5) / trials
            z = (p - factor * q - pilot.claim.delta) / np.sqrt(
                (p * (1 - p) + factor**2 * q * np.maximum(1 - q, 0)) / trials + 1e-12
            )
            best = int(np.argmax(z))
            for end in sorted({best, best // 2}):
                values = tuple(float(code) - 2 for code in order[: end + 1])
                events.append(OneOf(column, index, values))
    return events


def _supported(pilot: Pilot) -> list[Event]:
    """Which of the values a report speaks for."""
    if pilot.supports is None:
        return []
    single = [Supports(pilot.supports, value) for value in pilot.values[:12]]
    events: list[Event] = list(single)
    events += [Both(a, Not(b)) for a, b in permutations(single, 2)]
    return events


def _scored(pilot: Pilot, half: Half) -> list[Event]:
    """Thresholds of a user's own score."""
    if pilot.score is None:
        return []
    events: list[Event] = []
    for a, b in list(permutations(range(len(half)), 2))[:MOST_PAIRS]:
        score = UserScore(pilot.score, pilot.values[a], pilot.values[b])
        seen = np.concatenate([score(reports, matrix) for reports, matrix in half])
        for t in np.unique(np.quantile(seen, np.linspace(0.02, 1, QUANTILES), method="nearest")):
            name = f"score of {pilot.values[a]!r} against {pilot.values[b]!r}"
            events.append(Scored(name, score, float(t)))
    return events


@dataclass(frozen=True)
class UserScore:
    """A user's function of a report and two values."""

    function: Callable[[Any, Any, Any], float]
    first: Any
    second: Any

    def __call__(self, reports: Sequence[Any], matrix: Floats) -> Floats:
        """Scores of all reports."""
        return np.array([float(self.function(r, self.first, self.second)) for r in reports])


@dataclass(frozen=True)
class LearnedScore:
    """What a classifier learned about the columns."""

    model: Any

    def __call__(self, reports: Sequence[Any], matrix: Floats) -> Floats:
        """Probability of the first of two inputs, for all reports."""
        probabilities: Floats = self.model.predict_proba(np.nan_to_num(matrix, nan=-1e9))[:, 1]
        return probabilities


def _learned(half: Half, seed: int) -> list[Event]:
    """Thresholds of a classifier that was trained to tell two inputs apart."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError:
        return []
    events: list[Event] = []
    for a, b in list(combinations(range(len(half)), 2))[:MOST_LEARNED_PAIRS]:
        if half[a][1].shape[1] < 2:
            continue  # one column has no more to tell than its thresholds
        first, second = half[a][1][:MOST_LEARNED], half[b][1][:MOST_LEARNED]
        rows = np.concatenate([first, second])
        labels = np.concatenate([np.ones(len(first)), np.zeros(len(second))])
        model = HistGradientBoostingClassifier(max_iter=25, max_leaf_nodes=15, random_state=seed)
        model.fit(np.nan_to_num(rows, nan=-1e9), labels)
        score = LearnedScore(model)
        seen = score([], rows)
        for t in np.unique(np.quantile(seen, np.linspace(0.05, 0.995, 12), method="nearest")):
            name = f"learned score of input {a} against {b}"
            events.append(Scored(name, score, float(t), at_least=True))
            events.append(Scored(name, score, float(t), at_least=False))
    return events
