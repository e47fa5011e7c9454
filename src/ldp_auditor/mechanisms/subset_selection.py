"""Subset selection: report a set of fixed size that contains the value more often than others."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import InputPair, Rates, Reports
from ldp_auditor.mechanisms.frequency_oracle import SupportOracle
from ldp_auditor.mechanisms.kernels.bits import last_word_mask, popcount, words_for
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import (
    Words,
    advance,
    fresh_stream,
    scale_down,
    threshold,
)
from ldp_auditor.portable_math import exp
from ldp_auditor.theory.guessing import multinomial_guess_rates
from ldp_auditor.theory.loss_law import OneLevelLaw


@dataclass(frozen=True, kw_only=True)
class SS(SupportOracle):
    """Subset selection [Wang16, Ye18]; a report is a set of `omega` values as bits."""

    name = "SS"
    summary = "subset selection"

    @property
    def omega(self) -> int:
        """Size of the reported set that minimizes the variance."""
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
    stream, truth = fresh_stream(rng), threshold(p)
    reports = np.empty((n, words_for(domain_size)), np.uint64)
    if reports.shape[1] == 1:
        _select_by_halving(stream, value, domain_size, omega, truth, reports)
    else:
        start = _start_density(domain_size, omega)
        _select_by_mending(stream, value, domain_size, omega, truth, *start, reports)
    return reports


def _start_density(domain_size: int, omega: int) -> tuple[int, np.uint64]:
    """Return (d, m): sets start with every value in them with probability m / 2**d.

    Any start gives the right law, because it treats the other values alike and so does the
    mending; one near omega / k leaves little to mend, few binary digits are cheap to draw.
    """
    digits = (domain_size.bit_length() + 1) // 2
    numerator = round(omega / domain_size * 2**digits)
    if numerator == 0:
        return 0, np.uint64(0)
    while numerator % 2 == 0:
        numerator //= 2
        digits -= 1
    return digits, np.uint64(numerator)


@compiled
def _select_by_halving(
    stream: Any, value: int, domain_size: int, omega: int, truth: Any, reports: Any
) -> None:
    """Draw sets that fit one word: take or drop random halves of the candidates until full."""
    flag = np.uint64(1) << np.uint64(value)
    others = last_word_mask(domain_size) & ~flag
    a, b, c, d = stream
    for i in range(reports.shape[0]):
        word, a, b, c, d = advance(a, b, c, d)
        included = np.uint64(word < truth)
        chosen = included << np.uint64(value)
        missing = omega - np.int64(included)
        candidates = others
        while missing > 0:
            word, a, b, c, d = advance(a, b, c, d)
            half = candidates & word
            size = np.int64(popcount(half))
            # Take the half if it fits, else go on within it; without a branch to mispredict.
            fits = np.uint64(0) - np.uint64(size <= missing)
            chosen |= half & fits
            candidates = (candidates & ~half & fits) | (half & ~fits)
            missing -= size & np.int64(fits)
        reports[i, 0] = chosen


@compiled
def _select_by_mending(
    stream: Any,
    value: int,
    domain_size: int,
    omega: int,
    truth: Any,
    digits: int,
    numerator: Any,
    reports: Any,
) -> None:
    """Draw sets of any size: start from independent bits, flip random ones until the size fits."""
    words = reports.shape[1]
    last = last_word_mask(domain_size)
    home = value >> 6
    flag = np.uint64(1) << np.uint64(value & 63)
    others = np.uint64(domain_size - 1)
    a, b, c, d = stream
    for i in range(reports.shape[0]):
        size = np.int64(0)
        for w in range(words):
            # Bits that are 1 with probability numerator / 2**digits, least digit first.
            bits = np.uint64(0)
            for digit in range(digits):
                word, a, b, c, d = advance(a, b, c, d)
                is_one = np.uint64(0) - ((numerator >> np.uint64(digit)) & np.uint64(1))
                bits = (bits & word) | ((bits | word) & is_one)
            if w == words - 1:
                bits &= last
            if w == home:
                bits &= ~flag
            size += np.int64(popcount(bits))
            reports[i, w] = bits
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
