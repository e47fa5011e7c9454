"""How statistical tests decide."""

from __future__ import annotations

from scipy import stats

FALSE_ALARM = 1e-10
"""Probability that `agrees` rejects a correct rate."""


def agrees(count: int, trials: int, rate: float) -> bool:
    """Null hypothesis: `count` is Binomial(trials, rate). False if rejected at `FALSE_ALARM`."""
    return bool(stats.binomtest(count, trials, min(rate, 1.0)).pvalue >= FALSE_ALARM)


def at_most(count: int, trials: int, rate: float) -> bool:
    """Null hypothesis: the rate behind `count` is at most `rate`. False if rejected."""
    test = stats.binomtest(count, trials, rate, alternative="greater")
    return bool(test.pvalue >= FALSE_ALARM)


def uniform(counts: list[int]) -> bool:
    """Null hypothesis: all outcomes are equally likely. False if rejected."""
    return bool(stats.chisquare(counts).pvalue >= FALSE_ALARM)
