"""SHE and THE: Laplace noise on the one-hot vector."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from tests.broken_mechanisms.entry import Entry, has_bit, pair
from tests.broken_mechanisms.exact import (
    Floats,
    Law,
    bits_law,
    grid_edges,
    laplace_cells,
    laplace_upper,
    pure_epsilon,
)

STEP, LOW, HIGH = 2.0**-10, -16.0, 17.0
"""Reports are rounded and clamped, so that floats carry no lattice and laws are finite;
+ 0.0 turns -0.0 into 0.0."""

COARSE = np.array([-1.0, 0.0, 0.5, 1.0, 2.0]) + STEP / 2
"""Edges of the view; between grid points, so rounding moves nothing across them."""


def coarse(report: Floats) -> tuple[int, ...]:
    """In which of six intervals every coordinate lies."""
    return tuple(np.searchsorted(COARSE, report).tolist())


@dataclass(frozen=True)
class NoisyHistogram:
    """SHE; with a `limit`, noise beyond it is drawn again."""

    size: int
    scale: float
    limit: float = np.inf

    def batch(self, value: int, n: int, rng: np.random.Generator) -> Floats:
        noise = rng.laplace(0.0, self.scale, (n, self.size))
        while np.any(far := np.abs(noise) > self.limit):
            noise[far] = rng.laplace(0.0, self.scale, int(far.sum()))
        noise[:, value] += 1.0
        rounded: Floats = np.clip(np.rint(noise / STEP) * STEP + 0.0, LOW, HIGH)
        return rounded

    def __call__(self, value: int, rng: np.random.Generator) -> Floats:
        noise = rng.laplace(0.0, self.scale, self.size)
        if self.limit < np.inf and np.abs(noise).max() > self.limit:
            return self(value, rng)  # rejecting all or one gives the same law: noise is independent
        noise[value] += 1.0
        rounded: Floats = np.minimum(np.maximum(np.rint(noise / STEP) * STEP + 0.0, LOW), HIGH)
        return rounded

    def cells(self, edges: Floats, centre: float) -> Floats:
        """The law of one coordinate over cells."""
        inside = np.clip(edges, centre - self.limit, centre + self.limit)
        mass = laplace_cells(inside, centre, self.scale)
        law: Floats = mass / mass.sum()
        return law

    def epsilon(self) -> float:
        """Two values differ in two coordinates, whose losses add up."""
        edges = grid_edges(LOW, HIGH, STEP)
        one, zero = self.cells(edges, 1.0), self.cells(edges, 0.0)
        return pure_epsilon(one, zero) + pure_epsilon(zero, one)

    def law(self, value: int) -> Law:
        edges = np.concatenate(([-np.inf], COARSE, [np.inf]))
        parts = [self.cells(edges, float(index == value)) for index in range(self.size)]
        for place in itertools.product(range(len(COARSE) + 1), repeat=self.size):
            yield (
                place,
                float(np.prod([part[cell] for part, cell in zip(parts, place, strict=True)])),
            )


@dataclass(frozen=True)
class Thresholded:
    """THE: which coordinates of the noisy histogram exceed the threshold."""

    size: int
    scale: float
    threshold: float

    def __call__(self, value: int, rng: np.random.Generator) -> list[bool]:
        noisy = rng.laplace(0.0, self.scale, self.size).tolist()
        noisy[value] += 1.0
        return [number > self.threshold for number in noisy]

    def batch(self, value: int, n: int, rng: np.random.Generator) -> list[list[bool]]:
        noisy = rng.laplace(0.0, self.scale, (n, self.size))
        noisy[:, value] += 1.0
        reports: list[list[bool]] = (noisy > self.threshold).tolist()
        return reports

    def law(self, value: int) -> Law:
        p, q = laplace_upper(np.array([self.threshold - 1, self.threshold]), self.scale).tolist()
        for bits, chance in bits_law([p if index == value else q for index in range(self.size)]):
            yield [bool(bit) for bit in bits], chance


def _she(name: str, place: str, broken: NoisyHistogram, why: str) -> Entry:
    correct = NoisyHistogram(3, 2.0)
    return Entry(
        name=name,
        family="SHE",
        place=place,
        epsilon=1.0,
        values=(0, 1, 2),
        broken=broken,
        correct=correct,
        true_epsilon=broken.epsilon(),
        correct_epsilon=correct.epsilon(),
        view=coarse,
        why=why,
    )


ENTRIES: tuple[Entry, ...] = (
    _she(
        "she_sensitivity_halved",
        "sensitivity halved",
        NoisyHistogram(3, 1.0),
        "one-hot vectors are at L1 distance 2 but the scale is 1/epsilon",
    ),
    _she(
        "she_truncated_tail",
        "a truncated tail",
        NoisyHistogram(3, 2.0, limit=4.0),
        "noise beyond 4 is drawn again, so a coordinate above 4 is the true one",
    ),
    pair(
        name="the_sensitivity_halved",
        family="THE",
        place="sensitivity halved",
        epsilon=1.0,
        values=(0, 1, 3),
        broken=Thresholded(4, 1.0, 0.75),
        correct=Thresholded(4, 2.0, 0.75),
        supports=has_bit,
        why="p(1 - q)/((1 - p)q) of the threshold 0.75 with scale 1/epsilon instead of 2/epsilon",
    ),
)
