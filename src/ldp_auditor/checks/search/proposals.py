"""Events that are proposed from reports, with the inputs that they tell apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from ldp_auditor.adapters.canonical import shortened
from ldp_auditor.checks.search.events import Event, Not
from ldp_auditor.checks.search.layout import Table
from ldp_auditor.checks.search.strength import SHORTLIST, Standout, screen, strength
from ldp_auditor.core import Claim, Floats
from ldp_auditor.portable_math import exp

LARGEST = 300.0
"""Epsilons beyond it are as good as none."""


@dataclass(frozen=True)
class Sample:
    """Reports and their columns, by input."""

    reports: Sequence[Sequence[Any]]
    tables: Sequence[Table]
    claim: Claim
    distances: Floats | None = None
    """Of all pairs of inputs, if the claim is counted in them."""
    notes: list[str] = field(default_factory=list)
    """What was given up for lack of time, in sentences."""
    values: Sequence[Any] = ()
    """The inputs, for words."""

    def name(self, i: int) -> str:
        """An input in words."""
        return f"value {shortened(self.values[i])}" if self.values else f"input {i}"

    @cached_property
    def trials(self) -> Floats:
        """Reports of every input; numbers may differ."""
        return np.array([float(table.rows) for table in self.tables])

    def distance(self, first: Any, second: Any) -> Any:
        """How many times epsilon is claimed for two inputs, or for pairs of many."""
        return 1.0 if self.distances is None else self.distances[first, second]

    @cached_property
    def factors(self) -> Any:
        """By how much an event may be likelier for one input than for another: e^epsilon.

        One number, or one for every pair where the claim is counted in distances.
        """
        if self.distances is None:
            return exp(min(self.claim.epsilon, LARGEST))
        every = [exp(min(self.claim.epsilon * d, LARGEST)) for d in self.distances.ravel().tolist()]
        return np.array(every).reshape(self.distances.shape)

    def factor(self, first: Any, second: Any) -> Any:
        """That of two inputs, or of pairs of many."""
        return self.factors if self.distances is None else self.factors[first, second]

    @cached_property
    def halves(self) -> tuple[Self, Self]:
        """Every other report, and the rest: what is fitted to one half is counted on the other."""
        first, second = (
            type(self)(
                [reports[start::2] for reports in self.reports],
                [table.part(slice(start, None, 2)) for table in self.tables],
                self.claim,
                self.distances,
                self.notes,
                self.values,
            )
            for start in (0, 1)
        )
        return first, second

    def counts(self, events: Sequence[Event]) -> Floats:
        """How often every event holds: a row for every input, a column for every event."""
        inputs = range(len(self.tables))
        counts = [[self.count(event, i) for event in events] for i in inputs]
        return np.array(counts, dtype=np.float64).reshape(len(inputs), len(events))

    def count(self, event: Event, i: int) -> int:
        """How often an event holds for one input."""
        return int(np.count_nonzero(event.holds(self.reports[i], self.tables[i])))

    def proposal(
        self,
        event: Event,
        first: int,
        second: int,
        tried: int,
        refit: Callable[[], Event] | None = None,
    ) -> "Proposal":
        """An event as a proposal, counted here."""
        hits, alarms = self.count(event, first), self.count(event, second)
        trials = float(self.trials[first]), float(self.trials[second])
        factor = self.factor(first, second)
        z = float(strength(hits, trials[0], alarms, trials[1], factor, self.claim.delta))
        return Proposal(event, first, second, z, hits, alarms, trials, tried, refit)


@dataclass(frozen=True)
class Proposal:
    """An event that may be likelier for the first input than the claim allows for the second."""

    event: Event
    first: int
    second: int
    strength: float
    """Standard errors by which the rates exceed the claim; negative if they do not."""
    hits: int
    """Reports of the first input for which the event holds."""
    alarms: int
    """Reports of the second input for which it holds."""
    trials: tuple[float, float]
    """Reports of the two inputs that were counted."""
    tried: int
    """Events of its kind and pairs of inputs from which it was chosen."""
    refit: Callable[[], Event] | None = None
    """The same event fitted to all reports, where it was fitted to half of them."""

    @property
    def rates(self) -> tuple[float, float]:
        """How often it holds for the two inputs, as if there were half a report more."""
        return (
            (self.hits + 0.5) / (self.trials[0] + 1),
            (self.alarms + 0.5) / (self.trials[1] + 1),
        )


@dataclass(frozen=True, eq=False)
class Family:
    """Many events that are counted at once, of which only those that stand out are made."""

    make: Callable[[int], Event]
    counts: Floats
    """A row for every input, a column for every event."""
    tried: int = 0
    """The number of events if it is larger than that of the counts."""

    def proposal(self, sample: Sample, standout: Standout) -> Proposal:
        """An event that stands out."""
        event = self.make(standout.event)
        a, b = standout.first, standout.second
        inputs = len(sample.tables)
        return Proposal(
            Not(event) if standout.is_negated else event,
            a,
            b,
            standout.strength,
            standout.hits,
            standout.alarms,
            (float(sample.trials[a]), float(sample.trials[b])),
            2 * max(self.tried, self.counts.shape[1]) * inputs * (inputs - 1),
        )


def standouts(
    sample: Sample, families: Sequence[Family], most: int = SHORTLIST
) -> list[tuple[Family, Standout]]:
    """The strongest events of every family, `most` of each, one family after the other."""
    groups = (family.counts for family in families)
    every = screen(groups, sample.trials, sample.factors, sample.claim.delta, most)
    return [(family, one) for family, found in zip(families, every, strict=True) for one in found]


def proposals(sample: Sample, *families: Family) -> list[Proposal]:
    """The strongest events of all `families` together."""
    found = sorted(standouts(sample, families), key=lambda one: -one[1].strength)
    return [family.proposal(sample, one) for family, one in found[:SHORTLIST]]


def proposals_of(sample: Sample, events: Sequence[Event]) -> list[Proposal]:
    """The strongest of a few events, counted here."""
    return proposals(sample, Family(events.__getitem__, sample.counts(events))) if events else []
