"""Sums of independent losses with finitely many values: all terms positive, no digit lost."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from ldp_auditor.core import Floats
from ldp_auditor.theory.discrete_laws import power
from ldp_auditor.theory.levels import LopsidedLaw
from ldp_auditor.theory.loss_law import LossLaw

MOST_PLACES = 30_000
"""Places of a sum at most; convolutions take the square of it."""

MOST_TERMS = 4_000_000
"""Sums of one more report that are made at most, where there is no lattice."""

FINEST = 4096
"""Steps between the smallest and the largest number of a lattice at most."""

ROUNDED = 1e-9
"""By how much of a step a number may be beside its place."""


@dataclass(frozen=True)
class Lattice:
    """Numbers `start`, `start` + `step`, ... and the place of each number among them."""

    start: float
    step: float
    places: tuple[int, ...]

    @classmethod
    def of(cls, numbers: Floats) -> Self | None:
        """Return the coarsest lattice of ascending numbers, unless they lie on none.

        >>> Lattice.of(np.array([-0.5, 1.0, 2.0]))
        Lattice(start=-0.5, step=0.5, places=(0, 3, 5))
        """
        apart = np.diff(numbers)
        if not apart.size:
            return None
        for parts in range(1, 65):
            step = float(apart.min()) / parts
            places = np.rint((numbers - numbers[0]) / step)
            if places[-1] > FINEST:
                return None
            if np.abs(numbers - numbers[0] - step * places).max() <= ROUNDED * step:
                last = float(places[-1])
                step = float(numbers[-1] - numbers[0]) / last
                return cls(float(numbers[0]), step, tuple(places.astype(int).tolist()))
        return None


@dataclass(frozen=True, eq=False)
class FiniteLaw(LopsidedLaw):
    """A loss with finitely many values, whose sums are carried out on a lattice if there is one."""

    def composed(self, reports: int) -> LossLaw | None:
        """Return the law of the sum of `reports` losses, unless it has too many values."""
        if reports == 1:
            return self
        one = merged(self.losses, np.stack([self.likely, self.unlikely]))
        lattice = Lattice.of(one[0])
        if lattice is None or lattice.places[-1] * reports >= MOST_PLACES:
            return _one_by_one(*one, reports)
        steps = np.zeros((2, lattice.places[-1] + 1))
        steps[:, lattice.places] = one[1]
        first, second = (power(each, reports) for each in steps)
        (seen,) = np.nonzero(first + second)
        sums = np.float64(reports * lattice.start) + np.float64(lattice.step) * seen
        return LopsidedLaw(sums, first[seen], second[seen], float(sums[-1]))


def merged(losses: Floats, chances: Floats) -> tuple[Floats, Floats]:
    """Return losses in ascending order, equal ones as one, and the sums of their columns."""
    order = np.argsort(losses, kind="stable")
    losses = losses[order]
    apart = np.diff(losses, prepend=-np.inf) > ROUNDED * max(1.0, float(np.abs(losses).max()))
    (first,) = np.nonzero(apart)
    return losses[first], np.add.reduceat(chances[:, order], first, axis=1)


def _one_by_one(losses: Floats, chances: Floats, reports: int) -> LossLaw | None:
    """Return the law of a sum, a report after the other, unless there are too many sums."""
    total, both = losses, chances
    for _ in range(reports - 1):
        if total.size * losses.size > MOST_TERMS:
            return None
        sums = np.add.outer(total, losses).reshape(-1)
        total, both = merged(sums, (both[:, :, None] * chances[:, None, :]).reshape(2, -1))
    return LopsidedLaw(total, both[0], both[1], float(total[-1]))
