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
from ldp_auditor.mechanisms.kernels.eights import EIGHT, draw_lanes, place_eight, trailing_zeros
from ldp_auditor.mechanisms.kernels.sums import Lottery
from ldp_auditor.mechanisms.kernels.xoshiro import (
    LANES,
    advance,
    aligned_rows,
    aligned_words,
    copy_lanes,
    fresh_lanes,
    fresh_stream,
    next_of_lane,
    open_unit,
    own_lanes,
)

SHARES = 2048
"""Shares of the density, a layer each as long as one fits; no bit of a word is used twice."""

TOP_STRIPS = 6
"""Boxes above the last layer: few enough for the 2048 columns of the lottery."""

BLOCK = 8 * LANES
"""Words that are drawn at once: with the widths of their layers they stay in the first cache."""

_SHARE_BITS = np.uint64(SHARES - 1)
_SIGN = np.uint64(SHARES)
_NO_DIGITS = 1.5 * 2.0**52

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

        A row has the left edge of a box, its width, its lower end and its height. The tail, row 0,
        has a left edge only.
        """
        edges, heights = (list(map(float, part)) for part in self.corners)
        rows = [(self.tail_start, 0.0, 0.0, 0.0)]
        rows += [
            (inner, outer - inner, low, high - low)
            for outer, inner, low, high in zip(
                edges[:-2], edges[1:-1], heights[:-2], heights[1:-1], strict=True
            )
        ]
        outer, low, step = edges[-2], heights[-2], (1.0 - heights[-2]) / TOP_STRIPS
        for _ in range(TOP_STRIPS - 1):
            rows.append((0.0, outer, low, step))
            outer, low = self._inverse(low + step), low + step
        rows.append((0.0, outer, low, 1.0 - low))
        boxes = np.array(rows)
        areas = boxes[:, 1] * boxes[:, 3]
        areas[0] = self._tail_area()
        lottery = Lottery.of(areas)
        return boxes, lottery.thresholds[0], lottery.aliases[0]

    def tables(self, scale: float) -> tuple[Any, ...]:
        """What the kernel has to know to draw noise of this scale."""
        return self.gaussian, scale, self.widths * scale, np.uint64(self.layers), self.rest

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
    column = np.uint64(noise.size if one is None else one)
    tables = shape.tables(scale)
    _fill(fresh_lanes(rng), tables, column, np.uint64(size[1]), noise.reshape(-1))
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
    stream, more = fresh_stream(rng), fresh_lanes(rng)
    _spread(stream, more, terms, trials, NORMAL.tables(1.0), sums.reshape(-1))
    return sums


@compiled
def _spread(stream: Any, more: Any, terms: int, trials: Any, normal: Any, out: Any) -> None:
    """Multiply every entry by the root of twice a gamma variable, made from its trial normal.

    Where that is not accepted, `more` lanes give further ones.
    """
    shape = np.float64(terms)
    third = shape - 1.0 / 3.0
    slope = 1.0 / math.sqrt(9.0 * third)
    further = np.empty(LANES)
    used = LANES
    a, b, c, d = stream
    for i in range(out.size):
        word, a, b, c, d = advance(a, b, c, d)
        gamma = _gamma_if_accepted(third, slope, trials[i], open_unit(word))
        while gamma < 0.0:
            if used == LANES:
                _fill(more, normal, np.uint64(LANES), np.uint64(LANES), further)
                used = 0
            word, a, b, c, d = advance(a, b, c, d)
            gamma = _gamma_if_accepted(third, slope, further[used], open_unit(word))
            used += 1
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
def _fill(lanes: Any, tables: Any, one: Any, columns: Any, out: Any) -> None:
    """Draw a block of words in lanes, then the noise of all, then that of what is left over.

    Noise is about 1 at `one` and every `columns` entries after it: added while the block is in the
    cache, as a pass of its own over all rows would cost a line of it for every report.
    """
    gaussian, scale, widths, layers, rest = tables
    state = own_lanes(lanes)
    words = aligned_words(BLOCK)
    spare = np.empty(BLOCK)
    left_over = np.empty(BLOCK, np.uint64)
    sizes = np.empty(LANES)
    used = ready = np.uint64(0)
    n = np.uint64(out.size)
    for start in range(np.uint64(0), n, np.uint64(BLOCK)):
        draw_lanes(state, words)
        end = min(np.uint64(BLOCK), n - start)
        block = out[start : start + end] if end == np.uint64(BLOCK) else spare
        count = 0
        for first in range(np.uint64(0), np.uint64(BLOCK), np.uint64(64)):
            outside = np.uint64(0)
            for step in range(np.uint64(0), np.uint64(64), np.uint64(EIGHT)):
                outside |= place_eight(words, first + step, widths, layers, block) << step
            while outside != np.uint64(0):
                left_over[count] = first + trailing_zeros(outside)
                outside &= outside - np.uint64(1)
                count += 1
        for j in range(count):
            i = left_over[j]
            if i >= end:
                break
            if used == ready:
                used, ready = np.uint64(0), _some_left_over(state, gaussian, rest, sizes)
            size = scale * sizes[used]
            used += np.uint64(1)
            block[i] = -size if words[i] & _SIGN else size
        if end < np.uint64(BLOCK):
            for i in range(end):
                out[start + i] = spare[i]
        while one < start + end:
            out[one] += 1.0
            one += columns
    copy_lanes(state, lanes)


@compiled
def _some_left_over(state: Any, gaussian: bool, rest: Any, sizes: Any) -> Any:
    """Write sizes of variables that lie in no layer, at least one, and return how many."""
    count = np.uint64(0)
    while count == np.uint64(0):  # not in `_fill`, whose loops it slows by a tenth
        count = _draw_left_over(state, gaussian, rest, sizes)
    return count


@compiled
def _draw_left_over(state: Any, gaussian: bool, rest: Any, sizes: Any) -> Any:
    """Write sizes of variables that lie in no layer, in the tail or in a wedge; return how many.

    A point of a box is drawn in every lane; those under the density count.
    """
    boxes, thresholds, aliases = rest
    words = aligned_words(3 * LANES)
    drawn = aligned_rows(4).view(np.float64)
    fits = aligned_words(LANES)
    draw_lanes(state, words)
    for lane in range(LANES):
        word = words[lane]
        column = word & _SHARE_BITS
        # Without a branch, which would be mispredicted half of the time.
        keeps = np.uint64(0) - np.uint64((word & ~_SHARE_BITS) < thresholds[column])
        box = (column & keeps) | (np.uint64(aliases[column]) & ~keeps)
        for part in range(4):
            drawn[part, lane] = boxes[box, part]
    for lane in range(LANES):
        x = drawn[0, lane] + open_unit(words[LANES + lane]) * drawn[1, lane]
        height = drawn[2, lane] + open_unit(words[2 * LANES + lane]) * drawn[3, lane]
        fits[lane] = np.uint64(height < _exp_of_some(-0.5 * x * x if gaussian else -x))
        drawn[0, lane] = x
    count = np.uint64(0)
    for lane in range(LANES):
        sizes[count] = drawn[0, lane]
        if drawn[3, lane] == 0.0:
            sizes[count] += _tail_excess(state, lane, gaussian, drawn[0, lane])
        count += fits[lane]
    return count


@compiled
def _exp_of_some(x: float) -> Any:
    """Return e^x for -700 < x < 700 as `portable_math.exp` does, but for many x side by side.

    A float of this size has no digits after the point, and the whole number in its low bits.
    """
    shifted = x * portable_math.INVERSE_LN2 + _NO_DIGITS
    n = shifted - _NO_DIGITS
    r = (x - n * portable_math.LN2_HIGH) - n * portable_math.LN2_LOW
    series = 0.0
    for coefficient in portable_math.EXPONENTIAL:
        series = series * r + coefficient
    power = (np.float64(shifted).view(np.int64) + 1023) << 52  # the exponent of 2^n
    return (1.0 + (r + r * r * series)) * np.int64(power).view(np.float64)


@compiled
def _tail_excess(state: Any, lane: Any, gaussian: bool, tail_start: float) -> Any:
    """How far a draw from the tail lies beyond its start ([Marsaglia64] for the normal)."""
    while True:
        exponential = -_log(open_unit(next_of_lane(state, lane)))
        if not gaussian:
            return exponential
        excess = exponential / tail_start
        if -2.0 * _log(open_unit(next_of_lane(state, lane))) > excess * excess:
            return excess
