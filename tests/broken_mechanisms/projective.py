"""Points of a projective plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import Law

FIELD = 3


def points(field: int) -> list[tuple[int, ...]]:
    """Vectors of three coordinates, the first of which that is not 0 is 1."""
    every = product(range(field), repeat=3)
    return sorted(z for z in every if any(z) and next(filter(None, z)) == 1)


@dataclass(frozen=True)
class PlaneResponse:
    """A point orthogonal to that of the value, or else one of the rest; of all, if `of_all`."""

    epsilon: float
    of_all: bool = False
    field: int = FIELD

    def law(self, value: int) -> Law:
        every_point = points(self.field)
        true = every_point[value]
        own = [
            sum(a * b for a, b in zip(true, z, strict=True)) % self.field == 0 for z in every_point
        ]
        size, rest = self.field + 1, self.field**2  # as many as in a field
        truth = size / (size + rest * math.exp(-self.epsilon))
        for number, orthogonal in enumerate(own):
            if self.of_all:
                yield number, truth / sum(own) * orthogonal + (1 - truth) / len(own)
            else:
                own_share, other_share = truth / sum(own), (1 - truth) / (len(own) - sum(own))
                yield number, own_share if orthogonal else other_share

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
        correct=PlaneResponse(1.0),
        why="if not orthogonal to the value, a point is drawn among all, orthogonal ones included",
    ),
    pair(
        name="pgr_field_of_four",
        family="PGR",
        place="a forgotten case",
        epsilon=1.0,
        values=(0, 13, 15),
        broken=PlaneResponse(1.0, field=4),
        correct=PlaneResponse(1.0, field=5),
        why="4 is no prime: points have not as many orthogonal ones as each other",
    ),
)
