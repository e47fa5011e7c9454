"""Which of the proposed events are bet on, and in which order they are shown.

An event ranks by the bound that it is expected to prove; of nearly equal ones the simplest wins.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ldp_auditor.checks.search.events import Both, Equals, Event, Not, OneOf, negated
from ldp_auditor.checks.search.growth import expected_bound, expected_gain
from ldp_auditor.checks.search.layout import OTHERS, Column
from ldp_auditor.checks.search.proposals import Proposal, Sample
from ldp_auditor.core import Claim
from ldp_auditor.portable_math import exp, log

FEWEST_HITS = 3
"""Reports with an event that make it worth a bet if the other input never has it."""

NEARLY = 0.92
"""Share of the largest expected gain, and of the excess over the claim, that is nearly as good."""

WORDS = 0.75
"""Share that is enough for an event in words, compared with a fitted score."""

MOST_NAMED = 3
"""Reports by which an event about types is told."""

NOTHING = 0.5
"""Differences of the expected gain up to this say nothing."""


@dataclass(frozen=True)
class Candidate(Proposal):
    """A proposal, and what it is expected to prove."""

    gain: float = 0.0
    """Log of what a bet on it is expected to make of 1 with as many reports as were seen."""
    expected: float = 0.0
    """Epsilon that as many reports are expected to disprove; the claim if nothing more."""


def choose(
    proposed: Sequence[Proposal], sample: Sample, most: int, whole: Column | None = None
) -> list[Candidate]:
    """The `most` events that are expected to prove the most, the first to be shown first.

    `whole` is the column of whole reports, if there is one.
    """
    left = _different(_rated(proposed, sample))
    chosen: list[Candidate] = []
    while left and len(chosen) < most:
        leader = _simplest(left)
        best = _plainer(leader, sample)
        known = _counts(leader), _counts(best)
        left = [c for c in left if _counts(c) not in known and not _is_covered(c, best)]
        if all(c.event != best.event for c in chosen):
            chosen.append(best)
    if most > 1 and left and not any(c.expected > sample.claim.epsilon for c in chosen):
        # Rare for one input and never seen for the other: too few to be sure of, yet. With enough
        # clauses any event is never seen.
        never = [
            c for c in (*chosen[:-1], *left)
            if c.alarms == 0 and c.hits >= FEWEST_HITS and not any(_with_fewer_clauses(c.event))
        ]  # fmt: skip
        rare = max(never, key=lambda c: c.hits / c.trials[0], default=chosen[-1])
        chosen = chosen if rare in chosen else [*chosen[:-1], rare]
    return [
        _as_whole_reports(_refitted(candidate), sample, whole)
        for candidate in _words_first(chosen, sample.claim)
    ]


def _rated(proposed: Sequence[Proposal], sample: Sample) -> list[Candidate]:
    """What every proposal is expected to prove, the most first."""
    if not proposed:
        return []
    p, q = np.array([proposal.rates for proposal in proposed]).T
    trials = np.array([min(proposal.trials) for proposal in proposed])
    seen = [min(sample.trials[c.first], sample.trials[c.second]) for c in proposed]
    tried = np.array([float(proposal.tried) for proposal in proposed])
    first, second = np.array([(c.first, c.second) for c in proposed]).T
    apart = np.broadcast_to(sample.distance(first, second), p.shape)
    gains = expected_gain(p, q, trials, tried, sample.claim, apart) * (np.array(seen) / trials)
    bounds = np.full(len(proposed), sample.claim.epsilon)
    likely = np.flatnonzero(gains > 0)
    if len(likely):
        bounds[likely] = expected_bound(
            p[likely],
            q[likely],
            np.array(seen)[likely],
            tried[likely],
            sample.claim,
            apart[likely],
        )
    rated = [
        Candidate(**vars(proposal), gain=float(gain), expected=float(bound))
        for proposal, gain, bound in zip(proposed, gains, bounds, strict=True)
    ]
    return sorted(rated, key=lambda c: (-c.expected, -c.gain, -c.strength))


def _counts(candidate: Proposal) -> tuple[float, ...]:
    return (
        candidate.first, candidate.second, candidate.hits, candidate.alarms, *candidate.trials
    )  # fmt: skip


def _different(ranked: Sequence[Candidate]) -> list[Candidate]:
    """One event of each that have the same counts, which are one event in other words.

    The plainest words are kept, with what is expected of those that were chosen from the fewest.
    """
    different: dict[tuple[float, ...], Candidate] = {}
    for candidate in ranked:
        known = different.setdefault(_counts(candidate), candidate)
        if candidate.event.size < known.event.size:
            different[_counts(candidate)] = replace(
                candidate, gain=known.gain, expected=known.expected, tried=known.tried
            )
    return sorted(different.values(), key=lambda c: (-c.expected, -c.gain, -c.strength))


def _simplest(ranked: Sequence[Candidate]) -> Candidate:
    """The simplest event of those that are nearly as good as the first."""
    return min((c for c in ranked if _is_near(c, ranked[0])), key=lambda c: c.event.size)


def _is_near(candidate: Candidate, best: Candidate) -> bool:
    """Whether an event is expected to prove nearly as much as another."""
    if best.gain <= 0:
        return candidate.gain >= best.gain and candidate.strength >= best.strength - NOTHING
    share = WORDS if best.event.is_score and not candidate.event.is_score else NEARLY
    enough = min(share * best.gain, best.gain - NOTHING)
    return candidate.gain >= enough and candidate.expected >= share * best.expected


def _plainer(candidate: Candidate, sample: Sample) -> Candidate:
    """The event without the clauses that add nothing.

    It was chosen from as many events as there are of its size: with two clauses from the square of
    those with one.
    """
    for event in _with_fewer_clauses(candidate.event):
        tried = round(exp(log(candidate.tried) * event.size / candidate.event.size))
        counted = sample.proposal(event, candidate.first, candidate.second, tried)
        (rated,) = _rated([counted], sample)
        if _is_near(rated, candidate):
            return _plainer(rated, sample)
    return candidate


def _as_whole_reports(candidate: Candidate, sample: Sample, whole: Column | None) -> Candidate:
    """An event about types and something else as the few reports, with their types, that have it.

    "The type is int64 or the report is 0, and not both" says less than "the report is 0 of type
    int, or 1 of type int64".
    """
    columns = candidate.event.columns
    about_types = [column.words.startswith("type(") for column in columns]
    if whole is None or not any(about_types) or all(about_types):
        return candidate
    held: Counter[float] = Counter()
    for i in (candidate.first, candidate.second):
        holds = candidate.event.holds(sample.reports[i], sample.tables[i])
        held.update(sample.tables[i].of(whole)[holds].tolist())
    if OTHERS in held or not 0 < len(held) <= MOST_NAMED:
        return candidate
    values = tuple(value for value, _ in held.most_common())
    event = Equals(whole, values[0]) if len(values) == 1 else OneOf(whole, values)
    return replace(candidate, event=event)


def _is_covered(candidate: Candidate, chosen: Candidate) -> bool:
    """Whether a chosen event makes another superfluous: one with more clauses, or a score."""
    if candidate.event.is_score and not chosen.event.is_score and chosen.gain > 0:
        return WORDS * candidate.gain <= chosen.gain
    same_inputs = (candidate.first, candidate.second) == (chosen.first, chosen.second)
    return same_inputs and chosen.event in (candidate.event, *_with_fewer_clauses(candidate.event))


def _with_fewer_clauses(event: Event) -> Iterator[Event]:
    if isinstance(event, Not):
        yield from map(negated, _with_fewer_clauses(event.event))
    elif isinstance(event, Both):
        yield event.first
        yield event.second
        yield from (Both(part, event.second) for part in _with_fewer_clauses(event.first))
        yield from (Both(event.first, part) for part in _with_fewer_clauses(event.second))


def _words_first(chosen: Sequence[Candidate], claim: Claim) -> list[Candidate]:
    """An event in words that is expected to prove a violation comes before any fitted score."""
    return sorted(chosen, key=lambda c: c.event.is_score or c.expected <= claim.epsilon)


def _refitted(candidate: Candidate) -> Candidate:
    """The candidate with its event fitted to all reports, where it was fitted to half of them."""
    if candidate.refit is None:
        return candidate
    return replace(candidate, event=candidate.refit(), refit=None)
