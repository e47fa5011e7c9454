"""Reports that are likelier above a height over the center, seen from the input: in its cap.

What comes before the cap is known is symmetric about the center: a uniform point of a sphere, or
normal noise. So any two inputs of length 1 are told apart by the part of a cap that is not in the
other one, and the exact laws need no more than the shares of both.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import must
from ldp_auditor.inputs import UnitVectors
from ldp_auditor.mechanisms.bounded_reports import MOST_WINDOW_EPSILON
from ldp_auditor.mechanisms.kernels.numbers import grain_of
from ldp_auditor.mechanisms.kernels.vectors import add_products
from ldp_auditor.mechanisms.vectors import Vector, VectorMechanism, differences, length_of
from ldp_auditor.portable_math import exp, expm1, log
from ldp_auditor.theory.discrete_laws import OneLevelLaw


@dataclass(frozen=True)
class Cap:
    """What lies above a height, and is likelier than the rest."""

    height: float
    share: float
    """Probability of the cap before it is made likelier."""
    moment: float
    """Mean height above the center times the indicator of the cap, before that."""
    chance: float
    """Probability of the cap."""
    rest: float
    """Probability of the rest; both keep their digits."""
    finest: float
    """The smallest of the sizes that matter."""

    @property
    def inside(self) -> float:
        """Density in the cap, in multiples of what it was."""
        return self.chance / self.share

    @property
    def outside(self) -> float:
        """Density elsewhere."""
        return self.rest / (1 - self.share)

    @property
    def mean(self) -> float:
        """Mean height."""
        return self.moment * (self.inside - self.outside)

    @property
    def grain(self) -> float:
        """A distance by which reports may be rounded, far below the sizes that matter."""
        return grain_of(self.finest / self.mean)


def chances_of(share: float, epsilon: float) -> tuple[float, float]:
    """Return probabilities of a cap that is e^epsilon times as dense as the rest, and of that."""
    chance = share / (share + exp(-epsilon) * (1 - share))
    return chance, (1 - share) / (1 + share * expm1(epsilon))


class CapMechanism(VectorMechanism):
    """A protocol whose reports are likelier in the cap about a pole, the input or its direction."""

    @property
    @abstractmethod
    def cap(self) -> Cap:
        """The likelier reports."""

    @property
    def size(self) -> float:
        """By what a height is multiplied, so that the mean of a report is the input."""
        return 1 / self.cap.mean

    def check_epsilon(self) -> None:
        super().check_epsilon()
        rule = f"be at most {MOST_WINDOW_EPSILON:g}, beyond which floats do not resolve the cap"
        must(self.epsilon <= MOST_WINDOW_EPSILON, rule, epsilon=self.epsilon)

    def above(self, reports: Reports, pole: Vector) -> Floats:
        """Return how high reports are above the center, before they were multiplied."""
        heights = np.zeros(len(reports))
        add_products(reports, np.array(pole), heights)
        return heights / self.size


class CapsOfUnitVectors(CapMechanism):
    """A protocol for unit vectors; what it tells of two inputs is what their caps share."""

    takes = UnitVectors

    @property
    def inputs(self) -> UnitVectors:
        return UnitVectors(self.dimension)

    @abstractmethod
    def shared(self, pair: InputPair) -> float:
        """Share of what is in the caps of both inputs."""

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        """Reports of one cap alone tell, those of both or of none do not."""
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
        """The nearer half of the space holds the cap but for half of what both caps share."""
        if reports > 1:
            return None
        cap, lost = self.cap, self.shared(pair) / 2
        far = cap.inside * lost + cap.outside * (0.5 - lost)
        return Rates(1 - far, far)


def half_angle_sides(pair: InputPair) -> tuple[float, float]:
    """Return the opposite and the adjacent side of half of the angle of two unit vectors."""
    sums = tuple(a + b for a, b in zip(pair.first, pair.second, strict=True))
    return math.hypot(*differences(pair)), math.hypot(*sums)


def unit(vector: Vector) -> Vector:
    """Return a vector divided by its length."""
    length = length_of(vector)
    return tuple(entry / length for entry in vector)
