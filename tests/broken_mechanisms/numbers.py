"""Piecewise, hybrid, square wave, staircase and Duchi's mechanism for numbers of [-1, 1].

Reports are cells of a grid, so that laws can be enumerated.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import Law, logistic

VALUES = (-1.0, 0.2)
CELLS = 24


@dataclass(frozen=True)
class Ends:
    """Duchi's mechanism: one of two ends, likelier the one that is near; `lean` at value 1."""

    lean: float

    def __call__(self, value: float, rng: np.random.Generator) -> int:
        return 1 if rng.random() < 0.5 + value * (self.lean - 0.5) else -1

    def batch(self, value: float, n: int, rng: np.random.Generator) -> list[int]:
        plus = rng.random(n) < 0.5 + value * (self.lean - 0.5)
        ends: list[int] = np.where(plus, 1, -1).tolist()
        return ends

    def law(self, value: float) -> Law:
        plus = 0.5 + value * (self.lean - 0.5)
        yield 1, plus
        yield -1, 1 - plus


@dataclass(frozen=True)
class Window:
    """A window of [-1, 1] around the value's place with probability `inside`, else the rest.

    The window is `width` wide and keeps within. With `fair` the side of the rest is chosen by a
    coin. A report is a cell of the grid.
    """

    inside: float
    width: float
    fair: bool = False

    def parts(self, value: float) -> list[tuple[float, float, float]]:
        """Start, end and probability of the window and of both sides of it."""
        rest = 2 - self.width
        low = -1 + (value + 1) / 2 * rest
        sides = [(-1.0, low), (low + self.width, 1.0)]
        lengths = [max(0.0, end - start) for start, end in sides]
        shares = [length / rest for length in lengths]
        if self.fair and min(lengths) > 1e-9:
            shares = [0.5, 0.5]
        outside = [(a, b, (1 - self.inside) * s) for (a, b), s in zip(sides, shares, strict=True)]
        return [(low, low + self.width, self.inside), *outside]

    def __call__(self, value: float, rng: np.random.Generator) -> int:
        coin, (middle, left, right) = rng.random(), _parts(self, value)
        first = coin < middle[2]
        start, end, _ = middle if first else left if coin < middle[2] + left[2] else right
        place = start + rng.random() * (end - start)
        return min(int((place + 1) / 2 * CELLS), CELLS - 1)

    def batch(self, value: float, n: int, rng: np.random.Generator) -> list[int]:
        starts, ends, chances = np.array(self.parts(value)).T
        chosen = np.searchsorted(np.cumsum(chances), rng.random(n)).clip(max=2)
        places = starts[chosen] + rng.random(n) * (ends - starts)[chosen]
        cells: list[int] = (
            np.floor((places + 1) / 2 * CELLS).astype(int).clip(0, CELLS - 1).tolist()
        )
        return cells

    def law(self, value: float) -> Law:
        edges = np.linspace(-1, 1, CELLS + 1)
        for start, end, chance in self.parts(value):
            if chance > 1e-12:
                inside = np.minimum(edges[1:], end) - np.maximum(edges[:-1], start)
                for cell, part in enumerate((np.maximum(inside, 0) / (end - start)).tolist()):
                    yield cell, chance * part


@functools.cache
def _parts(window: Window, value: float) -> list[tuple[float, float, float]]:
    return window.parts(value)


@dataclass(frozen=True)
class Mixed:
    """The hybrid mechanism: a window with probability 1/2 + `bias` times the size, else ends."""

    window: Window
    ends: Ends
    bias: float = 0.0

    def _share(self, value: float) -> float:
        return 0.5 + self.bias * (abs(value) - 0.5)

    def __call__(self, value: float, rng: np.random.Generator) -> int:
        if rng.random() < self._share(value):
            return self.window(value, rng)
        return 1000 * self.ends(value, rng)

    def batch(self, value: float, n: int, rng: np.random.Generator) -> list[int]:
        takes = rng.random(n) < self._share(value)
        ends = (1000 * np.array(self.ends.batch(value, n, rng))).tolist()
        cells = self.window.batch(value, n, rng)
        return [cell if take else end for take, cell, end in zip(takes, cells, ends, strict=True)]

    def law(self, value: float) -> Law:
        share = self._share(value)
        for cell, chance in self.window.law(value):
            yield cell, share * chance
        for end, chance in self.ends.law(value):
            yield 1000 * end, (1 - share) * chance


@dataclass(frozen=True)
class Wave(Window):
    """Square wave: values and reports of [0, 1] on a wider interval, in units of it.

    With `redraw` reports outside of [0, 1] are drawn again.
    """

    redraw: bool = False

    def parts(self, value: float) -> list[tuple[float, float, float]]:
        """As before, but cut to where the values lie."""
        if not self.redraw:
            return super().parts(value)
        reach = 1 - self.width / 2
        kept = []
        for start, end, chance in super().parts(value):
            a, b = max(start, -reach), min(end, reach)
            if b > a and end > start:
                kept.append((a, b, chance * (b - a) / (end - start)))
        total = sum(chance for *_, chance in kept)
        kept += [(0.0, 1.0, 0.0)] * (3 - len(kept))
        return [(a, b, chance / total) for a, b, chance in kept]


@dataclass(frozen=True)
class Stairs:
    """Staircase noise of stairs of length 2, a quarter of each the higher step, cut at 20.

    A report is a cell of length 1/2; `first` is the probability of the higher step.
    """

    fall: float
    first: float

    def __call__(self, value: float, rng: np.random.Generator) -> int:
        stair = int(math.log(1 - rng.random()) / math.log(self.fall))
        part = (0.0, 0.25) if rng.random() < self.first else (0.25, 0.75)
        noise = 2 * (stair + part[0] + part[1] * rng.random()) * (1 if rng.random() < 0.5 else -1)
        return min(max(math.floor(2 * (value + noise)), -20), 19)

    def batch(self, value: float, n: int, rng: np.random.Generator) -> list[int]:
        stair = rng.geometric(1 - self.fall, n) - 1
        place = np.where(rng.random(n) < self.first, 0.25, 0.25 + 0.75 * rng.random(n))
        place = np.where(place == 0.25, 0.25 * rng.random(n), place)
        noise = np.where(rng.random(n) < 0.5, 1, -1) * 2 * (stair + place)
        cells: list[int] = np.floor(2 * (value + noise)).astype(int).clip(-20, 19).tolist()
        return cells

    def law(self, value: float) -> Law:
        shift = round(2 * value)
        for stair in range(200):
            here = (1 - self.fall) * self.fall**stair
            for quarter in range(4):
                chance = self.first if quarter == 0 else (1 - self.first) / 3
                cell = 4 * stair + quarter
                for place in (shift + cell, shift - cell - 1):
                    yield min(max(place, -20), 19), here * chance / 2


def _width(half: float) -> float:
    """Width of PM's window, of [-1, 1], for half of epsilon: [Wang19] Algorithm 2 in units of C."""
    end = 1 / math.tanh(half / 2)
    return (end - 1) / end


CHANCE, WIDTH = logistic(0.5), _width(0.5)
NARROW = 0.4
"""Width of the square wave's window, as a part of 2."""
WAVE = NARROW * math.e / (NARROW * math.e + 2 - NARROW)
STAIR = 0.25 / (0.25 + 0.75 * math.exp(-1.0))

ENTRIES: tuple[Entry, ...] = (
    pair(
        name="duchi_missing_one",
        family="Duchi",
        place="a missing step",
        epsilon=1.0,
        values=(-1.0, 1.0),
        broken=Ends(0.5 + 0.5 * (math.e - 1) / math.e),
        correct=Ends(logistic(1.0)),
        why="the lean is divided by e^epsilon instead of e^epsilon + 1",
    ),
    pair(
        name="pm_half_forgotten",
        family="PM",
        place="a parameter misread",
        epsilon=1.0,
        values=VALUES,
        broken=Window(logistic(1.0), WIDTH),
        correct=Window(CHANCE, WIDTH),
        why="the window has the odds e^epsilon instead of e^(epsilon / 2)",
    ),
    pair(
        name="pm_narrow_window",
        family="PM",
        place="a parameter misread",
        epsilon=1.0,
        values=VALUES,
        broken=Window(CHANCE, _width(1.0)),
        correct=Window(CHANCE, WIDTH),
        why="C is that of e^epsilon instead of e^(epsilon / 2), which makes the window narrower",
    ),
    pair(
        name="pm_sides_by_a_coin",
        family="PM",
        place="non-uniform replacement",
        epsilon=1.0,
        values=(-0.8, 0.0),
        broken=Window(CHANCE, WIDTH, fair=True),
        correct=Window(CHANCE, WIDTH),
        why="the side of the window is chosen by a coin, so that the shorter one is too dense",
    ),
    pair(
        name="hm_coin_by_size",
        family="HM",
        place="a public parameter",
        epsilon=1.0,
        values=(0.0, 1.0),
        broken=Mixed(Window(CHANCE, WIDTH), Ends(logistic(1.0)), bias=0.4),
        correct=Mixed(Window(CHANCE, WIDTH), Ends(logistic(1.0))),
        why="which of the two mechanisms answers is seen, and depends on the size of the number",
    ),
    pair(
        name="sw_without_its_edges",
        family="SW",
        place="a truncated tail",
        epsilon=1.0,
        values=VALUES,
        broken=Wave(WAVE, NARROW, redraw=True),
        correct=Wave(WAVE, NARROW),
        why="reports beyond the values are drawn again, which makes the window of an end denser",
    ),
    pair(
        name="sw_half_as_wide",
        family="SW",
        place="a parameter misread",
        epsilon=1.0,
        values=VALUES,
        broken=Wave(WAVE, NARROW / 2),
        correct=Wave(WAVE, NARROW),
        why="b is taken for the width of the window, of which it is the half",
    ),
    pair(
        name="staircase_plain_share",
        family="Staircase",
        place="a missing step",
        epsilon=1.0,
        values=(-1.0, 1.0),
        broken=Stairs(math.exp(-1.0), 0.6),
        correct=Stairs(math.exp(-1.0), STAIR),
        why="the higher step is taken with a share that its density does not have",
    ),
)
