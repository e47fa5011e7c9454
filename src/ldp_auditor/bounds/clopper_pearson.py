"""Clopper-Pearson intervals for both rates, joined by the union bound [Clopper34]."""

from collections.abc import Callable

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


def two_sided_bound(counts: Counts, alpha: float, delta: float) -> float:
    """The paper's convention: a two-sided interval at alpha/2 for each rate, alpha/4 a tail."""
    return _bound(counts, alpha / 4, delta)


def one_sided_bound(counts: Counts, alpha: float, delta: float) -> float:
    """What Theorem 1 of [Arcolezi24] needs: alpha/2 for the one tail of each rate that matters."""
    return _bound(counts, alpha / 2, delta)
