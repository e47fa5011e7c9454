"""Events about two columns: conjunctions, sums of bits, comparisons."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from ldp_auditor.checks.search.events import Beyond, Both, Compared, Equals, Event, Not, OddSum
from ldp_auditor.checks.search.layout import WHOLE_REPORT, Column
from ldp_auditor.checks.search.one_column import Counted
from ldp_auditor.checks.search.packed_events import count, joint, packed
from ldp_auditor.checks.search.proposals import Half, Proposal, proposals, proposals_of

MOST_INDICATORS = 420
"""Largest number of indicators of which all pairs are tried."""

MOST_COMPARED = 24
"""Largest number of columns of numbers of which all pairs are compared."""

RAREST = 0.002
"""An indicator must hold, and must fail, for more than this share of the reports."""


def indicators(half: Half, tables: Sequence[Counted]) -> list[Event]:
    """Events of which pairs are tried: a value of every bit, common values of other columns.

    Of too many those are kept that differ the most between inputs.
    """
    total = half.trials.sum()
    bits: list[tuple[Event, float]] = []
    several: list[tuple[Event, float]] = []
    for table in tables:
        if table.column.words == WHOLE_REPORT:
            continue
        share = table.counts.sum(axis=0) / total
        rates = table.counts / half.trials[:, None]
        apart = (rates.max(axis=0) - rates.min(axis=0)).tolist()
        if table.is_bit:
            if RAREST < share[1] < 1 - RAREST:
                bits.append((Equals(table.column, float(table.values[1])), apart[1]))
            continue
        order = np.argsort(-share, kind="stable")[:24]
        several += [
            (Equals(table.column, float(table.values[i])), apart[i])
            for i in order
            if RAREST < share[i] < 1 - RAREST
        ]
    found = [*bits, *several]
    if len(found) > MOST_INDICATORS:
        found.sort(key=lambda entry: -entry[1])
    return [event for event, _ in found]


def thresholds(half: Half, tables: Sequence[Counted]) -> list[Event]:
    """A few thresholds of every column of numbers, both ways, column after column."""
    wide = [t.column for t in tables if t.column.is_ordered and t.different > 8]
    events: list[Event] = []
    pooled = [np.concatenate([t.of(c) for t in half.tables]) for c in wide[:MOST_INDICATORS]]
    # The likeliest to help first, in case there are many columns.
    for share in (0.3, 0.6, 0.1):
        for column, entries in zip(wide, pooled, strict=False):
            for at_least in (True, False):
                at = np.nanquantile(entries, 1 - share if at_least else share, method="nearest")
                events.append(Beyond(column, float(at), at_least=at_least))
    return events


def propose_pairs(half: Half, events: Sequence[Event]) -> list[Proposal]:
    """Two indicators of different columns: both, one without the other, one of the two."""
    events = list(events)[:MOST_INDICATORS]
    if len(events) < 2:
        return []
    bits_of = packed(half, events)
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

    found = proposals(half, lambda i: Both(*kind(i)), both)
    for counts, make in (
        (ones - both, lambda a, b: Both(a, Not(b))),
        (others - both, lambda a, b: Both(Not(a), b)),
        (half.trials[:, None] - ones - others + both, lambda a, b: Both(Not(a), Not(b))),
        (ones + others - 2 * both, lambda a, b: OddSum((a, b))),
    ):
        if len(chosen):
            found += proposals(half, partial(of_bits, make), counts[:, chosen])
    return found


def propose_comparisons(half: Half, tables: Sequence[Counted]) -> list[Proposal]:
    """Two columns of numbers are equal, or one is less than the other."""
    wide: list[Column] = [
        t.column for t in tables
        if t.column.kind == "number" and t.different > 2 and t.column.words == t.column.place
    ][:MOST_COMPARED]  # fmt: skip
    events: list[Event] = [
        Compared(a, b, is_less) for a, b in combinations(wide, 2) for is_less in (False, True)
    ]
    return proposals_of(half, events)
