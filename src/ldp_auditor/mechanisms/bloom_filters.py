"""Bloom filters with flipped bits: Count-Mean Sketch, and RAPPOR's one-time report.

The public part of a report is its row (CMS) or cohort (RAPPOR): which hash functions it uses. The
rest is a filter of `width` bits, of which the functions of the row set those of the value, each
randomized on its own. See `hashed_rows` about rows.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice, starmap
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports, Values
from ldp_auditor.errors import whole_number
from ldp_auditor.mechanisms.hashed_rows import HashedRows
from ldp_auditor.mechanisms.kernels.bits import fill_bernoulli, words_for
from ldp_auditor.mechanisms.kernels.bloom import (
    add_leads,
    add_supports,
    count_alone,
    fill_filters,
    guess_filters,
)
from ldp_auditor.mechanisms.kernels.xoshiro import (
    Words,
    fresh_lanes,
    fresh_stream,
    threshold,
)
from ldp_auditor.mechanisms.local_mechanism import CHOSEN
from ldp_auditor.mechanisms.unary_encoding import flip_probability
from ldp_auditor.theory.attack_success import uniform
from ldp_auditor.theory.bloom_filters import BitRates, alone_law, guess_rates, supports_of
from ldp_auditor.theory.discrete_laws import StepLaw
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.sketch_success import filter_success

MOST_HASHES = 16

MOST_SEARCHED = 65
"""Values among which a pair is searched that known rows tell apart."""

MOST_LOOKS = 2**21
"""Rows that are looked at for that, in all."""


@dataclass(frozen=True, kw_only=True)
class BloomFilters(HashedRows):
    """A report is a row and a randomized filter; it supports values with all bits set.

    A report is `1 + width / 64` words: the row, then the bits (see `kernels.bits`).
    """

    @property
    @abstractmethod
    def hash_count(self) -> int:
        """Number h of functions of a row."""

    @property
    @abstractmethod
    def bit_rates(self) -> BitRates:
        """How often a report has a 1 and a 0 where the value sets a bit, and a 1 elsewhere."""

    @property
    def report_bytes(self) -> int:
        return 16 * (1 + words_for(self.width))

    def filters(self, value: Any, flips: Words, rng: Generator) -> Words:
        """Return the filters of a value in random rows, with some bits flipped."""
        made = np.empty((len(flips), 1 + words_for(self.width)), np.uint64)
        fill_filters(
            fresh_stream(rng),
            self.key(value),
            np.uint64(self.rows),
            self.hash_count,
            self.width,
            flips,
            made,
        )
        return made

    def guess(self, reports: Reports, rng: Generator) -> Values:
        chosen = np.empty(len(reports), np.int64)
        guess_filters(
            fresh_stream(rng), reports, self.hash_count, np.uint64(self.width),
            np.uint64(self.domain_size), self.keys, chosen,
        )  # fmt: skip
        return chosen

    def add_supports(self, reports: Reports, keys: Words, totals: Floats) -> None:
        add_supports(reports, self.hash_count, np.uint64(self.width), keys, totals)

    def alone(self, pair: InputPair) -> Floats:
        """Return the law of how many bits only the first of two values sets, and only the second.

        A row is a number of bits of the first, a column one of the second.
        """
        if self.rows == CHOSEN:
            return alone_law(self.width, self.hash_count)
        counts = np.zeros((self.hash_count + 1, self.hash_count + 1))
        first, second = self.key(pair.first), self.key(pair.second)
        count_alone(self.rows, self.hash_count, np.uint64(self.width), first, second, counts)
        return counts / self.rows

    @property
    def default_pair(self) -> InputPair:
        """The first pair that some row tells apart as well as can be, pairs with 0 first."""
        if self.rows == CHOSEN:
            return InputPair(0, 1)
        few = range(min(self.domain_size, MOST_SEARCHED))
        pairs = islice(combinations(few, 2), max(len(few), MOST_LOOKS // self.rows))
        best, most = InputPair(0, 1), -1
        for pair in starmap(InputPair, pairs):
            reach = int(np.add(*np.nonzero(self.alone(pair))).max())
            if reach > most:
                best, most = pair, reach
            if most == min(2 * self.hash_count, self.width):
                break
        return best

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        if reports > 1 or self.rows != CHOSEN:
            return None  # what a given family of functions does is not known in advance
        return guess_rates(self.domain_size, self.width, self.hash_count, self.bit_rates)

    @property
    def score_law(self) -> ScoreLaw:
        return ScoreLaw.of_bits(*supports_of(self.width, self.hash_count, self.bit_rates))

    def attack_success(self, prior: Floats | None = None) -> float | None:
        """Return how often the best guess of a value from one report is right."""
        if self.rows != CHOSEN:
            return None  # what a given family of functions does is not known in advance
        prior = uniform(self.domain_size) if prior is None else prior
        return filter_success(prior, self.width, self.hash_count, self.bit_rates)

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        """Return bits of the row and of the filter."""
        return math.ceil(self.row_bits) + self.width, None


@dataclass(frozen=True, kw_only=True)
class FlippedFilters(BloomFilters):
    """A report whose bits are flipped afresh, all with the same probability."""

    @property
    def level(self) -> float:
        """Loss of one bit."""
        return self.epsilon / (2 * self.hash_count)

    @property
    def flip(self) -> float:
        """Probability that a bit is flipped: two values differ in 2h bits at most."""
        return flip_probability(self.level)

    @property
    def bit_rates(self) -> BitRates:
        return 1 - self.flip, self.flip, self.flip

    def privatize(self, value: Any, n: int, rng: Generator) -> Reports:
        flips = np.empty((n, words_for(self.width)), np.uint64)
        fill_bernoulli(fresh_lanes(rng), threshold(self.flip), flips.reshape(-1))
        return self.filters(value, flips, rng)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return the ratio: each bit that only one of the two sets tells for or against it."""
        leads = np.zeros(len(reports))
        first, second = self.key(pair.first), self.key(pair.second)
        add_leads(reports, self.hash_count, np.uint64(self.width), first, second, leads)
        return self.level * leads

    def loss_law(self, pair: InputPair) -> StepLaw:
        """Return the exact law of the loss of a report."""
        alone = self.alone(pair)
        differences = np.zeros(2 * self.hash_count + 1)
        np.add.at(differences, np.add.outer(*map(np.arange, alone.shape)), alone)
        return step_law(self.level, self.flip, tuple(differences.tolist()))


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


@dataclass(frozen=True, kw_only=True)
class CMS(FlippedFilters):
    """Apple's Count-Mean Sketch [Apple17]: one hash function of a random row."""

    name = "CMS"
    summary = "count-mean sketch"

    @property
    def hash_count(self) -> int:
        return 1


@dataclass(frozen=True, kw_only=True)
class SeveralHashes(BloomFilters):
    """A row that is a cohort of RAPPOR: several functions, and a filter not much wider."""

    width: int = 128
    hashes: int = 2

    def __post_init__(self) -> None:
        self._set("hashes", whole_number("hashes", self.hashes, 1, MOST_HASHES))
        super().__post_init__()

    @property
    def hash_count(self) -> int:
        return self.hashes


@dataclass(frozen=True, kw_only=True)
class BloomSUE(SeveralHashes, FlippedFilters):
    """RAPPOR's one-time report with a Bloom filter [Erlingsson14]; a row is a cohort."""

    name = "Bloom-SUE"
    summary = "one-time RAPPOR, a Bloom filter with flipped bits"
