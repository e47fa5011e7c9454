"""Noise of the plane, whole noise, draws from a table, and the mass of a cell under planar noise.

All of it decides what is sampled: roots, products and `portable_math` only, no angle.
"""

import math
from typing import Any

import numpy as np

from ldp_auditor import portable_math
from ldp_auditor.core import Floats
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import advance, open_unit

_exp = compiled(portable_math.exp)
_log = compiled(portable_math.log)


@compiled
def fill_planar(stream: Any, scale: float, x: float, y: float, out: Any) -> None:
    """Write places with planar Laplace noise: a sum of two exponentials in a random direction.

    The direction is that of a point of a disc, found by trying points of a square.
    """
    a, b, c, d = stream
    for i in range(out.shape[0]):
        first, a, b, c, d = advance(a, b, c, d)
        second, a, b, c, d = advance(a, b, c, d)
        radius = -scale * _log(open_unit(first) * open_unit(second))
        while True:
            first, a, b, c, d = advance(a, b, c, d)
            second, a, b, c, d = advance(a, b, c, d)
            right = 2.0 * open_unit(first) - 1.0
            up = 2.0 * open_unit(second) - 1.0
            square = right * right + up * up
            if 0.0 < square <= 1.0:
                break
        stretch = radius / math.sqrt(square)
        out[i, 0] = x + stretch * right
        out[i, 1] = y + stretch * up


@compiled
def fill_geometric(stream: Any, epsilon: float, value: int, last: int, out: Any) -> None:
    """Write the value plus the difference of two geometric numbers, cut to 0..last."""
    a, b, c, d = stream
    for i in range(out.size):
        first, a, b, c, d = advance(a, b, c, d)
        second, a, b, c, d = advance(a, b, c, d)
        up = math.floor(-_log(open_unit(first)) / epsilon)
        down = math.floor(-_log(open_unit(second)) / epsilon)
        out[i] = np.int64(min(max(value + up - down, 0), last))


@compiled
def fill_drawn(stream: Any, digits: Any, thresholds: Any, aliases: Any, out: Any) -> None:
    """Write draws of the alias method: see `sums.Lottery`, of which this is the first law."""
    mask = (np.uint64(1) << digits) - np.uint64(1)
    a, b, c, d = stream
    for i in range(out.size):
        word, a, b, c, d = advance(a, b, c, d)
        column = word & mask
        keeps = (word & ~mask) < thresholds[0, column]
        out[i] = np.int64(column) if keeps else aliases[0, column]


NODES = np.array([
    0.076526521133497333755, 0.22778585114164507808, 0.37370608871541956067,
    0.51086700195082709800, 0.63605368072651502545, 0.74633190646015079261,
    0.83911697182221882339, 0.91223442825132590587, 0.96397192727791379127,
    0.99312859918509492479,
])  # fmt: skip
WEIGHTS = np.array([
    0.15275338713072585070, 0.14917298647260374679, 0.14209610931838205133,
    0.13168863844917662690, 0.11819453196151841731, 0.10193011981724043504,
    0.083276741576704748725, 0.062672048334109063570, 0.040601429800386941331,
    0.017614007139152118312,
])  # fmt: skip
"""Gauss-Legendre quadrature of 20 places on (-1, 1), one half; in writing, for the same bits."""

PANELS = 8
"""Panels of either half of a smooth piece where no side is far or near, doubling from its end on.
A side that is twice as far, or twice as near, needs another one: densities fall off by then in half
of the slope."""

SMALL = 0.5
"""Lengths up to which the mass of a ray is a series: what is left of 1 would have no digits."""

TERMS = 16


def log_masses(x: Floats, y: Floats, epsilon: float) -> Floats:
    """Logs of the masses of rectangles under planar Laplace noise around the origin.

    Rows of `x` and `y` are the two ends of a side, not negative; the second may be infinite.
    """
    masses = np.empty(len(x))
    _fill_masses(x * epsilon, y * epsilon, NODES, WEIGHTS, masses)
    return masses


@compiled
def _fill_masses(x: Any, y: Any, nodes: Any, weights: Any, out: Any) -> None:
    for i in range(out.size):
        # Logs are relative to the nearest place of the rectangle, where the density is largest.
        near = math.sqrt(x[i, 0] * x[i, 0] + y[i, 0] * y[i, 0])
        mass = _half(x[i, 0], x[i, 1], y[i, 0], y[i, 1], near, nodes, weights)
        mass += _half(y[i, 0], y[i, 1], x[i, 0], x[i, 1], near, nodes, weights)
        out[i] = _log(mass) - near


@compiled
def _half(
    x0: float, x1: float, y0: float, y1: float, near: float, nodes: Any, weights: Any
) -> float:
    """Mass, times e^near, of the part of a rectangle where y <= x.

    Over rays of slope t: along a ray r e^-r integrates to (1 + r) e^-r at both ends, which are
    those of a side across or of a side along.
    """
    corners = np.array([_slope(y0, x1), _slope(y0, x0), _slope(y1, x1), _slope(y1, x0)])
    corners.sort()
    finest = max(1.0, near)
    for distance in (x0, y0, x1, y1):
        if distance > 0.0:
            finest = max(finest, 1.0 / distance)
    panels = PANELS + math.frexp(finest)[1]
    total = 0.0
    for piece in range(3):
        low, gap = corners[piece], corners[piece + 1] - corners[piece]
        for half in range(2 if gap > 0.0 else 0):
            far = 0.0
            for panel in range(panels):
                near_end, far = far, math.ldexp(0.5, panel + 1 - panels)
                away = gap * (0.5 * (near_end + far))
                middle = low + away if half == 0 else corners[piece + 1] - away
                width = gap * (far - near_end)
                for j in range(nodes.size):
                    for side in range(2):
                        t = middle + (0.5 - side) * width * nodes[j]
                        length = math.sqrt(1.0 + t * t)
                        start = length * max(x0, y0 / t)
                        end = length * min(x1, y1 / t)
                        if end > start:
                            part = _mass_of_ray(start, end, near)
                            total += weights[j] * 0.5 * width * part / (1.0 + t * t)
    return total / (2.0 * math.pi)


@compiled
def _mass_of_ray(start: float, end: float, near: float) -> float:
    """Return the integral of r e^(near - r) from `start` to `end`, which may be infinite."""
    if end <= SMALL:
        return _exp(near) * (_mass_within(end) - _mass_within(start))
    mass = (1.0 + start) * _exp(near - start)
    return mass - (1.0 + end) * _exp(near - end) if end < math.inf else mass


@compiled
def _mass_within(end: float) -> float:
    """Return the integral of r e^-r from 0 to a small `end`."""
    term, total = end * end, 0.0
    for k in range(TERMS):
        total += term / (k + 2.0)
        term *= -end / (k + 1.0)
    return total


@compiled
def _slope(y: float, x: float) -> float:
    """Return y / x, at most 1: what is steeper belongs to the other half."""
    if y >= x:
        return 1.0 if y > 0.0 else 0.0
    return y / x
