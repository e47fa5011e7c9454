"""Gaussian noise, calibrated by the textbook (GM) and exactly (AGM)."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import (
    Floats,
    Law,
    analytic_sigma,
    approximate_epsilon,
    classical_sigma,
    gaussian_cells,
    grid_edges,
)


@dataclass(frozen=True)
class Gaussian:
    """Value plus Gaussian noise, on a grid."""

    sigma: float
    step: float = 2.0**-5
    reach: float = 40.0

    def __call__(self, value: float, rng: np.random.Generator) -> float:
        noisy = value + self.sigma * rng.standard_normal()
        return min(max(round(noisy / self.step) * self.step, -self.reach), self.reach)

    def batch(self, value: float, n: int, rng: np.random.Generator) -> list[float]:
        noisy = value + self.sigma * rng.standard_normal(n)
        rounded = np.rint(noisy / self.step) * self.step + 0.0
        reports: list[float] = np.clip(rounded, -self.reach, self.reach).tolist()
        return reports

    def cells(self, value: float) -> Floats:
        """The law over the grid."""
        return gaussian_cells(grid_edges(-self.reach, self.reach, self.step), value, self.sigma)

    def law(self, value: float) -> Law:
        for index, chance in enumerate(self.cells(value).tolist()):
            yield -self.reach + index * self.step, chance


COARSE = np.array([-1.0, 0.0, 0.5, 1.0, 2.0]) + 2.0**-6
"""Edges of the view; between the grid points of `Gaussian`."""


def coarse(report: Floats) -> tuple[int, ...]:
    """In which of six intervals every coordinate lies."""
    return tuple(np.searchsorted(COARSE, report).tolist())


@dataclass(frozen=True)
class GaussianVector:
    """Gaussian noise on a one-hot vector of three."""

    noise: Gaussian

    def __call__(self, value: int, rng: np.random.Generator) -> Floats:
        reports: Floats = self.batch(value, 1, rng)[0]
        return reports

    def batch(self, value: int, n: int, rng: np.random.Generator) -> Floats:
        centres = np.eye(3)[value]
        step, reach = self.noise.step, self.noise.reach
        noisy = centres + self.noise.sigma * rng.standard_normal((n, 3))
        rounded: Floats = np.minimum(np.maximum(np.rint(noisy / step) * step + 0.0, -reach), reach)
        return rounded

    def epsilon(self, delta: float) -> float:
        """Two values differ in two coordinates: the product law over their two grids."""
        one, zero = self.noise.cells(1.0), self.noise.cells(0.0)
        first, second = np.outer(one, zero).ravel(), np.outer(zero, one).ravel()
        return approximate_epsilon(first, second, delta)

    def law(self, value: int) -> Law:
        edges = np.concatenate(([-np.inf], COARSE, [np.inf]))
        parts = [
            gaussian_cells(edges, float(index == value), self.noise.sigma) for index in range(3)
        ]
        for place in itertools.product(range(len(COARSE) + 1), repeat=3):
            yield place, math.prod(float(parts[index][cell]) for index, cell in enumerate(place))


_VECTORS = (
    GaussianVector(Gaussian(analytic_sigma(1.0, 0.05, 1.0), reach=12.0)),
    GaussianVector(Gaussian(analytic_sigma(1.0, 0.05, math.sqrt(2)), reach=12.0)),
)


def _tail(name: str, delta: float, times: float, must_be_caught: bool = True) -> Entry:
    """Gaussian noise that keeps epsilon 1 with `times` the delta that is claimed."""
    return pair(
        name=name,
        family="AGM",
        place="delta spent several times",
        epsilon=1.0,
        delta=delta,
        values=(0.0, 1.0),
        broken=Gaussian(analytic_sigma(1.0, times * delta, 1.0)),
        correct=Gaussian(analytic_sigma(1.0, delta, 1.0)),
        must_be_caught=must_be_caught,
        why=f"delta is {times * delta:g}: what is too much of it lies far in the tail",
    )


ENTRIES: tuple[Entry, ...] = (
    pair(
        name="gaussian_sensitivity_halved",
        family="Gaussian",
        place="sensitivity halved",
        epsilon=1.0,
        delta=1e-2,
        values=(-1.0, 1.0),
        broken=Gaussian(classical_sigma(1.0, 1e-2, 1.0)),
        correct=Gaussian(classical_sigma(1.0, 1e-2, 2.0)),
        why="the values are 2 apart but sigma is that of 1",
    ),
    pair(
        name="agm_variance_for_deviation",
        family="AGM",
        place="a parameter misread",
        epsilon=1.0,
        delta=1e-2,
        values=(0.0, 1.0),
        broken=Gaussian(math.sqrt(analytic_sigma(1.0, 1e-2, 1.0))),
        correct=Gaussian(analytic_sigma(1.0, 1e-2, 1.0)),
        why="sigma is handed over as a variance, so the deviation is its root",
    ),
    Entry(
        name="agm_one_hot_distance",
        family="AGM",
        place="sensitivity too small",
        epsilon=1.0,
        delta=0.05,
        values=(0, 1, 2),
        broken=_VECTORS[0],
        correct=_VECTORS[1],
        true_epsilon=_VECTORS[0].epsilon(0.05),
        correct_epsilon=_VECTORS[1].epsilon(0.05),
        view=coarse,
        why="one-hot vectors are sqrt(2) apart but sigma is that of distance 1",
    ),
    _tail("agm_delta_ten_times", 1e-3, 10.0),
    _tail("agm_small_delta_ten_times", 1e-4, 10.0, must_be_caught=False),
)
