"""Events about many bits: an odd number of several bits is set.

With few bits all sums at once, by the transform of Walsh and Hadamard; with more, sums of three.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ldp_auditor.checks.search.events import Equals, Event, OddSum
from ldp_auditor.checks.search.layout import WHOLE_REPORT
from ldp_auditor.checks.search.one_column import Counted
from ldp_auditor.checks.search.packed_events import odd_of_three, packed
from ldp_auditor.checks.search.proposals import Half, Proposal, proposals
from ldp_auditor.core import Floats

MOST_SUMS = 2**19
"""All sums are tried if their number times the number of inputs is at most this."""

MOST_FOR_THREE = 48
"""Otherwise all sums of three of this many bits are tried."""


def propose_odd_sums(half: Half, tables: Sequence[Counted]) -> list[Proposal]:
    """An odd number of three bits or more is set."""
    bits: list[Event] = [
        Equals(t.column, float(t.values[1]))
        for t in tables
        if t.is_bit and t.column.words != WHOLE_REPORT
    ]
    if len(bits) < 3:
        return []
    if len(half.tables) * 2 ** len(bits) <= MOST_SUMS:
        return _all_sums(half, bits)
    named = list(combinations(bits[:MOST_FOR_THREE], 3))
    odd = np.stack([odd_of_three(rows) for rows in packed(half, bits[:MOST_FOR_THREE])])
    return proposals(half, lambda i: OddSum(named[i]), odd)


def _all_sums(half: Half, bits: Sequence[Event]) -> list[Proposal]:
    size = 2 ** len(bits)
    odd = np.empty((len(half.tables), size))
    for row, (reports, table) in enumerate(zip(half.reports, half.tables, strict=True)):
        codes = np.zeros(table.rows, dtype=np.int64)
        for j, bit in enumerate(bits):
            codes += bit.holds(reports, table).astype(np.int64) << j
        balance = walsh_hadamard(np.bincount(codes, minlength=size).astype(np.float64))
        odd[row] = (half.trials[row] - balance) / 2

    def make(i: int) -> Event:
        return OddSum(tuple(bit for j, bit in enumerate(bits) if i >> j & 1))

    # Sums of two are looked at with other pairs.
    chosen = np.flatnonzero(np.bitwise_count(np.arange(size)) >= 3)
    return proposals(half, lambda i: make(int(chosen[i])), odd[:, chosen])


def walsh_hadamard(counts: Floats) -> Floats:
    """Even minus odd reports for every sum of bits, from the counts of all patterns."""
    out = counts.copy()
    step = 1
    while step < len(out):
        blocks = out.reshape(-1, 2, step)
        out = np.stack([blocks[:, 0] + blocks[:, 1], blocks[:, 0] - blocks[:, 1]], axis=1)
        step *= 2
        out = out.reshape(-1)
    return out
