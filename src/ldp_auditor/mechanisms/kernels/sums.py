"""Add up the scores of many reports of the same user, one total for every value.

Row i of `totals` belongs to user i, whose reports are consecutive: with n users and m reports each,
reports number i * m to (i + 1) * m - 1.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Floats
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import Words, advance, fresh_stream


@compiled
def add_values(reports: Any, totals: Any) -> None:
    """Add 1 to the value that each report names."""
    users = totals.shape[0]
    each = reports.size // users
    for i in range(users):
        for t in range(i * each, (i + 1) * each):
            totals[i, reports[t]] += 1.0


@compiled
def add_rows(reports: Any, totals: Any) -> None:
    """Add every entry of each report to the total of its value."""
    users, values = totals.shape
    each = reports.shape[0] // users
    for i in range(users):
        for t in range(i * each, (i + 1) * each):
            for v in range(values):
                totals[i, v] += reports[t, v]


@compiled
def add_sets(sets: Any, totals: Any) -> None:
    """Add 1 to every member of each set; sets are bits (see `kernels.bits`).

    64 totals grow at once: plane j holds bit j of each of them. Three sets are added at a time, so
    that carries travel less often.
    """
    users, values = totals.shape
    each = sets.shape[0] // users
    planes = np.zeros(64, np.uint64)
    for i in range(users):
        start, end = i * each, (i + 1) * each
        for w in range(sets.shape[1]):
            top = 0
            t = start
            while t < end:
                a = sets[t, w]
                b = sets[t + 1, w] if t + 1 < end else np.uint64(0)
                c = sets[t + 2, w] if t + 2 < end else np.uint64(0)
                t += 3
                # A full adder: a + b + c = ones + 2 twos.
                half = a ^ b
                ones = half ^ c
                twos = (a & b) | (half & c)
                carry = planes[0] & ones
                planes[0] ^= ones
                # carry and twos have the same weight; both go into plane 1.
                both = carry & twos
                one = carry ^ twos
                plane = 1
                fours = (planes[1] & one) | both
                planes[1] ^= one
                carry = fours
                while carry != np.uint64(0):
                    plane += 1
                    kept = planes[plane]
                    planes[plane] = kept ^ carry
                    carry &= kept
                top = max(top, plane)
            for v in range(64 * w, min(64 * (w + 1), values)):
                position = np.uint64(v & 63)
                count = np.uint64(0)
                for plane in range(top + 1):
                    count |= ((planes[plane] >> position) & np.uint64(1)) << np.uint64(plane)
                totals[i, v] += np.float64(np.int64(count))
            for plane in range(top + 1):
                planes[plane] = np.uint64(0)


FULL = 2**64
"""Weight of a column: one more than the largest random word."""


@dataclass(frozen=True)
class Lottery:
    """Draws whole numbers from one of two laws in constant time: the alias method [Walker77].

    Each law has 2**digits columns; column c gives c if the rest of the random word is below its
    threshold, else its alias.
    """

    digits: int
    thresholds: Words
    aliases: NDArray[np.int64]

    @classmethod
    def of(cls, *laws: Floats) -> Self:
        """Make the columns for laws of numbers 0, 1, 2, ... with these probabilities."""
        digits = max(1, (max(len(law) for law in laws) - 1).bit_length())
        columns = [_columns(law, 2**digits) for law in laws]
        return cls(
            digits,
            np.stack([thresholds for thresholds, _ in columns]),
            np.stack([aliases for _, aliases in columns]),
        )


def _columns(law: Floats, size: int) -> tuple[Words, NDArray[np.int64]]:
    """Fill up columns of equal weight: each has a part of its own number and a part of another.

    In whole numbers: where shares tie, rounding would decide which column gives to which.
    """
    weights = [int(probability * 2.0**80) for probability in law.tolist()]
    total = sum(weights)
    shares = [size * FULL * weight // total for weight in weights] + [0] * (size - len(weights))
    shares[shares.index(max(shares))] += size * FULL - sum(shares)  # what the divisions cut off
    thresholds = np.full(size, np.uint64(FULL - 1))
    aliases = np.arange(size)
    poor = [c for c in range(size) if shares[c] < FULL]
    rich = [c for c in range(size) if shares[c] >= FULL]
    while poor:
        column, giver = poor.pop(), rich[-1]
        thresholds[column] = np.uint64(shares[column])
        aliases[column] = giver
        shares[giver] -= FULL - shares[column]
        if shares[giver] < FULL:
            poor.append(rich.pop())
    return thresholds, aliases


def add_draws(rng: Generator, sets: Words, lottery: Lottery, totals: Floats) -> None:
    """Add a draw to every total: of law 1 if the value is in the user's set, else of law 0."""
    digits = np.uint64(lottery.digits)
    _add_draws(fresh_stream(rng), sets, digits, lottery.thresholds, lottery.aliases, totals)


@compiled
def _add_draws(
    stream: Any, sets: Any, digits: Any, thresholds: Any, aliases: Any, totals: Any
) -> None:
    users, values = totals.shape
    mask = (np.uint64(1) << digits) - np.uint64(1)
    a, b, c, d = stream
    for i in range(users):
        for v in range(values):
            word, a, b, c, d = advance(a, b, c, d)
            law = (sets[i, v >> 6] >> np.uint64(v & 63)) & np.uint64(1)
            column = word & mask
            alias = aliases[law, column]
            # Without a branch, which would be mispredicted half of the time.
            keeps = np.int64((word & ~mask) < thresholds[law, column])
            totals[i, v] += np.float64(alias + (np.int64(column) - alias) * keeps)
