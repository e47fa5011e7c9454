"""Clopper-Pearson intervals for both rates, joined by the union bound [Clopper34]."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ldp_auditor.core import Counts, Rates


def lower_limit(successes: int, trials: int, tail: float) -> float:
    """Largest rate that `successes` or more out of `trials` reject at level `tail`."""
    from scipy.special import betainc, betaincinv

    if successes == 0:
        return 0.0
    a, b = successes, trials - successes + 1
    return _confirmed(lambda rate: float(betainc(a, b, rate)), tail, float(betaincinv(a, b, tail)))


def upper_limit(successes: int, trials: int, tail: float) -> float:
    """Smallest rate that `successes` or fewer out of `trials` reject at level `tail`."""
    from scipy.special import betaincc, betainccinv

    if successes == trials:
        return 1.0
    a, b = successes + 1, trials - successes
    return _confirmed(
        lambda rate: float(betaincc(a, b, rate)), tail, float(betainccinv(a, b, tail))
    )


def _confirmed(probability: Callable[[float], float], tail: float, solution: float) -> float:
    """Return the rate at which `probability` is `tail`, trusting `solution` only if it fits.

    SciPy 1.17 inverts the incomplete beta function wrongly where a parameter is exactly 1000 and
    the other is large: by 0.7 in the log of the rate at 1e9 trials.
    """
    if abs(probability(solution) / tail - 1) < 1e-9:
        return solution
    from scipy.optimize import brentq  # 0.4 seconds of a command's start, seldom needed

    return float(brentq(lambda rate: probability(rate) - tail, 0.0, 1.0, xtol=1e-300, rtol=1e-14))


def _bound(counts: Counts, tail: float, delta: float) -> float:
    """Epsilon of the worst pair of rates that the two limits leave possible."""
    return Rates(
        lower_limit(counts.true_positives, counts.trials, tail),
        upper_limit(counts.false_positives, counts.trials, tail),
    ).epsilon(delta)


def _bounds(counts: Sequence[Counts], tail: float, delta: float) -> Sequence[float]:
    """Bounds of counts of equally many trials, as SciPy solves for many limits at once."""
    from scipy.special import betainc, betaincc, betainccinv, betaincinv

    trials = counts[0].trials
    hits, first = np.unique([seen.true_positives for seen in counts], return_inverse=True)
    alarms, second = np.unique([seen.false_positives for seen in counts], return_inverse=True)
    low, low_fits = _solved(betainc, betaincinv, tail, hits, trials - hits + 1)
    high, high_fits = _solved(betaincc, betainccinv, tail, alarms + 1, trials - alarms)
    low[hits == 0], high[alarms == trials] = 0.0, 1.0
    return [
        Rates(low[i], high[j]).epsilon(delta)
        if low_fits[i] and high_fits[j]
        else _bound(seen, tail, delta)
        for i, j, seen in zip(first, second, counts, strict=True)
    ]


def _solved(probability: Any, inverse: Any, tail: float, a: Any, b: Any) -> tuple[Any, Any]:
    """Rates at which a `probability` with parameters a and b is `tail`, and where they fit.

    Missing it by 1e-7 of it is nothing to a rate by which one chooses; see `_confirmed`.
    """
    a, b = np.maximum(a, 1), np.maximum(b, 1)  # where one is 0, the caller knows the rate
    rates = inverse(a, b, tail)
    return rates, abs(probability(a, b, rates) / tail - 1) < 1e-7


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
