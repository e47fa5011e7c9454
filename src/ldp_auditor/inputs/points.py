"""Vectors: of length 1, or in a ball."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import InputPair
from ldp_auditor.errors import must, one_of, require, whole_number
from ldp_auditor.inputs.kind import Accused, Inputs, read_list
from ldp_auditor.inputs.nearness import nearer
from ldp_auditor.inputs.numbers import real_number

MOST_DIMENSIONS = 100_000

NORMS = ("l1", "l2", "linf")

ROUNDED = 1e-9
"""By how much the length of a vector may be off."""

NEAR = 1 / 8
"""How near to each other some inputs are, in radii: as near as those that stand for all numbers."""

Point = tuple[float, ...]


@dataclass(frozen=True)
class Points(Inputs, ABC):
    """A point in several dimensions; a guess is a point, and names the nearer of the two inputs."""

    noun, example = "vectors", "[1,0,0]:[0,1,0]"

    dimension: int

    def __post_init__(self) -> None:
        size = whole_number("dimension", self.dimension, 1, MOST_DIMENSIONS)
        object.__setattr__(self, "dimension", size)

    @property
    def default_pair(self) -> InputPair:
        rest = (0.0,) * (self.dimension - 1)
        return InputPair((-1.0, *rest), (1.0, *rest))

    def check(self, value: Any, name: str = "an input") -> tuple[float, ...]:
        right = isinstance(value, tuple | list | np.ndarray) and len(value) == self.dimension
        require(right, f"{name} must be a list of {self.dimension} numbers, got {str(value)[:40]}")
        part = f"a coordinate of {name}"
        point = tuple(real_number(part, entry) for entry in value)
        self.check_place(point, name)
        return point

    @abstractmethod
    def check_place(self, point: tuple[float, ...], name: str) -> None:
        """Raise unless a point is among the inputs."""

    def read(self, text: str) -> Any:
        return read_list(text)

    @property
    def guess_words(self) -> str:
        return f"{self.dimension} floats"

    def are_guesses(self, guesses: NDArray[Any]) -> bool:
        floats = np.issubdtype(guesses.dtype, np.floating)
        return guesses.shape[1:] == (self.dimension,) and floats

    def attributed(self, guesses: NDArray[Any], pair: InputPair, rng: Generator) -> Accused:
        return nearer(guesses, pair.first, pair.second, rng)


def scaled(point: Point, factor: float) -> Point:
    """Return a multiple of a point."""
    return tuple(factor * x for x in point)


def all_around(dimension: int, rim: Callable[[Point], Point]) -> list[Point]:
    """Return what `rim` makes of directions along axes, diagonals and near an axis, and back."""
    first, second = ((0.0,) * i + (1.0,) + (0.0,) * (dimension - i - 1) for i in (0, 1))
    ways = [first, (1.0,) * dimension]
    if dimension > 1:
        ways += [second, (-1.0, *ways[1][1:]), (1.0, NEAR, *second[2:])]
    return [rim(tuple(sign * x + 0.0 for x in way)) for way in ways for sign in (-1.0, 1.0)]


def and_inside(points: Sequence[Point], middle: Point) -> list[Point]:
    """Return points, the middle between them, and others near, whose first coordinate is nearer."""
    near = ((first + NEAR * (middle[0] - first), *rest) for first, *rest in points)
    return list(dict.fromkeys([*points, middle, *near]))


@dataclass(frozen=True)
class UnitVectors(Points):
    """A vector of Euclidean length 1."""

    @property
    def words(self) -> str:
        return f"unit vectors in {self.dimension} dimensions"

    @property
    def some(self) -> list[Any]:
        return all_around(self.dimension, lambda way: scaled(way, 1 / math.hypot(*way)))

    def check_place(self, point: tuple[float, ...], name: str) -> None:
        length = math.hypot(*point)
        require(
            abs(length - 1) <= ROUNDED,
            f"{name} must have length 1, got length {length:g}; divide it by its length",
        )


@dataclass(frozen=True)
class Ball(Points):
    """A vector whose norm (l1, l2 or linf) is at most a radius."""

    norm: str = "l2"
    radius: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("norm", self.norm, NORMS)
        must(0 < self.radius < math.inf, "be positive and finite", radius=self.radius)

    @property
    def words(self) -> str:
        return f"vectors of {self.norm} norm up to {self.radius:g} in {self.dimension} dimensions"

    @property
    def default_pair(self) -> InputPair:
        if self.norm == "linf":
            return InputPair((-self.radius,) * self.dimension, (self.radius,) * self.dimension)
        rest = (0.0,) * (self.dimension - 1)
        return InputPair((-self.radius, *rest), (self.radius, *rest))

    @property
    def some(self) -> list[Any]:
        rim = all_around(self.dimension, lambda way: scaled(way, self.radius / self.length(way)))
        return and_inside(rim, (0.0,) * self.dimension)

    def length(self, point: Sequence[float]) -> float:
        """The norm of a point."""
        if self.norm == "l2":
            return math.hypot(*point)
        return (math.fsum if self.norm == "l1" else max)(map(abs, point))

    def check_place(self, point: tuple[float, ...], name: str) -> None:
        length = self.length(point)
        require(
            length <= self.radius * (1 + ROUNDED),
            f"{name} must have {self.norm} norm {self.radius:g} at most, got norm {length:g}",
        )
