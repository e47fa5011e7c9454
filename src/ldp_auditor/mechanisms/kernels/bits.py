"""Sets of values as bits: bit v of report i says whether value v is in the set that it reports.

A batch of n sets over a domain of size k is an (n, ceil(k / 64)) array of 64-bit words; value v
sits in word v // 64 at bit v % 64, and bits beyond the domain are 0. A set of bits has no order,
so none can leak.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.mechanisms.kernels.compilation import compiled, lowered
from ldp_auditor.mechanisms.kernels.xoshiro import LANES, Words, advance, scale_down

ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


def words_for(domain_size: int) -> int:
    """Return the number of 64-bit words that hold one bit for every value."""
    return -(-domain_size // 64)


def unpack(sets: Words, domain_size: int) -> NDArray[np.bool_]:
    """Return an (n, domain_size) boolean array: row i, column v tells whether v is in set i."""
    as_bytes = np.ascontiguousarray(sets.astype("<u8")).view(np.uint8)
    bits = np.unpackbits(as_bytes, axis=1, count=domain_size, bitorder="little")
    return bits.astype(np.bool_)


def contains(sets: Words, value: int) -> NDArray[np.bool_]:
    """Tell for every set whether a value is in it."""
    flag = np.uint64(1) << np.uint64(value % 64)
    members: NDArray[np.bool_] = (sets[:, value // 64] & flag) != 0
    return members


def count_members(sets: Words) -> NDArray[np.int64]:
    """Return the size of every set."""
    sizes: NDArray[np.int64] = np.bitwise_count(sets).sum(axis=1, dtype=np.int64)
    return sizes


@lowered("uint64(uint64)")
def popcount(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Number of ones in a word, by the processor's own instruction."""
    return builder.ctpop(arguments[0])


@compiled
def last_word_mask(domain_size: int) -> Any:
    """Ones at the bits of the last word that lie inside the domain."""
    spare = -domain_size % 64
    return ALL_BITS >> np.uint64(spare)


@compiled
def position_of_one(word: Any, rank: Any) -> Any:
    """Position of the one with `rank` ones below it, by a binary search without branches."""
    position = np.uint64(0)
    for width in (32, 16, 8, 4, 2, 1):
        step = np.uint64(width)
        below = popcount(word & ((np.uint64(1) << step) - np.uint64(1)))
        is_above = np.uint64(0) - np.uint64(rank >= below)
        rank -= below & is_above
        word >>= step & is_above
        position += step & is_above
    return position


@compiled
def fill_bernoulli(lanes: Any, threshold: Any, out: Any) -> None:
    """Fill the words of `out` with independent bits, each 1 with probability threshold / 2**64.

    Every bit compares the binary digits of a uniform number with those of the threshold, most
    significant first, 64 bits a word and `LANES` words at once; the comparison ends when no bit
    of the block is undecided.
    """
    undecided = np.empty(LANES, np.uint64)
    ones = np.empty(LANES, np.uint64)
    for start in range(0, out.size, LANES):
        for lane in range(LANES):
            undecided[lane] = ALL_BITS
            ones[lane] = np.uint64(0)
        digits = threshold
        any_undecided = ALL_BITS
        while digits != np.uint64(0) and any_undecided != np.uint64(0):
            # A digit 1 decides the bits whose uniform digit is 0 (they are below the threshold),
            # a digit 0 those whose uniform digit is 1 (they are above it).
            digit = np.uint64(0) - (digits >> np.uint64(63))
            any_undecided = np.uint64(0)
            for lane in range(LANES):
                word, a, b, c, d = advance(
                    lanes[0, lane], lanes[1, lane], lanes[2, lane], lanes[3, lane]
                )
                lanes[0, lane] = a
                lanes[1, lane] = b
                lanes[2, lane] = c
                lanes[3, lane] = d
                ones[lane] |= undecided[lane] & ~word & digit
                still = undecided[lane] & ~(word ^ digit)
                undecided[lane] = still
                any_undecided |= still
            digits <<= np.uint64(1)
        for lane in range(min(LANES, out.size - start)):
            out[start + lane] = ones[lane]


@compiled
def choose_member(stream: Any, sets: Any, domain_size: int) -> Any:
    """Choose a member of every set uniformly at random, or any value where the set is empty."""
    n, words = sets.shape
    chosen = np.empty(n, np.int64)
    a, b, c, d = stream
    for i in range(n):
        size = np.uint64(0)
        for w in range(words):
            size += popcount(sets[i, w])
        random, a, b, c, d = advance(a, b, c, d)
        if size == np.uint64(0):
            chosen[i] = np.int64(scale_down(random, np.uint64(domain_size)))
            continue
        rank = scale_down(random, size)
        w = 0
        word = sets[i, 0]
        ones = popcount(word)
        while rank >= ones:
            rank -= ones
            w += 1
            word = sets[i, w]
            ones = popcount(word)
        chosen[i] = 64 * w + np.int64(position_of_one(word, rank))
    return chosen
