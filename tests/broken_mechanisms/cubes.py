"""Vectors of the cube: corners that are on neither side, coordinates that are sampled."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np

from tests.broken_mechanisms.discrete import Geometric
from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import Floats, Law

Corner = tuple[int, ...]


@dataclass(frozen=True)
class Corners:
    """A corner on the side of the input, which is a corner, or else one of the other side.

    With `both` the halves share the corners in between, as [Duchi18] has it in even dimensions;
    without, these are as likely as those of the other side. With a `share` the own side is drawn as
    if it had that many corners.
    """

    epsilon: float
    both: bool
    share: int | None = None

    def weights(self, value: Corner) -> dict[Corner, float]:
        """Probabilities of all corners."""
        more = math.exp(self.epsilon)
        corners = product((-1, 1), repeat=len(value))
        sides = {z: sum(a * b for a, b in zip(z, value, strict=True)) for z in corners}
        found = {z: more if s > 0 else 1.0 for z, s in sides.items()}
        if self.both:
            found = {z: more * (s >= 0) + 1.0 * (s <= 0) for z, s in sides.items()}
        if self.share is not None:
            own, every = sum(s > 0 for s in sides.values()), len(sides)
            parts = more * self.share / own, (every - self.share) / (every - own)
            found = {z: parts[0] if s > 0 else parts[1] for z, s in sides.items()}
        total = sum(found.values())
        return {z: weight / total for z, weight in found.items()}

    def __call__(self, value: Corner, rng: np.random.Generator) -> Corner:
        reports = self.weights(value)
        place = int(np.searchsorted(np.cumsum(list(reports.values()))[:-1], rng.random()))
        return list(reports)[place]

    def law(self, value: Corner) -> Law:
        yield from self.weights(value).items()


@dataclass(frozen=True)
class SampledSign:
    """One coordinate and its sign, told the truth with the odds of epsilon.

    If `chosen` is set, the coordinate is the first positive one, not a random one.
    """

    epsilon: float
    chosen: bool

    def law(self, value: Corner) -> Law:
        truth = 1 / (1 + math.exp(-self.epsilon))
        places = range(len(value))
        shares = [1 / len(value)] * len(value)
        if self.chosen:
            first = value.index(1) if 1 in value else 0
            shares = [0.5 * (place == first) + 0.5 / len(value) for place in places]
        for place, share in zip(places, shares, strict=True):
            yield (place, value[place]), share * truth
            yield (place, -value[place]), share * (1 - truth)

    def __call__(self, value: Corner, rng: np.random.Generator) -> tuple[int, int]:
        reports, chances = zip(*self.law(value), strict=True)
        return reports[int(np.searchsorted(np.cumsum(chances)[:-1], rng.random()))]  # type: ignore[no-any-return]


@dataclass(frozen=True)
class SampledSigns:
    """Two random coordinates and their signs, each told the truth with the odds of `each`."""

    each: float

    def law(self, value: Corner) -> Law:
        truth = 1 / (1 + math.exp(-self.each))
        places = list(combinations(range(len(value)), 2))
        for chosen, signs in product(places, product((-1, 1), repeat=2)):
            agree = [value[place] == sign for place, sign in zip(chosen, signs, strict=True)]
            chance = math.prod(truth if right else 1 - truth for right in agree)
            yield (*zip(chosen, signs, strict=True),), chance / len(places)

    def __call__(self, value: Corner, rng: np.random.Generator) -> Any:
        reports, chances = _table(self, value)
        return reports[int(np.searchsorted(chances, rng.random()))]


@functools.cache
def _table(protocol: SampledSigns, value: Corner) -> tuple[list[Any], Floats]:
    reports, chances = zip(*protocol.law(value), strict=True)
    return list(reports), np.cumsum(chances)[:-1]


@dataclass(frozen=True)
class NoisyCoordinates:
    """Whole numbers with noise that falls by `alpha` a step, each cut to an interval."""

    alpha: float

    @property
    def _single(self) -> Geometric:
        return Geometric(self.alpha, low=-3, high=5)

    def __call__(self, value: Corner, rng: np.random.Generator) -> Corner:
        return tuple(self._single(entry, rng) for entry in value)

    def law(self, value: Corner) -> Law:
        parts: list[dict[Any, float]] = []
        for entry in value:
            chances: dict[Any, float] = defaultdict(float)
            for sent, chance in self._single.law(entry):
                chances[sent] += chance
            parts.append(chances)
        for sent in product(*parts):
            yield sent, math.prod(part[each] for part, each in zip(parts, sent, strict=True))


ENTRIES: tuple[Entry, ...] = (
    pair(
        name="l1_noise_for_one_coordinate",
        family="Laplace",
        place="sensitivity too small",
        epsilon=1.0,
        values=((2, 0), (0, 2)),
        broken=NoisyCoordinates(math.exp(-0.5)),
        correct=NoisyCoordinates(math.exp(-0.25)),
        why="noise is for the most that one coordinate changes, and two change by as much",
    ),
    pair(
        name="duchi_even_dimension",
        family="Duchi",
        place="a forgotten case",
        epsilon=1.0,
        values=((1, 1, 1, 1), (-1, -1, -1, -1), (1, 1, 1, -1)),
        broken=Corners(1.0, both=True),
        correct=Corners(1.0, both=False),
        why="both halves have the corners in between, which makes these the likeliest of all",
    ),
    pair(
        name="duchi_cube_without_its_corner",
        family="Duchi",
        place="a value that one input can never produce",
        epsilon=1.0,
        values=((1, 1), (-1, 1), (-1, -1)),
        broken=Corners(1.0, both=False, share=0),
        correct=Corners(1.0, both=False),
        why="all corners in between are left out of the share of the own side, which has none then",
    ),
    pair(
        name="sampled_coordinate_chosen",
        family="Duchi",
        place="a public parameter",
        epsilon=1.0,
        values=((1, -1, -1), (-1, -1, 1), (-1, 1, -1)),
        broken=SampledSign(1.0, chosen=True),
        correct=SampledSign(1.0, chosen=False),
        why="which coordinate is sent depends on the input half of the time",
    ),
    pair(
        name="sampled_epsilon_not_shared",
        family="Duchi",
        place="composition ignored",
        epsilon=1.0,
        values=((1, -1, -1), (-1, 1, 1)),
        broken=SampledSigns(1.0),
        correct=SampledSigns(0.5),
        why="both coordinates that are sent have the whole of epsilon",
    ),
)
