"""Memoized randomized response, over the values themselves or over their hashes."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import FIRST_TWO_VALUES, Floats, InputPair, Rates, Reports
from ldp_auditor.errors import require
from ldp_auditor.mechanisms.frequency_oracle import SetOracle
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import Words, advance, fresh_stream, threshold
from ldp_auditor.mechanisms.local_hashing import (
    REPORT,
    SEED_BITS,
    LocalHashing,
    OptimalRange,
    hash_and_randomize,
    hash_value,
)
from ldp_auditor.mechanisms.local_mechanism import Users
from ldp_auditor.mechanisms.memoization import MemoizedOracle
from ldp_auditor.mechanisms.randomized_response import GRR, keep_or_replace, truth_probabilities
from ldp_auditor.portable_math import exp, log2
from ldp_auditor.theory.discrete_laws import DiscreteLaw
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.guessing import multinomial_guess_rates
from ldp_auditor.theory.loss_law import LossLaw
from ldp_auditor.theory.memoized_values import MemoizedResponse

MOST_HASHES = 100_000
"""Hashes that are counted for every user at most."""


class MemoizedChoice(MemoizedOracle):
    """A user keeps one randomized choice; a report randomizes it again."""

    @property
    @abstractmethod
    def choices(self) -> int:
        """How many there are to choose from."""

    @property
    def p(self) -> float:
        return self.response.p

    @property
    @abstractmethod
    def coincidence(self) -> float:
        """Probability that the kept choice speaks for a given other value."""

    def score_law_over(self, reports: int) -> ScoreLaw:
        response, others = self.response, self.choices - 1
        return ScoreLaw.of_two_rounds(
            held=(response.p1, others * response.q1),
            other=(self.coincidence, 1 - self.coincidence),
            if_one=(response.p2, others * response.q2),
            if_zero=(response.q2, 1 - response.q2),
            reports=reports,
        )

    @property
    def response(self) -> MemoizedResponse:
        """Probabilities of both rounds: [Arcolezi22] for L-GRR, [Arcolezi23] for LOLOHA.

        The second round has p2 / q2 = (e^(e1 + e) - 1) / (e^e - e^e1) for epsilon_1 = e1 and
        epsilon_infinity = e. With more than two choices one report then loses less than epsilon_1,
        because the papers leave out memos that are neither the value nor the report.
        """
        one, all_ = exp(-self.epsilon), exp(-self.epsilon_infinity)
        weight = (one - all_) / (1 - one * all_)
        p1, q1 = truth_probabilities(self.epsilon_infinity, 0.0, self.choices)
        p2 = 1 / (1 + (self.choices - 1) * weight)
        return MemoizedResponse(self.choices, p1, q1, p2, weight * p2)

    def randomize(self, memos: Words, reports: int, rng: Generator, out: Words) -> None:
        """Write `reports` randomized versions of every memo to `out`, one after the other."""
        truth, choices = threshold(self.response.p2), np.uint64(self.choices)
        _randomize_memos(fresh_stream(rng), memos, reports, truth, choices, out)

    def worst_case_over(self, pair: InputPair, reports: int) -> float | None:
        if self.delta > 0:
            return super().worst_case_over(pair, reports)
        return self.response.worst_case(reports)


@compiled
def _randomize_memos(stream: Any, memos: Any, each: int, truth: Any, size: Any, out: Any) -> None:
    a, b, c, d = stream
    for i in range(memos.size):
        for t in range(i * each, (i + 1) * each):
            keep, a, b, c, d = advance(a, b, c, d)
            choice, a, b, c, d = advance(a, b, c, d)
            out[t] = keep_or_replace(memos[i], keep, choice, truth, size)


class LGRR(MemoizedChoice, GRR):
    """GRR, then GRR [Arcolezi22]; a report is a value."""

    name = "L-GRR"
    summary = "memoized GRR, then GRR"

    @property
    def choices(self) -> int:
        return self.domain_size

    @property
    def q(self) -> float:
        return self.response.q

    @property
    def coincidence(self) -> float:
        return self.response.q1

    def enroll(self, value: int, n: int, rng: Generator) -> Users:
        first_round = GRR(epsilon=self.epsilon_infinity, domain_size=self.domain_size)
        return Users(self.check_value(value), n, first_round.privatize(value, n, rng))

    def collect(self, users: Users, reports: int, rng: Generator) -> Reports:
        out = np.empty(users.count * reports, np.int64)
        self.randomize(users.memo.view(np.uint64), reports, rng, out.view(np.uint64))
        return out

    def ratio_of_sums(self, totals: Floats, pair: InputPair, reports: int) -> Floats:
        """Return the log-likelihood ratio of all reports; every count matters, by the memos."""
        return _ratio(self.response, totals, totals, pair)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        response = self.response
        of_memo = multinomial_guess_rates(self.domain_size, response.p2, response.q2, reports)
        if of_memo is None:
            return None
        hit, alarm = of_memo.true_positive, of_memo.false_positive
        return Rates(
            response.p1 * hit + (1 - response.p1) * alarm,
            response.q1 * hit + (1 - response.q1) * alarm,
        )

    def loss_law_over(self, pair: InputPair, reports: int) -> LossLaw | None:
        if reports == 1:
            return self.loss_law(pair)
        every_count = self.response.enumerated(reports)
        return None if every_count is None else every_count.loss_law


def _ratio(response: MemoizedResponse, counts: Floats, totals: Floats, pair: InputPair) -> Floats:
    """Log-likelihood ratio of all counts, where `totals` has those of the two values."""
    log_sum = response.log_sum(counts)
    first, second = (
        response.log_likelihood(totals[:, value], log_sum) for value in (pair.first, pair.second)
    )
    return first - second


class LOLOHA(MemoizedChoice, LocalHashing):
    """Longitudinal local hashing [Arcolezi23]: one hash function for ever, then memoized GRR."""

    @property
    def choices(self) -> int:
        return self.hash_size

    @property
    def score_columns(self) -> int:
        require(
            self.hash_size <= MOST_HASHES,
            f"{self.name} hashes to {self.hash_size} values at epsilon_1={self.epsilon}, more than "
            f"the {MOST_HASHES} that can be followed over many reports; choose a smaller epsilon_1",
        )
        return self.domain_size + self.hash_size

    @property
    def absence(self) -> float:
        return (self.hash_size - 1) * self.response.q

    @property
    def coincidence(self) -> float:
        return 1 / self.hash_size  # the kept hash is that of the other value

    def enroll(self, value: int, n: int, rng: Generator) -> Users:
        value = self.check_value(value)
        memo = hash_and_randomize(value, n, self.response.p1, self.hash_size, rng)
        return Users(value, n, memo)

    def collect(self, users: Users, reports: int, rng: Generator) -> Reports:
        out = np.empty(users.count * reports, REPORT)
        out["hash_seed"] = np.repeat(users.memo["hash_seed"], reports)
        self.randomize(users.memo["value"], reports, rng, out["value"])
        return out

    def attack_success_over(self, reports: int, prior: Floats | None = None) -> float | None:
        """Return how often a value whose hash is reported most is the true one."""
        rates = self.guess_rates_over(FIRST_TWO_VALUES, reports) if prior is None else None
        return None if rates is None else rates.true_positive

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        """Return bits of a report; the hash function is sent once."""
        hash_bits, seed_bits = log2(self.hash_size), SEED_BITS / reports
        return seed_bits + math.ceil(hash_bits), seed_bits + hash_bits

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        """Count the reported hashes in the last columns; a value has the count of its hash."""
        _add_hashes(reports, self.domain_size, np.uint64(self.hash_size), totals)

    def add_to_tally(self, reports: Reports, tally: Floats) -> None:
        """Add the values that each report supports; users have hash functions of their own."""
        SetOracle.add_scores(self, reports, tally)

    def ratio_of_sums(self, totals: Floats, pair: InputPair, reports: int) -> Floats:
        """Return the log-likelihood ratio of all reports, given the hash function."""
        return _ratio(self.response, totals[:, self.domain_size :], totals, pair)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        if reports == 1:
            return super().guess_rates_over(pair, 1)
        every_count = self.response.enumerated(reports)
        if every_count is None:
            return None
        hit = every_count.hashed_hit(self.domain_size)
        return Rates(hit, (1 - hit) / (self.domain_size - 1))

    def loss_law_over(self, pair: InputPair, reports: int) -> LossLaw | None:
        if reports == 1:
            return self.loss_law(pair)
        every_count = self.response.enumerated(reports)
        if every_count is None:
            return None
        # Values with the same hash cannot be told apart.
        alike = 1 / self.hash_size
        return DiscreteLaw.of(
            np.append(every_count.losses, 0.0),
            np.append((1 - alike) * every_count.likely, alike),
            np.append((1 - alike) * every_count.unlikely, alike),
        )


@compiled
def _add_hashes(reports: Any, domain_size: int, hash_range: Any, totals: Any) -> None:
    users = totals.shape[0]
    each = reports.size // users
    for i in range(users):
        for t in range(i * each, (i + 1) * each):
            totals[i, domain_size + np.int64(reports[t].value)] += 1.0
        seed = reports[i * each].hash_seed
        for v in range(domain_size):
            hashed = hash_value(seed, np.uint64(v), hash_range)
            totals[i, v] = totals[i, domain_size + np.int64(hashed)]


class BiLOLOHA(LOLOHA):
    """LOLOHA with two hashes [Arcolezi23]: the strongest privacy."""

    name = "BiLOLOHA"
    summary = "longitudinal local hashing, two hashes"


@dataclass(frozen=True, kw_only=True)
class OLOLOHA(OptimalRange, LOLOHA):
    """LOLOHA with the number of hashes that minimizes the variance [Arcolezi23]."""

    name = "OLOLOHA"
    summary = "longitudinal local hashing, optimal number of hashes"

    @property
    def optimal_range(self) -> int:
        # [Arcolezi23] gives the optimum as a difference of numbers that grow like e^(4 epsilon).
        # In u = e^-epsilon_infinity and c = e^(epsilon_1 - epsilon_infinity), with the fraction
        # expanded by the sum, nothing overflows or cancels.
        u = exp(-self.epsilon_infinity)
        c = exp(self.epsilon - self.epsilon_infinity)
        square = u * u
        under_root = 1 - 14 * square + 12 * c * square - 12 * c * c + 12 * c + square * square
        root = math.sqrt(max(0.0, under_root))
        return 1 + max(1, round(2 * (exp(self.epsilon) - u) / (1 - square + root)))
