"""Places of a plane: planar Laplace noise, sent as a cell of a grid of 5 by 5 cells.

A claim is epsilon times the distance of the two places of an entry.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tests.broken_mechanisms.discrete import draw
from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import Floats, Law

Place: TypeAlias = tuple[float, float]

SIDE = 5
EDGES = np.arange(0.5, SIDE - 1)
"""Where one cell ends and the next begins; what lies beyond the grid is sent as its edge."""

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


@dataclass(frozen=True)
class Planar:
    """A direction and a distance from the place, which is a sum of `terms` exponential numbers.

    With `redraw` noise that leads out of the grid is drawn again instead of being cut.
    """

    rate: float
    terms: int = 2
    redraw: bool = False

    def batch(self, value: Place, n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        size = max(n, 8) if self.redraw else n
        while len(found) < n:
            angle = rng.random(size) * 2 * math.pi
            far = rng.standard_gamma(self.terms, size) / self.rate
            steps = np.stack([np.cos(angle), np.sin(angle)], axis=1) * far[:, None]
            places = np.rint(np.array(value) + steps).astype(int)
            if self.redraw:
                places = places[((places >= 0) & (places < SIDE)).all(axis=1)]
            found += [(x, y) for x, y in places.clip(0, SIDE - 1).tolist()]
        return found[:n]

    def __call__(self, value: Place, rng: np.random.Generator) -> tuple[int, int]:
        return self.batch(value, 1, rng)[0]

    def _nearer_than(self, far: Floats) -> Floats:
        """Probability of a distance below `far`: of one exponential number, or of two."""
        kept = np.exp(-self.rate * far)
        if self.terms == 1:
            return np.asarray(1 - kept)
        with np.errstate(invalid="ignore"):
            return np.asarray(1 - kept - np.where(kept > 0, self.rate * far * kept, 0.0))

    def law(self, value: Place) -> Law:
        """Along every direction the cells take turns; directions are integrated over.

        Between the corners of the cells, seen from the place, the integrand is smooth.
        """
        ends = [-0.5, *EDGES, SIDE - 0.5] if self.redraw else list(EDGES)
        across, along = (np.array(ends) - entry for entry in value)
        corners = np.arctan2(along[None, :], across[:, None]).ravel()
        turns = np.unique([*corners, *(np.arange(9) / 4 - 1) * math.pi])
        wide = np.diff(turns)[:, None]
        angles = (turns[:-1, None] + wide * (NODES + 1) / 2).ravel()
        shares = (wide * WEIGHTS / (4 * math.pi)).ravel()
        steps = np.cos(angles)[:, None], np.sin(angles)[:, None]
        crossed = np.concatenate([across / steps[0], along / steps[1]], axis=1)
        crossed = np.sort(np.where(crossed > 0, crossed, 0.0), axis=1)
        crossed = np.pad(crossed, ((0, 0), (1, 0)))
        between = np.diff(crossed, append=crossed[:, -1:] + 2) / 2 + crossed
        masses = np.diff(self._nearer_than(crossed), append=1.0) * shares[:, None]
        cells = np.stack([np.rint(v + between * s) for v, s in zip(value, steps, strict=True)])
        inside = ((cells >= 0) & (cells < SIDE)).all(axis=0)
        if self.redraw:
            masses = np.where(inside, masses, 0.0) / masses[inside].sum()
        for x, y, mass in zip(*cells.clip(0, SIDE - 1).astype(int).tolist(), masses, strict=True):
            yield from zip(zip(x, y, strict=True), mass.tolist(), strict=True)


@dataclass(frozen=True)
class NearPlace:
    """The exponential mechanism over the cells, by a power of their distance."""

    rate: float
    power: int = 1

    def law(self, value: Place) -> Law:
        far = [math.dist(value, cell) ** self.power for cell in CELLS]
        weights = [math.exp(-self.rate / 2 * each) for each in far]
        total = math.fsum(weights)
        yield from zip(CELLS, [weight / total for weight in weights], strict=True)

    def __call__(self, value: Place, rng: np.random.Generator) -> tuple[int, int]:
        return CELLS[draw([chance for _, chance in self.law(value)], rng)]

    def batch(self, value: Place, n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        limits = np.cumsum([chance for _, chance in self.law(value)])
        chosen = np.searchsorted(limits[:-1], rng.random(n), side="right")
        return [CELLS[place] for place in chosen.tolist()]


CELLS = tuple((x, y) for x in range(SIDE) for y in range(SIDE))

ENTRIES: tuple[Entry, ...] = (
    pair(
        name="planar_radius_of_a_line",
        family="Planar-Laplace",
        place="a missing step",
        epsilon=1.0,
        values=((2.0, 2.0), (3.0, 2.0)),
        broken=Planar(1.0, terms=1),
        correct=Planar(1.0),
        why="the distance is one exponential number, not two, and too dense near the place",
    ),
    pair(
        name="planar_region_by_redrawing",
        family="Planar-Laplace",
        place="a truncated tail",
        epsilon=0.6 * math.sqrt(8),
        values=((0.0, 0.0), (2.0, 2.0)),
        broken=Planar(0.6, redraw=True),
        correct=Planar(0.6),
        why="noise out of the region is drawn again, oftener at a corner than further in",
    ),
    pair(
        name="exponential_by_squares",
        family="exponential",
        place="sensitivity too small",
        epsilon=1.0,
        values=((1.0, 1.0), (3.0, 1.0)),
        broken=NearPlace(0.5, power=2),
        correct=NearPlace(0.5),
        why="places count by the square of their distance, which grows faster than the claim",
    ),
)
