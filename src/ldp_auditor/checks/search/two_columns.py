"""Events about two columns: conjunctions, sums of bits, comparisons."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, islice
from typing import Any

import numpy as np

from ldp_auditor.checks.search.events import Beyond, Both, Equals, Event, Not, OddSum
from ldp_auditor.checks.search.layout import WHOLE_REPORT
from ldp_auditor.checks.search.number_events import Compared
from ldp_auditor.checks.search.number_pairs import (
    FEW,
    MOST_PAIRS,
    first_entries,
    later,
    plain_numbers,
)
from ldp_auditor.checks.search.one_column import Counted, thresholds_of
from ldp_auditor.checks.search.packed_events import Packed, count, joint, packed
from ldp_auditor.checks.search.proposals import (
    Family,
    Proposal,
    Sample,
    proposals,
    proposals_of,
    standouts,
)
from ldp_auditor.checks.search.strength import SHORTLIST, screen

MOST_INDICATORS = 420
"""Largest number of indicators of which all pairs are tried."""

MOST_STARTED = 8
"""Largest number of pairs to which a third indicator is added."""

SHARES = (0.1, 0.3, 0.6, 0.7, 0.9)
"""Shares of the reports below the thresholds that are tried in pairs."""

RAREST = 0.002
"""An indicator must hold, and must fail, for more than this share of the reports."""


def indicators(sample: Sample, tables: Sequence[Counted]) -> tuple[list[Event], int]:
    """Events of which pairs are tried: a value of every bit, common values and some thresholds.

    Of too many those are kept that differ the most between inputs; the number is that of them all.
    """
    total = sample.trials.sum()
    found: list[tuple[Event, float]] = []
    for table in tables:
        if table.column.words == WHOLE_REPORT:
            continue
        share = table.counts.sum(axis=0) / total
        apart = np.ptp(table.counts / sample.trials[:, None], axis=0).tolist()
        common = [1] if table.is_bit else np.argsort(-share, kind="stable")[:24].tolist()
        found += [
            (Equals(table.column, float(table.values[i])), apart[i])
            for i in common
            if RAREST < share[i] < 1 - RAREST
        ]
    found += _thresholds(sample, tables)
    if len(found) > MOST_INDICATORS:
        left = len(found) - MOST_INDICATORS
        sample.notes.append(
            f"Pairs: {MOST_INDICATORS} events that differ most between inputs, not "
            f"{left:,} others, were tried in pairs."
        )
        found.sort(key=lambda entry: -entry[1])
    return [event for event, _ in found[:MOST_INDICATORS]], len(found)


def _thresholds(sample: Sample, tables: Sequence[Counted]) -> list[tuple[Event, float]]:
    """A few thresholds of every column of numbers, both ways."""
    events: list[tuple[Event, float]] = []
    for table in tables:
        if table.column.is_ordered and table.different > 8:
            counted = thresholds_of(sample, table.column, SHARES)
            for at_least, counts in ((True, counted.at_least), (False, counted.upto)):
                apart = np.ptp(counts / sample.trials[:, None], axis=0).tolist()
                events += [
                    (Beyond(table.column, float(at), at_least=at_least), distance)
                    for at, distance in zip(counted.at, apart, strict=True)
                ]
    return events


def propose_pairs(sample: Sample, events: Sequence[Event], of: int) -> list[Proposal]:
    """Two indicators of different columns: both, one without the other, one of the two.

    The `events` were chosen, by the same reports, `of` so many.
    """
    if len(events) < 2:
        return []
    bits_of = packed(sample, events)
    single = [count(bits) for bits in bits_of]
    names: list[Any] = [event.columns[0].name for event in events]
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    columns = np.array([number[name] for name in names])
    first, second = np.triu_indices(len(events), k=1)
    different = columns[first] != columns[second]
    first, second = first[different], second[different]
    if not len(first):
        return []
    both = np.stack([joint(bits)[different] for bits in bits_of])
    ones = np.stack([s[first] for s in single])
    others = np.stack([s[second] for s in single])
    is_bit = np.array([isinstance(event, Equals) for event in events])
    chosen = np.flatnonzero(is_bit[first] & is_bit[second])

    def kind(i: int) -> tuple[Event, Event]:
        return events[int(first[i])], events[int(second[i])]

    def of_bits(make: Callable[[Event, Event], Event], i: int) -> Event:
        return make(*kind(int(chosen[i])))

    families = [Family(lambda i: Both(*kind(i)), both)]
    for counts, make in (
        (ones - both, lambda a, b: Both(a, Not(b))),
        (others - both, lambda a, b: Both(Not(a), b)),
        (sample.trials[:, None] - ones - others + both, lambda a, b: Both(Not(a), Not(b))),
        (ones + others - 2 * both, lambda a, b: OddSum((a, b))),
    ):
        if len(chosen):
            families.append(Family(partial(of_bits, make), counts[:, chosen]))
    # Any pair of them all could have come out.
    tried = of**2 * sum(family.counts.shape[1] for family in families) // len(events) ** 2
    families = [replace(family, tried=tried) for family in families]
    found = sorted(standouts(sample, families), key=lambda one: -one[1].strength)
    odd = families[4:]
    both_hold = (one for one in found if one[0] not in odd and not one[1].is_negated)
    started = [family.make(one.event) for family, one in islice(both_hold, MOST_STARTED)]
    pairs = [family.proposal(sample, one) for family, one in found[:SHORTLIST]]
    return pairs + _with_a_third(sample, events, bits_of, started, 2 * of * tried)


def _with_a_third(
    sample: Sample,
    events: Sequence[Event],
    bits_of: Sequence[Packed],
    started: Sequence[Event],
    tried: int,
) -> list[Proposal]:
    """Pairs that were `started`, each together with one more indicator or without it."""
    if not started:
        return []
    rows = packed(sample, started)
    names = [event.columns[0].name for event in events]
    families = []
    for i, event in enumerate(started):
        columns = {column.name for column in event.columns}
        others = [j for j in range(len(events)) if names[j] not in columns]
        if not others:
            continue
        alone = np.array([[float(count(some[i]))] for some in rows])
        joined = np.stack([count(some[i] & bits) for some, bits in zip(rows, bits_of, strict=True)])
        joined = joined[:, others]

        def make(k: int, event: Event = event, others: list[int] = others) -> Event:
            return Both(event, events[others[k]])

        def without(k: int, event: Event = event, others: list[int] = others) -> Event:
            return Both(event, Not(events[others[k]]))

        families += [Family(make, joined, tried), Family(without, alone - joined, tried)]
    return [
        family.proposal(sample, one) for family, one in standouts(sample, families, MOST_STARTED)
    ]


def propose_comparisons(sample: Sample, tables: Sequence[Counted]) -> list[Proposal]:
    """Two columns of numbers are equal, or one is less than the other."""
    columns = plain_numbers(sample, tables, "Comparisons")
    if len(columns) <= FEW:
        return proposals_of(
            sample,
            [Compared(a, b, less) for a, b in combinations(columns, 2) for less in (False, True)],
        )
    few = first_entries(sample, columns)
    counts = np.stack([
        np.concatenate([
            np.count_nonzero(how(row, rest), axis=1)
            for how in (np.equal, np.less) for row, rest in later(rows)
        ])
        for rows in few
    ])  # fmt: skip
    trials = np.array([float(rows.shape[1]) for rows in few])
    factors, delta = sample.factors, sample.claim.delta
    (strongest,) = screen([counts.astype(np.float64)], trials, factors, delta, 2 * MOST_PAIRS)
    pairs = list(combinations(columns, 2))
    chosen = sorted({one.event for one in strongest})
    events = [Compared(*pairs[i % len(pairs)], is_less=i >= len(pairs)) for i in chosen]
    sample.notes.append(
        f"Comparisons: {len(events):,} of {counts.shape[1]:,}, the strongest in the first "
        f"{int(trials.min()):,} reports of every input."
    )
    family = Family(events.__getitem__, sample.counts(events), counts.shape[1])
    return proposals(sample, family)
