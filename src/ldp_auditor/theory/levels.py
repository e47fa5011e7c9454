"""Losses with finitely many values that are not symmetric."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.core import Floats
from ldp_auditor.theory.discrete_laws import MOST_SUMS, DiscreteLaw, OneLevelLaw
from ldp_auditor.theory.loss_law import LossLaw

SAME = 1e-12
"""Losses that differ by this share of the largest count as equal."""

ROUNDED = 1e-15
"""Losses that differ by no more than this count as equal: logarithms are rounded."""

MIRRORED = 1e-7
"""Probabilities that differ by this share count as equal: edges of narrow pieces are rounded."""

Levels = tuple[Floats, Floats, Floats]
"""Losses in ascending order, and their probabilities under both inputs."""


@dataclass(frozen=True, eq=False)
class LopsidedLaw(DiscreteLaw):
    """A loss with finitely many values that is not symmetric: profiles look at both directions."""

    @classmethod
    def of_sums(cls, losses: Floats, likely: Floats, unlikely: Floats, reports: int) -> Self | None:
        """Return the law of the sum of `reports` losses, unless it has too many values."""
        from scipy.special import gammaln

        if math.comb(reports + len(losses) - 1, reports) > MOST_SUMS:
            return None
        counts = _counts(reports, len(losses))
        ways = gammaln(reports + 1) - gammaln(counts + 1.0).sum(axis=1)
        chances = (np.exp(ways + counts @ np.log(p)) for p in (likely, unlikely))
        return cls.of(counts @ losses, *chances)

    @property
    def supremum(self) -> float:
        return float(max(self.losses[-1], -self.losses[0]))

    def composed(self, reports: int) -> LossLaw | None:
        if reports == 1:
            return self
        return self.of_sums(self.losses, self.likely, self.unlikely, reports)

    def delta(self, epsilon: float) -> float:
        below = -self.losses > epsilon
        excess = self.unlikely[below] * -np.expm1(epsilon + self.losses[below])
        return max(super().delta(epsilon), float(np.sum(excess)))


def _counts(total: int, kinds: int) -> NDArray[np.int64]:
    """Return every way to share out a total over so many kinds, a row each."""
    if kinds == 1:
        return np.array([[total]])
    if kinds == 2:
        ones = np.arange(total + 1)
        return np.stack([ones, total - ones], axis=1)
    rows = [(n, _counts(total - n, kinds - 1)) for n in range(total + 1)]
    return np.concatenate([np.insert(rest, 0, n, axis=1) for n, rest in rows])


def merged_levels(losses: Floats, likely: Floats, unlikely: Floats) -> Levels:
    """Return losses in ascending order, equal ones as one, with their probabilities under both."""
    order = np.argsort(losses, kind="stable")
    losses = losses[order]
    same = SAME * float(np.abs(losses).max()) + ROUNDED
    (first,) = np.nonzero(np.diff(losses, prepend=-np.inf) > same)
    p, q = (np.add.reduceat(chances[order], first) for chances in (likely, unlikely))
    return losses[first], p, q


def law_of_levels(losses: Floats, likely: Floats, unlikely: Floats) -> LossLaw:
    """Return the law of a loss with finitely many values, as one of one level if it is one."""
    losses, likely, unlikely = merged_levels(losses, likely, unlikely)
    level = float(losses[-1])
    known = np.abs(np.abs(losses) - level) <= SAME * level
    if level > 0 and bool((known | (np.abs(losses) <= SAME * level)).all()):
        mirrored = float(unlikely[0]) if losses[0] < 0 else 0.0
        if abs(mirrored - likely[-1]) <= MIRRORED * likely[-1]:
            return OneLevelLaw(float(likely[-1]), float(unlikely[-1]))
    return LopsidedLaw.of(losses, likely, unlikely)
