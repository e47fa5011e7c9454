"""Exact rates of the paper's attack: guess the value with the best score, ties at random.

All protocols treat values alike, so a wrong guess falls on each of the k - 1 other values with
the same probability and FPR = (1 - TPR) / (k - 1). The probability 1 - TPR is computed on its
own, never as a difference, so that it keeps its digits when the attack nearly always succeeds.
"""

from __future__ import annotations

import math

import numpy as np

from ldp_auditor.core import Floats, Rates
from ldp_auditor.theory.quadrature import integrate


def _symmetric(domain_size: int, hit: float, miss: float) -> Rates:
    return Rates(hit, miss / (domain_size - 1))


def mean_share(others: int, q: float) -> tuple[float, float]:
    """Return E[1 / (1 + B)] and E[B / (1 + B)] for B ~ Binomial(others, q).

    The first is the chance of drawing one given member from a set that holds B others as well.
    """
    expected = (others + 1) * q
    share = -math.expm1((others + 1) * math.log1p(-q)) / expected
    if expected >= 1:
        return share, 1 - share
    # E[B / (1 + B)] is the integral of 1 - (1 - q s)^others over s in (0, 1), free of cancellation
    # and almost linear in s where few others are expected.
    lost = integrate(lambda s: -np.expm1(others * np.log1p(-q * s)), np.array([0.0, 1.0]))
    return share, lost


def membership_guess_rates(domain_size: int, p: float, absence: float, q: float) -> Rates:
    """Rates for reports that support the true value with probability p, others each with q.

    `absence` is 1 - p, given apart because p may be 1 up to rounding.
    """
    others = domain_size - 1
    share, lost = mean_share(others, q)
    lucky = math.exp(others * math.log1p(-q)) / domain_size  # nothing supported, guess anything
    return _symmetric(
        domain_size,
        hit=p * share + absence * lucky,
        miss=p * lost + absence * (1 - lucky),
    )


def laplace_guess_rates(domain_size: int, scale: float) -> Rates:
    """Rates for one-hot histograms with Laplace noise and scores clipped to [0, 1].

    The true entry is clipped to 1 (and ties with other ones), lies between 0 and 1, or is clipped
    to 0 (and wins only by lot, if every other entry is 0 as well).
    """
    others = domain_size - 1

    def density(x: Floats) -> Floats:
        return np.exp((x - 1) / scale) / (2 * scale)

    def log_all_below(x: Floats) -> Floats:
        return others * np.log1p(-0.5 * np.exp(-x / scale))

    edges = np.linspace(0.0, 1.0, 65)
    share, lost = mean_share(others, 0.5 * math.exp(-1 / scale))
    at_zero = 0.5 * math.exp(-1 / scale)
    lucky = 0.5**others / domain_size
    return _symmetric(
        domain_size,
        hit=0.5 * share
        + integrate(lambda x: density(x) * np.exp(log_all_below(x)), edges)
        + at_zero * lucky,
        miss=0.5 * lost
        + integrate(lambda x: density(x) * -np.expm1(log_all_below(x)), edges)
        + at_zero * (1 - lucky),
    )


def gaussian_guess_rates(domain_size: int, scale: float) -> Rates:
    """Rates for one-hot histograms with normal noise: the true entry is the largest, or not."""
    from scipy.special import log_ndtr

    others = domain_size - 1

    def density(z: Floats) -> Floats:
        return np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)

    def log_all_below(z: Floats) -> Floats:
        below: Floats = others * log_ndtr(z + 1 / scale)
        return below

    edges = np.linspace(-40.0, 12.0, 105)
    return _symmetric(
        domain_size,
        hit=integrate(lambda z: density(z) * np.exp(log_all_below(z)), edges),
        miss=integrate(lambda z: density(z) * -np.expm1(log_all_below(z)), edges),
    )
