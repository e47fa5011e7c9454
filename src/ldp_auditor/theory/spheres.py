"""Shares of the unit sphere: caps, and what two of them have in common.

The height t of a uniform point over a plane through the center has the density
c (1 - t^2)^((d-3)/2), c = Gamma(d/2) / (sqrt(pi) Gamma((d-1)/2)). What decides how a cap is sampled
is computed with fixed operations (`portable_math`).
"""

import math
from functools import lru_cache

import numpy as np

from ldp_auditor.core import Floats
from ldp_auditor.portable_math import exp, log1p
from ldp_auditor.theory.quadrature import integrate

MOST_TERMS = 100_000
"""Terms of a series or a continued fraction at most; a thousand suffice for 10^5 dimensions."""

PANELS = 48
"""Panels of the quadrature; half as many give the same twelve digits."""


@lru_cache(maxsize=64)
def height_density(dimension: int) -> float:
    """Return c, the density of the height of a uniform point at 0."""
    density = 1 / math.pi if dimension % 2 == 0 else 0.5
    for smaller in range(2 + dimension % 2, dimension, 2):
        density *= smaller / (smaller - 1)
    return density


def cap_moment(dimension: int, height: float) -> float:
    """Return the integral of the height over the cap above a height: c (1 - t^2)^((d-1)/2) / (d-1).

    That is the share of the cap times the mean height in it.
    """
    rim = exp((dimension - 1) / 2 * log1p(-height * height))
    return height_density(dimension) * rim / (dimension - 1)


@lru_cache(maxsize=1024)
def cap_share(dimension: int, height: float) -> float:
    """Return the share of the sphere above a height that is not negative."""
    square = height * height
    if square * (dimension + 4) < 3:
        # 1/2 - c t (1 - t^2)^((d-1)/2) (1 + d/3 t^2 + d (d+2) / (3 5) t^4 + ...)
        term = total = 1.0
        for k in range(MOST_TERMS):
            term *= (dimension + 2 * k) / (3 + 2 * k) * square
            total += term
            if term < 1e-17 * total:
                break
        return 0.5 - (dimension - 1) * cap_moment(dimension, height) * height * total
    if height >= 1:
        return 0.0
    # Half of the incomplete beta function of 1 - t^2 by its continued fraction [Olver10] 8.17.22.
    a, b, x = (dimension - 1) / 2, 0.5, 1 - square
    upper, lower = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = lower
    for k in range(1, MOST_TERMS):
        even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k))
        odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
        lower, upper = 1 / (1 + even * lower), 1 + even / upper
        fraction *= lower * upper
        lower, upper = 1 / (1 + odd * lower), 1 + odd / upper
        fraction *= lower * upper
        if abs(lower * upper - 1) < 1e-16:
            break
    return cap_moment(dimension, height) * height * fraction


def wedge_share(dimension: int, height: float, angle: float) -> float:
    """Return the share of the cap above a height that lies beyond a half-plane.

    Seen along the axis of the half-plane, it holds the points at an `angle` or more from the pole.
    The share is the integral of (1 - t^2 / cos^2 a)^((d-2)/2) / (2 pi) over angles a up to
    arccos t. It has no closed form, as Owen's function of the normal law has none, so that it is
    integrated numerically; a substitution takes away the root at the rim.
    """
    rim = math.acos(height)
    if angle <= -rim:
        return cap_share(dimension, height)
    if angle >= rim:
        return 0.0
    if height == 0:
        return (rim - angle) / (2 * math.pi)
    if angle < 0:
        return cap_share(dimension, height) - wedge_share(dimension, height, -angle)

    def integrand(w: Floats) -> Floats:
        inside = np.maximum(0.0, 1 - (height / np.cos(rim - (rim - angle) * w * w)) ** 2)
        weighted: Floats = inside ** ((dimension - 2) / 2) * w
        return weighted

    edges = np.linspace(0.0, 1.0, PANELS + 1)
    return (rim - angle) / math.pi * integrate(integrand, edges)


def both_caps_share(dimension: int, height: float, half_angle: float) -> float:
    """Return what two caps above the same height share, whose poles are twice an angle apart."""
    return 2 * wedge_share(dimension, height, half_angle)
