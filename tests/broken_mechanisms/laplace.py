"""Laplace noise on numbers, on a grid and clamped.

Unrounded floating-point noise is itself a leak: those mechanisms are in `lattice.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import (
    Law,
    grid_edges,
    laplace_cells,
)


@dataclass(frozen=True)
class Laplace:
    """Value clipped to at most `top`, plus Laplace noise, on a grid."""

    scale: float
    top: float = math.inf
    step: float = 2.0**-6
    low: float = -10.0
    high: float = 11.0

    def __call__(self, value: float, rng: np.random.Generator) -> float:
        noisy = min(value, self.top) + rng.laplace(0.0, self.scale)
        return min(max(round(noisy / self.step) * self.step, self.low), self.high)

    def batch(self, value: float, n: int, rng: np.random.Generator) -> list[float]:
        noisy = min(value, self.top) + rng.laplace(0.0, self.scale, n)
        reports: list[float] = np.clip(
            np.rint(noisy / self.step) * self.step + 0.0, self.low, self.high
        ).tolist()
        return reports

    def law(self, value: float) -> Law:
        edges = grid_edges(self.low, self.high, self.step)
        mass = laplace_cells(edges, min(value, self.top), self.scale).tolist()
        for index, chance in enumerate(mass):
            yield self.low + index * self.step, chance


FINE = 2.0**-20
QUARTERS = np.arange(-16, 17) / 4 + FINE / 2


def quarter(report: float) -> int:
    """The quarter in which a finely rounded report lies."""
    return int(np.searchsorted(QUARTERS, report))


@dataclass(frozen=True)
class FineLaplace(Laplace):
    """Laplace on a grid so fine that reports hardly repeat; the law is that of `quarter`."""

    step: float = FINE

    def law(self, value: float) -> Law:
        edges = np.concatenate(([-np.inf], QUARTERS, [np.inf]))
        mass = laplace_cells(edges, min(value, self.top), self.scale).tolist()
        yield from enumerate(mass)

    def epsilon(self, values: tuple[float, ...]) -> float:
        """A cell outside of the values has the ratio e^(distance / scale) exactly."""
        return (max(values) - min(values)) / self.scale


_HALVED = (FineLaplace(1.0), FineLaplace(2.0))


ENTRIES: tuple[Entry, ...] = (
    Entry(
        name="laplace_sensitivity_halved",
        family="Laplace",
        place="sensitivity halved",
        epsilon=1.0,
        values=(-1.0, 0.0, 1.0),
        broken=_HALVED[0],
        correct=_HALVED[1],
        true_epsilon=_HALVED[0].epsilon((-1.0, 0.0, 1.0)),
        correct_epsilon=_HALVED[1].epsilon((-1.0, 0.0, 1.0)),
        view=quarter,
        why="the range -1 to 1 has width 2 but the scale is 1/epsilon",
    ),
    pair(
        name="laplace_sensitivity_from_data",
        family="Laplace",
        place="sensitivity too small",
        epsilon=1.0,
        values=(0.0, 0.5, 1.0),
        broken=Laplace(0.8),
        correct=Laplace(1.0),
        why="the width seen in the data, 0.8, stands in for the range's 1",
    ),
    pair(
        name="laplace_sensitivity_nearly",
        family="Laplace",
        place="sensitivity too small",
        epsilon=1.0,
        values=(0.0, 1.0),
        broken=Laplace(0.95),
        correct=Laplace(1.0),
        must_be_caught=False,
        why="the scale is 0.95/epsilon for a range of width 1",
    ),
    pair(
        name="laplace_input_not_clipped",
        family="Laplace",
        place="a missing step",
        epsilon=1.0,
        values=(0.0, 1.0, 1.5),
        broken=Laplace(1.0),
        correct=Laplace(1.0, top=1.0),
        why="1.5 is outside of the range 0 to 1 for which the scale was made",
    ),
)
