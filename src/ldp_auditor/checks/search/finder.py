"""Look for the event and the pair of inputs that break a claim the most, in the reports so far.

Whatever is chosen here is bet on with later reports, so nothing depends on how much was tried.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np

from ldp_auditor.adapters.reports import gathered
from ldp_auditor.checks.search import (
    added_ratios,
    differences,
    odd_sums,
    one_column,
    scores,
    seen_before,
    two_columns,
)
from ldp_auditor.checks.search.counters import without_counters
from ldp_auditor.checks.search.layout import WHOLE_REPORT, Layout
from ldp_auditor.checks.search.proposals import Proposal, Sample
from ldp_auditor.checks.search.ranking import Candidate, choose
from ldp_auditor.checks.search.strength import SHORTLIST
from ldp_auditor.core import Claim, Floats

__all__ = ["Candidate", "Pilot", "find_events"]

MOST_RANKED = 400
"""Largest number of proposals that are ranked, besides those that were fitted."""


@dataclass(frozen=True)
class Pilot:
    """Reports of every input, and the functions that the target or user has for them."""

    reports: Sequence[Sequence[Any]]
    claim: Claim
    values: Sequence[Any]
    supports: Callable[[Any, Any], bool] | None = None
    score: Callable[[Any, Any, Any], float] | None = None
    """A user's score of a report, given the two values to tell apart."""
    distances: Floats | None = None
    """Of all pairs of values, if the claim is counted in them."""


def find_events(pilot: Pilot, most: int, learn: bool, seed: int) -> tuple[Layout, list[Candidate]]:
    """Return the `most` events that are expected to prove the most, and the columns they look at.

    There are no events if all reports are the same. `notes` of the layout tell what was done.
    """
    sizes = [len(reports) for reports in pilot.reports]
    owners = np.repeat(np.arange(len(sizes)), sizes)
    layout, table = Layout.fitted(gathered(pilot.reports), owners)
    ends = list(accumulate(len(reports) for reports in pilot.reports))
    tables = [table.part(slice(a, b)) for a, b in zip([0, *ends], ends, strict=False)]
    sample = Sample(pilot.reports, tables, pilot.claim, pilot.distances, values=tuple(pilot.values))
    whole = next((column for column in layout.columns if column.words == WHOLE_REPORT), None)
    chosen = choose(_propose(pilot, layout, sample, learn, seed), sample, most, whole)
    kept = layout.only(column for c in chosen for column in c.event.columns)
    return replace(kept, notes=(*layout.notes, *sample.notes)), chosen


def _propose(
    pilot: Pilot, layout: Layout, sample: Sample, learn: bool, seed: int
) -> list[Proposal]:
    """Propose events of every kind: a new kind goes here."""
    columns = without_counters(sample, layout.columns)
    counted = [one_column.counted(sample, column) for column in columns]
    sorts: list[list[Proposal]] = []
    if counted:
        indicators, of = two_columns.indicators(sample, counted)
        sorts = [
            one_column.propose_values(sample, counted),
            one_column.propose_thresholds(sample, counted),
            two_columns.propose_pairs(sample, indicators, of),
            two_columns.propose_comparisons(sample, counted),
            differences.propose_differences(sample, counted),
            odd_sums.propose_odd_sums(sample, counted),
        ]
    sorts.append(scores.propose_supports(sample, pilot.supports, pilot.values))
    pool = [proposal for found in sorts for proposal in strongest(found, SHORTLIST)]
    chosen = strongest(pool, MOST_RANKED)
    chosen += strongest(one_column.propose_sets(sample, counted), SHORTLIST)
    chosen += seen_before.propose_seen_before(sample)
    chosen += added_ratios.propose_added_ratios(sample, counted)
    apart = added_ratios.pairs_apart(sample, counted)
    chosen += scores.propose_user_scores(sample, pilot.score, pilot.values, apart)
    if learn and counted:
        chosen += scores.propose_learned_scores(sample, columns, seed, apart)
    return chosen


def strongest(found: Sequence[Proposal], most: int) -> list[Proposal]:
    """Return the strongest proposals, in order; a kind may hand over several lists in one."""
    return sorted(found, key=lambda proposal: -proposal.strength)[:most]
