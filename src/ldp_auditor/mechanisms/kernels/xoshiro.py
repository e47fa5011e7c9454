"""Random words inside compiled code: xoshiro256++ [Blackman21], as one stream or as many lanes.

A kernel that consumes words one by one keeps the four state words in local variables
(`word, a, b, c, d = advance(a, b, c, d)`), which the compiler holds in registers. A kernel that
works on many words at once steps 64 independent lanes, which the compiler vectorizes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.mechanisms.kernels.compilation import compiled

Words = NDArray[np.uint64]

LANES = 64
"""Lanes of a vectorized state; more gain nothing, fewer are not vectorized well."""

_LOW_HALF = np.uint64(0xFFFFFFFF)


def fresh_stream(rng: Generator) -> Words:
    """Return the state of one stream, seeded by `rng`."""
    return np.frombuffer(rng.bytes(32), dtype=np.uint64).copy()


def fresh_lanes(rng: Generator) -> Words:
    """Return the state of `LANES` independent streams, seeded by `rng`."""
    words = np.frombuffer(rng.bytes(32 * LANES), dtype=np.uint64)
    return words.reshape(4, LANES).copy()


def threshold(probability: float) -> np.uint64:
    """Return t such that a random word w satisfies w < t with this probability, up to 2**-64."""
    return np.uint64(min(int(probability * 2.0**64), 2**64 - 1))


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
def next_word(stream: Any) -> Any:
    """Return the next word of a stream whose state stays in memory (for rare, cold paths)."""
    word, a, b, c, d = advance(stream[0], stream[1], stream[2], stream[3])
    stream[0] = a
    stream[1] = b
    stream[2] = c
    stream[3] = d
    return word


@compiled
def scale_down(word: Any, n: Any) -> Any:
    """Map a random word to 0..n-1 for n < 2**32: the integer part of word * n / 2**64."""
    n &= _LOW_HALF  # tells the compiler that 32-bit multiplications do
    high = (word >> np.uint64(32)) * n
    low = ((word & _LOW_HALF) * n) >> np.uint64(32)
    return (high + low) >> np.uint64(32)


@compiled
def open_unit(word: Any) -> Any:
    """Map a random word to a number strictly between 0 and 1."""
    return (np.float64(np.int64(word >> np.uint64(11))) + 0.5) * 2.0**-53
