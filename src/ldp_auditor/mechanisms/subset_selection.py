"""Subset selection: report a set of fixed size that contains the value more often than others."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import whole_number
from ldp_auditor.mechanisms.frequency_oracle import SupportOracle
from ldp_auditor.mechanisms.kernels.bits import (
    fill_bernoulli,
    last_word_mask,
    popcount,
    words_for,
)
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import (
    LANES,
    Words,
    advance,
    copy_lanes,
    fresh_lanes,
    fresh_stream,
    next_word,
    scale_down,
    threshold,
)
from ldp_auditor.mechanisms.local_mechanism import CHOSEN
from ldp_auditor.portable_math import exp, log
from ldp_auditor.theory.attack_success import subset_success, uniform
from ldp_auditor.theory.guessing import multinomial_guess_rates
from ldp_auditor.theory.loss_law import OneLevelLaw

ROUNDS = 8
"""Halvings of all lanes together, after which few sets are not full."""


@dataclass(frozen=True, kw_only=True)
class SS(SupportOracle):
    """Subset selection [Wang16, Ye18]; a report is a set of `omega` values as bits."""

    name = "SS"
    summary = "subset selection"

    subset_size: int = CHOSEN

    def __post_init__(self) -> None:
        super().__post_init__()
        size = whole_number("subset_size", self.subset_size, CHOSEN, self.domain_size - 1)
        self._set("subset_size", size)

    @property
    def omega(self) -> int:
        """Size of the reported set: the one given, or the one that minimizes the variance."""
        if self.subset_size != CHOSEN:
            return self.subset_size
        shrink = exp(-self.epsilon)
        return max(1, round(self.domain_size * shrink / (1 + shrink)))

    @property
    def p(self) -> float:
        shrink = exp(-self.epsilon)
        return self.omega / (self.omega + (self.domain_size - self.omega) * shrink)

    @property
    def absence(self) -> float:
        outside = (self.domain_size - self.omega) * exp(-self.epsilon)
        return outside / (self.omega + outside)

    @property
    def q(self) -> float:
        # Of the other values, omega - 1 or omega are in the set.
        return (self.omega - 1 + self.absence) / (self.domain_size - 1)

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        value = self.check_value(value)
        return select_subsets(value, self.domain_size, self.omega, self.p, n, rng)

    def support(self, reports: Reports) -> Words:
        return reports

    def attack_success(self, prior: Floats | None = None) -> float | None:
        prior = uniform(self.domain_size) if prior is None else prior
        return subset_success(prior, self.omega, self.p, self.absence)

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        """Return bits of a set: as its members, or a bit for every value if that is less."""
        k, omega = self.domain_size, self.omega
        ways = math.lgamma(k + 1) - math.lgamma(omega + 1) - math.lgamma(k - omega + 1)
        return min(k, omega * (k - 1).bit_length()), ways / log(2.0)

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        # The first value is in the set and the second is not, when the first is true, or false.
        k, omega = self.domain_size, self.omega
        return OneLevelLaw(
            likely=self.p * (k - omega) / (k - 1), unlikely=self.absence * omega / (k - 1)
        )

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        if self.omega == 1:  # randomized response, up to the form of the report
            return multinomial_guess_rates(self.domain_size, self.p, self.q, reports)
        if reports == 1:
            return Rates(self.p / self.omega, self.q / self.omega)
        return None  # sets of a fixed size make the counts of different values depend on each other


def select_subsets(
    value: int, domain_size: int, omega: int, p: float, n: int, rng: Generator
) -> Words:
    """Return `n` sets of `omega` values: the given one with probability p, any others alike."""
    lanes, truth = fresh_lanes(rng), threshold(p)
    reports = np.empty((n, words_for(domain_size)), np.uint64)
    if reports.shape[1] == 1:
        _select_by_halving(lanes, value, domain_size, omega, truth, reports.reshape(-1))
    else:
        fill_bernoulli(lanes, _start_density(domain_size, omega), reports.reshape(-1))
        _mend(fresh_stream(rng), value, domain_size, omega, truth, reports)
    return reports


def _start_density(domain_size: int, omega: int) -> np.uint64:
    """Return the threshold of the bits that sets start with.

    Any start gives the right law, because it treats the other values alike and so does the
    mending; one near omega / k leaves little to mend, few binary digits are cheap to draw.
    """
    steps = 2 ** ((domain_size.bit_length() + 1) // 2)
    return threshold(round(omega / domain_size * steps) / steps)


@compiled
def _select_by_halving(
    lanes: Any, value: int, domain_size: int, omega: int, truth: Any, reports: Any
) -> None:
    """Draw sets that fit one word: take or drop random halves of the candidates until full."""
    others = last_word_mask(domain_size) & ~(np.uint64(1) << np.uint64(value))
    state = np.empty((4, LANES), np.uint64)
    copy_lanes(lanes, state)
    chosen = np.empty(LANES, np.uint64)
    candidates = np.empty(LANES, np.uint64)
    missing = np.empty(LANES, np.int64)
    for start in range(0, reports.size, LANES):
        for lane in range(LANES):
            a, b, c, d = state[0, lane], state[1, lane], state[2, lane], state[3, lane]
            word, a, b, c, d = advance(a, b, c, d)
            included = np.uint64(word < truth)
            full = included << np.uint64(value)
            still = omega - np.int64(included)
            left = others
            for _ in range(ROUNDS):
                word, a, b, c, d = advance(a, b, c, d)
                taken, left = _halve(left, word, still)
                full |= taken
                still -= np.int64(popcount(taken))
            state[0, lane] = a
            state[1, lane] = b
            state[2, lane] = c
            state[3, lane] = d
            chosen[lane] = full
            candidates[lane] = left
            missing[lane] = still
        block = reports[start : start + LANES]
        for lane in range(block.size):
            full, left, still = chosen[lane], candidates[lane], missing[lane]
            while still > 0:
                taken, left = _halve(left, next_word(state[:, lane]), still)
                full |= taken
                still -= np.int64(popcount(taken))
            block[lane] = full


@compiled
def _halve(candidates: Any, word: Any, missing: Any) -> Any:
    """Take a random half of the candidates if no more are missing, else go on within it.

    Returns what is taken and the candidates that are left, without a branch to mispredict.
    """
    half = candidates & word
    fits = np.uint64(0) - np.uint64(np.int64(popcount(half)) <= missing)
    return half & fits, (candidates & ~half & fits) | (half & ~fits)


@compiled
def _mend(stream: Any, value: int, domain_size: int, omega: int, truth: Any, reports: Any) -> None:
    """Make sets of the right size of independent bits: flip random ones until it fits."""
    words = reports.shape[1]
    last = last_word_mask(domain_size)
    home = value >> 6
    flag = np.uint64(1) << np.uint64(value & 63)
    others = np.uint64(domain_size - 1)
    a, b, c, d = stream
    for i in range(reports.shape[0]):
        reports[i, words - 1] &= last
        reports[i, home] &= ~flag
        size = np.int64(0)
        for w in range(words):
            size += np.int64(popcount(reports[i, w]))
        word, a, b, c, d = advance(a, b, c, d)
        included = np.uint64(word < truth)
        surplus = size + np.int64(included) - omega
        becomes = np.uint64(surplus < 0)
        to_mend = abs(surplus)
        while to_mend > 0:
            word, a, b, c, d = advance(a, b, c, d)
            other = scale_down(word, others)
            other += np.uint64(other >= np.uint64(value))
            position = other & np.uint64(63)
            flip = ((reports[i, other >> np.uint64(6)] >> position) & np.uint64(1)) ^ becomes
            reports[i, other >> np.uint64(6)] ^= flip << position
            to_mend -= np.int64(flip)
        reports[i, home] |= included << np.uint64(value & 63)
