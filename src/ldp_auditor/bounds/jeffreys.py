"""A Bayesian bound: Jeffreys' posterior of both rates, as in [Zanella23].

The rates have independent posteriors Beta(1/2 + hits, 1/2 + misses). The bound is the epsilon below
which the posterior puts probability alpha. It is credible, not a confidence bound.
"""

import math

import numpy as np

from ldp_auditor.core import Counts, Floats
from ldp_auditor.theory.quadrature import integrate
from ldp_auditor.theory.roots import find_root

NEGLIGIBLE = 1e-15
"""Posterior mass of the false positive rate that the integral leaves out at either end."""

NEGLIGIBLE_SHARE = 1e-6
"""The same as a share of alpha, where that is less."""

LARGEST_ALPHA = 1 - 1e-9
"""For a larger alpha, which the integral may miss, the bound is the one of this."""

NARROWING = 1 - 0.25 ** np.arange(13)
"""Shares of the way to a root at which the integrand has a singularity: ever smaller panels."""


def jeffreys_bound(counts: Counts, alpha: float, delta: float) -> float:
    """Epsilon below which the joint posterior has mass alpha, or 0."""
    from scipy.special import betainc, betainccinv, betaincinv, betaln, xlog1py, xlogy

    a1, b1 = _posterior(counts.true_positives, counts.trials)
    a2, b2 = _posterior(counts.false_positives, counts.trials)
    alpha = min(alpha, LARGEST_ALPHA)
    left_out = min(NEGLIGIBLE, NEGLIGIBLE_SHARE * alpha)
    low, high = float(betaincinv(a2, b2, left_out)), float(betainccinv(a2, b2, left_out))
    log_norm = float(betaln(a2, b2))
    # Panels in the square root of the rate: the posterior of a rare event is steep at 0.
    ends = math.sqrt(low), math.sqrt(high)
    edges = np.linspace(*ends, 41)

    def mass_below(epsilon: float) -> float:
        """Posterior probability of TPR <= e^epsilon FPR + delta."""

        def integrand(root: Floats) -> Floats:
            rate = root * root
            density = np.exp(xlogy(a2 - 1, rate) + xlog1py(b2 - 1, -rate) - log_norm)
            below = betainc(a1, b1, np.minimum(1.0, math.exp(epsilon) * rate + delta))
            product: Floats = density * below * 2 * root
            return product

        # From this root on TPR is below for sure; with all hits it comes there like a square root.
        sure = math.sqrt((1 - delta) * math.exp(-epsilon))
        return integrate(integrand, np.union1d(edges, np.clip([*NARROWING * sure, sure], *ends)))

    if mass_below(0.0) >= alpha:
        return 0.0
    largest = 1.0
    while mass_below(largest) < alpha:
        largest *= 2
    return find_root(lambda e: mass_below(e) - alpha, 0.0, largest, absolute=1e-10, relative=1e-10)


def _posterior(successes: int, trials: int) -> tuple[float, float]:
    return successes + 0.5, trials - successes + 0.5
