"""Random words inside compiled code: xoshiro256++ [Blackman21], as one stream or as many lanes.

A kernel that consumes words one by one keeps the four state words in local variables
(`word, a, b, c, d = advance(a, b, c, d)`), which the compiler holds in registers. A kernel that
works on many words at once steps 64 independent lanes, which the compiler vectorizes.
"""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.mechanisms.kernels.compilation import compiled

Words = NDArray[np.uint64]

LANES = 64
"""Lanes of a vectorized state; more gain nothing, fewer are not vectorized well."""

LINE = 64
"""Bytes of a line of the cache; also of the widest registers."""

_LOW_HALF = np.uint64(0xFFFFFFFF)


def raw_words(rng: Generator, n: int) -> Words:
    """Return `n` words of the bit generator behind `rng`.

    NumPy promises these to be the same in every version, which it does not of the methods of a
    `Generator`.
    """
    return rng.bit_generator.random_raw(n)


def fresh_stream(rng: Generator) -> Words:
    """Return the state of one stream, seeded by `rng`."""
    return raw_words(rng, 4)


def fresh_lanes(rng: Generator) -> Words:
    """Return the state of `LANES` independent streams, seeded by `rng`."""
    return raw_words(rng, 4 * LANES).reshape(4, LANES)


def threshold(probability: float) -> np.uint64:
    """Return t such that a random word w satisfies w < t with this probability, up to 2**-64."""
    return np.uint64(min(int(probability * 2.0**64), 2**64 - 1))


def thresholds(probabilities: Any) -> Words:
    """Return the thresholds of one or many probabilities."""
    limits: Words = (np.minimum(probabilities, 1 - 2.0**-53) * 2.0**64).astype(np.uint64)
    return limits


@compiled
def advance(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the next word of a stream and its four new state words."""
    total = a + d
    word = ((total << np.uint64(23)) | (total >> np.uint64(41))) + a
    shifted = b << np.uint64(17)
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << np.uint64(45)) | (d >> np.uint64(19))
    return word, a, b, c, d


@compiled
def aligned_words(count: int) -> Any:
    """Return an array of `count` words that begins where a line of the cache does.

    Where rows of lanes begin within one, each of them reads and writes two: a word costs up to
    twice as much.
    """
    room = np.empty(count + LINE // 8, np.uint64)
    before = -np.int64(room.ctypes.data) & (LINE - 1)
    return room[before >> 3 : (before >> 3) + count]


@compiled
def aligned_rows(rows: int) -> Any:
    """Return so many rows of a word for every lane, aligned."""
    return aligned_words(rows * LANES).reshape((rows, LANES))


@compiled
def own_lanes(lanes: Any) -> Any:
    """Return the state of all lanes in an array of the kernel's own, so that it is vectorized."""
    state = aligned_rows(4)
    copy_lanes(lanes, state)
    return state


@compiled
def copy_lanes(source: Any, target: Any) -> None:
    """Copy the state of all lanes.

    For `target[:] = source` numba compiles its strings, too, to tell of shapes that do not fit:
    a third of the time of all kernels.
    """
    for row in range(4):
        for lane in range(LANES):
            target[row, lane] = source[row, lane]


@compiled
def next_word(stream: Any) -> Any:
    """Return the next word of a stream whose state stays in memory (for rare, cold paths)."""
    word, a, b, c, d = advance(stream[0], stream[1], stream[2], stream[3])
    stream[0] = a
    stream[1] = b
    stream[2] = c
    stream[3] = d
    return word


@compiled
def next_of_lane(lanes: Any, lane: Any) -> Any:
    """Return the next word of one of many lanes.

    `next_word(lanes[:, lane])` would cost ten times as much: references to a slice are counted.
    """
    word, a, b, c, d = advance(lanes[0, lane], lanes[1, lane], lanes[2, lane], lanes[3, lane])
    lanes[0, lane] = a
    lanes[1, lane] = b
    lanes[2, lane] = c
    lanes[3, lane] = d
    return word


@compiled
def scale_down(word: Any, n: Any) -> Any:
    """Map a random word to 0..n-1 for n < 2**32: the integer part of word * n / 2**64."""
    n &= _LOW_HALF  # tells the compiler that 32-bit multiplications do
    high = (word >> np.uint64(32)) * n
    low = ((word & _LOW_HALF) * n) >> np.uint64(32)
    return (high + low) >> np.uint64(32)


def draw_values(rng: Generator, size: int, n: int) -> NDArray[np.int64]:
    """Return `n` values drawn uniformly from 0..size-1."""
    values = np.empty(n, np.int64)
    _fill_values(fresh_stream(rng), np.uint64(size), values)
    return values


@compiled
def _fill_values(stream: Any, size: Any, values: Any) -> None:
    a, b, c, d = stream
    for i in range(values.size):
        word, a, b, c, d = advance(a, b, c, d)
        values[i] = np.int64(scale_down(word, size))


@compiled
def open_unit(word: Any) -> Any:
    """Map a random word to a number strictly between 0 and 1."""
    return (np.float64(np.int64(word >> np.uint64(11))) + 0.5) * 2.0**-53
