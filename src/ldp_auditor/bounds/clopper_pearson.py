"""Clopper-Pearson intervals for both rates, joined by the union bound [Clopper34].

A limit solves P(X >= s) = tail for the rate of a binomial X. Our own solution costs a millisecond
for one limit or for hundreds, at any number of trials; that of SciPy 1.17 is wrong where a
parameter is exactly 1000 and the other is large, and its import takes longer than a small audit.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from ldp_auditor.core import Counts, Floats, Rates

NEGLIGIBLE = 40.0
"""An integrand that has fallen by this power of e is left out."""

MOST_STEPS = 100
"""Steps of Newton's method at most; seven are usual."""

NODES, WEIGHTS = np.polynomial.legendre.leggauss(48)
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2


def lower_limit(successes: int, trials: int, tail: float) -> float:
    """Largest rate that `successes` or more out of `trials` reject at level `tail`."""
    return float(lower_limits(np.array([successes]), trials, tail)[0])


def upper_limit(successes: int, trials: int, tail: float) -> float:
    """Smallest rate that `successes` or fewer out of `trials` reject at level `tail`."""
    return float(upper_limits(np.array([successes]), trials, tail)[0])


def lower_limits(successes: Floats, trials: int, tail: float) -> Floats:
    """`lower_limit` of each number of successes."""
    odds = np.exp(log_odds(successes, trials, tail))
    return np.asarray(odds / (1 + odds))


def upper_limits(successes: Floats, trials: int, tail: float) -> Floats:
    """`upper_limit` of each number of successes: the others have the mirrored lower limit."""
    return np.asarray(1 / (1 + np.exp(log_odds(trials - successes, trials, tail))))


def log_odds(successes: Floats, trials: int, tail: float) -> Floats:
    """Log-odds of the rates at which P(X >= s) is `tail`, for each s of `successes`.

    P(X >= s) is s P(X = s) times an integral, the incomplete beta function, whose integrand is
    smooth. Its logarithm is concave in the log-odds, so that Newton's method cannot miss the root.
    The tail must be below 1/2; then the root lies below s / trials, where P(X >= s) is not.
    """
    found = np.full(len(successes), -np.inf)
    if trials and np.any(every := successes == trials):
        log_rate = math.log(tail) / trials  # P(X >= trials) is a power of the rate
        found[every] = log_rate - math.log(-math.expm1(log_rate))
    between = (successes > 0) & (successes < trials)
    s = successes[between].astype(np.float64)
    start = np.log(s / (trials - s))
    height = np.log(s) + _log_largest(s, trials) - math.log(tail)
    way = NormalDist().inv_cdf(tail) * np.sqrt(trials / (s * (trials - s)))
    for _ in range(MOST_STEPS):
        odds = np.exp(start + way)
        integral = _integral(s, trials - s, odds)
        log_excess = height + _log_fall(s, trials, way) + np.log(integral)
        step = log_excess * integral * (1 + odds)
        way = way - step
        if np.all(abs(step) <= 1e-14 * (1 + abs(start))):
            break
    found[between] = start + way
    return found


def _log_fall(s: Floats, trials: int, way: Floats) -> Floats:
    """Log of P(X = s) at log-odds that are `way` from those of s / trials, less its value there.

    Written in the rarer outcome and in `way`, because everything else loses its digits.
    """
    rare, way = np.minimum(s, trials - s), np.where(2 * s <= trials, way, -way)
    return np.asarray(rare * way - trials * np.log1p(rare / trials * np.expm1(way)))


def _integral(s: Floats, others: Floats, odds: Floats) -> Floats:
    """Integral of e^(-s u) (1 + odds (1 - e^-u))^others over all u >= 0."""

    def log_integrand(u: Floats) -> Floats:
        return np.asarray(others * np.log1p(odds * -np.expm1(-u)) - s * u)

    # It is concave and falls: sooner than its first slope says, later than its first curvature.
    slope, curvature = s - others * odds, others * odds * (1 + odds)
    ends = NEGLIGIBLE / np.maximum(slope, np.sqrt(NEGLIGIBLE / 2 * curvature))
    while np.any(early := log_integrand(ends) > -NEGLIGIBLE * (1 - 1e-9)):
        ends = np.where(early, 1.5 * ends, ends)
    u = np.multiply.outer(NODES, ends)
    return np.asarray(WEIGHTS @ np.exp(log_integrand(u)) * ends)


def _log_largest(s: Floats, trials: int) -> Floats:
    """Log of P(X = s) at s / trials, by Stirling's formula."""
    others = trials - s
    (whole,) = _beyond_stirling(np.array([float(trials)]))
    return np.asarray(
        whole
        - _beyond_stirling(s)
        - _beyond_stirling(others)
        + 0.5 * np.log(trials / (2 * math.pi * s * others))
    )


def _beyond_stirling(n: Floats) -> Floats:
    """Log of n! less what Stirling's formula says, to all digits, by its series or by itself."""
    n2 = 1 / (n * n)
    series = (1 / 12 - n2 * (1 / 360 - n2 * (1 / 1260 - n2 * (1 / 1680 - n2 / 1188)))) / n
    return np.where(
        n < len(_SMALL), _SMALL[np.minimum(n, len(_SMALL) - 1).astype(np.int64)], series
    )


_SMALL = np.array(
    [0.0]
    + [
        math.log(math.factorial(n)) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi)
        for n in range(1, 24)
    ]
)


@lru_cache(1_000)  # many audits of a sweep have the same largest bound
def _bound(counts: Counts, tail: float, delta: float) -> float:
    """Epsilon of the worst pair of rates that the two limits leave possible."""
    return Rates(
        lower_limit(counts.true_positives, counts.trials, tail),
        upper_limit(counts.false_positives, counts.trials, tail),
    ).epsilon(delta)


def _bounds(counts: Sequence[Counts], tail: float, delta: float) -> Sequence[float]:
    """Bounds of counts of equally many trials."""
    trials = counts[0].trials
    hits, first = np.unique([seen.true_positives for seen in counts], return_inverse=True)
    alarms, second = np.unique([seen.false_positives for seen in counts], return_inverse=True)
    low, high = lower_limits(hits, trials, tail), upper_limits(alarms, trials, tail)
    return [
        Rates(p, q).epsilon(delta)
        for p, q in zip(low[first].tolist(), high[second].tolist(), strict=True)
    ]


def two_sided_bound(counts: Counts, alpha: float, delta: float) -> float:
    """The paper's convention: a two-sided interval at alpha/2 for each rate, alpha/4 a tail."""
    return _bound(counts, alpha / 4, delta)


def one_sided_bound(counts: Counts, alpha: float, delta: float) -> float:
    """What Theorem 1 of [Arcolezi24] needs: alpha/2 for the one tail of each rate that matters."""
    return _bound(counts, alpha / 2, delta)


def two_sided_bounds(counts: Sequence[Counts], alpha: float, delta: float) -> Sequence[float]:
    """`two_sided_bound` of counts of equally many trials."""
    return _bounds(counts, alpha / 4, delta)


def one_sided_bounds(counts: Sequence[Counts], alpha: float, delta: float) -> Sequence[float]:
    """`one_sided_bound` of counts of equally many trials."""
    return _bounds(counts, alpha / 2, delta)
