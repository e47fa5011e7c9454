"""Geometric noise and the exponential mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import (
    Law,
)


@dataclass(frozen=True)
class Geometric:
    """Value plus two-sided geometric noise, clamped; with a `limit` noise beyond it is redrawn."""

    alpha: float
    limit: int | None = None
    low: int = -12
    high: int = 16

    def _noise(self, rng: np.random.Generator) -> int:
        rate = math.log(self.alpha)
        while True:
            first = int(math.log(1 - rng.random()) / rate)
            noise = first - int(math.log(1 - rng.random()) / rate)
            if self.limit is None or abs(noise) <= self.limit:
                return noise

    def weight(self, noise: int) -> float:
        """Probability of one noise, before a limit."""
        return (1 - self.alpha) / (1 + self.alpha) * self.alpha ** abs(noise)

    def __call__(self, value: int, rng: np.random.Generator) -> int:
        return min(max(value + self._noise(rng), self.low), self.high)

    def law(self, value: int) -> Law:
        reach = 2000 if self.limit is None else self.limit  # alpha^2000 is 0 in every sum
        weights = [(noise, self.weight(noise)) for noise in range(-reach, reach + 1)]
        total = math.fsum(weight for _, weight in weights)
        for noise, weight in weights:
            yield min(max(value + noise, self.low), self.high), weight / total


@dataclass(frozen=True)
class SignedGeometric(Geometric):
    """A one-sided geometric number with a random sign, which makes 0 twice as likely."""

    def _noise(self, rng: np.random.Generator) -> int:
        size = int(math.log(1 - rng.random()) / math.log(self.alpha))
        return size if rng.random() < 0.5 else -size

    def weight(self, noise: int) -> float:
        return (1 - self.alpha) * self.alpha ** abs(noise) * (0.5 if noise else 1.0)


CANDIDATES = (b"a", b"b", b"c", b"d", b"e")
APPROVALS = {"fussy": (1, 0, 0, 0, 0), "easy": (0, 1, 1, 1, 1), "fair": (1, 1, 0, 0, 0)}


def draw(weights: list[float], rng: np.random.Generator) -> int:
    """An index with probability proportional to its weight."""
    left = rng.random() * sum(weights)
    for index, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return index
    return max(index for index, weight in enumerate(weights) if weight > 0)


@dataclass(frozen=True)
class Approval:
    """The exponential mechanism over five candidates, each approved or not."""

    rate: float

    def _weights(self, value: str) -> list[float]:
        return [math.exp(self.rate * score) for score in APPROVALS[value]]

    def __call__(self, value: str, rng: np.random.Generator) -> bytes:
        return CANDIDATES[draw(self._weights(value), rng)]

    def law(self, value: str) -> Law:
        weights = self._weights(value)
        for candidate, weight in zip(CANDIDATES, weights, strict=True):
            yield candidate, weight / sum(weights)


@dataclass(frozen=True)
class Nearest:
    """The exponential mechanism over 0 to 4 by distance, leaving out distances beyond `cut`."""

    rate: float
    cut: int = 4

    def _weights(self, value: int) -> list[float]:
        distances = [abs(value - candidate) for candidate in range(5)]
        return [math.exp(-self.rate * far) if far <= self.cut else 0.0 for far in distances]

    def __call__(self, value: int, rng: np.random.Generator) -> str:
        return f"grade {draw(self._weights(value), rng)}"

    def law(self, value: int) -> Law:
        weights = self._weights(value)
        for candidate, weight in enumerate(weights):
            yield f"grade {candidate}", weight / sum(weights)


ENTRIES: tuple[Entry, ...] = (
    pair(
        name="geometric_truncated_tail",
        family="geometric",
        place="a truncated tail",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=Geometric(math.exp(-0.5), limit=8),
        correct=Geometric(math.exp(-0.5)),
        why="noise beyond 8 is drawn again, so 9 and 10 do not come from 0",
    ),
    pair(
        name="geometric_zero_twice",
        family="geometric",
        place="a missing step",
        epsilon=1.0,
        values=(0, 2, 4),
        broken=SignedGeometric(math.exp(-0.25)),
        correct=Geometric(math.exp(-0.25)),
        why="-0 is not rejected, so no noise is twice as likely and the ratio doubles",
    ),
    pair(
        name="geometric_chance_for_base",
        family="geometric",
        place="a parameter misread",
        epsilon=0.5,
        values=(0, 1),
        broken=Geometric(1 - 0.5),
        correct=Geometric(math.exp(-0.5)),
        why="steps end with probability epsilon instead of 1 - e^-epsilon",
    ),
    pair(
        name="exponential_missing_half",
        family="exponential",
        place="a missing step",
        epsilon=1.0,
        values=tuple(APPROVALS),
        broken=Approval(1.0),
        correct=Approval(0.5),
        why="exp(epsilon u) instead of exp(epsilon u / 2), and the normalizer moves as well",
    ),
    pair(
        name="exponential_drops_far_candidates",
        family="exponential",
        place="a truncated tail",
        epsilon=1.0,
        values=(0, 2, 4),
        broken=Nearest(1.0 / 4, cut=3),
        correct=Nearest(1.0 / 4),
        why="a candidate at distance 4 is left out, so 0 never answers 4",
    ),
)
