"""A Bayesian bound: Jeffreys' posterior of both rates, as in [Zanella23].

The rates have independent posteriors Beta(1/2 + hits, 1/2 + misses). The bound is the epsilon below
which the posterior puts probability alpha. It is credible, not a confidence bound.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from ldp_auditor.bounds.clopper_pearson import lower_limit, two_sided_bounds, upper_limit
from ldp_auditor.core import Counts, Floats
from ldp_auditor.theory.quadrature import integrate
from ldp_auditor.theory.roots import find_root

NEGLIGIBLE = 1e-15
"""Posterior mass that the integral leaves out at the end that does not matter, and at the one that
does as a share of alpha."""

PANELS = 40
"""Panels of either posterior."""

HALVINGS = 30
"""How often the last panel before a certain true positive is halved: the posterior may end in a
square root there."""

BELOW_ONE = 1 - 2.0**-53

LARGEST_ALPHA = 1 - 1e-9
"""For a larger alpha, which the integral may miss, the bound is the one of this."""

NEAR_LARGEST = 1e-6
"""How much smaller than the largest a bound is found nevertheless, as a choice may prefer it."""


def jeffreys_bound(counts: Counts, alpha: float, delta: float) -> float:
    """Epsilon below which the joint posterior has mass alpha, or 0."""
    alpha = min(alpha, LARGEST_ALPHA)
    return _bound(_posterior_mass(counts, alpha, delta), alpha)


def jeffreys_bounds(counts: Sequence[Counts], alpha: float, delta: float) -> Sequence[float]:
    """`jeffreys_bound` of the counts that have the largest one or nearly; 0 for all others.

    Whether a bound is smaller than another takes one integral, to find it takes some twenty. Counts
    with a large Clopper-Pearson bound come first, as theirs are likely to be among the largest.
    """
    alpha = min(alpha, LARGEST_ALPHA)
    likely = np.argsort(-np.array(two_sided_bounds(counts, alpha, delta)), kind="stable")
    found, largest = [0.0] * len(counts), 0.0
    for place in likely.tolist():
        mass_below = _posterior_mass(counts[place], alpha, delta)
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


def _posterior_mass(counts: Counts, alpha: float, delta: float) -> Callable[[float], float]:
    """Return the posterior probability of TPR <= e^epsilon FPR + delta, a function of epsilon."""
    from scipy.special import betainc

    a1, b1 = _posterior(counts.true_positives, counts.trials)
    a2, b2 = _posterior(counts.false_positives, counts.trials)
    mean = a2 / (a2 + b2)
    edges = _roots(counts.false_positives, counts.trials, NEGLIGIBLE * alpha)
    misses = _roots(counts.trials - counts.true_positives, counts.trials, NEGLIGIBLE * alpha)
    closer = misses[1] * 0.5 ** np.arange(HALVINGS)
    hits = 1 - np.concatenate([[0.0], closer, misses[2:]]) ** 2

    def density(root: Floats) -> Floats:
        """Posterior of the root of the rate, up to a factor.

        Differences from the mean keep the digits that 10^15 trials would take from a power.
        """
        rate = np.minimum(root * root, BELOW_ONE)
        off = rate - mean
        rare = off < -mean / 2
        share = np.where(rare, np.log(rate / mean), np.log1p(np.where(rare, 0.0, off / mean)))
        return np.asarray(np.exp((a2 - 1) * share + (b2 - 1) * np.log1p(-off / (1 - mean))) * root)

    whole = integrate(density, edges)

    def mass_below(epsilon: float) -> float:
        def integrand(root: Floats) -> Floats:
            below = betainc(a1, b1, np.minimum(1.0, math.exp(epsilon) * (root * root) + delta))
            product: Floats = density(root) * below
            return product

        # The first rate may be known far better than the second, or end within it.
        steps = np.sqrt(np.maximum(hits - delta, 0.0) * math.exp(-epsilon))
        within = steps[(steps > edges[0]) & (steps < edges[-1])]
        return integrate(integrand, np.unique(np.concatenate([edges, within]))) / whole

    return mass_below


def _posterior(successes: int, trials: int) -> tuple[float, float]:
    return successes + 0.5, trials - successes + 0.5


def _roots(successes: int, trials: int, left_out: float) -> Floats:
    """Edges of panels in the square root of a rate: the posterior of a rare event is steep at 0.

    The limits of a rate leave out no more of the posterior than their tails.
    """
    low, high = lower_limit(successes, trials, NEGLIGIBLE), upper_limit(successes, trials, left_out)
    return np.linspace(math.sqrt(low), math.sqrt(high), PANELS + 1)
