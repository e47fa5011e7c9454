"""A bound on the ratio of the rates itself: the likelihood-ratio test of TPR <= e^eps FPR + delta.

Two separate intervals are wasteful, because both rates are rarely at their worst at once. Here one
test with one tail is inverted: the bound is the largest epsilon that the data reject, by the signed
root of the likelihood ratio against the normal quantile [Barndorff86]. Half a true positive is
taken away and one false positive added first; to second order this makes each rate's own limit as
wide as its exact one or wider, and the measured coverage (docs/bounds.md) stays above 1 - alpha.
"""

import math
from statistics import NormalDist

from ldp_auditor.core import Counts
from ldp_auditor.theory.roots import find_root


def likelihood_ratio_bound(counts: Counts, alpha: float, delta: float) -> float:
    """Largest epsilon rejected at level alpha, or 0."""
    trials = counts.trials
    tpr = max(0.0, counts.true_positives - 0.5) / trials
    fpr = min(1.0, (counts.false_positives + 1) / trials)
    quantile = -NormalDist().inv_cdf(alpha)  # 1 - alpha has no digits of a small alpha
    if alpha >= 0.5 or tpr - delta <= fpr:
        return 0.0
    estimate = math.log((tpr - delta) / fpr)

    def excess(epsilon: float) -> float:
        """How far the evidence against `epsilon` goes beyond the quantile."""
        return math.sqrt(2 * trials * divergence(tpr, fpr, epsilon, delta)) - quantile

    if excess(0.0) <= 0:
        return 0.0
    return find_root(excess, 0.0, estimate, absolute=1e-12, relative=1e-12)


def divergence(tpr: float, fpr: float, epsilon: float, delta: float) -> float:
    """Smallest divergence of the observed rates from a pair with TPR = e^eps FPR + delta."""
    from scipy.special import rel_entr

    ratio = math.exp(epsilon)

    def slope(q: float) -> float:
        """Derivative of the log-likelihood along the line, at false positive rate q."""
        p = ratio * q + delta
        return ratio * (tpr / p - (1 - tpr) / (1 - p)) + fpr / q - (1 - fpr) / (1 - q)

    # The best point of the line lies between the false positive rates that fit one rate each.
    low, high = fpr, min((tpr - delta) / ratio, 1.0)
    if not slope(low) > 0 > slope(high):  # the observed rates lie on the line, up to rounding
        return 0.0
    q = find_root(slope, low, high, absolute=0.0, relative=1e-13)
    p = ratio * q + delta
    entropies = rel_entr([tpr, 1 - tpr, fpr, 1 - fpr], [p, 1 - p, q, 1 - q])
    return max(0.0, float(entropies.sum()))
