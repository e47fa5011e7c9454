"""Reports that are vectors: caps of the sphere, corners of the cube, some of the coordinates.

Sums over coordinates are carried out in one order, so that they have the same bits everywhere.
"""

import math
from typing import Any

import numpy as np

from ldp_auditor import portable_math
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import advance, next_word, open_unit, scale_down

_log = compiled(portable_math.log)


@compiled
def fill_caps(
    stream: Any,
    pole: Any,
    keep: Any,
    inside: Any,
    height: float,
    size: float,
    grain: float,
    out: Any,
) -> None:
    """Make of rows of normal noise points of the sphere times a `size`, rounded to a `grain`.

    With the limit `keep` a row is about the pole, else about the opposite one; with the limit
    `inside` it is uniform over the cap above a height, else over the rest of the sphere.
    """
    dimension = pole.size
    coarse = 1.5 * 2.0**52 * grain
    for i in range(out.shape[0]):
        sign = 1.0 if next_word(stream) < keep else -1.0
        if next_word(stream) < inside:
            t = _height_above(stream, dimension, height)
        else:
            t = height
            while t >= height:
                t = _height_above(stream, dimension, 0.0)
                if next_word(stream) >> np.uint64(63):
                    t = -t
        noise = out[i]
        along, square = _products(noise, pole)
        across = size * math.sqrt((1.0 - t * t) / _rest(noise, pole, along, square))
        t = sign * size * t - across * along
        for j in range(dimension):
            # So large a number leaves no room for digits below the grain.
            noise[j] = ((t * pole[j] + across * noise[j]) + coarse) - coarse


@compiled
def fill_normal_caps(
    stream: Any, pole: Any, inside: Any, height: float, size: float, grain: float, out: Any
) -> None:
    """Make rows of normal noise likelier above a height along a pole, times a `size`, rounded.

    With the limit `inside` the part of a row along the pole is above the height, else below.
    """
    coarse = 1.5 * 2.0**52 * grain
    for i in range(out.shape[0]):
        noise = out[i]
        along, _ = _products(noise, pole)
        if next_word(stream) < inside:
            t = _normal_above(stream, height)
        else:
            t = along
            while t >= height:
                t = _normal_above(stream, 0.0)
                if next_word(stream) >> np.uint64(63):
                    t = -t
        for j in range(pole.size):
            noise[j] = (size * (noise[j] + (t - along) * pole[j]) + coarse) - coarse


@compiled
def _normal_above(stream: Any, low: float) -> Any:
    """Draw a normal variable above `low`, at least 0, by rejection of an exponential [Robert95]."""
    rate = 0.5 * (low + math.sqrt(low * low + 4.0))
    while True:
        t = low - _log(open_unit(next_word(stream))) / rate
        if _log(open_unit(next_word(stream))) < -0.5 * (t - rate) * (t - rate):
            return t


@compiled
def _products(row: Any, pole: Any) -> Any:
    """Return the inner products of a row with a pole and with itself.

    Sums of every fourth coordinate, side by side because a sum has to wait for its last addition;
    they are added up in one order, so that the last bit is the same on every processor.
    """
    a = b = c = d = e = f = g = h = 0.0
    dimension = pole.size
    whole = dimension - dimension % 4
    for j in range(0, whole, 4):
        a += row[j] * pole[j]
        b += row[j + 1] * pole[j + 1]
        c += row[j + 2] * pole[j + 2]
        d += row[j + 3] * pole[j + 3]
        e += row[j] * row[j]
        f += row[j + 1] * row[j + 1]
        g += row[j + 2] * row[j + 2]
        h += row[j + 3] * row[j + 3]
    for j in range(whole, dimension):
        a += row[j] * pole[j]
        e += row[j] * row[j]
    return (a + b) + (c + d), (e + f) + (g + h)


@compiled
def _rest(row: Any, pole: Any, along: float, square: float) -> Any:
    """Return the squared length of what is left of a row without its part along the pole."""
    rest = square - along * along
    if rest < 1e-6 * square:  # a difference of nearly equal numbers has few digits
        rest = 0.0
        for j in range(pole.size):
            across = row[j] - along * pole[j]
            rest += across * across
    return rest


@compiled
def _height_above(stream: Any, dimension: int, low: float) -> Any:
    """Draw the height of a uniform point of the cap above `low`, by rejection.

    In four dimensions or more the density is log-concave: it lies below the exponential that
    touches it at x, a good place for which is that of the normal law [Robert95].
    """
    if dimension == 2:
        while True:
            u = open_unit(next_word(stream))
            t = 1.0 - (1.0 - low) * u * u
            v = open_unit(next_word(stream))
            if v * v * (1.0 + t) < 1.0 + low:
                return t
    if dimension == 3:
        return low + (1.0 - low) * open_unit(next_word(stream))
    power = 0.5 * (dimension - 3)
    root = math.sqrt(2.0 * power)
    x = 0.5 * (low + math.sqrt(low * low + 4.0 / (root * root)))
    x = min(x, 0.5 * (1.0 + low))
    rate = 2.0 * power * x / (1.0 - x * x)
    while True:
        t = low - _log(open_unit(next_word(stream))) / rate
        if t < 1.0:
            ratio = (1.0 - t * t) / (1.0 - x * x)
            u = open_unit(next_word(stream))
            # log(u) <= u - 1 and log(ratio) >= 1 - 1 / ratio: most draws need no logarithm.
            if u - 1.0 < power * (1.0 - 1.0 / ratio) + rate * (t - x):
                return t
            if _log(u) < power * _log(ratio) + rate * (t - x):
                return t


@compiled
def add_products(rows: Any, vector: Any, out: Any) -> None:
    """Add to every entry the inner product of a row and a vector."""
    for i in range(rows.shape[0]):
        total = 0.0
        for j in range(vector.size):
            total += rows[i, j] * vector[j]
        out[i] += total


@compiled
def fill_corners(stream: Any, limits: Any, less: Any, size: float, out: Any) -> None:
    """Write corners of the cube: uniform, but kept with the limit `less` unless on the right side.

    A corner is on the right side of a random one, whose coordinate j is positive with the limit
    `limits[j]`, if their inner product is positive.
    """
    dimension = limits.size
    right = np.empty(dimension, np.bool_)
    a, b, c, d = stream
    for i in range(out.shape[0]):
        for j in range(dimension):
            word, a, b, c, d = advance(a, b, c, d)
            right[j] = word < limits[j]
        while True:
            agree = 0
            word = np.uint64(0)
            for j in range(dimension):
                if j & 63 == 0:
                    word, a, b, c, d = advance(a, b, c, d)
                plus = (word >> np.uint64(j & 63)) & np.uint64(1) == np.uint64(1)
                out[i, j] = size if plus else -size
                agree += plus == right[j]
            coin, a, b, c, d = advance(a, b, c, d)
            if 2 * agree > dimension or coin < less:
                break


@compiled
def chances_of_right_side(reports: Any, point: Any, out: Any) -> None:
    """Write how likely each report is on the right side of the random corner of a point."""
    dimension = point.size
    law = np.empty(dimension + 1)
    for i in range(reports.shape[0]):
        law[0] = 1.0  # law[m]: m of the coordinates so far that are left to chance agree
        loose = 0
        sure = 0
        for j in range(dimension):
            agrees = 0.5 * (1.0 + point[j] if reports[i, j] > 0 else 1.0 - point[j])
            if abs(point[j]) == 1.0:
                sure += agrees == 1.0
                continue
            loose += 1
            law[loose] = law[loose - 1] * agrees
            for m in range(loose - 1, 0, -1):
                law[m] = law[m] * (1.0 - agrees) + law[m - 1] * agrees
            law[0] *= 1.0 - agrees
        total = 0.0
        for m in range(loose + 1):
            if 2 * (sure + m) > dimension:
                total += law[m]
        out[i] = min(total, 1.0)


@compiled
def fill_samples(stream: Any, size: Any, out: Any) -> None:
    """Write a uniform subset of 0..size-1 into every row, member by member [Floyd87]."""
    count = out.shape[1]
    a, b, c, d = stream
    for i in range(out.shape[0]):
        for m in range(count):
            last = size - count + m
            word, a, b, c, d = advance(a, b, c, d)
            drawn = np.int64(scale_down(word, np.uint64(last + 1)))
            for before in range(m):
                if out[i, before] == drawn:
                    drawn = last
                    break
            out[i, m] = drawn
