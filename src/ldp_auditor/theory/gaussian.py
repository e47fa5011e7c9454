"""Exact privacy of the Gaussian mechanism [Balle18]."""

from __future__ import annotations

import math
from functools import lru_cache


def gaussian_log_delta(epsilon: float, scale: float, sensitivity: float) -> float:
    """Log of the smallest delta at which normal noise is (epsilon, delta)-DP: [Balle18] Thm. 8."""
    from scipy.special import log_ndtr

    half = sensitivity / (2 * scale)
    shift = epsilon * scale / sensitivity
    log_first = float(log_ndtr(half - shift))
    log_share = epsilon + float(log_ndtr(-half - shift)) - log_first
    if log_share >= 0:  # delta is below what doubles resolve
        return -math.inf
    return log_first + math.log(-math.expm1(log_share))


@lru_cache(maxsize=256)
def analytic_gaussian_scale(epsilon: float, delta: float, sensitivity: float) -> float:
    """Smallest noise scale that gives (epsilon, delta)-DP: [Balle18] Algorithm 1.

    The published algorithm stops when delta fits to an absolute 1e-12; here log(delta) is matched
    to rounding error, so small deltas lose no digits.
    """
    from scipy.optimize import brentq

    def excess(log_scale: float) -> float:
        return max(gaussian_log_delta(epsilon, math.exp(log_scale), sensitivity), -1e6) - target

    target = math.log(delta)
    low = high = math.log(sensitivity)
    while excess(low) < 0:
        low -= 1
    while excess(high) > 0:
        high += 1
    return math.exp(brentq(excess, low, high, xtol=1e-15, rtol=1e-15, maxiter=500))
