"""Exact laws of Bloom filters with flipped bits, over ideal hash functions.

A function of the ideal family sends every value to any bit, whatever it does with the others.
"""

from functools import lru_cache

import numpy as np

from ldp_auditor.core import Floats, Rates
from ldp_auditor.theory.guessing import binomial, independent_count_rates

SELDOM = 1e-22
"""Numbers of ones less likely than this are left out of exact rates."""


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
def difference_law(width: int, hashes: int) -> Floats:
    """Return the law of how many bits the filters of two values differ in."""
    from scipy.special import comb

    sizes = occupancy(width, hashes)
    law = np.zeros(2 * hashes + 1)
    for i in range(1, hashes + 1):
        for j in range(1, hashes + 1):
            for shared in range(min(i, j) + 1):
                ways = comb(i, shared) * comb(width - i, j - shared) / comb(width, j)
                law[i + j - 2 * shared] += sizes[i] * sizes[j] * ways
    return law


@lru_cache(maxsize=64)
def ones_laws(width: int, hashes: int, flip: float) -> tuple[Floats, Floats]:
    """Return laws of the number of ones: with all bits of the value set, and with some missing.

    Each adds up to the probability of its case.
    """
    complete, missing = np.zeros(width + 1), np.zeros(width + 1)
    for size, chance in enumerate(occupancy(width, hashes)):
        if size > width or chance == 0:
            continue
        others, own = binomial(width - size, flip, 1 - flip), binomial(size, 1 - flip, flip)
        complete[size:] += chance * own[size] * others
        missing[:width] += chance * np.convolve(own[:size], others)[:width]
    return complete, missing


@lru_cache(maxsize=64)
def supports_of(width: int, hashes: int, flip: float) -> tuple[float, float, float]:
    """Return how often all bits of the value are set, how often not, and those of another value."""
    complete, missing = ones_laws(width, hashes, flip)
    chances = (np.arange(width + 1) / width) ** hashes
    return float(complete.sum()), float(missing.sum()), float((complete + missing) @ chances)


@lru_cache(maxsize=64)
def guess_rates(domain_size: int, width: int, hashes: int, flip: float) -> Rates:
    """Return the rates at which any value with all bits set, or any value at all, is the true one.

    Given the number of ones, every other value has all of its bits set independently.
    """
    hit = alarm = 0.0
    laws = zip(ones_laws(width, hashes, flip), ((0.0, 1.0), (1.0, 0.0)), strict=True)
    for law, score in laws:
        for ones in np.flatnonzero(law > SELDOM):
            chance = (ones / width) ** hashes
            rates = independent_count_rates(
                domain_size, np.array(score), np.array([1 - chance, chance])
            )
            hit += float(law[ones]) * rates.true_positive
            alarm += float(law[ones]) * rates.false_positive
    return Rates(hit, alarm)
