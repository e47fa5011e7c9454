"""PrivUnitG: normal noise that is likelier above a height along the input."""

import math
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import InputPair, Reports
from ldp_auditor.mechanisms.caps import (
    Cap,
    CapsOfUnitVectors,
    chances_of,
    half_angle_sides,
)
from ldp_auditor.mechanisms.kernels.noise import NORMAL, draw_noise
from ldp_auditor.mechanisms.kernels.vectors import fill_normal_caps
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream, threshold
from ldp_auditor.mechanisms.vectors import Vector
from ldp_auditor.portable_math import exp, expm1, log_normal_tail
from ldp_auditor.theory.roots import bisected

HIGHEST = 40.0
"""Above all heights: less than e^-700 of a normal variable is beyond it."""


def exact_cap(height: float, epsilon: float) -> Cap:
    """Return the normal noise above a height, e^epsilon times as dense as the rest."""
    share, moment = exp(log_normal_tail(height)), exp(-height * height / 2) / math.sqrt(math.tau)
    return Cap(height, share, moment, *chances_of(share, epsilon), min(1.0, 1 / height))


@lru_cache(maxsize=256)
def best_cap(dimension: int, epsilon: float) -> Cap:
    """Return the cap whose reports vary least.

    With A = e^epsilon - 1, share q and density f of the height t, the mean height is
    m = A f / (1 + q A) and the mean square of the noise d + t m. The derivative of m by t is
    m (m - t), and that of (d + t m) / m^2 vanishes where (m - t) (2 d + t m) = m, a little below
    the t = m of the largest mean [Asi22].
    """
    more = expm1(epsilon)

    def beyond(height: float) -> float:
        share, density = exp(log_normal_tail(height)), exp(-height * height / 2)
        mean = more * density / math.sqrt(math.tau) / (1 + share * more)
        return mean - (mean - height) * (2 * dimension + height * mean)

    return exact_cap(bisected(beyond, 0.0, HIGHEST), epsilon)


class PrivUnitG(CapsOfUnitVectors):
    """PrivUnitG [Asi22] for unit vectors: normal noise, its part along the input above a height.

    Across the input the noise is as it was. The part above the height is e^epsilon times as dense
    as the rest exactly, and of all such heights the one of the smallest variance.
    """

    name = "PrivUnitG"
    summary = "normal noise that is likelier above a height along the input"

    @property
    def cap(self) -> Cap:
        return best_cap(self.dimension, self.epsilon)

    def privatize(self, value: Vector, n: int, rng: Generator) -> Reports:
        cap, pole = self.cap, np.array(self.check_value(value))
        reports = draw_noise(NORMAL, 1.0, (n, self.dimension), rng)
        shape = threshold(cap.chance), cap.height, self.size, cap.grain
        fill_normal_caps(fresh_stream(rng), pole, *shape, reports)
        return reports

    def shared(self, pair: InputPair) -> float:
        """Of two normal variables as correlated as the inputs, by Owen's function [Owen56]."""
        from scipy.special import owens_t

        across, along = half_angle_sides(pair)
        tangent = across / along if along else math.inf
        return self.cap.share - 2 * float(owens_t(self.cap.height, tangent))

    def report_variance(self, value: Vector) -> float:
        cap = self.cap
        return (self.dimension + cap.height * cap.mean) * self.size * self.size - 1
