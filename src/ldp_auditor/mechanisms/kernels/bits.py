"""Sets of values as bits: bit v of report i says whether value v is in the set that it reports.

A batch of n sets over a domain of size k is an (n, ceil(k / 64)) array of 64-bit words; value v
sits in word v // 64 at bit v % 64, and bits beyond the domain are 0. A set of bits has no order,
so none can leak.
"""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.mechanisms.kernels.compilation import compiled, lowered
from ldp_auditor.mechanisms.kernels.eights import draw_lanes, join_rows, trailing_zeros
from ldp_auditor.mechanisms.kernels.xoshiro import (
    LANES,
    Words,
    advance,
    copy_lanes,
    fresh_lanes,
    next_of_lane,
    scale_down,
)

ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)

DIGITS_APART = 6
"""Digits after which undecided bits are so few that two words of them seldom meet."""

ROWS = 8
"""Rows of words that are filled with bits at once; a power of two."""

_PAIRS = np.uint64(0x5555555555555555)
_FOURS = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_SIXTEENS = np.uint64(0x00FF00FF00FF00FF)
_HALVES = np.uint64(0x0000FFFF0000FFFF)
"""Bits of a word that hold the numbers of ones in its pairs of bits, fours, bytes and so on."""


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
    """Position of the one with `rank` ones below it, or 63 if there are not as many.

    The ones of every pair of bits are counted at once, then of four, of eight and so on, each in
    its own place of a word; a binary search then goes up by a half where the rank is beyond the
    ones of the half below. There is no branch, so that many words are searched side by side.
    """
    pairs = word - ((word >> np.uint64(1)) & _PAIRS)
    fours = (pairs & _FOURS) + ((pairs >> np.uint64(2)) & _FOURS)
    bytes_ = (fours + (fours >> np.uint64(4))) & _BYTES
    sixteens = (bytes_ + (bytes_ >> np.uint64(8))) & _SIXTEENS
    halves = (sixteens + (sixteens >> np.uint64(16))) & _HALVES
    place, left = _upper_half(halves, np.uint64(0), rank, np.uint64(32))
    place, left = _upper_half(sixteens, place, left, np.uint64(16))
    place, left = _upper_half(bytes_, place, left, np.uint64(8))
    place, left = _upper_half(fours, place, left, np.uint64(4))
    place, left = _upper_half(pairs, place, left, np.uint64(2))
    return _upper_half(word, place, left, np.uint64(1))[0]


@compiled
def _upper_half(counts: Any, place: Any, rank: Any, width: Any) -> Any:
    """Go `width` up from a place, and on with the rest of the rank, if that is beyond the ones."""
    below = (counts >> place) & ((width << np.uint64(1)) - np.uint64(1))
    is_above = np.uint64(0) - np.uint64(np.int64(rank) >= np.int64(below))
    return place + (width & is_above), rank - (below & is_above)


@compiled
def fill_bernoulli(  # noqa: PLR0912, PLR0915
    lanes: Any, threshold: Any, out: Any
) -> None:
    """Fill the words of `out` with independent bits, each 1 with probability threshold / 2**64.

    Every bit compares the binary digits of a uniform number with those of the threshold, most
    significant first, 64 bits a word and `ROWS` rows of `LANES` words at once. After
    `DIGITS_APART` digits few bits are undecided. Rows are then put together two by two, like the
    children of a tree (row r has 2r and 2r + 1), before each further digit, so that one random
    word serves both; row 1 goes on until no bit is undecided. That takes about 8 random words
    for a word of bits, instead of 13.
    """
    state = np.empty((4, LANES), np.uint64)  # of its own, so that the compiler vectorizes
    copy_lanes(lanes, state)
    undecided = np.empty((2 * ROWS, LANES), np.uint64)
    ones = np.empty((2 * ROWS, LANES), np.uint64)
    moved = np.empty((ROWS, LANES), np.uint64)
    for start in range(0, out.size, ROWS * LANES):
        for row in range(ROWS, 2 * ROWS):
            for lane in range(LANES):
                a, b, c, d = state[0, lane], state[1, lane], state[2, lane], state[3, lane]
                below = np.uint64(0)
                equal = ALL_BITS
                for place in range(DIGITS_APART):
                    word, a, b, c, d = advance(a, b, c, d)
                    # A digit 1 decides the bits whose uniform digit is 0 (they are below the
                    # threshold), a digit 0 those whose uniform digit is 1 (they are above it).
                    digit = np.uint64(0) - ((threshold >> np.uint64(63 - place)) & np.uint64(1))
                    below |= equal & ~word & digit
                    equal &= ~(word ^ digit)
                state[0, lane] = a
                state[1, lane] = b
                state[2, lane] = c
                state[3, lane] = d
                ones[row, lane] = below
                undecided[row, lane] = equal
        digits = threshold << np.uint64(DIGITS_APART)
        top = ROWS
        any_undecided = ALL_BITS
        while digits != np.uint64(0) and (top > 1 or any_undecided != np.uint64(0)):
            if top > 1:
                top -= 1
                # Where both children have a bit, that of the second is decided at once, by a word
                # of its own for all digits that are left.
                in_both = join_rows(undecided, moved, ones, np.uint64(top))
                while in_both != np.uint64(0):
                    at = trailing_zeros(in_both)
                    in_both &= in_both - np.uint64(1)
                    conflict = undecided[2 * top + 1, at] & ~moved[top, at]
                    while conflict != np.uint64(0):
                        bit = conflict & (~conflict + np.uint64(1))
                        conflict ^= bit
                        if next_of_lane(state, 0) < digits:
                            ones[2 * top + 1, at] |= bit
            digit = np.uint64(0) - (digits >> np.uint64(63))
            any_undecided = np.uint64(0)
            for lane in range(LANES):
                word, a, b, c, d = advance(
                    state[0, lane], state[1, lane], state[2, lane], state[3, lane]
                )
                state[0, lane] = a
                state[1, lane] = b
                state[2, lane] = c
                state[3, lane] = d
                ones[top, lane] |= undecided[top, lane] & ~word & digit
                still = undecided[top, lane] & ~(word ^ digit)
                undecided[top, lane] = still
                any_undecided |= still
            if top & (top - 1) == 0:  # all rows of its generation have seen the digit
                digits <<= np.uint64(1)
        for row in range(top, ROWS):
            for lane in range(LANES):
                ones[2 * row, lane] |= ones[row, lane] & ~moved[row, lane]
                ones[2 * row + 1, lane] |= ones[row, lane] & moved[row, lane]
        for row in range(ROWS):
            block = out[start + row * LANES : start + (row + 1) * LANES]
            for lane in range(block.size):
                block[lane] = ones[ROWS + row, lane]
    copy_lanes(state, lanes)


def choose_member(rng: Generator, sets: Words, domain_size: int) -> NDArray[np.int64]:
    """Choose a member of every set uniformly at random, or any value where the set is empty."""
    chosen = np.empty(len(sets), np.int64)
    fill_members(fresh_lanes(rng), sets, domain_size, chosen)
    return chosen


@compiled
def fill_members(lanes: Any, sets: Any, domain_size: int, chosen: Any) -> None:
    """Draw the rank of a member of each set, then find that member, in lanes."""
    state = np.empty((4, LANES), np.uint64)
    copy_lanes(lanes, state)
    home = np.zeros(LANES, np.uint64)
    home_bits = np.zeros(LANES, np.uint64)
    ranks = np.empty(LANES, np.uint64)
    member = np.empty(LANES, np.uint64)
    n = np.uint64(sets.shape[0])
    for start in range(np.uint64(0), n, np.uint64(LANES)):
        size = min(np.uint64(LANES), n - start)
        draw_lanes(state, ranks)
        if sets.shape[1] > 1:
            _choose_words(sets, start, size, home, home_bits, ranks)
        else:
            for lane in range(size):
                home_bits[lane] = sets[start + lane, 0]
            for lane in range(LANES):
                ranks[lane] = scale_down(ranks[lane], popcount(home_bits[lane]))
        for lane in range(LANES):
            member[lane] = np.uint64(64) * home[lane] + position_of_one(
                home_bits[lane], ranks[lane]
            )
        for lane in range(size):
            if home_bits[lane] == np.uint64(0):  # no word of the set has a member
                member[lane] = scale_down(next_of_lane(state, lane), np.uint64(domain_size))
            chosen[start + lane] = np.int64(member[lane])
    copy_lanes(state, lanes)


@compiled
def _choose_words(sets: Any, start: Any, size: Any, home: Any, home_bits: Any, ranks: Any) -> None:
    """Find the word of every set that has the member of a random rank, and its rank there.

    `ranks` has random words before and ranks after.
    """
    words = np.uint64(sets.shape[1])
    for lane in range(size):
        members = np.uint64(0)
        for w in range(words):
            members += popcount(sets[start + lane, w])
        rank = scale_down(ranks[lane], members)
        # Without a branch, which sets this random would mislead.
        place = np.uint64(0)
        passed = np.uint64(0)
        skipped = np.uint64(0)
        for w in range(words - np.uint64(1)):
            passed += popcount(sets[start + lane, w])
            is_passed = passed <= rank
            place += np.uint64(is_passed)
            skipped = passed if is_passed else skipped
        home[lane] = place
        home_bits[lane] = sets[start + lane, place]
        ranks[lane] = rank - skipped
