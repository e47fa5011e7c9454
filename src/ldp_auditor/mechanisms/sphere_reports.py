"""Protocols that report a point of a sphere: PrivUnit, and Duchi's mechanism for the l2 ball."""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import must, number
from ldp_auditor.inputs import Ball, UnitVectors
from ldp_auditor.mechanisms.bounded_reports import MOST_WINDOW_EPSILON
from ldp_auditor.mechanisms.kernels.noise import NORMAL, draw_noise
from ldp_auditor.mechanisms.kernels.numbers import grain_of
from ldp_auditor.mechanisms.kernels.vectors import add_products, fill_caps
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream, threshold
from ldp_auditor.mechanisms.vectors import Vector, VectorMechanism, differences, length_of
from ldp_auditor.portable_math import exp, expm1, log, log1p
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.levels import law_of_levels
from ldp_auditor.theory.loss_law import LossLaw
from ldp_auditor.theory.spheres import both_caps_share, cap_moment, cap_share, wedge_share

NO_SHARE = 1e-14
"""A share of the sphere that is nothing but rounding of an angle."""


@dataclass(frozen=True)
class Cap:
    """The points above a height, which are likelier than the rest of the sphere."""

    dimension: int
    height: float
    chance: float
    """Probability of the cap."""
    rest: float
    """Probability of the rest; both keep their digits."""

    @classmethod
    def exact(cls, dimension: int, height: float, epsilon: float) -> "Cap":
        """Make the cap of a height that is e^epsilon times as dense as the rest."""
        share = cap_share(dimension, height)
        rest = (1 - share) / (1 + share * expm1(epsilon))
        return cls(dimension, height, share / (share + exp(-epsilon) * (1 - share)), rest)

    @property
    def share(self) -> float:
        """Share of the sphere that it takes."""
        return cap_share(self.dimension, self.height)

    @property
    def inside(self) -> float:
        """Density in the cap, in multiples of that of a uniform point."""
        return self.chance / self.share

    @property
    def outside(self) -> float:
        """Density elsewhere."""
        return self.rest / (1 - self.share)

    @property
    def mean(self) -> float:
        """Mean height of a point."""
        return cap_moment(self.dimension, self.height) * (self.inside - self.outside)

    @property
    def grain(self) -> float:
        """A distance by which points may be rounded, far below the sizes that matter."""
        return grain_of(min(1 / math.sqrt(self.dimension), 1 - self.height) / self.mean)


def bisected(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where an ascending function crosses 0, by halving 80 times."""
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if function(middle) > 0 else (middle, high)
    return low


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

    return Cap.exact(dimension, bisected(beyond, 0.0, 1.0), epsilon)


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
    return Cap(dimension, max(first, second), chance, exp(-coin) * chance)


class SphereMechanism(VectorMechanism):
    """A protocol that reports a point of a sphere, uniform over a cap or over the rest."""

    @property
    @abstractmethod
    def cap(self) -> Cap:
        """The likelier points, about a pole."""

    @property
    def size(self) -> float:
        """Length of a report."""
        return 1 / self.cap.mean

    def check_epsilon(self) -> None:
        super().check_epsilon()
        rule = f"be at most {MOST_WINDOW_EPSILON:g}, beyond which floats do not resolve the cap"
        must(self.epsilon <= MOST_WINDOW_EPSILON, rule, epsilon=self.epsilon)

    def draw(self, pole: Vector, keep: float, n: int, rng: Generator) -> Reports:
        """Return reports about a pole of length 1, or else about the opposite one."""
        cap, reports = self.cap, draw_noise(NORMAL, 1.0, (n, self.dimension), rng)
        limits = threshold(keep), threshold(cap.chance)
        shape = cap.height, self.size, cap.grain
        fill_caps(fresh_stream(rng), np.array(pole), *limits, *shape, reports)
        return reports

    def above(self, reports: Reports, pole: Vector) -> Floats:
        """Return how high reports are above the center, were the sphere of radius 1."""
        heights = np.zeros(len(reports))
        add_products(reports, np.array(pole), heights)
        return heights / self.size

    def report_variance(self, value: Vector) -> float:
        return self.size * self.size - length_of(value) ** 2


def unit(vector: Vector) -> Vector:
    """Return a vector divided by its length."""
    length = length_of(vector)
    return tuple(entry / length for entry in vector)


@dataclass(frozen=True, kw_only=True)
class PrivUnit(SphereMechanism):
    """PrivUnit [Bhowmick18] for unit vectors: a point of a cap about the input, or of the rest.

    The cap is e^epsilon times as dense as the rest exactly, and of all such caps the one of the
    smallest variance [Asi22]. With a `split` it is that of [Bhowmick18]: a coin with this share of
    epsilon says whether the report is in the cap, and the rest of epsilon pays for its height.
    """

    name = "PrivUnit"
    summary = "a point of a cap of the sphere, or of the rest of it"
    takes = UnitVectors

    split: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("split", number("split", self.split))
        must(0 <= self.split < 1, "lie in [0, 1)", split=self.split)
        least, rule = (3, "be at least 3 with a split") if self.split else (2, "be at least 2")
        must(self.dimension >= least, rule, dimension=self.dimension)

    @property
    def inputs(self) -> UnitVectors:
        return UnitVectors(self.dimension)

    @property
    def cap(self) -> Cap:
        if self.split:
            return split_cap(self.dimension, self.epsilon, self.split)
        return best_cap(self.dimension, self.epsilon)

    def privatize(self, value: Vector, n: int, rng: Generator) -> Reports:
        return self.draw(unit(self.check_value(value)), 1.0, n, rng)

    def shared(self, pair: InputPair) -> float:
        """Share of the sphere that is in the caps of both inputs."""
        sums = tuple(a + b for a, b in zip(pair.first, pair.second, strict=True))
        half_angle = math.atan2(math.hypot(*differences(pair)), math.hypot(*sums))
        return both_caps_share(self.dimension, self.cap.height, half_angle)

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        """Points of one cap alone tell, those of both or of none do not."""
        alone = self.cap.share - self.shared(pair)
        return OneLevelLaw(self.cap.inside * alone, self.cap.outside * alone)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        first, second = (
            (self.above(reports, unit(pole)) >= self.cap.height).astype(float)
            for pole in (pair.first, pair.second)
        )
        ratio: Floats = log(self.cap.inside / self.cap.outside) * (first - second)
        return ratio

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        """The nearer half of the sphere holds the cap but for half of what both caps share."""
        if reports > 1:
            return None
        cap, lost = self.cap, self.shared(pair) / 2
        far = cap.inside * lost + cap.outside * (0.5 - lost)
        return Rates(1 - far, far)

    def report_variance(self, value: Vector) -> float:
        return self.size * self.size - 1


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
        return Cap.exact(self.dimension, 0.0, self.epsilon)

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
