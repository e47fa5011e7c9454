"""Events that are proposed from half of the pilot, with the inputs that they tell apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_auditor.checks.search.events import Event, Not
from ldp_auditor.checks.search.layout import Table
from ldp_auditor.checks.search.strength import screen
from ldp_auditor.core import Claim, Floats


@dataclass(frozen=True)
class Half:
    """Half of the pilot: reports and their columns, by input."""

    reports: Sequence[Sequence[Any]]
    tables: Sequence[Table]
    claim: Claim

    @property
    def trials(self) -> Floats:
        """Reports of every input; numbers may differ."""
        return np.array([float(table.rows) for table in self.tables])

    def counts(self, events: Sequence[Event]) -> Floats:
        """How often every event holds: a row for every input, a column for every event."""
        inputs = range(len(self.tables))
        counts = [[self.count(event, i) for event in events] for i in inputs]
        return np.array(counts, dtype=np.float64).reshape(len(inputs), len(events))

    def count(self, event: Event, i: int) -> int:
        """How often an event holds for one input."""
        return int(np.count_nonzero(event.holds(self.reports[i], self.tables[i])))


@dataclass(frozen=True)
class Proposal:
    """An event that may be likelier for the first input than the claim allows for the second."""

    event: Event
    first: int
    second: int
    strength: float
    """Standard errors by which the rates exceed the claim; negative if they do not."""


def proposals(half: Half, make: Callable[[int], Event], counts: Floats) -> list[Proposal]:
    """The strongest of many events, by their `counts` for every input; `make` makes only these."""
    found = []
    for standout in screen(counts, half.trials, half.claim):
        event = make(standout.event)
        turned = Not(event) if standout.is_negated else event
        found.append(Proposal(turned, standout.first, standout.second, standout.strength))
    return found


def proposals_of(half: Half, events: Sequence[Event]) -> list[Proposal]:
    """The strongest of a few events, counted here."""
    return proposals(half, events.__getitem__, half.counts(events)) if events else []
