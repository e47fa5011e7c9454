"""Protocols that report a point of a sphere: PrivUnit, and Duchi's mechanism for the l2 ball."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import must, number
from ldp_auditor.inputs import Ball
from ldp_auditor.mechanisms.caps import (
    Cap,
    CapMechanism,
    CapsOfUnitVectors,
    chances_of,
    half_angle_sides,
    unit,
)
from ldp_auditor.mechanisms.kernels.noise import NORMAL, draw_noise
from ldp_auditor.mechanisms.kernels.vectors import fill_caps
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream, threshold
from ldp_auditor.mechanisms.vectors import Vector, differences, length_of
from ldp_auditor.portable_math import exp, expm1, log, log1p
from ldp_auditor.theory.levels import law_of_levels
from ldp_auditor.theory.loss_law import LossLaw
from ldp_auditor.theory.roots import bisected
from ldp_auditor.theory.spheres import both_caps_share, cap_moment, cap_share, wedge_share

NO_SHARE = 1e-14
"""A share of the sphere that is nothing but rounding of an angle."""


def cap_above(dimension: int, height: float, chance: float, rest: float) -> Cap:
    """Return the cap of the sphere above a height, which a report is in with that chance."""
    finest = min(1 / math.sqrt(dimension), 1 - height)
    share, moment = cap_share(dimension, height), cap_moment(dimension, height)
    return Cap(height, share, moment, chance, rest, finest)


def exact_cap(dimension: int, height: float, epsilon: float) -> Cap:
    """Return the cap of a height that is e^epsilon times as dense as the rest."""
    return cap_above(dimension, height, *chances_of(cap_share(dimension, height), epsilon))


@lru_cache(maxsize=256)
def best_cap(dimension: int, epsilon: float) -> Cap:
    """Return the cap whose reports vary least: its height is the mean height of a point [Asi22].

    With A = e^epsilon - 1, share q and moment E of the cap, the mean is E A / (1 + q A). Both
    derivatives have the factor -c (1 - t^2)^((d-3)/2), so that it is largest
    where t = E A / (1 + q A).
    """
    more = expm1(epsilon)

    def beyond(height: float) -> float:
        share, moment = cap_share(dimension, height), cap_moment(dimension, height)
        return height * (1 + share * more) - moment * more

    return exact_cap(dimension, bisected(beyond, 0.0, 1.0), epsilon)


@lru_cache(maxsize=256)
def split_cap(dimension: int, epsilon: float, share: float) -> Cap:
    """Return the cap of [Bhowmick18]: a coin with a share of epsilon, a height by the rest.

    The height is the largest of those that its Theorem 1 allows, by either of two conditions.
    """
    coin, left = share * epsilon, (1 - share) * epsilon
    first = expm1(left) / (exp(left) + 1) * math.sqrt(math.pi / (2 * (dimension - 1)))

    def beyond(height: float) -> float:
        rim = (dimension - 1) / 2 * log1p(-height * height)
        return 0.5 * log(dimension) + log(6.0) - rim + log(height) - left

    least = math.sqrt(2 / dimension)
    second = bisected(beyond, least, 1 - 1e-9) if beyond(least) <= 0 else 0.0
    chance = 1 / (1 + exp(-coin))
    return cap_above(dimension, max(first, second), chance, exp(-coin) * chance)


class SphereMechanism(CapMechanism):
    """A protocol that reports a point of a sphere, uniform over a cap or over the rest."""

    def draw(self, pole: Vector, keep: float, n: int, rng: Generator) -> Reports:
        """Return reports about a pole of length 1, or else about the opposite one."""
        cap, reports = self.cap, draw_noise(NORMAL, 1.0, (n, self.dimension), rng)
        limits = threshold(keep), threshold(cap.chance)
        shape = cap.height, self.size, cap.grain
        fill_caps(fresh_stream(rng), np.array(pole), *limits, *shape, reports)
        return reports

    def report_variance(self, value: Vector) -> float:
        return self.size * self.size - length_of(value) ** 2


@dataclass(frozen=True, kw_only=True)
class PrivUnit(CapsOfUnitVectors, SphereMechanism):
    """PrivUnit [Bhowmick18] for unit vectors: a point of a cap about the input, or of the rest.

    The cap is e^epsilon times as dense as the rest exactly, and of all such caps the one of the
    smallest variance [Asi22]. With a `split` it is that of [Bhowmick18]: a coin with this share of
    epsilon says whether the report is in the cap, and the rest of epsilon pays for its height.
    """

    name = "PrivUnit"
    summary = "a point of a cap of the sphere, or of the rest of it"
    split: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("split", number("split", self.split))
        must(0 <= self.split < 1, "lie in [0, 1)", split=self.split)
        least, rule = (3, "be at least 3 with a split") if self.split else (2, "be at least 2")
        must(self.dimension >= least, rule, dimension=self.dimension)

    @property
    def cap(self) -> Cap:
        if self.split:
            return split_cap(self.dimension, self.epsilon, self.split)
        return best_cap(self.dimension, self.epsilon)

    def privatize(self, value: Vector, n: int, rng: Generator) -> Reports:
        return self.draw(unit(self.check_value(value)), 1.0, n, rng)

    def shared(self, pair: InputPair) -> float:
        half_angle = math.atan2(*half_angle_sides(pair))
        return both_caps_share(self.dimension, self.cap.height, half_angle)


class DuchiL2(SphereMechanism):
    """The mechanism of [Duchi18] for the l2 ball: a half of a sphere, about the input or not.

    An input shorter than 1 is first rounded to length 1, in its direction or against it.
    """

    name = "Duchi-l2"
    summary = "a point of half a sphere, the ball's input at its pole"
    takes = Ball

    def __post_init__(self) -> None:
        super().__post_init__()
        must(self.dimension >= 2, "be at least 2", dimension=self.dimension)

    @property
    def inputs(self) -> Ball:
        return Ball(self.dimension, "l2")

    @property
    def cap(self) -> Cap:
        return exact_cap(self.dimension, 0.0, self.epsilon)

    def privatize(self, value: Vector, n: int, rng: Generator) -> Reports:
        value = self.check_value(value)
        length = min(1.0, length_of(value))
        pole = unit(value) if length else (1.0, *value[1:])
        return self.draw(pole, (1 + length) / 2, n, rng)

    def halves(self, value: Vector) -> Floats:
        """Densities away from the input and towards it, in multiples of that of a uniform point."""
        tilt = min(1.0, length_of(value)) * (self.cap.inside - self.cap.outside) / 2
        return np.array([1 - tilt, 1 + tilt])

    def loss_law(self, pair: InputPair) -> LossLaw:
        """Two planes cut the sphere into four parts, by the angle of the inputs."""
        angle = angle_between(pair.first, pair.second) / math.pi
        shares = np.array([[1 - angle, angle], [angle, 1 - angle]]) / 2
        first, second = self.halves(pair.first)[:, None], self.halves(pair.second)[None, :]
        losses = np.log(first / second)
        parts = np.stack([losses, shares * first, shares * second]).reshape(3, -1)
        # Inputs on one line through the center have two parts, but for the rounding of their angle.
        return law_of_levels(*parts[:, shares.ravel() > NO_SHARE])

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        first, second = (
            np.log(self.halves(value))[(self.above(reports, value) >= 0).astype(int)]
            for value in (pair.first, pair.second)
        )
        ratio: Floats = first - second
        return ratio

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        """Nearer to the first input is a cap about the direction in which it is from the second."""
        if reports > 1:
            return None
        towards = tuple(differences(pair).tolist())
        squares = length_of(pair.first) ** 2 - length_of(pair.second) ** 2
        height = squares / (2 * self.size * length_of(towards))
        return Rates(*(self._above(height, towards, v) for v in (pair.first, pair.second)))

    def _above(self, height: float, pole: Vector, value: Vector) -> float:
        """Probability that a report of `value` is above a height about a pole."""
        if height < 0:
            opposite = tuple(-entry for entry in pole)
            return 1 - self._above(-height, opposite, value)
        share, (away, near) = cap_share(self.dimension, height), self.halves(value)
        both = share / 2
        if length_of(value) > 0:
            angle = angle_between(pole, value)
            both = wedge_share(self.dimension, height, angle - math.pi / 2)
        return float(near * both + away * (share - both))


def angle_between(first: Vector, second: Vector) -> float:
    """Return the angle of two vectors, 0 if one has no direction."""
    if not length_of(first) or not length_of(second):
        return 0.0
    first, second = unit(first), unit(second)
    sums = [a + b for a, b in zip(first, second, strict=True)]
    apart = [a - b for a, b in zip(first, second, strict=True)]
    return 2 * math.atan2(math.hypot(*apart), math.hypot(*sums))
