"""The most powerful attack: a threshold on the log-likelihood ratio of the report [Neyman33].

Of all events with the same false positive rate, "the ratio is at least t" has the largest true
positive rate. Which t proves the most depends on the number of trials: large ratios are the
strongest evidence, but rare. Where the exact law of the ratio is known the best t is computed from
it, without looking at a sample; elsewhere it is chosen on pilot samples that nothing else uses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Counts, Floats, Goal, InputPair, LikelihoodMechanism, Rates, Reports
from ldp_auditor.errors import require
from ldp_auditor.theory.loss_law import LossLaw

PILOT_SHARE = 0.05
"""Pilot trials as a share of those that are counted."""

MOST_PILOT_TRIALS = 100_000

PILOT_LEVELS = 500
"""Thresholds that are tried on the pilot samples."""

ROUNDING = 1e-9
"""Ratios this close to the threshold, relatively, count as reaching it."""


@dataclass(frozen=True)
class OptimalAttack:
    """Accuses the pair's first value of the reports whose log-likelihood ratio is large."""

    needs: ClassVar[str] = "log_likelihood_ratio(reports, pair)"
    remedy: ClassVar[str] = "it returns ln P(report | first) - ln P(report | second)"

    mechanism: LikelihoodMechanism
    pair: InputPair
    threshold: float
    law: LossLaw | None = None
    pilot_trials: int = 0

    @classmethod
    def prepare(cls, mechanism: Any, pair: InputPair, goal: Goal) -> OptimalAttack:
        """Choose the threshold that is expected to prove the most."""
        law: LossLaw | None = mechanism.loss_law(pair) if hasattr(mechanism, "loss_law") else None
        if law is not None:
            return cls(mechanism, pair, best_exact_threshold(law, goal), law)
        n = min(math.ceil(PILOT_SHARE * goal.trials), MOST_PILOT_TRIALS)
        first, second = (
            np.concatenate([ratios(mechanism, batch, pair) for batch in goal.pilot(side, n)])
            for side in (0, 1)
        )
        return cls(mechanism, pair, best_pilot_threshold(first, second, goal), pilot_trials=n)

    def accuse(self, reports: Reports, rng: Generator) -> NDArray[np.bool_]:
        """Tell for every report whether its ratio reaches the threshold."""
        least = self.threshold
        if math.isfinite(least):
            least -= ROUNDING * abs(least)
        accused: NDArray[np.bool_] = ratios(self.mechanism, reports, self.pair) >= least
        return accused

    def rates(self) -> Rates | None:
        """Exact rates, where the law of the ratio is known."""
        return None if self.law is None else self.law.rates(self.threshold)


def ratios(mechanism: LikelihoodMechanism, reports: Reports, pair: InputPair) -> Floats:
    """Return the mechanism's log-likelihood ratios, or raise if they are none."""
    values = np.asarray(mechanism.log_likelihood_ratio(reports, pair), dtype=np.float64)
    require(
        values.shape == (len(reports),) and not bool(np.isnan(values).any()),
        f"{mechanism.name}.log_likelihood_ratio must return one number, not NaN, for each of "
        f"{len(reports)} reports, got shape {values.shape}",
    )
    return values


def best_exact_threshold(law: LossLaw, goal: Goal) -> float:
    """Return the threshold whose expected counts prove the most."""

    def expected_bound(threshold: float) -> float:
        rates = law.rates(threshold)
        return goal.bound(
            Counts(
                goal.trials,
                round(goal.trials * rates.true_positive),
                round(goal.trials * rates.false_positive),
            )
        )

    return max(law.thresholds(), key=expected_bound)


def best_pilot_threshold(first: Floats, second: Floats, goal: Goal) -> float:
    """Return the threshold that proves the most if the rates are those of the pilot samples.

    One more false positive than was seen keeps thresholds that no pilot report of the second
    value reached from looking perfect.
    """
    n = len(first)
    levels = np.unique(np.concatenate([first, second]))
    if len(levels) > PILOT_LEVELS:
        levels = np.unique(np.quantile(first, np.linspace(0, 1, PILOT_LEVELS), method="nearest"))
    least = levels - ROUNDING * np.abs(levels)
    hits = n - np.searchsorted(np.sort(first), least)
    alarms = n - np.searchsorted(np.sort(second), least)
    scale = goal.trials / n
    expected = [
        goal.bound(
            Counts(goal.trials, int(scale * tp), min(goal.trials, math.ceil(scale * (fp + 1))))
        )
        for tp, fp in zip(hits.tolist(), alarms.tolist(), strict=True)
    ]
    return float(levels[int(np.argmax(expected))])
