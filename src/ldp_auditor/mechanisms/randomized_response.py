"""Generalized randomized response: report the value itself, or any other one."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import FIRST_TWO_VALUES, Floats, InputPair, Rates, Reports, Values
from ldp_auditor.errors import must
from ldp_auditor.mechanisms.estimation import FrequencyEstimator
from ldp_auditor.mechanisms.frequency_oracle import FrequencyOracle, one_level_ratio
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.sums import add_values
from ldp_auditor.mechanisms.kernels.xoshiro import (
    LANES,
    advance,
    copy_lanes,
    fresh_lanes,
    scale_down,
    threshold,
)
from ldp_auditor.portable_math import exp, log2
from ldp_auditor.theory.attack_success import randomized_response_success, uniform
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.guessing import multinomial_guess_rates


def truth_probabilities(epsilon: float, delta: float, size: int) -> tuple[float, float]:
    """Return p and q of randomized response over `size` values: [Arcolezi24] Eqs. 2 and 9."""
    shrink = exp(-epsilon)
    total = 1 + (size - 1) * shrink
    p = (1 + (size - 1) * delta * shrink) / total
    q = (1 - delta) * shrink / total
    return p, q


@compiled
def keep_or_replace(value: Any, keep: Any, choice: Any, truth: Any, size: Any) -> Any:
    """Return `value` if the word `keep` is below `truth`, else another of `size` values."""
    other = scale_down(choice, size - np.uint64(1))
    other += np.uint64(other >= value)
    return value if keep < truth else other


@compiled
def _randomize(lanes: Any, value: Any, truth: Any, size: Any, reports: Any) -> None:
    state = np.empty((4, LANES), np.uint64)  # of its own, so that the compiler vectorizes
    copy_lanes(lanes, state)
    n = np.uint64(reports.size)
    for start in range(np.uint64(0), n, np.uint64(LANES)):
        for lane in range(min(np.uint64(LANES), n - start)):
            a, b, c, d = state[0, lane], state[1, lane], state[2, lane], state[3, lane]
            keep, a, b, c, d = advance(a, b, c, d)
            choice, a, b, c, d = advance(a, b, c, d)
            state[0, lane] = a
            state[1, lane] = b
            state[2, lane] = c
            state[3, lane] = d
            reports[start + lane] = keep_or_replace(value, keep, choice, truth, size)


class GRR(FrequencyOracle, FrequencyEstimator):
    """Generalized randomized response [Kairouz16]; a report is a value."""

    name = "GRR"
    summary = "generalized randomized response"

    @cached_property
    def p(self) -> float:
        """Probability of reporting the true value."""
        return truth_probabilities(self.epsilon, self.used_delta, self.domain_size)[0]

    @property
    def q(self) -> float:
        """Probability of reporting one given other value."""
        return truth_probabilities(self.epsilon, self.used_delta, self.domain_size)[1]

    @property
    def report_bytes(self) -> int:
        return 16

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        reports = np.empty(n, np.int64)
        _randomize(
            fresh_lanes(rng),
            np.uint64(self.check_value(value)),
            threshold(self.p),
            np.uint64(self.domain_size),
            reports.view(np.uint64),
        )
        return reports

    def guess(self, reports: Reports, rng: Generator) -> Values:
        return reports

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        return multinomial_guess_rates(self.domain_size, self.p, self.q, reports)

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        add_values(reports, totals)

    def attack_success(self, prior: Floats | None = None) -> float | None:
        prior = uniform(self.domain_size) if prior is None else prior
        return randomized_response_success(prior, self.p, self.q)

    def attack_success_over(self, reports: int, prior: Floats | None = None) -> float | None:
        """Return how often the value that is reported most is the true one."""
        rates = self.guess_rates_over(FIRST_TWO_VALUES, reports) if prior is None else None
        return None if rates is None else rates.true_positive

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        bits = log2(self.domain_size)
        return math.ceil(bits), bits

    @property
    def score_law(self) -> ScoreLaw:
        return ScoreLaw.of_bits(self.p, (self.domain_size - 1) * self.q, self.q)

    def add_to_tally(self, reports: Reports, tally: Floats) -> None:
        least, most = int(reports.min()), int(reports.max())
        wrong = least if least < 0 else most
        must(0 <= least <= most < self.domain_size, "be values of the domain", reports=wrong)
        tally[0] += np.bincount(reports, minlength=self.domain_size)

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        return OneLevelLaw(likely=self.p, unlikely=self.q)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        level = self.loss_law(pair).supremum
        return one_level_ratio(reports == pair.first, reports == pair.second, level)


@dataclass(frozen=True, kw_only=True)
class AGRR(GRR):
    """Approximate GRR [Wang21]."""

    name = "AGRR"
    summary = "approximate GRR"
    approximate = True

    delta: float = 1e-5
