"""Laws of losses that take some values only, of their sums, and of mixtures."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Self

import numpy as np

from ldp_auditor.core import Floats, Rates
from ldp_auditor.theory.loss_law import MOST_COMPOSED, LossLaw

MOST_SUMS = 10**6
"""Sums of different laws that are enumerated at most."""

DISTINCT = 1e-8
"""Losses closer than this share of the largest count as equal: sampled ones are rounded."""

MOST_EVIDENCE = 40.0
"""Smallest false positive rate that a threshold aims at, as minus its logarithm."""


@dataclass(frozen=True)
class OneLevelLaw(LossLaw):
    """A loss that is plus or minus one level, or 0.

    `likely` is the probability of the positive level under v1, `unlikely` that under v2.
    """

    likely: float
    unlikely: float

    @property
    def supremum(self) -> float:
        return math.inf if self.unlikely == 0 else math.log(self.likely / self.unlikely)

    def rates(self, threshold: float) -> Rates:
        # A threshold that equals the level up to rounding includes it.
        if threshold > self.supremum * (1 + 1e-12):
            return Rates(0.0, 0.0)
        if threshold > 0:
            return Rates(self.likely, self.unlikely)
        return Rates(1 - self.unlikely, 1 - self.likely)

    def thresholds(self) -> Sequence[float]:
        return [self.supremum]

    def epsilon(self, delta: float) -> float:
        """Smallest epsilon at which `likely` exceeds e^epsilon `unlikely` by delta at most."""
        return Rates(self.likely, self.unlikely).epsilon(delta)

    def composed(self, reports: int) -> LossLaw | None:
        if reports == 1:
            return self
        if self.unlikely == 0:  # one report that only v1 can send is enough
            return OneLevelLaw(-math.expm1(reports * math.log1p(-self.likely)), 0.0)
        if reports > MOST_COMPOSED:
            return None
        return _sum_of_levels(self.likely, self.unlikely, reports)


@dataclass(frozen=True, eq=False)
class DiscreteLaw(LossLaw):
    """A loss with finitely many values, in ascending order, and their probabilities."""

    losses: Floats
    likely: Floats
    """Probabilities under v1."""
    unlikely: Floats
    """Probabilities under v2."""
    largest: float
    """Largest loss, as exactly as it is known."""

    @classmethod
    def of(cls, losses: Floats, likely: Floats, unlikely: Floats) -> Self:
        """Put losses with their probabilities in order."""
        order = np.argsort(losses, kind="stable")
        return cls(losses[order], likely[order], unlikely[order], float(losses[order[-1]]))

    @property
    def supremum(self) -> float:
        return self.largest

    @cached_property
    def _tails(self) -> tuple[Floats, Floats]:
        """Probabilities of each loss or a larger one, and of none at the end."""
        first, second = (
            np.append(np.cumsum(p[::-1])[::-1], 0.0) for p in (self.likely, self.unlikely)
        )
        return np.minimum(first, 1.0), np.minimum(second, 1.0)

    def rates(self, threshold: float) -> Rates:
        index = int(np.searchsorted(self.losses, threshold))
        first, second = self._tails
        return Rates(float(first[index]), float(second[index]))

    def thresholds(self) -> Sequence[float]:
        """Up to 400 places halfway between two losses, evenly spread over the log of the FPR."""
        gaps = np.diff(self.losses)
        apart = gaps > DISTINCT * np.abs(self.losses).max()
        above = np.flatnonzero(apart & (self.losses[1:] > 0)) + 1
        above = above[self._tails[0][above] > 0]
        if not above.size:
            return [math.inf]  # nothing is ever lost
        evidence = -np.log(np.maximum(self._tails[1][above], 1e-300))
        wanted = np.linspace(0.0, min(evidence[-1], MOST_EVIDENCE), 400)
        chosen = np.unique(np.searchsorted(evidence, wanted).clip(max=len(above) - 1))
        return [float(self.losses[i] - gaps[i - 1] / 2) for i in above[chosen]]

    def delta(self, epsilon: float) -> float:
        above = self.losses > epsilon
        excess = self.likely[above] * -np.expm1(epsilon - self.losses[above])
        return float(np.sum(excess))


@dataclass(frozen=True, eq=False)
class StepLaw(DiscreteLaw):
    """A loss that is a whole number of steps of one level."""

    level: float

    @classmethod
    def of_steps(cls, level: float, likely: Floats, supremum: float | None = None) -> Self:
        """Make the law of -n..n steps of their probabilities under v1; under v2 it is mirrored.

        `supremum` is the largest loss, where its probability may be too small for a float.
        """
        (possible,) = np.nonzero(likely + likely[::-1])
        seen = likely[possible[0] : possible[-1] + 1]
        reach = len(seen) // 2
        losses = level * np.arange(-reach, reach + 1, dtype=np.float64)
        most = reach * level if supremum is None else supremum
        return cls(losses, seen, seen[::-1].copy(), most, level)

    def composed(self, reports: int) -> LossLaw | None:
        if reports > MOST_COMPOSED:
            return None
        return self.of_steps(self.level, power(self.likely, reports), reports * self.supremum)


@dataclass(frozen=True)
class MixtureLaw(LossLaw):
    """One of several laws, and everybody knows which; with the rest of the probability, no loss."""

    laws: tuple[LossLaw, ...]
    weight: float
    """Probability of each of them."""

    @classmethod
    def of(cls, laws: Sequence[LossLaw], weight: float) -> LossLaw:
        """Make a mixture; a single law of weight 1 is itself."""
        return laws[0] if len(laws) == 1 and weight == 1 else cls(tuple(laws), weight)

    @property
    def supremum(self) -> float:
        return max(law.supremum for law in self.laws)

    def rates(self, threshold: float) -> Rates:
        rest = (1 - self.weight * len(self.laws)) * (threshold <= 0)
        rates = [law.rates(threshold) for law in self.laws]
        return Rates(
            rest + self.weight * sum(r.true_positive for r in rates),
            rest + self.weight * sum(r.false_positive for r in rates),
        )

    def thresholds(self) -> Sequence[float]:
        return sorted({t for law in self.laws for t in law.thresholds()})

    def delta(self, epsilon: float) -> float:
        return self.weight * sum(law.delta(epsilon) for law in self.laws)


def sum_of_laws(laws: Sequence[LossLaw]) -> LossLaw | None:
    """Law of the sum of independent losses, where it can be computed."""
    first = laws[0]
    if all(law == first for law in laws):
        return first.composed(len(laws))
    levels = [law for law in laws if isinstance(law, OneLevelLaw) and law.unlikely > 0]
    if len(levels) < len(laws) or 3 ** len(laws) > MOST_SUMS:
        return None
    losses, likely, unlikely = np.zeros(1), np.ones(1), np.ones(1)
    for law in levels:
        rest = 1 - law.likely - law.unlikely
        steps = law.supremum * np.array([-1.0, 0.0, 1.0])
        losses = np.add.outer(losses, steps).reshape(-1)
        likely = np.multiply.outer(likely, [law.unlikely, rest, law.likely]).reshape(-1)
        unlikely = np.multiply.outer(unlikely, [law.likely, rest, law.unlikely]).reshape(-1)
    return DiscreteLaw.of(losses, likely, unlikely)


@lru_cache(maxsize=64)
def _sum_of_levels(likely: float, unlikely: float, reports: int) -> DiscreteLaw:
    """Sum of losses that are plus or minus one level or 0: all terms positive, no digit lost."""
    steps = np.array([unlikely, max(0.0, 1 - likely - unlikely), likely])
    level = math.log(likely / unlikely)
    return StepLaw.of_steps(level, power(steps, reports), reports * level)


def power(steps: Floats, reports: int) -> Floats:
    """Probabilities of the sum of `reports` independent numbers of steps."""
    total: Floats = np.ones(1)
    for digit in f"{reports:b}":
        total = np.convolve(total, total)
        if digit == "1":
            total = np.convolve(total, steps)
    return total
