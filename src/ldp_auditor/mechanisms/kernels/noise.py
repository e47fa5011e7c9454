"""Laplace and normal noise by the ziggurat method [Marsaglia00], with 53-bit mantissas."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor import portable_math
from ldp_auditor.mechanisms.kernels.compilation import compiled
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

LAYERS = 1024
"""More layers than usual: a draw that the first word does not settle (1 in 230) is expensive."""

_LAYER_BITS = np.uint64(LAYERS - 1)

# Compiled here, so that a draw has the same bits on every processor.
_exp = compiled(portable_math.exp)
_log = compiled(portable_math.log)


@dataclass(frozen=True)
class Ziggurat:
    """The layers of a symmetric density: equal areas under its right half, the tail in layer 0."""

    gaussian: bool
    tail_start: float
    density: Callable[[float], float]
    inverse: Callable[[float], float]
    tail_area: float

    @cached_property
    def layers(self) -> NDArray[np.float64]:
        """Layers of equal area from `tail_start` inwards, a row each.

        A row has the width that a mantissa of 2**52 reaches, divided by 2**52; the mantissa below
        which a draw lies under the density for sure; the density (up to a constant) at the right
        edge. One more row holds the density at 0.
        """
        tail_start, density = self.tail_start, self.density
        area = tail_start * density(tail_start) + self.tail_area
        edges = [area / density(tail_start), tail_start]
        for _ in range(LAYERS - 2):
            edges.append(self.inverse(density(edges[-1]) + area / edges[-1]))
        edges.append(0.0)
        layers = np.zeros((LAYERS + 1, 3))
        layers[:, 0] = np.array(edges) * 2.0**-52
        layers[:-1, 1] = [np.floor(b / a * 2.0**52) for a, b in pairwise(edges)]
        layers[:, 2] = [density(edge) for edge in edges]
        return layers

    @cached_property
    def widths(self) -> NDArray[np.float64]:
        """The widths of all layers, side by side in memory."""
        return np.ascontiguousarray(self.layers[:, 0])

    @cached_property
    def sure(self) -> NDArray[np.int64]:
        """The mantissas below which a draw lies under the density for sure."""
        return self.layers[:, 1].astype(np.int64)


# The tail starts are the roots of "the last layer ends at height 1"; a test checks that they do.
_NORMAL_TAIL = 4.038849846109505
_LAPLACE_TAIL = 9.256164544265544
NORMAL = Ziggurat(
    gaussian=True,
    tail_start=_NORMAL_TAIL,
    density=lambda x: portable_math.exp(-0.5 * x * x),
    inverse=lambda y: math.sqrt(-2.0 * portable_math.log(y)),
    tail_area=portable_math.mills_ratio(_NORMAL_TAIL)
    * portable_math.exp(-0.5 * _NORMAL_TAIL * _NORMAL_TAIL),
)
LAPLACE = Ziggurat(
    gaussian=False,
    tail_start=_LAPLACE_TAIL,
    density=lambda x: portable_math.exp(-x),
    inverse=lambda y: -portable_math.log(y),
    tail_area=portable_math.exp(-_LAPLACE_TAIL),
)


def draw_noise(
    shape: Ziggurat, scale: float, size: tuple[int, int], rng: Generator
) -> NDArray[np.float64]:
    """Return an array of that size with independent noise of the given scale."""
    noise = np.empty(size)
    lanes, rare_stream = fresh_lanes(rng), fresh_stream(rng)
    tables = shape.layers, shape.widths * scale, shape.sure
    _fill(lanes, rare_stream, shape.gaussian, shape.tail_start, *tables, scale, noise.reshape(-1))
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
    _spread(stream, rare_stream, terms, trials, NORMAL.tail_start, NORMAL.layers, sums.reshape(-1))
    return sums


@compiled
def _spread(
    stream: Any,
    rare_stream: Any,
    terms: int,
    trials: Any,
    tail_start: float,
    layers: Any,
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
            x = _resolve(rare_stream, next_word(rare_stream), True, tail_start, layers)
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
def _fill(
    lanes: Any,
    rare_stream: Any,
    gaussian: bool,
    tail_start: float,
    layers: Any,
    widths: Any,
    sure: Any,
    scale: float,
    out: Any,
) -> None:
    """Draw a block of words in lanes, then the noise of all, then that of which it is not sure.

    `widths` are in the unit of the noise, of size `scale`.
    """
    words = np.empty(WORDS_AT_ONCE * LANES, np.uint64)
    unsure = np.empty(words.size, np.uint64)
    n = np.uint64(out.size)
    for start in range(np.uint64(0), n, np.uint64(words.size)):
        draw_words(lanes, words)
        count = 0
        for i in range(min(np.uint64(words.size), n - start)):
            # The low 10 bits choose the layer, the high 53 are a signed mantissa; no bit is both.
            layer = words[i] & _LAYER_BITS
            mantissa = np.int64(words[i]) >> 11
            out[start + i] = np.float64(mantissa) * widths[layer]
            if abs(mantissa) >= sure[layer]:
                unsure[count] = i
                count += 1
        for j in range(count):
            i = unsure[j]
            resolved = _resolve(rare_stream, words[i], gaussian, tail_start, layers)
            out[start + i] = scale * resolved


@compiled
def _resolve(stream: Any, word: Any, gaussian: bool, tail_start: float, layers: Any) -> Any:
    """Finish a draw whose first word fell outside the sure part of its layer."""
    while True:
        layer = word & _LAYER_BITS
        mantissa = np.float64(np.int64(word) >> 11)
        x = mantissa * layers[layer, 0]
        if abs(mantissa) < layers[layer, 1]:
            return x
        if layer == np.uint64(0):
            size = tail_start + _tail_excess(stream, gaussian, tail_start)
            return -size if mantissa < 0 else size
        low = layers[layer, 2]
        high = layers[layer + np.uint64(1), 2]
        height = low + open_unit(next_word(stream)) * (high - low)
        density = _exp(-0.5 * x * x) if gaussian else _exp(-abs(x))
        if height < density:
            return x
        word = next_word(stream)


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
