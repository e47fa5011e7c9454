"""Exact laws of corners of the cube that are e^epsilon times as likely on one side of a random one.

Coordinates whose inputs are the same make a class; a corner matters only by its number of positive
coordinates in each class, so that enumerating these numbers gives every law.
"""

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from ldp_auditor.core import Floats, Rates
from ldp_auditor.theory.levels import law_of_levels
from ldp_auditor.theory.loss_law import LossLaw

MOST_WORK = 10**7
"""Numbers of positive coordinates times the dimension, up to which laws are enumerated."""

TIED = 1e-9
"""Distances this close, relatively, are a tie."""


@dataclass(frozen=True)
class Corners:
    """All corners, for two inputs: how likely each kind of corner is under both."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    high: float
    """Density on the right side, in multiples of that of a uniform corner."""
    low: float
    """Density elsewhere."""

    @cached_property
    def classes(self) -> list[tuple[float, float, int]]:
        """Pairs of coordinates, and how many coordinates have each."""
        counted = Counter(zip(self.first, self.second, strict=True))
        return [(a, b, count) for (a, b), count in counted.items()]

    @property
    def known(self) -> bool:
        """Whether there are few enough kinds of corners."""
        kinds = math.prod(count + 1 for _, _, count in self.classes)
        sure = all(abs(value) == 1 for value in (*self.first, *self.second))
        return kinds * (1 if sure else len(self.first)) <= MOST_WORK

    @cached_property
    def positive(self) -> Floats:
        """Numbers of positive coordinates, a row for each kind of corner."""
        grid = np.indices([count + 1 for _, _, count in self.classes])
        return grid.reshape(len(self.classes), -1).T.astype(float)

    @cached_property
    def shares(self) -> Floats:
        """Share of each kind among all corners."""
        from scipy.stats import binom

        counts = np.array([count for _, _, count in self.classes])
        product: Floats = np.prod(binom.pmf(self.positive, counts, 0.5), axis=1)
        return product

    def densities(self, side: int) -> Floats:
        """Density of each kind under the first input (0) or the second (1)."""
        agreeing = [
            [_agreeing(plus, count, pair[side]) for plus in range(count + 1)]
            for *pair, count in self.classes
        ]
        right = np.array([self._right_side(agreeing, row) for row in self.positive])
        found: Floats = self.low + (self.high - self.low) * right
        return found

    def _right_side(self, agreeing: list[list[tuple[int, Floats]]], row: Floats) -> float:
        """Probability that more than half of the coordinates agree with the random corner's."""
        parts = [laws[int(plus)] for laws, plus in zip(agreeing, row, strict=True)]
        least = len(self.first) // 2 + 1 - sum(sure for sure, _ in parts)
        law = reduce(np.convolve, [law for _, law in parts])
        return min(1.0, float(law[max(0, least) :].sum()))

    def loss_law(self) -> LossLaw | None:
        """The law of the loss."""
        if not self.known:
            return None
        first, second = self.densities(0), self.densities(1)
        return law_of_levels(np.log(first / second), self.shares * first, self.shares * second)

    def nearer(self, size: float) -> Rates | None:
        """Rates at which a corner of the cube of a `size` is nearer to the first input."""
        if not self.known:
            return None
        a, b, counts = map(np.array, zip(*self.classes, strict=True))
        steps = size * (2 * self.positive - counts) - counts * (a + b) / 2
        lead, scale = steps @ (a - b), np.abs(steps) @ np.abs(a - b)
        chosen = self.shares * np.where(np.abs(lead) <= TIED * scale, 0.5, lead > 0)
        return Rates(*(min(1.0, float(chosen @ self.densities(side))) for side in (0, 1)))


def _agreeing(plus: int, count: int, value: float) -> tuple[int, Floats]:
    """How many of a class's coordinates agree for sure, and the law of the number of others."""
    from scipy.stats import binom

    sure, laws = 0, [np.ones(1)]
    for number, agrees in ((plus, (1 + value) / 2), (count - plus, (1 - value) / 2)):
        if agrees in (0, 1):
            sure += int(number * agrees)
        else:
            laws.append(binom.pmf(np.arange(number + 1), number, agrees))
    return sure, reduce(np.convolve, laws)
