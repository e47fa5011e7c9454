"""Events about many bits: an odd number of several bits is set.

With few bits all sums at once, by the transform of Walsh and Hadamard; with more, sums of three and
four, of hundreds of bits by hashing.
"""

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.checks.search.events import Equals, Event, OddSum
from ldp_auditor.checks.search.layout import WHOLE_REPORT
from ldp_auditor.checks.search.one_column import Counted
from ldp_auditor.checks.search.packed_events import Packed, count, odd_of_three, packed
from ldp_auditor.checks.search.proposals import Family, Proposal, Sample, proposals
from ldp_auditor.core import Floats

LOW_BITS = 16
"""Bits of a code by which most sums are told to be none, before they are looked up."""

LOW = (1 << LOW_BITS) - 1

MOST_SUMS = 2**19
"""All sums are tried if their number times the number of inputs is at most this."""

MOST_FOR_THREE = 48
"""Otherwise all sums of three of this many bits are tried; of more, those that hashing finds."""

MOST_ROUNDS, MOST_LOOKUPS, MOST_INPUTS = 40, 8_000_000, 2
"""Rounds of hashing for each of the inputs, and pairs of bits that are looked up in all of them."""

BY_CHANCE = 100
"""Triples that chance finds in a round."""

FEWEST = 60
"""Reports of an input from which on sums of three of many bits are looked for: fewer prove none."""

SIZES = {2: "two", 3: "three", 4: "four"}

EVEN = 0.2
"""Smallest share of the rarer value of a bit whose sums are hashed: else all codes are alike."""


def propose_odd_sums(sample: Sample, tables: Sequence[Counted]) -> list[Proposal]:
    """An odd number of three bits or more is set."""
    bits: list[Event] = [
        Equals(t.column, float(t.values[1]))
        for t in tables
        if t.is_bit and t.column.words != WHOLE_REPORT
    ]
    if len(bits) < 3:
        return []
    if len(sample.tables) * 2 ** len(bits) <= MOST_SUMS:
        return _all_sums(sample, bits)
    if sample.trials.min() < FEWEST:
        return []
    if len(bits) > MOST_FOR_THREE:
        total = sample.trials.sum()
        shares = {t.column.name: t.counts[:, 1].sum() / total for t in tables if t.is_bit}
        even = [b for b in bits if EVEN <= shares[b.columns[0].name] <= 1 - EVEN]
        if len(even) < len(bits):
            sample.notes.append(
                f"Sums of three: of {len(bits):,} bits the {len(even):,} that are 0 and 1 about "
                "equally often."
            )
        bits = even
    if len(bits) < 3:
        return []
    rows = packed(sample, bits)
    found = _related_sums(sample, bits, rows, 4)
    if len(bits) > MOST_FOR_THREE:
        # Pairs too: of so many bits not all are among those of which all pairs are tried.
        return [
            proposal for n in (2, 3) for proposal in _related_sums(sample, bits, rows, n)
        ] + found
    triples = np.array(list(combinations(range(len(bits)), 3)))
    odd = np.stack([odd_of_three(some) for some in rows])

    def make(i: int) -> Event:
        return OddSum(tuple(bits[j] for j in triples[i].tolist()))

    return proposals(sample, Family(make, odd, math.comb(len(bits), 3))) + found


def _related_sums(
    sample: Sample, bits: Sequence[Event], rows: Sequence[Packed], size: int
) -> list[Proposal]:
    """Sums of two, three or four bits that stand out in a few reports, counted in all."""
    sums = related(rows, sample.trials, size)
    odd = np.stack([_odd(some, sums) for some in rows])
    end = "Sums of more were not looked for." if size == 4 else "A weak sum may be missed."
    sample.notes.append(
        f"Sums of {SIZES[size]} of {len(bits):,} bits: {len(sums):,} that stood out in a few "
        f"reports, found by hashing, were counted. {end}"
    )

    def make(i: int) -> Event:
        return OddSum(tuple(bits[j] for j in sums[i].tolist()))

    return proposals(sample, Family(make, odd, math.comb(len(bits), size)))


def related(rows: Sequence[Packed], trials: Floats, size: int) -> NDArray[np.int64]:
    """Two, three or four bits whose sum has one parity in almost all of a few reports of an input.

    The bits of a few reports are a code of every column. Two columns with the same code, or whose
    codes add up to that of a third, or of two others, are found by looking it up: the time grows
    with the number of pairs. Chance alone would find about `BY_CHANCE` sums in each round.
    """
    number = rows[0].shape[0]
    length = max(8, (math.comb(number, size) // BY_CHANCE).bit_length())
    inputs = sorted({round(i) for i in np.linspace(0, len(rows) - 1, MOST_INPUTS)})
    lookups = number if size == 2 else number * (number - 1) // 2
    rounds = max(1, min(MOST_ROUNDS, MOST_LOOKUPS // (lookups * len(inputs))))
    first, second = np.triu_indices(number, k=1)
    found = [np.empty((0, size), dtype=np.int64)]
    for i in inputs:
        usable = int(trials[i])
        indicators = np.unpackbits(rows[i].view(np.uint8), axis=1, count=usable)
        for start in range(0, min(rounds * length, usable - length), length):
            codes = _codes(indicators[:, start : start + length])
            if size == 2:
                columns = list(_twins(codes))
            else:
                sums = codes[first] ^ codes[second]
                one, other = _thirds(codes, sums) if size == 3 else _twins(sums)
                columns = [first[one], second[one]]
                columns += [other] if size == 3 else [first[other], second[other]]
            together = np.sort(np.stack(columns, axis=1), axis=1)
            found.append(together[np.all(np.diff(together, axis=1) > 0, axis=1)])
    return np.unique(np.concatenate(found), axis=0)


Found = tuple[NDArray[np.int64], NDArray[np.int64]]


def _thirds(codes: NDArray[np.int64], sums: NDArray[np.int64]) -> Found:
    """Sums that are the code of a column, and that column."""
    order = np.argsort(codes, kind="stable")
    ranked = codes[order]
    there = np.zeros(1 << LOW_BITS, dtype=bool)  # most sums are none of the codes
    there[codes & LOW] = True
    likely = np.flatnonzero(there[sums & LOW])
    place = np.minimum(np.searchsorted(ranked, sums[likely]), len(codes) - 1)
    same = ranked[place] == sums[likely]
    return likely[same], order[place[same]]


def _twins(codes: NDArray[np.int64]) -> Found:
    """Codes, or sums of them, that are equal, each with the next one."""
    order = np.argsort(codes, kind="stable")
    (same,) = np.nonzero(codes[order[1:]] == codes[order[:-1]])
    return order[same], order[same + 1]


def _codes(indicators: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Rows of bits as numbers, the same for a row and its complement."""
    turned = indicators ^ indicators[:, :1]
    weights = np.int64(1) << np.arange(indicators.shape[1], dtype=np.int64)
    codes: NDArray[np.int64] = (turned * weights).sum(axis=1)
    return codes


def _odd(rows: Packed, sums: NDArray[np.int64]) -> Floats:
    """How often an odd number of these rows is set, for each of some sums."""
    found = np.zeros(len(sums))
    for start in range(0, len(sums), 2000):
        some = sums[start : start + 2000].T
        found[start : start + 2000] = count(np.bitwise_xor.reduce([rows[one] for one in some]))
    return found


def _all_sums(sample: Sample, bits: Sequence[Event]) -> list[Proposal]:
    size = 2 ** len(bits)
    odd = np.empty((len(sample.tables), size))
    for row, (reports, table) in enumerate(zip(sample.reports, sample.tables, strict=True)):
        codes = np.zeros(table.rows, dtype=np.int64)
        for j, bit in enumerate(bits):
            codes += bit.holds(reports, table).astype(np.int64) << j
        balance = walsh_hadamard(np.bincount(codes, minlength=size).astype(np.float64))
        odd[row] = (sample.trials[row] - balance) / 2

    def make(i: int) -> Event:
        return OddSum(tuple(bit for j, bit in enumerate(bits) if i >> j & 1))

    # Sums of two are looked at with other pairs.
    chosen = np.flatnonzero(np.bitwise_count(np.arange(size)) >= 3)
    return proposals(sample, Family(lambda i: make(int(chosen[i])), odd[:, chosen]))


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
