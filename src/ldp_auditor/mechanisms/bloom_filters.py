"""Bloom filters with flipped bits: Count-Mean Sketch, and RAPPOR's one-time report.

The public part of a report is its row (CMS) or cohort (RAPPOR): which hash functions it uses. The
rest is a filter of `width` bits, of which the functions of the row set those of the value, each
flipped on its own. A row is a seed of `local_hashing`. By default there are 2**64 of them, so that
everybody has functions of their own; with `rows` there are as many as that, known in advance.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Floats, InputPair, Rates, Reports, Values
from ldp_auditor.errors import require, whole_number
from ldp_auditor.mechanisms.estimation import FrequencyEstimator
from ldp_auditor.mechanisms.frequency_oracle import CHOSEN, MAX_INDEX, FrequencyOracle
from ldp_auditor.mechanisms.kernels.bits import fill_bernoulli, last_word_mask, words_for
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import (
    fresh_lanes,
    fresh_stream,
    next_word,
    scale_down,
    threshold,
)
from ldp_auditor.mechanisms.local_hashing import SEED_BITS, hash_value
from ldp_auditor.mechanisms.unary_encoding import flip_probability
from ldp_auditor.portable_math import log2
from ldp_auditor.theory.attack_success import uniform
from ldp_auditor.theory.bloom_filters import difference_law, guess_rates, supports_of
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.loss_law import StepLaw
from ldp_auditor.theory.sketch_success import count_mean_success

MOST_BITS = 2**16
"""Width of a filter at most."""

MOST_HASHES = 16

TRIES = 64
"""Values that are tried at random before all are looked at."""

APART = np.uint64(0xD1B54A32D192ED03)
"""Distance between the seeds of the functions of a row."""


@dataclass(frozen=True, kw_only=True)
class BloomFilters(FrequencyOracle, FrequencyEstimator):
    """A report is a row and a filter whose bits are flipped; it supports values with all bits set.

    A report is `1 + width / 64` words: the row, then the bits (see `kernels.bits`).
    """

    family = "sketches"

    width: int = 1024
    rows: int = CHOSEN

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("width", whole_number("width", self.width, 2, MOST_BITS))
        self._set("rows", whole_number("rows", self.rows, CHOSEN, MAX_INDEX))

    @property
    def options(self) -> Mapping[str, Any]:
        return {name: value for name, value in super().options.items() if value != CHOSEN}

    @property
    @abstractmethod
    def hash_count(self) -> int:
        """Number h of functions of a row."""

    @property
    def level(self) -> float:
        """Loss of one bit."""
        return self.epsilon / (2 * self.hash_count)

    @property
    def flip(self) -> float:
        """Probability that a bit is flipped: two values differ in 2h bits at most."""
        return flip_probability(self.level)

    @property
    def report_bytes(self) -> int:
        return 16 * (1 + words_for(self.width))

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        words = words_for(self.width)
        flips = np.empty((n, words), np.uint64)
        fill_bernoulli(fresh_lanes(rng), threshold(self.flip), flips.reshape(-1))
        reports = np.empty((n, 1 + words), np.uint64)
        _fill(
            fresh_stream(rng),
            np.uint64(self.check_value(value)),
            np.uint64(self.rows),
            self.hash_count,
            self.width,
            flips,
            reports,
        )
        return reports

    def guess(self, reports: Reports, rng: Generator) -> Values:
        chosen = np.empty(len(reports), np.int64)
        _guess(
            fresh_stream(rng), reports, self.hash_count, np.uint64(self.width),
            np.uint64(self.domain_size), chosen,
        )  # fmt: skip
        return chosen

    def supports(self, reports: Reports, value: int) -> NDArray[np.bool_]:
        """Tell for every report whether all bits of a value are set."""
        scores = np.zeros((len(reports), 1))
        _add_supports(reports, self.hash_count, np.uint64(self.width), value, scores)
        return scores[:, 0] > 0

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        _add_supports(reports, self.hash_count, np.uint64(self.width), 0, totals)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return the ratio: each bit that only one of the two sets tells for or against it."""
        leads = np.zeros(len(reports))
        first, second = np.uint64(pair.first), np.uint64(pair.second)
        _add_leads(reports, self.hash_count, np.uint64(self.width), first, second, leads)
        return self.level * leads

    def differences(self, pair: InputPair) -> Floats:
        """Return the law of how many bits the filters of two values differ in, before the flips."""
        if self.rows == CHOSEN:
            return difference_law(self.width, self.hash_count)
        counts = np.zeros(2 * self.hash_count + 1)
        first, second = np.uint64(pair.first), np.uint64(pair.second)
        _count_differences(self.rows, self.hash_count, np.uint64(self.width), first, second, counts)
        return counts / self.rows

    def loss_law(self, pair: InputPair) -> StepLaw:
        """Return the exact law of the loss of a report."""
        return step_law(self.level, self.flip, tuple(self.differences(pair).tolist()))

    @property
    def default_pair(self) -> InputPair:
        """The first pair with 0 that some row tells apart as well as can be."""
        best, most = InputPair(0, 1), -1
        for value in range(1, min(self.domain_size, 65)):
            reach = int(np.flatnonzero(self.differences(InputPair(0, value)))[-1])
            if reach > most:
                best, most = InputPair(0, value), reach
            if self.rows == CHOSEN or most == 2 * self.hash_count:
                break
        return best

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        if reports > 1 or self.rows != CHOSEN:
            return None  # what a given family of functions does is not known in advance
        return guess_rates(self.domain_size, self.width, self.hash_count, self.flip)

    @property
    def score_law(self) -> ScoreLaw:
        held, missed, other = supports_of(self.width, self.hash_count, self.flip)
        return ScoreLaw.of_bits(held, missed, other)

    def frequency_variance(self, users: int, frequency: Any, reports: int = 1) -> Any:
        """Return the exact variance of an estimated frequency, over rows that are all different."""
        require(
            self.rows == CHOSEN,
            f"{self.name} with rows={self.rows} has no variance of its own: values that collide in "
            "these rows stay mixed up, which is a bias and not noise; leave out rows",
        )
        return super().frequency_variance(users, frequency, reports)

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        """Return bits of the row and of the filter."""
        row = SEED_BITS if self.rows == CHOSEN else math.ceil(log2(self.rows))
        return row + self.width, None


@lru_cache(maxsize=256)
def step_law(level: float, flip: float, differences: tuple[float, ...]) -> StepLaw:
    """Return the law of the loss where so many bits differ, each of them a step for or against."""
    from ldp_auditor.theory.guessing import binomial

    reach = len(differences) - 1
    steps = np.zeros(2 * reach + 1)
    for bits, chance in enumerate(differences):
        if chance > 0:
            steps[reach - bits : reach + bits + 1 : 2] += chance * binomial(bits, 1 - flip, flip)
    return StepLaw.of_steps(level, steps)


@compiled
def position(row: Any, function: Any, value: Any, width: Any) -> Any:
    """Return the bit that a function of a row sets for a value."""
    return hash_value(row + np.uint64(function) * APART, value, width)


@compiled
def is_set(report: Any, place: Any) -> Any:
    """Return a bit of the filter."""
    word = report[np.uint64(1) + (place >> np.uint64(6))]
    return (word >> (place & np.uint64(63))) & np.uint64(1)


@compiled
def has_all(report: Any, hashes: int, value: Any, width: Any) -> bool:
    """Tell whether all bits of a value are set."""
    for function in range(hashes):
        if is_set(report, position(report[0], function, value, width)) == np.uint64(0):
            return False
    return True


@compiled
def _fill(
    stream: Any, value: Any, rows: Any, hashes: int, width: int, flips: Any, reports: Any
) -> None:
    last = last_word_mask(width)
    words = flips.shape[1]
    for i in range(reports.shape[0]):
        row = next_word(stream)
        if rows != np.uint64(0):
            row = scale_down(row, rows)
        reports[i, 0] = row
        for w in range(words):
            reports[i, 1 + w] = np.uint64(0)
        for function in range(hashes):
            place = position(row, function, value, np.uint64(width))
            reports[i, np.uint64(1) + (place >> np.uint64(6))] |= np.uint64(1) << (
                place & np.uint64(63)
            )
        for w in range(words):
            reports[i, 1 + w] ^= flips[i, w]
        reports[i, words] &= last


@compiled
def _guess(
    stream: Any, reports: Any, hashes: int, width: Any, domain_size: Any, chosen: Any
) -> None:
    """Choose any value with all bits set: by trying, or else among all; any value if none has."""
    for i in range(reports.shape[0]):
        found = domain_size
        for _ in range(TRIES):
            value = scale_down(next_word(stream), domain_size)
            if has_all(reports[i], hashes, value, width):
                found = value
                break
        if found == domain_size:
            members = np.uint64(0)
            for value in range(domain_size):
                if has_all(reports[i], hashes, value, width):
                    members += np.uint64(1)
                    if scale_down(next_word(stream), members) == np.uint64(0):
                        found = value
        if found == domain_size:
            found = scale_down(next_word(stream), domain_size)
        chosen[i] = np.int64(found)


@compiled
def _add_supports(reports: Any, hashes: int, width: Any, first: int, totals: Any) -> None:
    """Add 1 for every value from `first` on whose bits are all set, a column of totals for each."""
    users, values = totals.shape
    each = reports.shape[0] // users
    for i in range(users):
        for t in range(i * each, (i + 1) * each):
            for v in range(values):
                if has_all(reports[t], hashes, np.uint64(first + v), width):
                    totals[i, v] += 1.0


@compiled
def among(row: Any, hashes: int, value: Any, width: Any, place: Any) -> bool:
    """Tell whether one of the first `hashes` functions of a row sets a bit for a value."""
    found = False
    for function in range(hashes):
        found = found or position(row, function, value, width) == place
    return found


@compiled
def _add_leads(reports: Any, hashes: int, width: Any, first: Any, second: Any, leads: Any) -> None:
    """Add how many of the bits that differ speak for the first value, less those against it."""
    for i in range(reports.shape[0]):
        row = reports[i, 0]
        for function in range(hashes):
            place = position(row, function, first, width)
            if not among(row, function, first, width, place) and not among(
                row, hashes, second, width, place
            ):
                leads[i] += 2.0 * np.float64(np.int64(is_set(reports[i], place))) - 1.0
            place = position(row, function, second, width)
            if not among(row, function, second, width, place) and not among(
                row, hashes, first, width, place
            ):
                leads[i] -= 2.0 * np.float64(np.int64(is_set(reports[i], place))) - 1.0


@compiled
def _count_differences(
    rows: int, hashes: int, width: Any, first: Any, second: Any, counts: Any
) -> None:
    """Count the rows by the number of bits in which the filters of two values differ."""
    for index in range(rows):
        row = np.uint64(index)
        differing = 0
        for function in range(hashes):
            place = position(row, function, first, width)
            if not among(row, function, first, width, place):
                differing += not among(row, hashes, second, width, place)
            place = position(row, function, second, width)
            if not among(row, function, second, width, place):
                differing += not among(row, hashes, first, width, place)
        counts[differing] += 1.0


@dataclass(frozen=True, kw_only=True)
class CMS(BloomFilters):
    """Apple's Count-Mean Sketch [Apple17]: one hash function of a random row."""

    name = "CMS"
    summary = "count-mean sketch"

    @property
    def hash_count(self) -> int:
        return 1

    def attack_success(self, prior: Floats | None = None) -> float | None:
        """Return how often the best guess of a value from one report is right."""
        if self.rows != CHOSEN:
            return None  # what a given family of functions does is not known in advance
        prior = uniform(self.domain_size) if prior is None else prior
        return count_mean_success(prior, self.width, self.flip)


@dataclass(frozen=True, kw_only=True)
class BloomSUE(BloomFilters):
    """RAPPOR's one-time report with a Bloom filter [Erlingsson14]; a row is a cohort."""

    name = "Bloom-SUE"
    summary = "one-time RAPPOR, a Bloom filter with flipped bits"

    width: int = 128
    hashes: int = 2

    def __post_init__(self) -> None:
        self._set("hashes", whole_number("hashes", self.hashes, 1, MOST_HASHES))
        super().__post_init__()

    @property
    def hash_count(self) -> int:
        return self.hashes
