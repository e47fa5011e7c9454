"""Events about whole reports that one input made before and another did not.

Where a report is one of many thousands, such as a small salt and what it hashes a value to, no
single one is seen often enough to stand out, but all that were seen for one input together do.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from ldp_auditor.adapters.canonical import canonical
from ldp_auditor.checks.search.events import Bools, Event
from ldp_auditor.checks.search.layout import MOST_REPEATED, MOST_WHOLE_REPORTS, Column, Table
from ldp_auditor.checks.search.proposals import Proposal, Sample

MOST_INPUTS = 4
"""Inputs that are compared: what is fixed for one value is so for all."""

FIRST_REPORTS = 3000
"""Reports of an input among which one must repeat, so that this is looked for."""


@dataclass(frozen=True)
class SeenBefore(Event):
    """The report is one that an input made before and another did not."""

    first: str
    second: str
    forms: frozenset[Hashable]

    @property
    def words(self) -> str:
        """How many reports these are, and of which inputs."""
        return (
            f"the report is one of {len(self.forms):,} that were seen before for {self.first}, "
            f"but not for {self.second}"
        )

    @property
    def size(self) -> float:
        """Harder than a few clauses, easier than a score."""
        return 3.0

    @property
    def columns(self) -> tuple[Column, ...]:
        """None: the report counts as a whole."""
        return ()

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        """Look up the form of every report."""
        return np.array([form in self.forms for form in table.forms()], dtype=np.bool_)


def propose_seen_before(sample: Sample) -> list[Proposal]:
    """Reports that one half of the sample shows for one input only, counted on the other half."""
    inputs = range(min(len(sample.tables), MOST_INPUTS))
    if not any(_repeats(sample.reports[i][:FIRST_REPORTS]) for i in inputs):
        return []
    forms = [sample.tables[i].forms() for i in inputs]
    different = len(set().union(*forms))
    if different <= min(MOST_WHOLE_REPORTS, MOST_REPEATED * sum(map(len, forms))):
        return []  # each is a category of its own
    _, later = sample.halves
    halves = [frozenset(found[::2]) for found in forms]
    whole = [frozenset(found) for found in forms]
    pairs = list(permutations(inputs, 2))
    names = [sample.name(i) for i in inputs]
    found = [
        later.proposal(
            SeenBefore(names[a], names[b], halves[a] - halves[b]),
            a,
            b,
            len(pairs),
            lambda a=a, b=b: SeenBefore(names[a], names[b], whole[a] - whole[b]),  # type: ignore[misc]
        )
        for a, b in pairs
    ]
    # So few are tried that those which keep the claim would be bet on before anything uncertain.
    return [proposal for proposal in found if proposal.strength > 0]


def _repeats(reports: Sequence[Any]) -> bool:
    """Whether a report comes twice."""
    seen: set[Hashable] = set()
    for form in map(canonical, reports):
        if form in seen:
            return True
        seen.add(form)
    return False
