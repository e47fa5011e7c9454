"""Places: of a box, or of a grid."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.core import InputPair
from ldp_auditor.errors import whole_number
from ldp_auditor.inputs.numbers import Numbers, interval
from ldp_auditor.inputs.points import Points, all_around, and_inside


@dataclass(frozen=True)
class Places(Points):
    """A point of a box, every coordinate of which lies between the same two numbers."""

    example = "[0,0]:[1,1]"

    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        super().__post_init__()
        for side, end in zip(("low", "high"), interval(self.low, self.high), strict=True):
            object.__setattr__(self, side, end)

    @property
    def words(self) -> str:
        return (
            f"places in {self.dimension} dimensions, coordinates in [{self.low:g}, {self.high:g}]"
        )

    @property
    def default_pair(self) -> InputPair:
        """Opposite corners of the box, or places one unit apart if it has none."""
        if math.inf in (-self.low, self.high):
            rest = (0.0,) * (self.dimension - 1)
            return InputPair((0.0, *rest), (1.0, *rest))
        return InputPair((self.low,) * self.dimension, (self.high,) * self.dimension)

    @property
    def some(self) -> list[Any]:
        """Places around the middle of the box, or around the origin if it has none."""
        if math.inf in (-self.low, self.high):
            low, high = max(self.low, -1.0), min(self.high, 1.0)
        else:
            low, high = self.low, self.high
        middle, half = low + (high - low) / 2, (high - low) / 2
        rim = all_around(self.dimension, lambda way: tuple(middle + half * x for x in way))
        return and_inside(rim, (middle,) * self.dimension)

    def check_place(self, point: tuple[float, ...], name: str) -> None:
        inside = Numbers(self.low, self.high)
        for entry in point:
            inside.check(entry, f"a coordinate of {name}")


@dataclass(frozen=True)
class Cells(Points):
    """A place of a square grid: whole coordinates, counted from 0."""

    example = "[0,0]:[1,1]"

    side: int = 16

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "side", whole_number("side", self.side, at_least=2))

    @property
    def words(self) -> str:
        return f"places of a grid, coordinates 0 to {self.side - 1}"

    @property
    def every(self) -> NDArray[np.float64]:
        """All places, row by row."""
        axes = np.meshgrid(*[np.arange(float(self.side))] * self.dimension, indexing="ij")
        return np.stack(axes, axis=-1).reshape(-1, self.dimension)

    @property
    def some(self) -> list[Any]:
        near = Cells(self.dimension, min(self.side, 4)).every
        return [tuple(place) for place in near.tolist()]

    @property
    def default_pair(self) -> InputPair:
        return InputPair((0.0,) * self.dimension, (self.side - 1.0,) * self.dimension)

    def check_place(self, point: tuple[float, ...], name: str) -> None:
        for entry in point:
            whole_number(f"a coordinate of {name}", entry, 0, self.side - 1)

    def index(self, place: Sequence[float]) -> int:
        """The number of a place among `every`."""
        number = 0
        for entry in place:
            number = number * self.side + int(entry)
        return number
