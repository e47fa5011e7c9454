"""Protocols whose report supports every value independently: unary encoding, local hashing.

A hash function of the ideal family sends the other values anywhere, so given the reported hash each
of them is supported with probability 1/g on its own.
"""

from functools import lru_cache

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates
from ldp_auditor.mechanisms.frequency_oracle import SupportOracle
from ldp_auditor.mechanisms.kernels.bits import words_for
from ldp_auditor.mechanisms.kernels.sums import Lottery, add_draws
from ldp_auditor.mechanisms.local_mechanism import Users
from ldp_auditor.theory.attack_success import independent_success, uniform
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.guessing import binomial, independent_count_rates
from ldp_auditor.theory.success_over_time import counts_success, ratios_of_bits


class IndependentSupport(SupportOracle):
    """The true value is supported with probability p, each other one independently with q."""

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        return independent_count_rates(
            self.domain_size,
            binomial(reports, self.p, self.absence),
            binomial(reports, self.q, 1 - self.q),
        )

    def attack_success(self, prior: Floats | None = None) -> float | None:
        prior = uniform(self.domain_size) if prior is None else prior
        return independent_success(prior, self.p / self.q, self.absence / (1 - self.q), self.q)

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        return OneLevelLaw(likely=self.p * (1 - self.q), unlikely=self.q * self.absence)

    def ratio_of_sums(self, totals: Floats, pair: InputPair, reports: int) -> Floats:
        lead: Floats = totals[:, pair.first] - totals[:, pair.second]
        level = self.loss_law(pair).supremum
        if np.isinf(level):  # p = 1: one report that does not support a value rules it out
            return np.where(lead == 0, 0.0, np.copysign(level, lead))
        return level * lead


class FreshSupport(IndependentSupport):
    """The reports of a user are independent too, so that the sums of their scores are binomial."""

    def attack_success_over(self, reports: int, prior: Floats | None = None) -> float | None:
        return counts_success(
            uniform(self.domain_size) if prior is None else prior,
            ratios_of_bits(reports, self.p, self.absence, self.q),
            binomial(reports, self.p, self.absence),
            binomial(reports, self.q, 1 - self.q),
        )

    def add_sums(self, users: Users, reports: int, rng: Generator, totals: Floats) -> None:
        truth = np.zeros(words_for(self.domain_size), np.uint64)
        truth[users.value // 64] = 1 << (users.value % 64)
        sets = np.broadcast_to(truth, (users.count, len(truth)))
        add_draws(rng, sets, bit_counts(reports, self.p, self.absence, self.q), totals)


@lru_cache(maxsize=256)
def bit_counts(reports: int, p: float, absence: float, q: float) -> Lottery:
    """Return a source of how often a bit is reported as 1 if it is 0 (law 0), and if it is 1."""
    return Lottery.of(binomial(reports, q, 1 - q), binomial(reports, p, absence))
