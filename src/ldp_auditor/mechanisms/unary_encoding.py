"""Unary encoding: report the one-hot vector of the value with every bit randomized on its own."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Reports
from ldp_auditor.mechanisms.independent_support import FreshSupport
from ldp_auditor.mechanisms.kernels.bits import fill_bernoulli, last_word_mask, words_for
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import Words, draw_values, fresh_lanes, threshold
from ldp_auditor.portable_math import exp, expm1, log1p
from ldp_auditor.theory.attack_success import entropy_of_bits


class UnaryEncoding(FreshSupport):
    """A bit per value: 1 with probability p for the true value, q for the others."""

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        value = self.check_value(value)
        return randomize_one_hot(value, self.domain_size, self.p, self.q, n, rng)

    def support(self, reports: Reports) -> Words:
        return reports

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        least = entropy_of_bits(self.domain_size, self.p, self.absence, self.q)
        return self.domain_size, least


def randomize_one_hot(
    value: int, domain_size: int, p: float, q: float, n: int, rng: Generator
) -> Words:
    """Return `n` sets that contain the value with probability p and each other one with q."""
    lanes = fresh_lanes(rng)
    reports = np.empty((n, words_for(domain_size)), np.uint64)
    true_bits = np.empty(words_for(n), np.uint64)
    fill_bernoulli(lanes, threshold(p), true_bits)
    reports_per_word = 64 // domain_size
    if reports_per_word > 1:
        other_bits = np.empty(64 * words_for(-(-n // reports_per_word)), np.uint64)
        fill_bernoulli(lanes, threshold(q), other_bits)
        _deal(other_bits, domain_size, value, true_bits, reports.reshape(-1))
    else:
        fill_bernoulli(lanes, threshold(q), reports.reshape(-1))
        _place(reports, domain_size, value, true_bits)
    return reports


def randomize_random_one_hot(domain_size: int, p: float, q: float, n: int, rng: Generator) -> Words:
    """Return `n` sets that contain a random value with probability p and each other one with q."""
    reports = randomize_one_hot(0, domain_size, q, q, n, rng)
    true_bits = np.empty(words_for(n), np.uint64)
    fill_bernoulli(fresh_lanes(rng), threshold(p), true_bits)
    _place_each(reports, draw_values(rng, domain_size, n), true_bits)
    return reports


@compiled
def _place_each(reports: Any, values: Any, true_bits: Any) -> None:
    """Replace the bit of a different value in every report."""
    for i in range(reports.shape[0]):
        bit = (true_bits[i >> 6] >> np.uint64(i & 63)) & np.uint64(1)
        position = np.uint64(values[i] & 63)
        word = values[i] >> 6
        reports[i, word] = (reports[i, word] & ~(np.uint64(1) << position)) | (bit << position)


@compiled
def _deal(words: Any, domain_size: int, value: int, true_bits: Any, reports: Any) -> None:
    """Share out the bits of every word to several reports, with the true value's in their place.

    There are a multiple of 64 words, so that 64 reports have theirs of one part of as many words.
    """
    n, size = np.uint64(reports.size), np.uint64(words.size)
    position = np.uint64(value)
    others = last_word_mask(domain_size) & ~(np.uint64(1) << position)
    for start in range(np.uint64(0), n, np.uint64(64)):
        bits = true_bits[start >> np.uint64(6)]
        part = start // size
        shift = part * np.uint64(domain_size)
        first = start - part * size
        for i in range(min(np.uint64(64), n - start)):
            bit = (bits >> i) & np.uint64(1)
            reports[start + i] = ((words[first + i] >> shift) & others) | (bit << position)


@compiled
def _place(reports: Any, domain_size: int, value: int, true_bits: Any) -> None:
    """Put the true value's bits into the reports and clear what lies beyond the domain."""
    n = np.uint64(reports.shape[0])
    last = np.uint64(reports.shape[1] - 1)
    home = np.uint64(value >> 6)
    position = np.uint64(value & 63)
    others = ~(np.uint64(1) << position)
    mask = last_word_mask(domain_size)
    for start in range(np.uint64(0), n, np.uint64(64)):
        bits = true_bits[start >> np.uint64(6)]
        for i in range(min(np.uint64(64), n - start)):
            bit = (bits >> i) & np.uint64(1)
            reports[start + i, last] &= mask
            kept = reports[start + i, home] & others
            reports[start + i, home] = kept | (bit << position)


def flip_probability(epsilon: float) -> float:
    """Return 1 / (e^epsilon + 1): how often a bit is flipped whose loss is epsilon."""
    shrink = exp(-epsilon)
    return shrink / (1 + shrink)


class SUE(UnaryEncoding):
    """Symmetric unary encoding, RAPPOR's one-time report [Erlingsson14]; a report is k bits."""

    name = "SUE"
    summary = "symmetric unary encoding"

    @property
    def p(self) -> float:
        return 1 - self.q

    @property
    def absence(self) -> float:
        return self.q

    @property
    def q(self) -> float:
        return flip_probability(self.epsilon / 2)


class OUE(UnaryEncoding):
    """Optimal unary encoding [Wang17]; a report is k bits."""

    name = "OUE"
    summary = "optimal unary encoding"

    @property
    def p(self) -> float:
        return 0.5

    @property
    def q(self) -> float:
        return flip_probability(self.epsilon)


@dataclass(frozen=True, kw_only=True)
class ASUE(SUE):
    """Approximate SUE [Wang21]; a report is k bits."""

    name = "ASUE"
    summary = "approximate symmetric unary encoding"
    approximate = True

    delta: float = 1e-5

    @property
    def q(self) -> float:
        # [Arcolezi24] Eq. 10 with both fractions multiplied out: q = (1 - delta) / (s + 1) for
        # s**2 = e**epsilon (1 - delta) + delta, here divided by e**(epsilon / 2).
        shrink = exp(-self.epsilon / 2)
        root = math.sqrt(1 - self.delta + self.delta * shrink * shrink)
        return (1 - self.delta) * shrink / (root + shrink)


class THE(UnaryEncoding):
    """Thresholding with histogram encoding [Wang17]; the user sends which entries exceed theta.

    An entry of the noisy histogram exceeds theta independently of the others, so the report is
    drawn as unary encoding whose p and q are tails of the Laplace law.
    """

    name = "THE"
    summary = "thresholding with histogram encoding"

    @property
    def theta(self) -> float:
        """The threshold in (0.5, 1) that minimizes the estimator's variance.

        The variance of [Wang17] is (2a - 1) / (1 + c a^2 - 2a)^2 in a = e^(epsilon theta/2)
        and c = e^(-epsilon/2); its derivative vanishes where 3c a^2 - 2(1 + c) a + 1 = 0. The
        larger root is written for a - 1, in u = 1 - c and z = c^2 - c, to lose no digits.
        """
        c = exp(-self.epsilon / 2)
        u = -expm1(-self.epsilon / 2)
        z = -u * c
        excess = (2 * u + z / (math.sqrt(1 + z) + 1)) / (3 * c)
        return 2 * log1p(excess) / self.epsilon

    @property
    def p(self) -> float:
        return 1 - self.absence

    @property
    def absence(self) -> float:
        return 0.5 * exp(self.epsilon * (self.theta - 1) / 2)

    @property
    def q(self) -> float:
        return 0.5 * exp(-self.epsilon * self.theta / 2)
