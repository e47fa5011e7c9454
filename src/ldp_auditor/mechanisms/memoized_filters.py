"""RAPPOR with a Bloom filter [Erlingsson14]: permanent bits, randomized again in every report.

A user draws a cohort and randomizes the filter of the value in it once, for ever: the permanent
response. Every report has the cohort, and those bits randomized again: the instantaneous response.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Reports
from ldp_auditor.mechanisms.bloom_filters import SeveralHashes
from ldp_auditor.mechanisms.kernels.bits import fill_bernoulli, words_for
from ldp_auditor.mechanisms.kernels.bloom import add_bits
from ldp_auditor.mechanisms.kernels.xoshiro import Words, fresh_lanes, threshold
from ldp_auditor.mechanisms.local_mechanism import Users
from ldp_auditor.mechanisms.memoization import MemoizedOracle
from ldp_auditor.mechanisms.memoized_bits import Chain, RapporParameters, choose_bits, sue_chain
from ldp_auditor.theory.bloom_filters import BitRates, all_set, law_of_bits, supports_of
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.loss_law import LossLaw


@dataclass(frozen=True, kw_only=True)
class MemoizedFilters(MemoizedOracle, SeveralHashes):
    """A user keeps a cohort and a randomized filter; a report randomizes its bits again."""

    family = "memoized sketches"

    @property
    @abstractmethod
    def chain(self) -> Chain:
        """Probabilities of both rounds."""

    @property
    def bit_rates(self) -> BitRates:
        return self.chain.p, self.chain.absence, self.chain.q

    @property
    def report_bytes(self) -> int:
        return 2 * super().report_bytes

    def enroll(self, value: Any, n: int, rng: Generator) -> Users:
        chain, none = self.chain, np.zeros((n, words_for(self.width)), np.uint64)
        filters = self.filters(value, none, rng)
        memo = self._again(filters, 1, chain.p1, chain.q1, rng)
        return Users(self.check_value(value), n, memo)

    def collect(self, users: Users, reports: int, rng: Generator) -> Reports:
        return self._again(users.memo, reports, self.chain.p2, self.chain.q2, rng)

    def _again(self, filters: Words, reports: int, p: float, q: float, rng: Generator) -> Words:
        """Return each filter so often, its ones kept with probability p, its zeros set with q."""
        bits = np.ascontiguousarray(filters[:, 1:])
        if_one = np.empty((len(bits) * reports, bits.shape[1]), np.uint64)
        if_zero, lanes = np.empty_like(if_one), fresh_lanes(rng)
        fill_bernoulli(lanes, threshold(p), if_one.reshape(-1))
        fill_bernoulli(lanes, threshold(q), if_zero.reshape(-1))
        choose_bits(bits, reports, self.width, if_zero, if_one)
        return np.column_stack([np.repeat(filters[:, 0], reports), if_one])

    # The optimal attack: how often each bit that differs was reported as 1.

    @property
    def evidence_columns(self) -> int:
        """Two numbers for every bit that two values may not have in common."""
        return 4 * self.hashes

    def add_evidence(self, reports: Reports, pair: InputPair, totals: Floats) -> None:
        """Add how often each of these bits was 0 and was 1 to every user's row."""
        first, second = self.key(pair.first), self.key(pair.second)
        add_bits(reports, self.hashes, np.uint64(self.width), first, second, totals)

    def ratio_of_evidence(self, totals: Floats, pair: InputPair, reports: int) -> Floats:
        """Return the log-likelihood ratio of all reports."""
        zeros, ones = totals[:, ::2].astype(np.int64), totals[:, 1::2].astype(np.int64)
        ratios = np.where(zeros + ones > 0, self.chain.log_ratios(reports)[ones], 0.0)
        lead: Floats = np.zeros(len(totals))
        for function in range(self.hashes):  # in one order, so that the bits are the same
            lead += ratios[:, function] - ratios[:, self.hashes + function]
        return lead

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return ln P(report | first) - ln P(report | second) for every report."""
        seen = np.zeros((len(reports), self.evidence_columns))
        self.add_evidence(reports, pair, seen)
        return self.ratio_of_evidence(seen, pair, 1)

    def loss_law(self, pair: InputPair) -> LossLaw | None:
        """Return the exact law of the loss of a report."""
        return self.loss_law_over(pair, 1)

    def loss_law_over(self, pair: InputPair, reports: int) -> LossLaw | None:
        return _law_of_counts(self.chain, reports, tuple(map(tuple, self.alone(pair).tolist())))

    def worst_case_over(self, pair: InputPair, reports: int) -> float | None:
        if self.delta > 0:
            return super().worst_case_over(pair, reports)
        ratios = self.chain.log_ratios(reports)
        most, least = float(ratios.max()), float(ratios.min())
        pairs: list[list[int]] = np.argwhere(self.alone(pair)).tolist()
        return max(max(i * most - j * least, j * most - i * least) for i, j in pairs)

    # The server's side.

    def score_law_over(self, reports: int) -> ScoreLaw:
        """Return the law of the share of a user's reports in which all bits of a value are set.

        Given the permanent bits, the reports are independent: the variance is what those bits leave
        open, and the rest of the variance of a report divided by their number.
        """
        chain, size = self.chain, (self.width, self.hashes)
        held, missed, other = supports_of(*size, self.bit_rates)
        p, q = chain.p2 * chain.p2, chain.q2 * chain.q2
        square_held, square_other = all_set(
            *size, chain.p1 * p + chain.absence1 * q, chain.q1 * p + (1 - chain.q1) * q
        )
        share = 1 / reports
        return ScoreLaw(
            held,
            other,
            share * held * missed + (1 - share) * (square_held - held * held),
            share * other * (1 - other) + (1 - share) * (square_other - other * other),
        )

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        """Return bits of a report; the cohort is sent once."""
        return math.ceil(self.row_bits) / reports + self.width, None


@lru_cache(maxsize=8)
def _law_of_counts(
    chain: Chain, reports: int, alone: tuple[tuple[float, ...], ...]
) -> LossLaw | None:
    """Law of the loss of many reports, by the counts of the bits that differ."""
    true_count, other_count = chain.count_laws(reports)
    return law_of_bits(np.array(alone), chain.log_ratios(reports), true_count, other_count)


@dataclass(frozen=True, kw_only=True)
class BloomRAPPOR(RapporParameters, MemoizedFilters):
    """RAPPOR [Erlingsson14] by its own parameters, with cohorts and several hashes."""

    name = "Bloom-RAPPOR"
    summary = "RAPPOR, a Bloom filter (guarantees follow from f, p, q)"

    @property
    def chains(self) -> int:
        return self.hashes


@dataclass(frozen=True, kw_only=True)
class LBloomSUE(MemoizedFilters):
    """RAPPOR by its guarantees: both rounds flip bits, as L-SUE does."""

    name = "L-Bloom-SUE"
    summary = "memoized Bloom-SUE, then Bloom-SUE"

    @property
    def chain(self) -> Chain:
        return sue_chain(self.epsilon / self.hashes, self.epsilon_infinity / self.hashes)
