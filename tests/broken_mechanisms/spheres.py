"""Points of the sphere in three dimensions, where the height over any plane is uniform."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from tests.broken_mechanisms.entry import Entry
from tests.broken_mechanisms.exact import Law, logistic, smallest_epsilon

Point: TypeAlias = tuple[float, float, float]

STEPS = 64
"""Steps of the lattice to a unit; reports lie in the middle of one, never at 0."""

CAP = 24 / STEPS
"""Height of the cap, between two steps."""

POLES = ((0.0, 0.0, 1.0), (0.0, 0.0, -1.0))


@dataclass(frozen=True)
class Sphere:
    """A point of the cap above a height with probability `inside`, else of the rest.

    An input shorter than 1 turns to the opposite one by a coin; with `shrink` the report is made
    shorter instead.
    """

    inside: float
    height: float
    shrink: bool = False

    def batch(self, value: Point, n: int, rng: np.random.Generator) -> list[Point]:
        length = abs(value[2])
        keeps = rng.random(n) < (1.0 if self.shrink else (1 + length) / 2)
        low = self.height + (1 - self.height) * rng.random(n)
        rest = self.height - (1 + self.height) * rng.random(n)
        up = np.where(rng.random(n) < self.inside, low, rest)
        turn = 2 * math.pi * rng.random(n)
        across = np.sqrt(1 - up * up)
        up = np.where(keeps, up, -up) * math.copysign(1.0, value[2])
        points = np.stack([across * np.cos(turn), across * np.sin(turn), up], axis=1)
        size = length if self.shrink else 1.0
        reports = (np.floor(points * size * STEPS) + 0.5) / STEPS
        return [(x, y, z) for x, y, z in reports.tolist()]

    def __call__(self, value: Point, rng: np.random.Generator) -> Point:
        return self.batch(value, 1, rng)[0]

    def law(self, value: Point) -> Law:
        """The law of `seen`, or of `side` if the cap is half of the sphere."""
        length = abs(value[2])
        plus = 1.0 if self.shrink else (1 + length) / 2
        size = length if self.shrink else 1.0
        for sign, chance in ((1, plus), (-1, 1 - plus)):
            up = sign * math.copysign(1.0, value[2])
            # The band of heights between both caps, and the rest beyond the opposite one.
            middle = (1 - self.inside) * 2 * self.height / (1 + self.height)
            yield (up, size), chance * self.inside
            yield (0.0, size), chance * middle
            yield (-up, size), chance * (1 - self.inside - middle)


def seen(report: Point) -> tuple[float, float]:
    """Which cap about a pole a report lies in (0 if in none), and its length to a tenth."""
    return float((report[2] > CAP) - (report[2] < -CAP)), round(math.hypot(*report), 1)


def side(report: Point) -> tuple[float, float]:
    """The half of the sphere that a report lies in, and its length to a tenth."""
    return math.copysign(1.0, report[2]), round(math.hypot(*report), 1)


@dataclass(frozen=True)
class Normal:
    """Normal noise of three coordinates, above a height along a pole with probability `inside`."""

    inside: float
    height: float

    def batch(self, value: Point, n: int, rng: np.random.Generator) -> list[Point]:
        noise = rng.standard_normal((n, 3))
        wanted = rng.random(n) < self.inside
        wrong = np.ones(n, bool)
        while wrong.any():
            noise[wrong, 2] = rng.standard_normal(int(wrong.sum()))
            wrong = (noise[:, 2] > self.height) != wanted
        noise[:, 2] *= value[2]
        reports = (np.floor(noise * STEPS) + 0.5) / STEPS
        return [(x, y, z) for x, y, z in reports.tolist()]

    def __call__(self, value: Point, rng: np.random.Generator) -> Point:
        return self.batch(value, 1, rng)[0]

    def law(self, value: Point) -> Law:
        """The law of `capped`."""
        below = NormalDist().cdf(self.height)
        middle, beyond = 2 - 1 / below, (1 - below) / below
        yield value[2], self.inside
        yield 0.0, (1 - self.inside) * middle
        yield -value[2], (1 - self.inside) * beyond


def capped(report: Point) -> float:
    """Which cap about a pole a report of normal noise lies in, 0 if in none."""
    return float((report[2] > HIGH) - (report[2] < -HIGH))


HIGH = 1.0
"""Height of the cap of normal noise, between two steps."""

TAIL = 1 - NormalDist().cdf(HIGH)
SHARE = (1 - CAP) / 2
NORMAL = Normal(logistic(1.0), HIGH), Normal(TAIL / (TAIL + math.exp(-1.0) * (1 - TAIL)), HIGH)
CAPS = Sphere(logistic(1.0), CAP), Sphere(SHARE / (SHARE + math.exp(-1.0) * (1 - SHARE)), CAP)
HALVES = Sphere(logistic(1.0), 0.0, shrink=True), Sphere(logistic(1.0), 0.0)
LENGTHS = ((0.0, 0.0, 1.0), (0.0, 0.0, 0.5))

ENTRIES: tuple[Entry, ...] = (
    Entry(
        name="privunit_cap_taken_for_half",
        family="PrivUnit",
        place="a missing step",
        epsilon=1.0,
        values=POLES,
        broken=CAPS[0],
        correct=CAPS[1],
        true_epsilon=smallest_epsilon(CAPS[0].law, POLES, 0.0),
        correct_epsilon=smallest_epsilon(CAPS[1].law, POLES, 0.0),
        view=seen,
        why="the cap has the odds of epsilon as if it were half of the sphere",
    ),
    Entry(
        name="privunitg_cap_taken_for_half",
        family="PrivUnit",
        place="a missing step",
        epsilon=1.0,
        values=POLES,
        broken=NORMAL[0],
        correct=NORMAL[1],
        true_epsilon=smallest_epsilon(NORMAL[0].law, POLES, 0.0),
        correct_epsilon=smallest_epsilon(NORMAL[1].law, POLES, 0.0),
        view=capped,
        why="the share of normal noise above the height is taken for a half",
    ),
    Entry(
        name="duchi_ball_without_the_flip",
        family="Duchi",
        place="length",
        epsilon=1.0,
        values=LENGTHS,
        broken=HALVES[0],
        correct=HALVES[1],
        true_epsilon=smallest_epsilon(HALVES[0].law, LENGTHS, 0.0),
        correct_epsilon=smallest_epsilon(HALVES[1].law, LENGTHS, 0.0),
        view=side,
        why="a short input makes the report shorter instead of turning it by a coin",
    ),
)
