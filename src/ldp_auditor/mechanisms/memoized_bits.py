"""Memoized unary encoding: k permanent bits, each randomized again in every report."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import fraction, must, require
from ldp_auditor.mechanisms.estimation import FrequencyEstimator
from ldp_auditor.mechanisms.frequency_oracle import SetOracle
from ldp_auditor.mechanisms.independent_support import bit_counts
from ldp_auditor.mechanisms.kernels.bits import fill_bernoulli, last_word_mask, words_for
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.sums import add_draws
from ldp_auditor.mechanisms.kernels.xoshiro import Words, fresh_lanes, threshold
from ldp_auditor.mechanisms.local_mechanism import Users
from ldp_auditor.mechanisms.memoization import MemoizedOracle
from ldp_auditor.mechanisms.unary_encoding import flip_probability, randomize_one_hot
from ldp_auditor.portable_math import exp, expm1, log, log1p
from ldp_auditor.theory.attack_success import entropy_of_bits, independent_success, uniform
from ldp_auditor.theory.discrete_laws import DiscreteLaw, OneLevelLaw
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.guessing import binomial, independent_count_rates
from ldp_auditor.theory.loss_law import LossLaw
from ldp_auditor.theory.success_over_time import counts_success

MOST_TABULATED = 1000
"""Reports up to which the exact law of the loss is tabulated, over both counts that matter."""


@dataclass(frozen=True)
class Chain:
    """Two rounds of bits: a bit is 1 with probability p if the round's input is 1, q if it is 0.

    `absence` is 1 - p, given apart because p may be 1 up to rounding.
    """

    p1: float
    absence1: float
    q1: float
    p2: float
    absence2: float
    q2: float

    @property
    def p(self) -> float:
        """Probability that the bit of the true value is reported as 1."""
        return self.p1 * self.p2 + self.absence1 * self.q2

    @property
    def absence(self) -> float:
        """Probability that the bit of the true value is reported as 0."""
        return self.p1 * self.absence2 + self.absence1 * (1 - self.q2)

    @property
    def q(self) -> float:
        """Probability that the bit of another value is reported as 1."""
        return self.q1 * self.p2 + (1 - self.q1) * self.q2

    @property
    def epsilon(self) -> float:
        """Loss of one report."""
        return loss_of_bits(self.p, self.absence, self.q)

    @property
    def epsilon_infinity(self) -> float:
        """Loss of the memo."""
        return loss_of_bits(self.p1, self.absence1, self.q1)

    def count_laws(self, reports: int) -> tuple[Floats, Floats]:
        """Laws of how often the bit of the true value, and of another one, is reported as 1."""
        if_one = binomial(reports, self.p2, self.absence2)
        if_zero = binomial(reports, self.q2, 1 - self.q2)
        return (
            self.p1 * if_one + self.absence1 * if_zero,
            self.q1 * if_one + (1 - self.q1) * if_zero,
        )

    def score_law(self, reports: int) -> ScoreLaw:
        """Law of the share of `reports` reports in which the bit of a value is 1."""
        return ScoreLaw.of_two_rounds(
            held=(self.p1, self.absence1),
            other=(self.q1, 1 - self.q1),
            if_one=(self.p2, self.absence2),
            if_zero=(self.q2, 1 - self.q2),
            reports=reports,
        )

    def log_ratios(self, reports: int) -> Floats:
        """Log-likelihood ratio of "this is the true value" for every count of its bit."""
        from scipy.special import xlogy

        ones = np.arange(reports + 1)
        zeros = reports - ones
        for_one = xlogy(ones, self.p2) + xlogy(zeros, self.absence2)
        lead = for_one - xlogy(ones, self.q2) - xlogy(zeros, 1 - self.q2)
        fading = np.exp(-np.abs(lead))  # the less likely permanent bit, against the other one

        def log_mixture(one: float, zero: float) -> Floats:
            mixed: Floats = np.log(np.where(lead > 0, one + zero * fading, zero + one * fading))
            return mixed

        return log_mixture(self.p1, self.absence1) - log_mixture(self.q1, 1 - self.q1)


def loss_of_bits(p: float, absence: float, q: float) -> float:
    """Loss of bits that are 1 with probability p for the true value, q for the others."""
    return log(p) - log(absence) - log(q) + log1p(-q)


class MemoizedBits(MemoizedOracle, SetOracle, FrequencyEstimator):
    """A user keeps k randomized bits; a report randomizes each of them again."""

    @property
    @abstractmethod
    def chain(self) -> Chain:
        """Probabilities of both rounds; raises if there are none."""

    def check_epsilon(self) -> None:
        super().check_epsilon()
        _ = self.chain

    @property
    def report_bytes(self) -> int:
        return 32 * words_for(self.domain_size)

    def enroll(self, value: int, n: int, rng: Generator) -> Users:
        value = self.check_value(value)
        chain = self.chain
        memo = randomize_one_hot(value, self.domain_size, chain.p1, chain.q1, n, rng)
        return Users(value, n, memo)

    def collect(self, users: Users, reports: int, rng: Generator) -> Reports:
        chain, lanes = self.chain, fresh_lanes(rng)
        words = words_for(self.domain_size)
        if_one = np.empty((users.count * reports, words), np.uint64)
        if_zero = np.empty_like(if_one)
        fill_bernoulli(lanes, threshold(chain.p2), if_one.reshape(-1))
        fill_bernoulli(lanes, threshold(chain.q2), if_zero.reshape(-1))
        choose_bits(users.memo, reports, self.domain_size, if_zero, if_one)
        return if_one

    def support(self, reports: Reports) -> Words:
        return reports

    def add_sums(self, users: Users, reports: int, rng: Generator, totals: Floats) -> None:
        chain = self.chain
        counts = bit_counts(reports, chain.p2, chain.absence2, chain.q2)
        add_draws(rng, users.memo, counts, totals)

    @property
    def score_law(self) -> ScoreLaw:
        return self.chain.score_law(1)

    def score_law_over(self, reports: int) -> ScoreLaw:
        return self.chain.score_law(reports)

    def ratio_of_sums(self, totals: Floats, pair: InputPair, reports: int) -> Floats:
        """Return the log-likelihood ratio of all reports: the bits of the two values tell it."""
        ratios = self.chain.log_ratios(reports)
        first, second = (totals[:, value].astype(np.int64) for value in (pair.first, pair.second))
        return ratios[first] - ratios[second]

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        return independent_count_rates(self.domain_size, *self.chain.count_laws(reports))

    def attack_success(self, prior: Floats | None = None) -> float | None:
        chain, prior = self.chain, uniform(self.domain_size) if prior is None else prior
        high, low = chain.p / chain.q, chain.absence / (1 - chain.q)
        return independent_success(prior, high, low, chain.q)

    def attack_success_over(self, reports: int, prior: Floats | None = None) -> float | None:
        return counts_success(
            uniform(self.domain_size) if prior is None else prior,
            self.chain.log_ratios(reports),
            *self.chain.count_laws(reports),
        )

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        chain = self.chain
        return self.domain_size, entropy_of_bits(self.domain_size, chain.p, chain.absence, chain.q)

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        chain = self.chain
        return OneLevelLaw(likely=chain.p * (1 - chain.q), unlikely=chain.q * chain.absence)

    def loss_law_over(self, pair: InputPair, reports: int) -> LossLaw | None:
        if reports == 1:
            return self.loss_law(pair)
        return _law_of_two_counts(self.chain, reports) if reports <= MOST_TABULATED else None

    def worst_case_over(self, pair: InputPair, reports: int) -> float | None:
        if self.delta > 0:
            return super().worst_case_over(pair, reports)
        ratios = self.chain.log_ratios(reports)
        return float(ratios.max() - ratios.min())


@lru_cache(maxsize=16)
def _law_of_two_counts(chain: Chain, reports: int) -> DiscreteLaw:
    """Law of the loss of many reports: the bits of both values are independent."""
    true_count, other_count = chain.count_laws(reports)
    ratios = chain.log_ratios(reports)
    losses = (ratios[:, None] - ratios[None, :]).reshape(-1)
    likely = (true_count[:, None] * other_count[None, :]).reshape(-1)
    unlikely = (other_count[:, None] * true_count[None, :]).reshape(-1)
    return DiscreteLaw.of(losses, likely, unlikely)


@compiled
def choose_bits(memo: Any, reports: int, domain_size: int, if_zero: Any, if_one: Any) -> None:
    """Keep in `if_one` the bits of `if_zero` where the user's permanent bit is 0."""
    words = memo.shape[1]
    last = last_word_mask(domain_size)
    for i in range(memo.shape[0]):
        for t in range(i * reports, (i + 1) * reports):
            for w in range(words):
                kept = memo[i, w]
                if_one[t, w] = (if_one[t, w] & kept) | (if_zero[t, w] & ~kept)
            if_one[t, words - 1] &= last


@dataclass(frozen=True, kw_only=True)
class RapporParameters(MemoizedOracle):
    """The parameters f, p and q of [Erlingsson14], from which both guarantees follow.

    An epsilon that is given all the same is the claim that is tested.
    """

    epsilon: float = math.nan
    epsilon_infinity: float = math.nan
    f: float = 0.5
    p: float = 0.5
    q: float = 0.75

    def __post_init__(self) -> None:
        for name in ("f", "p", "q"):
            self._set(name, fraction(name, getattr(self, name)))
        must(self.p < self.q, "be below q, so that ones stand for ones", p=self.p, q=self.q)
        for name in ("epsilon", "epsilon_infinity"):
            if math.isnan(getattr(self, name)):
                self._set(name, self.chains * getattr(self.chain, name))
        super().__post_init__()

    @property
    def chain(self) -> Chain:
        """Probabilities of both rounds of one bit."""
        return rappor_chain(self.f, self.p, self.q)

    @property
    def chains(self) -> int:
        """How many times the loss of `chain` a report loses."""
        return 1


@dataclass(frozen=True, kw_only=True)
class RAPPOR(RapporParameters, MemoizedBits):
    """Basic one-hot RAPPOR [Erlingsson14] by its own parameters f, p and q."""

    name = "RAPPOR"
    summary = "basic RAPPOR, one-hot (guarantees follow from f, p, q)"


def rappor_chain(f: float, p: float, q: float) -> Chain:
    """Return both rounds of [Erlingsson14], sections 2 and 3: with probability f a coin is kept."""
    return Chain(1 - f / 2, f / 2, f / 2, q, 1 - q, p)


class LSUE(MemoizedBits):
    """SUE, then SUE: RAPPOR by its guarantees [Arcolezi22]."""

    name = "L-SUE"
    summary = "memoized SUE, then SUE"

    @property
    def chain(self) -> Chain:
        return sue_chain(self.epsilon, self.epsilon_infinity)


class LOSUE(MemoizedBits):
    """OUE, then SUE [Arcolezi22]."""

    name = "L-OSUE"
    summary = "memoized OUE, then SUE"

    @property
    def chain(self) -> Chain:
        p2, q2 = then_symmetric(self.epsilon, self.epsilon_infinity)
        return Chain(0.5, 0.5, flip_probability(self.epsilon_infinity), p2, q2, q2)


class LOUE(MemoizedBits):
    """OUE, then OUE [Arcolezi22]."""

    name = "L-OUE"
    summary = "memoized OUE, then OUE"

    @property
    def chain(self) -> Chain:
        return then_optimal(self, 0.5, 0.5, flip_probability(self.epsilon_infinity))


class LSOUE(MemoizedBits):
    """SUE, then OUE [Arcolezi22]."""

    name = "L-SOUE"
    summary = "memoized SUE, then OUE"

    @property
    def chain(self) -> Chain:
        q1 = flip_probability(self.epsilon_infinity / 2)
        return then_optimal(self, 1 - q1, q1, q1)


def sue_chain(one: float, infinity: float) -> Chain:
    """Return two rounds of SUE that keep these guarantees: both flip ones and zeros alike."""
    q1 = flip_probability(infinity / 2)
    p2, q2 = then_symmetric(one / 2, infinity / 2)
    return Chain(1 - q1, q1, q1, p2, q2, q2)


def then_symmetric(one: float, infinity: float) -> tuple[float, float]:
    """Return p2 and q2 = 1 - p2 of a second round after OUE; with both epsilons halved, after SUE.

    One report of OUE, then p2 and q2, has p = 1/2 and q = 1 / (e^one + 1), which is solved for p2.
    For SUE (2p - 1) of the chain is the product of that of the rounds; that gives the same formula.
    """
    a = exp(-one)
    scale = (1 + a) * -expm1(-infinity)
    return -expm1(-one - infinity) / scale, -a * expm1(one - infinity) / scale


def then_optimal(oracle: MemoizedOracle, p1: float, absence1: float, q1: float) -> Chain:
    """Return the chain whose second round has p2 = 1/2 and gives one report its epsilon."""
    most = loss_of_bits(p1 / 2, 1 - p1 / 2, q1 / 2)
    require(
        oracle.epsilon <= most,
        f"{oracle.name} cannot lose as much as epsilon_1={oracle.epsilon} with one report at "
        f"epsilon_infinity={oracle.epsilon_infinity}: its second round keeps a 1 with probability "
        f"1/2, so that epsilon_1 is at most {math.floor(most * 1e6) / 1e6:.6f}",
    )
    q2 = second_q(oracle.epsilon, p1, absence1, q1, 0.5)
    return Chain(p1, absence1, q1, 0.5, 0.5, q2)


def second_q(epsilon: float, p1: float, absence1: float, q1: float, p2: float) -> float:
    """Return q2 of a second round with p2 that gives one report its epsilon; 0 if none does.

    With p = a + b q2 and q = c + d q2 of the chain, p (1 - q) = e^epsilon (1 - p) q is a quadratic
    equation for q2. Its value at 0 is negative where even q2 = 0 loses less than epsilon.
    """
    a, b, c, d = p1 * p2, absence1, q1 * p2, 1 - q1
    shrink = exp(-epsilon)  # the equation is divided by e^epsilon
    square = -expm1(-epsilon) * b * d
    linear = shrink * (b * (1 - c) - a * d) - ((1 - a) * d - b * c)
    constant = shrink * a * (1 - c) - (1 - a) * c
    root = math.sqrt(max(0.0, linear * linear - 4 * square * constant))
    return max(0.0, 2 * constant / (root - linear))
