"""Look for the event and the pair of inputs that break a claim the most, on pilot reports.

Half of the pilot proposes events, each with a pair of inputs; the other half ranks them. Whatever
is chosen here is measured on fresh reports elsewhere, so nothing depends on how many were tried.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from ldp_auditor.checks.search import added_ratios, odd_sums, one_column, scores, two_columns
from ldp_auditor.checks.search.events import Event, OneOf
from ldp_auditor.checks.search.layout import Layout
from ldp_auditor.checks.search.proposals import Half, Proposal
from ldp_auditor.checks.search.strength import SHORTLIST, proven, strength
from ldp_auditor.core import Claim

MOST_RANKED = 400
"""Largest number of proposals that the second half of the pilot ranks."""

FEWEST_HITS = 3
"""Pilot reports with an event that make it worth a proof if the other input never has it."""


@dataclass(frozen=True)
class Candidate(Proposal):
    """A proposal that was counted in both halves of the pilot, which decide its strength."""

    proven: float = 0.0
    """Log of the ratio of the rates, each three standard errors to the worse side."""
    hits: int = 0
    """Pilot reports of the first input for which the event holds."""
    alarms: int = 0
    """Pilot reports of the second input for which it holds."""


@dataclass(frozen=True)
class Pilot:
    """Pilot reports of every input, and the functions that the target or user has for them."""

    reports: Sequence[Sequence[Any]]
    claim: Claim
    values: Sequence[Any]
    supports: Callable[[Any, Any], bool] | None = None
    score: Callable[[Any, Any, Any], float] | None = None
    """A user's score of a report, given the two values to tell apart."""


def find_events(pilot: Pilot, most: int, learn: bool, seed: int) -> tuple[Layout, list[Candidate]]:
    """Return the `most` strongest events at most, and the columns that they look at.

    There are no events if all reports are the same.
    """
    layout, table = Layout.fitted([r for reports in pilot.reports for r in reports])
    ends = list(accumulate(len(reports) for reports in pilot.reports))
    tables = [table.part(slice(a, b)) for a, b in zip([0, *ends], ends, strict=False)]
    halves = [
        Half(
            [reports[start::2] for reports in pilot.reports],
            [table.part(slice(start, None, 2)) for table in tables],
            pilot.claim,
        )
        for start in (0, 1)
    ]
    proposed = _propose(pilot, layout, halves[0], learn, seed)
    ranked = sorted(_rank(proposed, halves), key=lambda candidate: -candidate.strength)
    chosen = _choose(ranked, most, pilot.claim)
    return layout.only(column for c in chosen for column in c.event.columns), chosen


def _propose(pilot: Pilot, layout: Layout, half: Half, learn: bool, seed: int) -> list[Proposal]:
    """Propose events of every kind from the first half of the pilot: a new kind goes here."""
    counted = [one_column.counted(half, column) for column in layout.columns]
    sorts: list[list[Proposal]] = []
    if counted:
        indicators = two_columns.indicators(half, counted)
        indicators += two_columns.thresholds(half, counted)
        sorts = [
            one_column.propose_values(half, counted),
            one_column.propose_thresholds(half, counted),
            one_column.propose_sets(half, counted),
            two_columns.propose_pairs(half, indicators),
            two_columns.propose_comparisons(half, counted),
            odd_sums.propose_odd_sums(half, counted),
        ]
    sorts.append(scores.propose_supports(half, pilot.supports, pilot.values))
    sorts.append(scores.propose_user_scores(half, pilot.score, pilot.values))
    pool = [proposal for found in sorts for proposal in strongest(found, SHORTLIST)]
    chosen = strongest(pool, MOST_RANKED)
    chosen += added_ratios.propose_added_ratios(half, counted)
    if learn and counted:
        chosen += scores.propose_learned_scores(half, layout, seed)
    return chosen


def strongest(found: Sequence[Proposal], most: int) -> list[Proposal]:
    """Return the strongest proposals, in order; a kind may hand over several lists in one."""
    return sorted(found, key=lambda proposal: -proposal.strength)[:most]


def _rank(proposed: Sequence[Proposal], halves: Sequence[Half]) -> list[Candidate]:
    """Rank proposals by their strength in the second half, and half as much in the first."""
    counts: dict[Any, tuple[int, int]] = {}

    def counted(event: Event, name: Any, i: int) -> tuple[int, int]:
        if (name, i) not in counts:
            first, second = (half.count(event, i) for half in halves)
            counts[name, i] = (first, second)
        return counts[name, i]

    fresh = halves[1]
    ranked: dict[Any, Candidate] = {}
    for proposal in proposed:
        event, a, b = proposal.event, proposal.first, proposal.second
        name = _identity(event)
        hits, alarms = counted(event, name, a), counted(event, name, b)
        z = float(strength(hits[1], fresh.trials[a], alarms[1], fresh.trials[b], fresh.claim))
        trials = [float(halves[0].trials[x] + fresh.trials[x]) for x in (a, b)]
        ranked[name, a, b] = Candidate(
            event,
            a,
            b,
            z + 0.5 * min(proposal.strength, z),  # a fit to the first half counts for no more
            proven(sum(hits), trials[0], sum(alarms), trials[1], fresh.claim.delta),
            sum(hits),
            sum(alarms),
        )
    return list(ranked.values())


def _identity(event: Event) -> Any:
    """What makes two events the same: their words; for a set of values, all of the values."""
    return (event.words, event.values if isinstance(event, OneOf) else ())


def _choose(ranked: Sequence[Candidate], most: int, claim: Claim) -> list[Candidate]:
    """The strongest events, and one that may prove the largest epsilon."""
    different: dict[tuple[int, int, int, int], Candidate] = {}
    for candidate in ranked:  # events with the same counts are one event in other words
        name = (candidate.first, candidate.second, candidate.hits, candidate.alarms)
        different.setdefault(name, candidate)
    left = list(different.values())
    chosen = left[: max(1, most - 1)]
    left = left[len(chosen) :]
    if not left or most < 2:
        return chosen
    best = max(left, key=lambda candidate: candidate.proven)
    if best.proven <= claim.epsilon:
        # Rare for one input and never seen for the other: too few to be sure of, yet.
        never = [c for c in left if c.alarms == 0 and c.hits >= FEWEST_HITS]
        best = max(never, key=lambda candidate: candidate.hits, default=best)
    return [*chosen, best]
