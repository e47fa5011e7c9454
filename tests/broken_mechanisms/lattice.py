"""Leaks in the last bits of floats [Mironov12]."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import (
    Law,
    logistic,
    smallest_epsilon,
)
from tests.broken_mechanisms.laplace import Laplace


@dataclass(frozen=True)
class LaplaceLastBit:
    """Grid Laplace with one more bit, 2^-40, which tells the value with probability `truth`."""

    truth: float
    noise: Laplace

    def __call__(self, value: float, rng: np.random.Generator) -> float:
        bit = (rng.random() < self.truth) == (value > 0)
        return self.noise(value, rng) + bit * 2.0**-40

    def batch(self, value: float, n: int, rng: np.random.Generator) -> list[float]:
        bits = (rng.random(n) < self.truth) == (value > 0)
        reports: list[float] = (self.noise.batch(value, n, rng) + bits * 2.0**-40).tolist()
        return reports

    def law(self, value: float) -> Law:
        one = self.truth if value > 0 else 1 - self.truth
        for report, chance in self.noise.law(value):
            yield report, chance * (1 - one)
            yield report + 2.0**-40, chance * one


@dataclass(frozen=True)
class LaplaceOffGrid:
    """The noise is rounded and the value is added afterwards."""

    noise: Laplace

    def __call__(self, value: float, rng: np.random.Generator) -> float:
        return value + self.noise(0.0, rng)

    def batch(self, value: float, n: int, rng: np.random.Generator) -> list[float]:
        return [value + noise for noise in self.noise.batch(0.0, n, rng)]

    def law(self, value: float) -> Law:
        for noise, chance in self.noise.law(0.0):
            yield value + noise, chance


def on_coarse_lattice(report: float) -> bool:
    """Whether a float is a multiple of 2^-53."""
    return math.ldexp(report, 53).is_integer()


@dataclass(frozen=True)
class FloatLaplace:
    """The textbook sampler in floating point.

    1 + noise is a multiple of 2^-53, always: a float in [1/2, oo) is one, and a difference
    below 1/2 is exact and inherits it from noise in (-3/2, -1/2). Noise itself is often not: in
    [2^-j-1, 2^-j) neighbouring floats are 2^-j-53 apart, and one in 2^j is such a multiple.
    The law takes the low bits of the logarithm for uniform.
    """

    scale: float

    def __call__(self, value: float, rng: np.random.Generator) -> float:
        return value + rng.laplace(0.0, self.scale)

    def batch(self, value: float, n: int, rng: np.random.Generator) -> list[float]:
        reports: list[float] = (value + rng.laplace(0.0, self.scale, n)).tolist()
        return reports

    def law(self, value: float) -> Law:
        missed = 0.0
        for j in range(1, 60):
            octave = math.exp(-(2.0 ** -(j + 1)) / self.scale) - math.exp(-(2.0**-j) / self.scale)
            missed += octave * (1 - 2.0**-j)
        rate = missed if value == 0 else 0.0
        yield True, 1 - rate
        yield False, rate


@dataclass(frozen=True)
class SnappedFloatLaplace(FloatLaplace):
    """The same, rounded to the grid of `Laplace`: every report is on the lattice."""

    def __call__(self, value: float, rng: np.random.Generator) -> float:
        return Laplace(self.scale)(value, rng)

    def batch(self, value: float, n: int, rng: np.random.Generator) -> list[float]:
        return Laplace(self.scale).batch(value, n, rng)

    def law(self, value: float) -> Law:
        yield True, 1.0


ENTRIES: tuple[Entry, ...] = (
    pair(
        name="laplace_last_bit",
        family="Laplace",
        place="last bits of a float",
        epsilon=1.0,
        values=(0.0, 1.0),
        broken=LaplaceLastBit(logistic(0.3), Laplace(1.0)),
        correct=LaplaceLastBit(0.5, Laplace(1.0)),
        why="the noise costs 1 and the bit 2^-40 tells the value with the odds e^0.3",
    ),
    pair(
        name="laplace_value_off_grid",
        family="Laplace",
        place="a float lattice",
        epsilon=1.0,
        values=(0.0, 0.25, 1 / 3),
        broken=LaplaceOffGrid(Laplace(1 / 3)),
        correct=Laplace(1 / 3),
        why="the noise is on a grid of 1/64 and 1/3 is not, so neither are its reports",
    ),
    Entry(
        name="laplace_float_lattice",
        family="Laplace",
        place="a float lattice",
        epsilon=1.0,
        values=(0.0, 1.0),
        broken=FloatLaplace(1.0),
        correct=SnappedFloatLaplace(1.0),
        true_epsilon=smallest_epsilon(FloatLaplace(1.0).law, (0.0, 1.0), 0.0),
        correct_epsilon=smallest_epsilon(Laplace(1.0).law, (0.0, 1.0), 0.0),
        view=on_coarse_lattice,
        why="1 + noise is always a multiple of 2^-53, noise near 0 often is not",
    ),
)
