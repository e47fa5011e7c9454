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
    hits = max(0.0, counts.true_positives - 0.5)
    alarms = min(trials, counts.false_positives + 1)
    tpr, miss = hits / trials, (trials - hits) / trials
    fpr, quiet = alarms / trials, (trials - alarms) / trials
    quantile = -NormalDist().inv_cdf(alpha)  # 1 - alpha has no digits of a small alpha
    if alpha >= 0.5 or tpr - delta <= fpr:
        return 0.0
    estimate = math.log((tpr - delta) / fpr)

    def excess(epsilon: float) -> float:
        """How far the evidence against `epsilon` goes beyond the quantile."""
        apart = divergence((tpr, miss), (fpr, quiet), epsilon, delta)
        return math.sqrt(2 * trials * apart) - quantile

    if excess(0.0) <= 0:
        return 0.0
    return find_root(excess, 0.0, estimate, absolute=1e-12, relative=1e-12)


def divergence(
    first: tuple[float, float], second: tuple[float, float], epsilon: float, delta: float
) -> float:
    """Smallest divergence of the observed rates from a pair with TPR = e^eps FPR + delta.

    Each rate comes with what is missing to 1: of 10^9 trials one less is told by nothing else. The
    line is reached by lowering the first rate by d and raising the second by u, and all is written
    in these, because near the line differences of rates have lost their digits.
    """
    (tpr, miss), (fpr, quiet) = first, second
    ratio = math.exp(epsilon)
    apart = tpr - delta - ratio * fpr
    if apart <= 0:
        return 0.0

    def up(down: float) -> float:
        return (apart - down) / ratio

    def slope(down: float) -> float:
        """Derivative of the divergence along the line, up to a positive factor."""
        p, q, u = tpr - down, fpr + up(down), up(down)
        return ratio * down * q * (quiet - u) - u * p * (miss + down)

    down = find_root(slope, 0.0, apart, absolute=0.0, relative=1e-13)
    return max(0.0, _moved(tpr, miss, -down) + _moved(fpr, quiet, up(down)))


def _moved(rate: float, rest: float, by: float) -> float:
    """Divergence of a rate from what it becomes when it is moved."""
    return sum(
        -part * math.log1p(move / part) for part, move in ((rate, by), (rest, -by)) if part > 0
    )
