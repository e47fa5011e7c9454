"""Exact privacy of the Gaussian mechanism [Balle18]."""

import math
from functools import lru_cache

import numpy as np

from ldp_auditor.core import Floats
from ldp_auditor.portable_math import expm1, log, log_normal_tail

_complement = np.frompyfunc(math.erfc, 1, 1)


def log_normal_below(x: Floats) -> Floats:
    """Return ln P(Z < x) of a normal variable Z for an array; -inf where P is below 1e-308.

    NumPy has no error function, and SciPy's takes longer to import than all of this to compute.
    """
    beyond: Floats = np.asarray(_complement(np.abs(x) / math.sqrt(2)), np.float64) / 2
    with np.errstate(divide="ignore"):
        return np.where(x < 0, np.log(beyond), np.log1p(-beyond))


def gaussian_log_delta(epsilon: float, scale: float, sensitivity: float) -> float:
    """Log of the smallest delta at which normal noise is (epsilon, delta)-DP: [Balle18] Thm. 8."""
    half = sensitivity / (2 * scale)
    shift = epsilon * scale / sensitivity
    log_first = log_normal_tail(shift - half)
    log_share = epsilon + log_normal_tail(shift + half) - log_first
    if log_share >= 0:  # delta is below what doubles resolve
        return -math.inf
    return log_first + log(-expm1(log_share))


@lru_cache(maxsize=256)
def analytic_gaussian_scale(epsilon: float, delta: float, sensitivity: float) -> float:
    """Smallest noise scale that gives (epsilon, delta)-DP: [Balle18] Algorithm 1.

    The published algorithm stops when delta fits to an absolute 1e-12; here log(delta) is matched
    to rounding error, so small deltas lose no digits. Bisection has the same bits on every machine.
    """

    def is_enough(scale: float) -> bool:
        return gaussian_log_delta(epsilon, scale, sensitivity) <= target

    target = log(delta)
    low = high = sensitivity
    while is_enough(low):
        low /= 2
    while not is_enough(high):
        high *= 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
