"""Protocols for categories: what every single-report protocol of one value out of k shares.

`privatize` randomizes a batch, `guess` is the paper's attack. What else a protocol may offer, from
exact rates to the optimal attack, is declared in `capabilities.py`.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import FIRST_TWO_VALUES, Floats, InputPair, Rates, Reports, Values
from ldp_auditor.errors import whole_number
from ldp_auditor.inputs import Categories
from ldp_auditor.mechanisms.estimation import FrequencyEstimator
from ldp_auditor.mechanisms.kernels.bits import choose_member, contains, words_for
from ldp_auditor.mechanisms.kernels.scores import choose_best
from ldp_auditor.mechanisms.kernels.sums import add_rows, add_sets
from ldp_auditor.mechanisms.kernels.xoshiro import Words, fresh_stream
from ldp_auditor.mechanisms.local_mechanism import LocalMechanism
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.loss_law import LossLaw

MAX_INDEX = 2**32 - 1
"""Largest domain and hash range: the kernels scale random words to 32-bit numbers."""


@dataclass(frozen=True, kw_only=True)
class FrequencyOracle(LocalMechanism):
    """A protocol by which a user reports one value out of `domain_size`."""

    domain_size: int

    def __post_init__(self) -> None:
        self._set("domain_size", whole_number("domain_size", self.domain_size, 2, MAX_INDEX))
        super().__post_init__()

    @cached_property
    def inputs(self) -> Categories:
        return Categories(self.domain_size)

    @property
    def report_bytes(self) -> int:
        return max(256, 8 * self.domain_size)

    @abstractmethod
    def guess(self, reports: Reports, rng: Generator) -> Values:
        """Return the paper's guess of the value behind every report."""

    def guess_rates(self, pair: InputPair | None = None) -> Rates | None:
        """Return the exact rates at which `guess` names the first value of a pair, where known."""
        return self.guess_rates_over(pair or FIRST_TWO_VALUES, 1)

    @property
    def score_columns(self) -> int:
        """Columns of the totals: one for every value, then what else `ratio_of_sums` needs."""
        return self.domain_size

    def guess_by_totals(self, totals: Floats, reports: int, rng: Generator) -> Values:
        """Algorithm 2 of [Arcolezi24]: the value with the largest total, ties at random."""
        scores = totals[:, : self.domain_size]
        chosen: Values = choose_best(fresh_stream(rng), scores, -np.inf, np.inf)
        return chosen


class TellingOracle(FrequencyOracle):
    """A protocol whose report supports a value or not, and says nothing else about it."""

    @abstractmethod
    def supports(self, reports: Reports, value: int) -> NDArray[np.bool_]:
        """Tell for every report whether it supports a value."""

    @abstractmethod
    def loss_law(self, pair: InputPair) -> LossLaw:
        """Return the exact law of the log-likelihood ratio of a report."""

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return ln P(report | first) - ln P(report | second) for every report."""
        # Both values supported, or neither: the report says nothing about which it was.
        level = self.loss_law(pair).supremum
        return one_level_ratio(
            self.supports(reports, pair.first), self.supports(reports, pair.second), level
        )


class SetOracle(TellingOracle):
    """A protocol whose report supports a set of values.

    The paper's attack guesses a supported value, and any value if none is supported.
    """

    @abstractmethod
    def support(self, reports: Reports) -> Words:
        """Return the supported values of every report as bits (see `kernels.bits`)."""

    @property
    def report_bytes(self) -> int:
        return 8 * words_for(self.domain_size) + 8

    def guess(self, reports: Reports, rng: Generator) -> Values:
        return choose_member(rng, self.support(reports), self.domain_size)

    def supports(self, reports: Reports, value: int) -> NDArray[np.bool_]:
        return contains(self.support(reports), value)

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        add_sets(self.support(reports), totals)


class SupportOracle(SetOracle, FrequencyEstimator):
    """A protocol whose report supports the true value more often than the others."""

    @property
    @abstractmethod
    def p(self) -> float:
        """Probability that the report of a value supports it."""

    @property
    def absence(self) -> float:
        """Probability 1 - p; a protocol whose p comes near 1 computes it without subtracting."""
        return 1 - self.p

    @property
    @abstractmethod
    def q(self) -> float:
        """Probability that the report of a value supports another one."""

    @property
    def score_law(self) -> ScoreLaw:
        return ScoreLaw.of_bits(self.p, self.absence, self.q)


def one_level_ratio(
    for_first: NDArray[np.bool_], for_second: NDArray[np.bool_], level: float
) -> Floats:
    """Return `level` where only the first holds, -`level` where only the second, 0 elsewhere."""
    levels = np.array([0.0, level, -level])
    return levels[for_first.astype(np.int8) - for_second.astype(np.int8)]


class ScoreOracle(FrequencyOracle):
    """A protocol whose report has an entry per value; the paper's attack guesses the best one."""

    score_range: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    """Clipped to this range, an entry grows with the likelihood of its value."""

    @property
    def report_bytes(self) -> int:
        return 8 * self.domain_size

    def guess(self, reports: Reports, rng: Generator) -> Values:
        chosen: Values = choose_best(fresh_stream(rng), reports, *self.score_range)
        return chosen

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        add_rows(reports, totals)
