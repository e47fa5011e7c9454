"""Exact laws of Bloom filters with randomized bits, over ideal hash functions.

A function of the ideal family sends every value to any bit, whatever it does with the others.
"""

import math
from functools import lru_cache

import numpy as np

from ldp_auditor.core import Floats, Rates
from ldp_auditor.theory.guessing import binomial, independent_count_rates
from ldp_auditor.theory.levels import LopsidedLaw
from ldp_auditor.theory.loss_law import LossLaw

BitRates = tuple[float, float, float]
"""Of a report: a 1 and a 0 where the value sets the bit, and a 1 where it does not."""

SELDOM = 1e-22
"""Numbers of ones less likely than this are left out of exact rates."""

MOST_LOSSES = 2**21
"""Losses of many reports that are enumerated at most."""

DIGITS = 11
"""Digits after the point in which sums of losses differ that are told apart."""


@lru_cache(maxsize=64)
def occupancy(width: int, hashes: int) -> Floats:
    """Return the law of how many of `width` bits are set by `hashes` functions."""
    law = np.zeros(hashes + 1)
    law[0] = 1.0
    numbers = np.arange(hashes + 1)
    for _ in range(hashes):
        hit = law * numbers / width
        law = hit + np.append(0.0, (law - hit)[:-1])
    return law


@lru_cache(maxsize=64)
def overlap_law(width: int, hashes: int) -> Floats:
    """Return the law of bits that one value sets alone, that another sets alone, that both set."""
    from scipy.special import comb

    sizes = occupancy(width, hashes)
    law = np.zeros((hashes + 1, hashes + 1, hashes + 1))
    most = min(width, hashes)
    for i in range(1, most + 1):
        for j in range(1, most + 1):
            for shared in range(min(i, j) + 1):
                ways = comb(i, shared) * comb(width - i, j - shared) / comb(width, j)
                law[i - shared, j - shared, shared] += sizes[i] * sizes[j] * ways
    return law


@lru_cache(maxsize=64)
def alone_law(width: int, hashes: int) -> Floats:
    """Return the law of how many bits only the first of two values sets, and only the second."""
    law: Floats = overlap_law(width, hashes).sum(axis=2)
    return law


@lru_cache(maxsize=64)
def ones_laws(width: int, hashes: int, rates: BitRates) -> tuple[Floats, Floats]:
    """Return laws of the number of ones: with all bits of the value set, and with some missing.

    Each adds up to the probability of its case.
    """
    p, absence, q = rates
    complete, missing = np.zeros(width + 1), np.zeros(width + 1)
    for size, chance in enumerate(occupancy(width, hashes)):
        if size > width or chance == 0:
            continue
        others, own = binomial(width - size, q, 1 - q), binomial(size, p, absence)
        complete[size:] += chance * own[size] * others
        missing[:width] += chance * np.convolve(own[:size], others)[:width]
    return complete, missing


def all_set(width: int, hashes: int, own: float, other: float) -> tuple[float, float]:
    """Return the mean product of a factor for each bit of the value, and of another value's bits.

    The factor of a bit that the value sets is `own`, that of one that it does not set `other`.
    """
    sizes, numbers = occupancy(width, hashes), np.arange(hashes + 1)
    both = overlap_law(width, hashes).sum(axis=0)  # set by the other value alone, by both
    return float(sizes @ own**numbers), float(other**numbers @ both @ own**numbers)


@lru_cache(maxsize=64)
def supports_of(width: int, hashes: int, rates: BitRates) -> tuple[float, float, float]:
    """Return how often all bits of the value are set, how often not, and those of another value."""
    p, absence, q = rates
    held, other = all_set(width, hashes, p, q)
    some = -np.expm1(np.arange(hashes + 1) * math.log1p(-absence)) if absence < 1 else 1.0
    return held, float(np.sum(occupancy(width, hashes) * some)), other


@lru_cache(maxsize=64)
def guess_rates(domain_size: int, width: int, hashes: int, rates: BitRates) -> Rates:
    """Return the rates at which any value with all bits set, or any value at all, is the true one.

    Given the number of ones, every other value has all of its bits set independently.
    """
    hit = alarm = 0.0
    laws = zip(ones_laws(width, hashes, rates), ((0.0, 1.0), (1.0, 0.0)), strict=True)
    for law, score in laws:
        for ones in np.flatnonzero(law > SELDOM):
            chance = (ones / width) ** hashes
            found = independent_count_rates(
                domain_size, np.array(score), np.array([1 - chance, chance])
            )
            hit += float(law[ones]) * found.true_positive
            alarm += float(law[ones]) * found.false_positive
    return Rates(hit, alarm)


Losses = tuple[Floats, Floats, Floats]
"""Losses, and their probabilities under both values."""


def law_of_bits(alone: Floats, losses: Floats, likely: Floats, unlikely: Floats) -> LossLaw | None:
    """Return the law of the loss, unless it has too many values.

    `alone` is the law of how many bits only the first value sets, and only the second. A bit of the
    former loses one of `losses`, which are `likely` under the first value and `unlikely` under the
    second; a bit of the latter loses minus that, with both exchanged.
    """
    none = np.zeros(1), np.ones(1), np.ones(1)
    one = losses, likely, unlikely
    mine, other = np.nonzero(alone)
    sums: list[Losses] = [none]
    for _ in range(max(mine.max(), other.max())):
        if len(sums[-1][0]) * len(losses) > MOST_LOSSES:
            return None
        sums.append(_merged(*_added(sums[-1], one)))
    if sum(len(sums[i][0]) * len(sums[j][0]) for i, j in zip(mine, other, strict=True)) > (
        MOST_LOSSES
    ):
        return None
    parts = []
    for i, j in zip(mine, other, strict=True):
        against = -sums[j][0], sums[j][2], sums[j][1]
        found, first, second = _added(sums[i], against)
        parts.append((found, alone[i, j] * first, alone[i, j] * second))
    return LopsidedLaw.of(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _added(first: Losses, second: Losses) -> Losses:
    """Return the sums of two independent losses."""
    return (
        np.add.outer(first[0], second[0]).reshape(-1),
        np.multiply.outer(first[1], second[1]).reshape(-1),
        np.multiply.outer(first[2], second[2]).reshape(-1),
    )


def _merged(losses: Floats, likely: Floats, unlikely: Floats) -> Losses:
    """Return losses that differ, with their probabilities."""
    _, firsts, places = np.unique(np.round(losses, DIGITS), return_index=True, return_inverse=True)
    first, second = (np.bincount(places, chances) for chances in (likely, unlikely))
    return losses[firsts], first.astype(np.float64), second.astype(np.float64)
