"""The most powerful attack: a threshold on the log-likelihood ratio of the report [Neyman33].

Of all events with the same false positive rate, "the ratio is at least t" has the largest true
positive rate. Which t proves the most depends on the number of trials: large ratios are the
strongest evidence, but rare. Where the exact law of the ratio is known the best t is computed from
it, without looking at a sample; elsewhere it is chosen on pilot samples that nothing else uses.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Counts, Floats, Goal, InputPair, Rates, Reports
from ldp_auditor.errors import require
from ldp_auditor.mechanisms.capabilities import KnowsLikelihood, loss_law_of
from ldp_auditor.theory.discrete_laws import DISTINCT
from ldp_auditor.theory.loss_law import LossLaw

PILOT_SHARE = 0.05
"""Pilot trials as a share of those that are counted."""

MOST_PILOT_TRIALS = 100_000

PILOT_LEVELS = 500
"""Thresholds that are tried on the pilot samples."""

ROUNDING = 1e-9
"""Ratios this close to the threshold, relatively, count as reaching it."""

NEARLY_BEST = 1e-7
"""A threshold that is expected to prove less by this share only is as good as the best one.

Of those the first is taken: which of two equally good ones is the best by its last bits differs
from processor to processor.
"""


@dataclass(frozen=True)
class OptimalAttack:
    """Accuses the pair's first value of the reports whose log-likelihood ratio is large."""

    needs: ClassVar[type] = KnowsLikelihood

    mechanism: Any
    pair: InputPair
    threshold: float
    law: LossLaw | None = None
    pilot_trials: int = 0

    @classmethod
    def prepare(cls, mechanism: Any, pair: InputPair, goal: Goal) -> Self:
        """Choose the threshold that is expected to prove the most."""
        law = loss_law_of(mechanism, pair)
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
        return ratios(self.mechanism, reports, self.pair) >= least

    def rates(self) -> Rates | None:
        """Exact rates, where the law of the ratio is known."""
        return None if self.law is None else self.law.rates(self.threshold)


def ratios(mechanism: Any, reports: Reports, pair: InputPair) -> Floats:
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
    thresholds, _ = _candidates(law)
    return thresholds[first_best(goal.bounds(expected_counts(law, goal.trials)))]


def expected_counts(law: LossLaw, trials: int) -> list[Counts]:
    """Return the counts to be expected of every threshold worth trying, the lowest first."""
    return [
        Counts(trials, *(min(trials, _nearest(trials * rate)) for rate in vars(pair).values()))
        for pair in _candidates(law)[1]
    ]


@lru_cache(maxsize=16)
def _candidates(law: LossLaw) -> tuple[Sequence[float], Sequence[Rates]]:
    """Thresholds worth trying and their rates, which any number of trials has in common."""
    thresholds = law.thresholds()
    return thresholds, [law.rates(threshold) for threshold in thresholds]


def _nearest(count: float) -> int:
    """Round to a whole number, a half always up, even if its last bits say otherwise."""
    return math.floor(count * (1 + ROUNDING) + 0.5)


def first_best(expected: Sequence[float]) -> int:
    """Return the place of the first number that is the largest up to `NEARLY_BEST`."""
    least = max(expected) * (1 - NEARLY_BEST)
    return next(place for place, value in enumerate(expected) if value >= least)


def best_pilot_threshold(first: Floats, second: Floats, goal: Goal) -> float:
    """Return the threshold that proves the most if the rates are those of the pilot samples.

    One more false positive than was seen keeps thresholds that no pilot report of the second
    value reached from looking perfect.
    """
    n = len(first)
    thresholds = _between_levels(np.unique(np.concatenate([first, second])))
    if len(thresholds) > PILOT_LEVELS:
        wanted = np.quantile(first, np.linspace(0, 1, PILOT_LEVELS), method="nearest")
        places = np.searchsorted(thresholds, wanted, side="right") - 1
        thresholds = thresholds[np.unique(np.maximum(places, 0))]
    hits = n - np.searchsorted(np.sort(first), thresholds)
    alarms = n - np.searchsorted(np.sort(second), thresholds)
    scale = goal.trials / n
    counts = [
        Counts(goal.trials, int(scale * tp), min(goal.trials, math.ceil(scale * (fp + 1))))
        for tp, fp in zip(hits.tolist(), alarms.tolist(), strict=True)
    ]
    return float(thresholds[first_best(goal.bounds(counts))])


def _between_levels(values: Floats) -> Floats:
    """Return a threshold below each level of ascending values, halfway to the level before it.

    Values closer than `DISTINCT` of the largest are one level. Below the first level, which any
    report reaches, there is no threshold unless there is no other.
    """
    finite = values[np.isfinite(values)]
    scale = float(np.abs(finite).max()) if finite.size else 0.0
    gaps = np.diff(values)
    (before,) = np.nonzero(gaps > DISTINCT * scale)
    if not before.size:
        return values[:1]
    low, high = values[before], values[before + 1]
    # A level at infinity has no halfway: any finite number beyond the other levels will do.
    low, high = np.maximum(low, -1.0 - 2 * scale), np.minimum(high, 1.0 + 2 * scale)
    return low + (high - low) / 2
