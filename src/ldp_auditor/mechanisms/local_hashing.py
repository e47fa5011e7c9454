"""Local hashing: hash the value with a fresh public function, then report the hash by GRR.

A hash function is a 64-bit seed. It gives every value v a 64-bit number u and sends v to the
integer part of u * g / 2**64. Digit j of the number, the most significant first, is bit v % 64 of
output number 64 * (v // 64) + j of the SplitMix64 generator [Steele14] started at the seed: 64
values share every output, so 64 numbers are compared with a hash's limits at once, and only as
many digits are looked at as the comparison needs. The numbers behave like independent uniform
ones, so the family is universal and, beyond that, close to the ideal family of exact theory.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Reports, Values
from ldp_auditor.errors import must, require, whole_number
from ldp_auditor.mechanisms.frequency_oracle import MAX_INDEX
from ldp_auditor.mechanisms.independent_support import FreshSupport, IndependentSupport
from ldp_auditor.mechanisms.kernels.bits import ALL_BITS, fill_members, last_word_mask, words_for
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.eights import draw_lanes
from ldp_auditor.mechanisms.kernels.xoshiro import (
    LANES,
    Words,
    aligned_words,
    fresh_lanes,
    own_lanes,
    scale_down,
    threshold,
)
from ldp_auditor.mechanisms.local_mechanism import CHOSEN
from ldp_auditor.mechanisms.randomized_response import keep_or_replace, truth_probabilities
from ldp_auditor.portable_math import exp, expm1, log2

SEED_BITS = 64

BLOCK = 2 * LANES
"""Reports whose hashes are worked out side by side."""

SETS_AT_ONCE = 2**16
"""Words of the sets that are made at once to choose a member of each: they stay in the cache."""

REPORT = np.dtype([("hash_seed", np.uint64), ("value", np.uint64)])


@compiled
def digits_of_block(seed: Any, block: Any, digit: Any) -> Any:
    """Return digit number `digit` of the 64 values of a block, one a bit."""
    index = np.uint64(64) * block + digit + np.uint64(1)
    z = seed + index * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def hash_value(seed: Any, value: Any, hash_range: Any) -> Any:
    """Return the hash in 0..hash_range-1 of `value` under the function with this seed."""
    low = np.uint64(0)
    unknown = ALL_BITS
    digit = np.uint64(0)
    # The number lies in low..low + unknown; look at digits until both ends have the same hash.
    while scale_down(low, hash_range) != scale_down(low | unknown, hash_range):
        word = digits_of_block(seed, value >> np.uint64(6), digit)
        bit = (word >> (value & np.uint64(63))) & np.uint64(1)
        low |= bit << (np.uint64(63) - digit)
        unknown >>= np.uint64(1)
        digit += np.uint64(1)
    return scale_down(low, hash_range)


@compiled
def first_number(hashed: Any, hash_range: Any) -> Any:
    """Return the smallest number that scales to the hash or a larger one, 2**64 counting as 0."""
    quotient = ALL_BITS // hash_range
    remainder = ALL_BITS - quotient * hash_range + np.uint64(1)
    # 2**64 = quotient * hash_range + remainder; round hashed * 2**64 / hash_range up.
    return hashed * quotient + (hashed * remainder + hash_range - np.uint64(1)) // hash_range


@compiled
def _hash_and_randomize(
    lanes: Any, value: Any, truth: Any, always_true: bool, hash_range: Any, reports: Any
) -> None:
    """Write a seed and a hash for every report, a block of them side by side."""
    digits = sure_digits(hash_range)
    is_sure = np.uint64(1) << digits == hash_range
    block, place = value >> np.uint64(6), value & np.uint64(63)
    state = own_lanes(lanes)
    words = aligned_words(BLOCK if always_true else 3 * BLOCK)
    hashed = aligned_words(BLOCK)
    n = np.uint64(reports.shape[0])
    for start in range(np.uint64(0), n, np.uint64(BLOCK)):
        draw_lanes(state, words)  # seeds, then what keeps hashes, then what replaces them
        for i in range(BLOCK):
            hashed[i] = np.uint64(0)
        for digit in range(digits):
            for i in range(BLOCK):
                word = digits_of_block(words[i], block, digit)
                hashed[i] = (hashed[i] << np.uint64(1)) | ((word >> place) & np.uint64(1))
        if not is_sure:
            for i in range(BLOCK):
                low = hashed[i] << (np.uint64(64) - digits)
                hashed[i] = scale_down(low, hash_range)
                if scale_down(low | (ALL_BITS >> digits), hash_range) != hashed[i]:
                    hashed[i] = hash_value(words[i], value, hash_range)
        if not always_true:
            for i in range(BLOCK):
                keep, choice = words[BLOCK + i], words[2 * BLOCK + i]
                hashed[i] = keep_or_replace(hashed[i], keep, choice, truth, hash_range)
        for i in range(min(np.uint64(BLOCK), n - start)):
            reports[start + i, 0] = words[i]
            reports[start + i, 1] = hashed[i]


@compiled
def sure_digits(hash_range: Any) -> Any:
    """Return a number of digits that decides most hashes, and all of them if it is a power of 2."""
    digits = np.uint64(0)
    while np.uint64(1) << digits < hash_range:
        digits += np.uint64(1)
    return digits if np.uint64(1) << digits == hash_range else digits + np.uint64(3)


@compiled
def _support(reports: Any, hash_range: Any, domain_size: int, sets: Any) -> None:
    if np.uint64(1) << sure_digits(hash_range) == hash_range:
        _support_by_digits(reports, sure_digits(hash_range), sets)
    else:
        _support_by_limits(reports, hash_range, sets)
    last = last_word_mask(domain_size)
    for i in range(reports.size):
        sets[i, -1] &= last


@compiled
def _support_by_digits(reports: Any, digits: Any, sets: Any) -> None:
    """Write the values whose first digits are those of the hash, many reports side by side."""
    seeds = aligned_words(LANES)
    hashes = aligned_words(LANES)
    agree = aligned_words(LANES)
    n = np.uint64(reports.size)
    for start in range(np.uint64(0), n, np.uint64(LANES)):
        size = min(np.uint64(LANES), n - start)
        for lane in range(size):
            seeds[lane] = reports[start + lane].hash_seed
            hashes[lane] = reports[start + lane].value
        for w in range(np.uint64(sets.shape[1])):
            agree[:] = ALL_BITS
            for digit in range(digits):
                shift = digits - np.uint64(1) - digit
                for lane in range(LANES):
                    word = digits_of_block(seeds[lane], w, digit)
                    hash_digit = np.uint64(0) - ((hashes[lane] >> shift) & np.uint64(1))
                    agree[lane] &= ~(word ^ hash_digit)
            for lane in range(size):
                sets[start + lane, w] = agree[lane]


@compiled
def _support_by_limits(reports: Any, hash_range: Any, sets: Any) -> None:
    """Write the values whose numbers have the hash, many reports side by side.

    Digit by digit a number is above the first number of the hash, equal to it so far, or below, and
    likewise for the first number of the next hash. A number that agrees with all digits of a limit
    up to its last 1 is not below that limit; 2**64, which counts as 0, is above all numbers.
    """
    seeds, above, not_below = np.empty((3, LANES), np.uint64)
    lows, low, equal_low = np.empty((3, LANES), np.uint64)
    highs, high, equal_high = np.empty((3, LANES), np.uint64)
    n = np.uint64(reports.size)
    for start in range(np.uint64(0), n, np.uint64(LANES)):
        size = min(np.uint64(LANES), n - start)
        for lane in range(LANES):
            report = reports[start + min(np.uint64(lane), size - np.uint64(1))]
            seeds[lane] = report.hash_seed
            lows[lane] = first_number(report.value, hash_range)
            highs[lane] = first_number(report.value + np.uint64(1), hash_range)
        for w in range(np.uint64(sets.shape[1])):
            for lane in range(LANES):
                low[lane], high[lane] = lows[lane], highs[lane]
                above[lane], equal_low[lane] = np.uint64(0), ALL_BITS
                is_limited = np.uint64(0) - np.uint64(highs[lane] != np.uint64(0))
                not_below[lane], equal_high[lane] = is_limited, is_limited
            any_open = ALL_BITS
            digit = np.uint64(0)
            while any_open != np.uint64(0):
                any_open = np.uint64(0)
                for lane in range(LANES):
                    word = digits_of_block(seeds[lane], w, digit)
                    low_digit = np.uint64(0) - (low[lane] >> np.uint64(63))
                    high_digit = np.uint64(0) - (high[lane] >> np.uint64(63))
                    above[lane] |= equal_low[lane] & word & ~low_digit
                    still_low = equal_low[lane] & ~(word ^ low_digit)
                    not_below[lane] &= ~(equal_high[lane] & ~word & high_digit)
                    still_high = equal_high[lane] & ~(word ^ high_digit)
                    low[lane] <<= np.uint64(1)
                    high[lane] <<= np.uint64(1)
                    equal_low[lane], equal_high[lane] = still_low, still_high
                    any_open |= still_low & (np.uint64(0) - np.uint64(low[lane] != np.uint64(0)))
                    any_open |= still_high & (np.uint64(0) - np.uint64(high[lane] != np.uint64(0)))
                digit += np.uint64(1)
            for lane in range(size):
                sets[start + lane, w] = (above[lane] | equal_low[lane]) & ~not_below[lane]


@compiled
def _supports(reports: Any, hash_range: Any, value: Any, supported: Any) -> None:
    for i in range(reports.size):
        supported[i] = hash_value(reports[i].hash_seed, value, hash_range) == reports[i].value


def hash_and_randomize(value: int, n: int, p: float, hash_size: int, rng: Generator) -> Reports:
    """Return `n` fresh hash functions with the hash of the value, kept with probability p."""
    reports = np.empty(n, REPORT)
    hash_range = np.uint64(hash_size)
    words = reports.view(np.uint64).reshape(n, 2)
    _hash_and_randomize(fresh_lanes(rng), np.uint64(value), threshold(p), p == 1, hash_range, words)
    return reports


class LocalHashing(IndependentSupport):
    """A report is a hash seed and a hash; it supports every value with that hash."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            self.hash_size <= MAX_INDEX,
            f"{self.name} would hash to {self.hash_size:.3g} values at epsilon={self.epsilon}, "
            f"delta={self.delta}, more than {MAX_INDEX}; choose a smaller epsilon",
        )

    @property
    def hash_size(self) -> int:
        """The number g of hashes."""
        return 2

    @cached_property
    def p(self) -> float:
        return self._truth()[0]

    @property
    def absence(self) -> float:
        return (self.hash_size - 1) * self._truth()[1]

    @property
    def q(self) -> float:
        return 1 / self.hash_size

    def _truth(self) -> tuple[float, float]:
        """Probabilities of reporting the true hash, and one given other hash."""
        return truth_probabilities(self.epsilon, self.used_delta, self.hash_size)

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        return hash_and_randomize(self.check_value(value), n, self.p, self.hash_size, rng)

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        hash_bits = log2(self.hash_size)
        return SEED_BITS + math.ceil(hash_bits), SEED_BITS + hash_bits

    @property
    def report_bytes(self) -> int:
        # A set is no part of a report, and is there for some reports at a time; but to make it
        # takes time, and a batch should take no more than a moment.
        return 16 + words_for(self.domain_size)

    def guess(self, reports: Reports, rng: Generator) -> Values:
        lanes, chosen = fresh_lanes(rng), np.empty(len(reports), np.int64)
        some = LANES * max(1, SETS_AT_ONCE // (LANES * words_for(self.domain_size)))
        for start in range(0, len(reports), some):
            part = slice(start, start + some)
            fill_members(lanes, self.support(reports[part]), self.domain_size, chosen[part])
        return chosen

    def support(self, reports: Reports) -> Words:
        sets = np.empty((len(reports), words_for(self.domain_size)), np.uint64)
        _support(reports, np.uint64(self.hash_size), self.domain_size, sets)
        return sets

    def supports(self, reports: Reports, value: int) -> NDArray[np.bool_]:
        supported = np.empty(len(reports), np.bool_)
        _supports(reports, np.uint64(self.hash_size), np.uint64(value), supported)
        return supported


class FreshHashing(LocalHashing, FreshSupport):
    """A new hash function for every report."""


class BLH(FreshHashing):
    """Binary local hashing [Bassily15]."""

    name = "BLH"
    summary = "binary local hashing"


@dataclass(frozen=True, kw_only=True)
class OptimalRange(LocalHashing):
    """Any number of hashes, by default the one that makes the variance of a rare value least."""

    hash_range: int = CHOSEN

    def __post_init__(self) -> None:
        given = whole_number("hash_range", self.hash_range, CHOSEN)
        must(given != 1, "be at least 2, or 0 for the optimal one", hash_range=given)
        self._set("hash_range", given)
        super().__post_init__()

    @property
    @abstractmethod
    def optimal_range(self) -> int:
        """Return the number of hashes by the formula of the paper."""

    @cached_property
    def hash_size(self) -> int:
        return self.hash_range or self.optimal_range


class OLH(OptimalRange, FreshHashing):
    """Optimal local hashing [Wang17]."""

    name = "OLH"
    summary = "optimal local hashing"

    @property
    def optimal_range(self) -> int:
        return max(2, round(exp(self.epsilon) + 1))


@dataclass(frozen=True, kw_only=True)
class ABLH(FreshHashing):
    """Approximate binary local hashing [Wang21]."""

    name = "ABLH"
    summary = "approximate binary local hashing"
    approximate = True

    delta: float = 1e-5


@dataclass(frozen=True, kw_only=True)
class AOLH(FreshHashing):
    """Approximate optimal local hashing [Wang21]."""

    name = "AOLH"
    summary = "approximate optimal local hashing"
    approximate = True

    delta: float = 1e-5

    def check_delta(self) -> None:
        super().check_delta()
        growth = expm1(self.epsilon)
        require(
            growth * (1 - 9 * self.delta) >= 8 * self.delta,
            f"AOLH has no optimal hash range at epsilon={self.epsilon}, delta={self.delta}: "
            f"delta must be at most (e^epsilon - 1) / (9 e^epsilon - 1) = "
            f"{growth / (9 * growth + 8):.3g}",
            argument="delta",
        )

    @cached_property
    def hash_size(self) -> int:
        # [Arcolezi24] appendix B divides a difference of nearly equal numbers by delta; with the
        # fraction expanded by their sum, delta cancels exactly.
        growth, delta = expm1(self.epsilon), self.delta
        under_root = (1 - delta) * (1 - 9 * delta - 8 * delta / growth)
        total = 1 - 3 * delta + math.sqrt(max(0.0, under_root))
        return max(2, round(2 * (growth + 2 - 2 * delta) / total))


@dataclass(frozen=True, kw_only=True)
class LHO(FreshHashing):
    """Local hashing only: the hash is sent as it is, which promises nothing by itself.

    An epsilon given all the same is the claim that the audit tests.
    """

    name = "LHO"
    summary = "local hashing only, without randomization"
    promises_nothing = True

    epsilon: float = math.inf
    hash_range: int = 2

    def __post_init__(self) -> None:
        self._set("hash_range", whole_number("hash_range", self.hash_range, at_least=2))
        super().__post_init__()

    def check_epsilon(self) -> None:
        """Take any epsilon: it is no parameter of the protocol."""

    @property
    def hash_size(self) -> int:
        return self.hash_range

    def _truth(self) -> tuple[float, float]:
        return 1.0, 0.0
