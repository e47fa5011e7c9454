"""Laplace and normal noise by layers that lie wholly under the density, with 53-bit mantissas.

As in the ziggurat method [Marsaglia00] a draw chooses one of many layers of equal area and a place
in it. Ziggurat layers stick out of the density, so that every draw compares its place with what is
sure in its layer. Ours are inscribed: any place will do, and what they leave over, wedges beside
them and the tail, is drawn on its own with the share that is left over (6 of 2048).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor import portable_math
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.sums import Lottery
from ldp_auditor.mechanisms.kernels.xoshiro import (
    LANES,
    WORDS_AT_ONCE,
    advance,
    draw_words,
    fresh_lanes,
    fresh_stream,
    next_word,
    open_unit,
)

SHARES = 2048
"""Shares of the density, a layer each as long as one fits; no bit of a word is used twice."""

NEAR_CHORD = 0.125
"""How far the density lies at most from the straight line between two corners, in layers' heights.

Further away from the line it need not be computed.
"""

TOP_STRIPS = 6
"""Boxes above the last layer: few enough for the 2048 columns of the lottery."""

_SHARE_BITS = np.uint64(SHARES - 1)

# Compiled here, so that a draw has the same bits on every processor.
_exp = compiled(portable_math.exp)
_log = compiled(portable_math.log)

Rest = tuple[NDArray[np.float64], NDArray[np.uint64], NDArray[np.int64]]
"""The boxes that hold what is left over; thresholds and aliases that choose one of them."""


@dataclass(frozen=True)
class NoiseShape:
    """A symmetric density, 1 at 0 (so that it needs a factor), and its layers."""

    gaussian: bool

    @property
    def half_area(self) -> float:
        """Area under the right half of the density."""
        return math.sqrt(0.5 * math.pi) if self.gaussian else 1.0

    @cached_property
    def corners(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Right edges and upper ends of the layers from the lowest up, then the top (0, 1)."""
        edges, heights = np.empty(SHARES), np.empty(SHARES)
        layers = _inscribe(self.gaussian, self.half_area / SHARES, edges, heights)
        return np.append(edges[:layers], 0.0), np.append(heights[:layers], 1.0)

    @property
    def layers(self) -> int:
        """Number of layers; the other shares of the density are left over."""
        return len(self.corners[0]) - 1

    @property
    def tail_start(self) -> float:
        """Right edge of the lowest layer."""
        return float(self.corners[0][0])

    @cached_property
    def widths(self) -> NDArray[np.float64]:
        """Width of a layer for every share, divided by 2**52; 0 for those left over."""
        widths = np.zeros(SHARES)
        widths[: self.layers] = self.corners[0][:-1] * 2.0**-52
        return widths

    @cached_property
    def rest(self) -> Rest:
        """What is left over, in boxes: the tail, the wedges beside the layers, strips of the top.

        A row has the left edge of a box, its width, its lower end, its height, and where in it the
        density ends at the earliest. The tail, row 0, has a left edge only.
        """
        edges, heights = (list(map(float, part)) for part in self.corners)
        rows = [(self.tail_start, 0.0, 0.0, 0.0, 0.0)]
        rows += [
            (inner, outer - inner, low, high - low, 0.0)
            for outer, inner, low, high in zip(
                edges[:-2], edges[1:-1], heights[:-2], heights[1:-1], strict=True
            )
        ]
        outer, low, step = edges[-2], heights[-2], (1.0 - heights[-2]) / TOP_STRIPS
        for _ in range(TOP_STRIPS - 1):
            inner = self._inverse(low + step)
            rows.append((0.0, outer, low, step, inner))
            outer, low = inner, low + step
        rows.append((0.0, outer, low, 1.0 - low, 0.0))
        boxes = np.array(rows)
        areas = boxes[:, 1] * boxes[:, 3]
        areas[0] = self._tail_area()
        lottery = Lottery.of(areas)
        return boxes, lottery.thresholds[0], lottery.aliases[0]

    def _inverse(self, height: float) -> float:
        minus_log = -portable_math.log(height)
        return math.sqrt(2.0 * minus_log) if self.gaussian else minus_log

    def _tail_area(self) -> float:
        start = self.tail_start
        if self.gaussian:
            return portable_math.mills_ratio(start) * portable_math.exp(-0.5 * start * start)
        return portable_math.exp(-start)


NORMAL = NoiseShape(gaussian=True)
LAPLACE = NoiseShape(gaussian=False)


@compiled
def _density(gaussian: bool, x: float) -> Any:
    return _exp(-0.5 * x * x) if gaussian else _exp(-x)


@compiled
def _inscribe(gaussian: bool, area: float, edges: Any, heights: Any) -> Any:
    """Write the corners of layers of this area, one upon another; return how many fit.

    A corner lies on the density, at a root of x (f(x) - height below) = area: the larger of the
    two, which Newton's method finds from the layer below.
    """
    x, below = 3.0, 0.0  # the lowest corner is further out than 3, where the method approaches it
    for layer in range(edges.size):
        for _ in range(100):
            density = _density(gaussian, x)
            slope = density - below - x * density * (x if gaussian else 1.0)
            if slope >= 0.0:
                return layer  # beyond the widest rectangle that is left: it is too small
            step = (area - x * (density - below)) / slope
            x += step
            if abs(step) <= 1e-15 * x:
                break
        else:
            return layer
        below += area / x
        edges[layer] = x
        heights[layer] = below
    return edges.size


def draw_noise(
    shape: NoiseShape, scale: float, size: tuple[int, int], rng: Generator, one: int | None = None
) -> NDArray[np.float64]:
    """Return an array of that size with independent noise of the given scale, about 0.

    With `one`, the noise of that column is about 1.
    """
    noise = np.empty(size)
    lanes, rare_stream = fresh_lanes(rng), fresh_stream(rng)
    widths, layers = shape.widths * scale, np.uint64(shape.layers)
    column = np.uint64(noise.size if one is None else one)
    tables = shape.gaussian, widths, layers, shape.rest, scale
    _fill(lanes, rare_stream, *tables, column, np.uint64(size[1]), noise.reshape(-1))
    return noise


def draw_laplace_sums(
    scale: float, terms: int, size: tuple[int, int], rng: Generator
) -> NDArray[np.float64]:
    """Return an array of this `size` of independent sums of `terms` Laplace variables.

    A Laplace variable is a normal one whose variance is twice an exponential variable, so their sum
    is a normal one whose variance is twice a gamma variable.
    """
    sums = draw_noise(NORMAL, scale, size, rng)
    trials = draw_noise(NORMAL, 1.0, size, rng).reshape(-1)
    stream = fresh_stream(rng)
    rare_stream = fresh_stream(rng)
    tables = NORMAL.widths, np.uint64(NORMAL.layers), NORMAL.rest
    _spread(stream, rare_stream, terms, trials, *tables, sums.reshape(-1))
    return sums


@compiled
def _spread(
    stream: Any,
    rare_stream: Any,
    terms: int,
    trials: Any,
    widths: Any,
    layers: Any,
    rest: Any,
    out: Any,
) -> None:
    """Multiply every entry by the root of twice a gamma variable, made from its trial normal."""
    shape = np.float64(terms)
    third = shape - 1.0 / 3.0
    slope = 1.0 / math.sqrt(9.0 * third)
    a, b, c, d = stream
    for i in range(out.size):
        word, a, b, c, d = advance(a, b, c, d)
        gamma = _gamma_if_accepted(third, slope, trials[i], open_unit(word))
        while gamma < 0.0:
            x = _one_normal(rare_stream, widths, layers, rest)
            gamma = _gamma_if_accepted(third, slope, x, open_unit(next_word(rare_stream)))
        out[i] *= math.sqrt(2.0 * gamma)


@compiled
def _gamma_if_accepted(d: float, c: float, x: float, u: float) -> Any:
    """Return a gamma variable of shape d + 1/3 >= 1, made from a normal x, or -1 [Marsaglia00b]."""
    root = 1.0 + c * x
    if root <= 0.0:
        return -1.0
    v = root * root * root
    if u < 1.0 - 0.0331 * x * x * x * x:
        return d * v
    if _log(u) < 0.5 * x * x + d * (1.0 - v + _log(v)):
        return d * v
    return -1.0


@compiled
def _one_normal(stream: Any, widths: Any, layers: Any, rest: Any) -> Any:
    """Draw one normal variable."""
    word = next_word(stream)
    share = word & _SHARE_BITS
    mantissa = np.int64(word) >> 11
    if share < layers:
        return np.float64(mantissa) * widths[share]
    size = _left_over(stream, True, rest)
    return -size if mantissa < 0 else size


@compiled
def _fill(
    lanes: Any,
    rare_stream: Any,
    gaussian: bool,
    widths: Any,
    layers: Any,
    rest: Any,
    scale: float,
    one: Any,
    columns: Any,
    out: Any,
) -> None:
    """Draw a block of words in lanes, then the noise of all, then that of what is left over.

    `widths` are in the unit of the noise, of size `scale`. Noise is about 1 at `one` and every
    `columns` entries after it: added while the block is in the cache, as a pass of its own over
    all rows would cost a line of it for every report.
    """
    words = np.empty(WORDS_AT_ONCE * LANES, np.uint64)
    left_over = np.empty(words.size, np.uint64)
    n = np.uint64(out.size)
    for start in range(np.uint64(0), n, np.uint64(words.size)):
        draw_words(lanes, words)
        count = 0
        for i in range(min(np.uint64(words.size), n - start)):
            # The low 11 bits choose the share, the high 53 are a signed mantissa; no bit is both.
            share = words[i] & _SHARE_BITS
            mantissa = np.int64(words[i]) >> 11
            out[start + i] = np.float64(mantissa) * widths[share]
            if share >= layers:
                left_over[count] = i
                count += 1
        for j in range(count):
            i = left_over[j]
            size = scale * _left_over(rare_stream, gaussian, rest)
            out[start + i] = -size if np.int64(words[i]) < 0 else size
        while one < min(start + np.uint64(words.size), n):
            out[one] += 1.0
            one += columns


@compiled
def _left_over(stream: Any, gaussian: bool, rest: Any) -> Any:
    """Draw the size of a variable that lies in no layer: in the tail or in one of the wedges."""
    boxes, thresholds, aliases = rest
    while True:
        word = next_word(stream)
        column = word & _SHARE_BITS
        # Without a branch, which would be mispredicted half of the time.
        keeps = np.uint64(0) - np.uint64((word & ~_SHARE_BITS) < thresholds[column])
        box = (column & keeps) | (np.uint64(aliases[column]) & ~keeps)
        left = boxes[box, 0]
        if box == np.uint64(0):
            return left + _tail_excess(stream, gaussian, left)
        along = open_unit(next_word(stream))
        up = open_unit(next_word(stream))
        x = left + along * boxes[box, 1]
        if x < boxes[box, 4]:
            return x
        if left > 0.0 and abs(along + up - 1.0) > NEAR_CHORD:
            if along + up < 1.0:
                return x
        elif boxes[box, 2] + up * boxes[box, 3] < _density(gaussian, x):
            return x


@compiled
def _tail_excess(stream: Any, gaussian: bool, tail_start: float) -> Any:
    """How far a draw from the tail lies beyond its start ([Marsaglia64] for the normal)."""
    while True:
        exponential = -_log(open_unit(next_word(stream)))
        if not gaussian:
            return exponential
        excess = exponential / tail_start
        if -2.0 * _log(open_unit(next_word(stream))) > excess * excess:
            return excess
