"""Ranges of numbers or vectors as inputs of a check."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ldp_auditor.errors import must, require
from ldp_auditor.inputs import Inputs, Numbers, Places

PARTS = 20
"""Into how many steps a range is divided at first."""

DIGITS = 12
"""Digits after the point of the first points: code clips at 0.3 and not next to it."""

ROUND_NUMBERS = (0.0, 1.0, -1.0, 0.5, -0.5)
"""Numbers at which code is likely to clip or to branch, tried where they lie inside a range."""

MOST_AXES = 8
"""Coordinates of a vector that are changed one by one."""

Point = tuple[float, ...]


@dataclass(frozen=True)
class Range:
    """The numbers between two, or the vectors whose coordinates lie in intervals of their own."""

    lows: Point
    highs: Point
    is_vector: bool = False

    def __post_init__(self) -> None:
        for low, high in zip(self.lows, self.highs, strict=True):
            must(math.isfinite(low) and math.isfinite(high), "be finite", low=low, high=high)
            must(low <= high, "be at most high", low=low, high=high)
        require(self.lows != self.highs, f"a range needs two ends, got {self}")

    def __str__(self) -> str:
        parts = [f"{a:g}..{b:g}" for a, b in zip(self.lows, self.highs, strict=True)]
        return f"[{', '.join(parts)}]" if self.is_vector else parts[0]

    def value(self, point: Point) -> Any:
        """A point as the target is given it."""
        return list(point) if self.is_vector else point[0]

    @property
    def axes(self) -> list[int]:
        """Coordinates that vary, the first ones."""
        varying = [i for i, low in enumerate(self.lows) if low < self.highs[i]]
        return varying[:MOST_AXES]

    @property
    def first(self) -> list[Point]:
        """Where the search begins: both ends, the middle and points between, coordinates apart."""
        middle = tuple((a + b) / 2 for a, b in zip(self.lows, self.highs, strict=True))
        found = [self.lows, self.highs, middle]
        for axis in self.axes:
            low, high = self.lows[axis], self.highs[axis]
            steps = [round(low + i * (high - low) / PARTS, DIGITS) for i in range(1, PARTS)]
            others = [low, high] if len(self.axes) > 1 else [*steps, *ROUND_NUMBERS]
            found += [_moved(middle, axis, x) for x in others if low <= x <= high]
        return list(dict.fromkeys(found))

    def between(self, place: int) -> Point:
        """One of a sequence of points that fills the range evenly, by its place from 1."""
        fraction, part = 0.0, 0.5
        while place:
            fraction, part, place = fraction + part * (place % 2), part / 2, place // 2
        spans = zip(self.lows, self.highs, strict=True)
        return tuple(low + fraction * (high - low) for low, high in spans)

    def around(self, point: Point, halvings: int) -> Iterator[Point]:
        """Neighbours of a point, one step away in every coordinate."""
        for axis in self.axes:
            low, high = self.lows[axis], self.highs[axis]
            step = (high - low) / PARTS / 2**halvings
            for x in (point[axis] - step, point[axis] + step):
                yield _moved(point, axis, min(max(x, low), high))


def _moved(point: Point, axis: int, x: float) -> Point:
    return (*point[:axis], x, *point[axis + 1 :])


def with_ranges(values: Any) -> tuple[Any, ...]:
    """The values of a check as a tuple; kinds of inputs that have ends become ranges."""
    return tuple(map(_as_range, (values,) if isinstance(values, Inputs | Range) else values))


def _as_range(value: Any) -> Any:
    if isinstance(value, Numbers):
        return Range((value.low,), (value.high,))
    if isinstance(value, Places):
        lows, highs = ((end,) * value.dimension for end in (value.low, value.high))
        return Range(lows, highs, is_vector=True)
    require(not isinstance(value, Inputs), f"a check needs values or a range, got {value}")
    return value
