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
from ldp_auditor.mechanisms.kernels.xoshiro import (
    LANES,
    Words,
    advance,
    draw_lanes,
    fresh_lanes,
    next_word,
    scale_down,
)

ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)

DIGITS_APART = 6
"""Digits after which undecided bits are so few that two words of them seldom meet."""

ROWS = 8
"""Rows of words that are filled with bits at once; a power of two."""

TRIES = 10
"""Positions of a word that one random word holds."""

NOTHING = np.uint64(64)
"""A position that no bit of a word has."""


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
    significant first, 64 bits a word and `ROWS` rows of `LANES` words at once. After
    `DIGITS_APART` digits few bits are undecided. Rows are then put together two by two, like the
    children of a tree (row r has 2r and 2r + 1), before each further digit, so that one random
    word serves both; row 1 goes on until no bit is undecided. That takes about 8 random words
    for a word of bits, instead of 13.
    """
    state = np.empty((4, LANES), np.uint64)  # of its own, so that the compiler vectorizes
    state[:] = lanes
    undecided = np.empty((2 * ROWS, LANES), np.uint64)
    ones = np.empty((2 * ROWS, LANES), np.uint64)
    moved = np.empty((ROWS, LANES), np.uint64)
    leaves = ones[ROWS:].reshape(-1)
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
                _put_together(state, digits, undecided, ones, moved, top)
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
        block = out[start : start + ROWS * LANES]
        block[:] = leaves[: block.size]
    lanes[:] = state


@compiled
def _put_together(state: Any, digits: Any, undecided: Any, ones: Any, moved: Any, row: int) -> None:
    """Start a row with the undecided bits of both of its children.

    Where both have one, that of the second is decided at once, by a word of its own for all
    digits that are left.
    """
    first, second = undecided[2 * row], undecided[2 * row + 1]
    any_conflict = np.uint64(0)
    for lane in range(LANES):
        any_conflict |= first[lane] & second[lane]
        moved[row, lane] = second[lane] & ~first[lane]
        undecided[row, lane] = first[lane] | second[lane]
        ones[row, lane] = np.uint64(0)
    if any_conflict == np.uint64(0):
        return
    for lane in range(LANES):
        conflict = first[lane] & second[lane]
        while conflict != np.uint64(0):
            bit = conflict & (~conflict + np.uint64(1))
            conflict ^= bit
            if next_word(state[:, 0]) < digits:
                ones[2 * row + 1, lane] |= bit


def choose_member(rng: Generator, sets: Words, domain_size: int) -> NDArray[np.int64]:
    """Choose a member of every set uniformly at random, or any value where the set is empty."""
    chosen = np.empty(len(sets), np.int64)
    _choose_member(fresh_lanes(rng), sets, domain_size, chosen)
    return chosen


@compiled
def _choose_member(lanes: Any, sets: Any, domain_size: int, chosen: Any) -> None:
    """Choose a word of each set by its share of members, then try bits of it at random.

    A bit of the word that is tried at random is a member like any other; where `TRIES` of them
    hit nothing, which is seldom, one is chosen by its rank.
    """
    words = np.uint64(sets.shape[1])
    digits = np.uint64(0)  # of the position of a bit
    while np.uint64(domain_size) > np.uint64(1) << digits and digits < np.uint64(6):
        digits += np.uint64(1)
    mask = (np.uint64(1) << digits) - np.uint64(1)
    state = np.empty((4, LANES), np.uint64)
    state[:] = lanes
    home = np.zeros(LANES, np.uint64)
    home_bits = np.empty(LANES, np.uint64)
    member = np.empty(LANES, np.uint64)
    n = np.uint64(sets.shape[0])
    for start in range(np.uint64(0), n, np.uint64(LANES)):
        size = min(np.uint64(LANES), n - start)
        if words > np.uint64(1):
            _choose_words(state, sets, start, size, home)
        for lane in range(size):
            home_bits[lane] = sets[start + lane, home[lane]]
        for lane in range(size):
            word, a, b, c, d = advance(
                state[0, lane], state[1, lane], state[2, lane], state[3, lane]
            )
            state[0, lane] = a
            state[1, lane] = b
            state[2, lane] = c
            state[3, lane] = d
            found = NOTHING
            for _ in range(TRIES):
                bit = word & mask
                word >>= digits
                hit = np.uint64(0) - ((home_bits[lane] >> bit) & np.uint64(1))
                found = (bit & hit) | (found & ~hit)
            member[lane] = found
        for lane in range(size):
            found = np.uint64(64) * home[lane] + member[lane]
            if member[lane] == NOTHING:
                random = next_word(state[:, lane])
                if home_bits[lane] == np.uint64(0):  # no word of the set has a member
                    found = scale_down(random, np.uint64(domain_size))
                else:
                    rank = scale_down(random, popcount(home_bits[lane]))
                    found = np.uint64(64) * home[lane] + position_of_one(home_bits[lane], rank)
            chosen[start + lane] = np.int64(found)
    lanes[:] = state


@compiled
def _choose_words(state: Any, sets: Any, start: Any, size: Any, home: Any) -> None:
    """Choose the word of every set that has the member of a random rank."""
    words = np.uint64(sets.shape[1])
    randoms = np.empty(LANES, np.uint64)
    draw_lanes(state, randoms)
    for lane in range(size):
        members = np.uint64(0)
        for w in range(words):
            members += popcount(sets[start + lane, w])
        rank = scale_down(randoms[lane], members)
        # Without a branch, which sets this random would mislead.
        place = np.uint64(0)
        passed = np.uint64(0)
        for w in range(words - np.uint64(1)):
            passed += popcount(sets[start + lane, w])
            place += np.uint64(passed <= rank)
        home[lane] = place
