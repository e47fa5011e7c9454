"""Reports that are numbers: two ends, a window and its surroundings, a staircase; a lattice."""

import math
from typing import Any

import numpy as np

from ldp_auditor import portable_math
from ldp_auditor.core import Floats
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import advance, open_unit

_log = compiled(portable_math.log)

FINE = 16
"""Bits to which the finest part of a density is resolved."""


def grain_of(width: float) -> float:
    """Return the distance of the numbers that are sent: a power of two far below a `width`."""
    return math.ldexp(1.0, math.frexp(width)[1] - FINE)


def on_lattice(reports: Floats, grain: float) -> Floats:
    """Round to multiples of `grain`, a power of two, in place.

    Floats near an input have other last bits than floats far from it, which tells inputs apart
    whatever the noise [Mironov12]; on one lattice for all inputs they do not.
    """
    reports /= grain
    np.rint(reports, out=reports)
    reports *= grain
    return reports


@compiled
def fill_signs(stream: Any, limits: Any, size: float, out: Any) -> None:
    """Write `size` where a random word is below the limit of its place, else minus it."""
    a, b, c, d = stream
    for i in range(out.size):
        word, a, b, c, d = advance(a, b, c, d)
        out[i] = size if word < limits[i] else -size


@compiled
def fill_window(
    stream: Any, limit: Any, lows: Any, width: float, start: float, around: float, out: Any
) -> None:
    """Write numbers of a window where a random word is below the limit, else of what is around.

    The window of a place begins at `lows`; everything begins at `start`, and `around` is its length
    without the window.
    """
    a, b, c, d = stream
    for i in range(out.size):
        word, a, b, c, d = advance(a, b, c, d)
        place, a, b, c, d = advance(a, b, c, d)
        share = open_unit(place)
        low = lows[i]
        if word < limit:
            out[i] = low + share * width
        else:
            away = share * around
            out[i] = start + away if away < low - start else start + away + width


@compiled
def fill_staircase(
    stream: Any, epsilon: float, share: float, step: Any, length: float, out: Any
) -> None:
    """Add noise of the staircase density: a sign, a stair, the part of it, a place in the part.

    A stair is `length` long; its first `share` is a higher step, taken where a random word is below
    the limit `step`.
    """
    a, b, c, d = stream
    for i in range(out.size):
        stair, a, b, c, d = advance(a, b, c, d)
        part, a, b, c, d = advance(a, b, c, d)
        place, a, b, c, d = advance(a, b, c, d)
        away = math.floor(-_log(open_unit(stair)) / epsilon)
        within = open_unit(place << np.uint64(1))
        if part < step:
            away += share * within
        else:
            away += share + (1.0 - share) * within
        size = length * away
        out[i] += size if place >> np.uint64(63) else -size
