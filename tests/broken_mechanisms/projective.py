"""Points of a projective plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import Law

FIELD = 3
POINTS = sorted(z for z in product(range(FIELD), repeat=3) if any(z) and next(filter(None, z)) == 1)


@dataclass(frozen=True)
class PlaneResponse:
    """A point orthogonal to that of the value, or else one of the rest; of all, if `of_all`."""

    epsilon: float
    of_all: bool

    def law(self, value: int) -> Law:
        own = [
            sum(a * b for a, b in zip(POINTS[value], z, strict=True)) % FIELD == 0 for z in POINTS
        ]
        size, every = sum(own), len(POINTS)
        truth = size / (size + (every - size) * math.exp(-self.epsilon))
        for number, orthogonal in enumerate(own):
            if self.of_all:
                yield number, truth / size * orthogonal + (1 - truth) / every
            else:
                yield number, truth / size if orthogonal else (1 - truth) / (every - size)

    def __call__(self, value: int, rng: np.random.Generator) -> int:
        chances = [chance for _, chance in self.law(value)]
        return int(np.searchsorted(np.cumsum(chances)[:-1], rng.random()))


ENTRIES: tuple[Entry, ...] = (
    pair(
        name="pgr_rest_is_everything",
        family="PGR",
        place="a forgotten case",
        epsilon=1.0,
        values=(0, 1, 5),
        broken=PlaneResponse(1.0, of_all=True),
        correct=PlaneResponse(1.0, of_all=False),
        why="if not orthogonal to the value, a point is drawn among all, orthogonal ones included",
    ),
)
