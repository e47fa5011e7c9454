"""A Bayesian bound: Jeffreys' posterior of both rates, as in [Zanella23].

The rates have independent posteriors Beta(1/2 + hits, 1/2 + misses). The bound is the epsilon below
which the posterior puts probability alpha. It is credible, not a confidence bound.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from ldp_auditor.bounds.clopper_pearson import two_sided_bounds
from ldp_auditor.core import Counts, Floats
from ldp_auditor.theory.quadrature import integrate
from ldp_auditor.theory.roots import find_root

NEGLIGIBLE = 1e-15
"""Posterior mass of the false positive rate that the integral leaves out at either end."""

NEAR_LARGEST = 1e-6
"""How much smaller than the largest a bound is found nevertheless, as a choice may prefer it."""


def jeffreys_bound(counts: Counts, alpha: float, delta: float) -> float:
    """Epsilon below which the joint posterior has mass alpha, or 0."""
    return _bound(_posterior_mass(counts, delta), alpha)


def jeffreys_bounds(counts: Sequence[Counts], alpha: float, delta: float) -> Sequence[float]:
    """`jeffreys_bound` of the counts that have the largest one or nearly; 0 for all others.

    Whether a bound is smaller than another takes one integral, to find it takes some twenty. Counts
    with a large Clopper-Pearson bound come first, as theirs are likely to be among the largest.
    """
    likely = np.argsort(-np.array(two_sided_bounds(counts, alpha, delta)), kind="stable")
    found, largest = [0.0] * len(counts), 0.0
    for place in likely.tolist():
        mass_below = _posterior_mass(counts[place], delta)
        if mass_below(largest * (1 - NEAR_LARGEST)) < alpha:
            found[place] = _bound(mass_below, alpha)
            largest = max(largest, found[place])
    return found


def _bound(mass_below: Callable[[float], float], alpha: float) -> float:
    if mass_below(0.0) >= alpha:
        return 0.0
    largest = 1.0
    while mass_below(largest) < alpha:
        largest *= 2
    return find_root(lambda e: mass_below(e) - alpha, 0.0, largest, absolute=1e-10, relative=1e-10)


def _posterior_mass(counts: Counts, delta: float) -> Callable[[float], float]:
    """Return the posterior probability of TPR <= e^epsilon FPR + delta, a function of epsilon."""
    from scipy.special import betainc, betaincinv, betaln, xlog1py, xlogy

    a1, b1 = _posterior(counts.true_positives, counts.trials)
    a2, b2 = _posterior(counts.false_positives, counts.trials)
    low, high = (float(betaincinv(a2, b2, mass)) for mass in (NEGLIGIBLE, 1 - NEGLIGIBLE))
    log_norm = float(betaln(a2, b2))
    # Panels in the square root of the rate: the posterior of a rare event is steep at 0.
    edges = np.linspace(math.sqrt(low), math.sqrt(high), 41)

    def mass_below(epsilon: float) -> float:
        def integrand(root: Floats) -> Floats:
            rate = root * root
            density = np.exp(xlogy(a2 - 1, rate) + xlog1py(b2 - 1, -rate) - log_norm)
            below = betainc(a1, b1, np.minimum(1.0, math.exp(epsilon) * rate + delta))
            product: Floats = density * below * 2 * root
            return product

        return integrate(integrand, edges)

    return mass_below


def _posterior(successes: int, trials: int) -> tuple[float, float]:
    return successes + 0.5, trials - successes + 0.5
