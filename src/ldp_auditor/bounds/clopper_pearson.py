"""Clopper-Pearson intervals for both rates, joined by the union bound [Clopper34]."""

from __future__ import annotations

from ldp_auditor.core import Counts, Rates


def lower_limit(successes: int, trials: int, tail: float) -> float:
    """Largest rate that `successes` or more out of `trials` reject at level `tail`."""
    from scipy.special import betaincinv

    if successes == 0:
        return 0.0
    return float(betaincinv(successes, trials - successes + 1, tail))


def upper_limit(successes: int, trials: int, tail: float) -> float:
    """Smallest rate that `successes` or fewer out of `trials` reject at level `tail`."""
    from scipy.special import betainccinv

    if successes == trials:
        return 1.0
    return float(betainccinv(successes + 1, trials - successes, tail))


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
