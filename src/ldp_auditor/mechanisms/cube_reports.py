"""The mechanism of [Duchi18] for vectors of the cube [-1, 1]^d, in any dimension."""

import math
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.inputs import Ball
from ldp_auditor.mechanisms.kernels.vectors import chances_of_right_side, fill_corners
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream, threshold, thresholds
from ldp_auditor.mechanisms.vectors import Vector, VectorMechanism
from ldp_auditor.portable_math import exp, expm1
from ldp_auditor.theory.corners import Corners
from ldp_auditor.theory.loss_law import LossLaw

SIZE_BITS = 26
"""Bits of the size of a report, few enough that sums of its coordinates are exact."""


class DuchiLinf(VectorMechanism):
    """The mechanism of [Duchi18] for the cube: a corner of a larger cube.

    The input is rounded to a corner of the cube, at random and coordinate by coordinate. Reports
    on its side are e^epsilon times as likely as others. In even dimensions some corners are on
    neither side; the paper lets both halves have them, which makes them likelier than all others
    and the loss ln(1 + e^epsilon). Here they are with the others [Nguyen16].
    """

    name = "Duchi-linf"
    summary = "a corner of a cube, on the side of the input"
    takes = Ball

    @property
    def inputs(self) -> Ball:
        return Ball(self.dimension, "linf")

    @property
    def right(self) -> float:
        """Share of the corners that are on the right side."""
        return (1 - (0.0 if self.dimension % 2 else middle_share(self.dimension))) / 2

    @property
    def low(self) -> float:
        """Density on the other side, in multiples of that of a uniform corner."""
        return 1 / (1 + self.right * expm1(self.epsilon))

    @property
    def high(self) -> float:
        """Density on the right side."""
        return 1 / (self.right + (1 - self.right) * exp(-self.epsilon))

    @property
    def size(self) -> float:
        """Size of every coordinate of a report."""
        lead = middle_share(self.dimension - self.dimension % 2) / 2
        size = (1 / expm1(self.epsilon) + self.right) / lead
        fraction, exponent = math.frexp(size)
        return math.ldexp(round(math.ldexp(fraction, SIZE_BITS)), exponent - SIZE_BITS)

    def privatize(self, value: Vector, n: int, rng: Generator) -> Reports:
        limits = thresholds((1 + np.array(self.check_value(value))) / 2)
        reports = np.empty((n, self.dimension))
        less = threshold(exp(-self.epsilon))
        fill_corners(fresh_stream(rng), limits, less, self.size, reports)
        return reports

    def loss_law(self, pair: InputPair) -> LossLaw | None:
        return Corners(pair.first, pair.second, self.high, self.low).loss_law()

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        ratio = np.zeros(len(reports))
        chances = np.empty(len(reports))
        for sign, value in ((1, pair.first), (-1, pair.second)):
            chances_of_right_side(reports, np.array(value), chances)
            ratio += sign * np.log(self.low + (self.high - self.low) * chances)
        return ratio

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        corners = Corners(pair.first, pair.second, self.high, self.low)
        return corners.nearer(self.size) if reports == 1 else None

    def report_variance(self, value: Vector) -> float:
        return math.fsum(self.size * self.size - entry * entry for entry in value)


@lru_cache(maxsize=64)
def middle_share(dimension: int) -> float:
    """Return the share of corners with as many positive as negative coordinates, an even number."""
    share = 1.0
    for k in range(1, dimension // 2 + 1):
        share *= (2 * k - 1) / (2 * k)
    return share
