"""What a mechanism takes: one class for each kind of input.

A kind checks its inputs and reads pairs of them, which are written the same way in Python, in grids
and on the command line: `0,1`, `-1,1`, `0,0:1,2`, `[1,0,0]:[0,1,0]`. It knows the pair that is told
apart if none is named, and when a guess names the first input of a pair.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import InputPair, Record, plain_input
from ldp_auditor.errors import AuditError, must, number, numeral, one_of, require, whole_number

Accused = NDArray[np.bool_]

MOST_DIMENSIONS = 100_000


class Inputs(ABC):
    """A kind of input."""

    noun: ClassVar[str] = "inputs"
    """What several inputs are called."""
    example: ClassVar[str]
    """A pair, as it is written."""
    has_size: ClassVar[bool] = False
    """Whether they are categories, so that there is a number of them."""

    @property
    def size(self) -> int | None:
        """Number k of categories; of records, that of the largest attribute; else none."""
        return None

    @property
    @abstractmethod
    def words(self) -> str:
        """Which inputs there are, for people."""

    @property
    @abstractmethod
    def default_pair(self) -> InputPair:
        """The two inputs that are told apart if none are named: those farthest apart."""

    @property
    def some(self) -> list[Any]:
        """A few inputs that stand for all, near ones among them, to be searched for the worst."""
        pair = self.default_pair
        return [pair.first, pair.second]

    @abstractmethod
    def check(self, value: Any, name: str = "an input") -> Any:
        """Return an input in its plain form, or raise if it is none of these."""

    @abstractmethod
    def read(self, text: str) -> Any:
        """Return what a text stands for, not yet checked."""

    @property
    @abstractmethod
    def guess_words(self) -> str:
        """What a guess is."""

    @abstractmethod
    def are_guesses(self, guesses: NDArray[Any]) -> bool:
        """Tell whether the entries of an array are guesses."""

    @abstractmethod
    def attributed(self, guesses: NDArray[Any], pair: InputPair, rng: Generator) -> Accused:
        """Tell for every guess whether it names the pair's first input."""

    def pair(self, given: Any) -> InputPair:
        """Return two inputs that were given as a pair, as a sequence or in writing, checked."""
        sides = (given.first, given.second) if isinstance(given, InputPair) else given
        if isinstance(given, str):
            sides = [self.read(part) for part in split_pair(given)]
        require(
            isinstance(sides, Sequence | np.ndarray) and len(sides) == 2,
            f"pair must be two {self.noun} such as {self.example}, got {str(given)[:40]}",
            argument="pair",
        )
        try:
            first, second = (self.check(plain_input(side)) for side in sides)
        except AuditError as error:
            raise AuditError(str(error), argument="pair") from None
        return InputPair(first, second)


def split_pair(text: str) -> list[str]:
    """Split what is written into its inputs: at colons, or else at commas outside brackets.

    >>> split_pair("-1,1"), split_pair("0,0:1,2"), split_pair("[1,0],[0,1]")
    (['-1', '1'], ['0,0', '1,2'], ['[1,0]', '[0,1]'])
    """
    if ":" in text:
        return text.split(":")
    depth, cuts = 0, [-1]
    for place, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            cuts.append(place)
    return [text[a + 1 : b] for a, b in pairwise([*cuts, len(text)])]


def read_list(text: str) -> tuple[Any, ...]:
    """Return the numbers that a text lists, in brackets or not.

    >>> read_list("[1, 0.5, 0]"), read_list("2,25")
    ((1, 0.5, 0), (2, 25))
    """
    return tuple(
        numeral(part.strip()) for part in text.strip().removeprefix("[").rstrip("]").split(",")
    )


def real_number(name: str, value: Any) -> float:
    """Return a finite number as a float, or raise."""
    if type(value) is float and math.isfinite(value):  # vectors are checked for every batch
        return value
    right = isinstance(value, int | float | np.integer | np.floating) and math.isfinite(value)
    require(right, f"{name} must be a number, got {str(value)[:40]}")
    return float(value)


def in_words(pair: InputPair) -> str:
    """A pair for people, by the kind of its inputs."""
    first, second = pair.first, pair.second
    if not isinstance(first, tuple):
        noun = "numbers" if isinstance(first, float) else "values"
        return f"{noun} {str(pair).replace(',', ' and ')}"
    if all(isinstance(value, int) for value in first):
        differing = sum(a != b for a, b in zip(first, second, strict=True))
        return f"records that differ in {differing} of {len(first)} attributes"
    if isinstance(first[0], int):
        return f"keys and values {str(pair).replace(':', ' and ')}"
    if len(first) <= SHOWN:
        return f"vectors {str(pair).replace(':', ' and ')}"
    apart = math.dist(first, second)
    return f"vectors in {len(first)} dimensions, {apart:g} apart"


def size_in_words(*sizes: int | None) -> list[str]:
    """The first number of categories that there is, or nothing, for a list of settings."""
    return [f"k = {size}" for size in sizes if size is not None][:1]


SEARCHED = 17
"""Inputs that stand for all of an interval or of many categories."""

SHOWN = 3
"""Coordinates of a vector that is shown."""


@dataclass(frozen=True)
class Categories(Inputs):
    """One of k values, counted from 0."""

    noun, example = "values", "0,1"
    has_size = True

    domain_size: int

    def __post_init__(self) -> None:
        size = whole_number("domain_size", self.domain_size, at_least=2)
        object.__setattr__(self, "domain_size", size)

    @property
    def size(self) -> int:
        return self.domain_size

    @property
    def words(self) -> str:
        return f"values 0 to {self.domain_size - 1}"

    @property
    def default_pair(self) -> InputPair:
        return InputPair(0, 1)

    @property
    def some(self) -> list[Any]:
        size = self.domain_size
        half = SEARCHED // 2
        return sorted({*range(min(half, size)), *range(max(0, size - half), size)})

    def check(self, value: Any, name: str = "an input") -> int:
        found, size = whole_number(name, value, at_least=0), self.domain_size
        must(found < size, f"lie in 0..{size - 1} (domain_size={size})", **{name: found})
        return found

    def read(self, text: str) -> Any:
        return numeral(text)

    @property
    def guess_words(self) -> str:
        return "one whole number"

    def are_guesses(self, guesses: NDArray[Any]) -> bool:
        return guesses.ndim == 1 and np.issubdtype(guesses.dtype, np.integer)

    def attributed(self, guesses: NDArray[Any], pair: InputPair, rng: Generator) -> Accused:
        accused: Accused = guesses == pair.first
        return accused


@dataclass(frozen=True)
class Records(Inputs):
    """A value for every attribute; a guess is an attribute and its value."""

    noun, example = "records", "0,0:1,1"
    has_size = True

    sizes: Record

    @property
    def size(self) -> int:
        return max(self.sizes)

    @property
    def words(self) -> str:
        return f"records of {len(self.sizes)} values"

    @property
    def default_pair(self) -> InputPair:
        return InputPair((0,) * len(self.sizes), (1,) * len(self.sizes))

    def check(self, value: Any, name: str = "an input") -> Record:
        right = isinstance(value, tuple | list | np.ndarray) and len(value) == len(self.sizes)
        require(right, f"{name} must be a record of {len(self.sizes)} values, got {value}")
        both = zip(self.sizes, value, strict=True)
        return tuple(Categories(size).check(entry, f"{name}'s value") for size, entry in both)

    def read(self, text: str) -> Any:
        return read_list(text)

    @property
    def guess_words(self) -> str:
        return "an attribute and its value"

    def are_guesses(self, guesses: NDArray[Any]) -> bool:
        return guesses.shape[1:] == (2,) and np.issubdtype(guesses.dtype, np.integer)

    def attributed(self, guesses: NDArray[Any], pair: InputPair, rng: Generator) -> Accused:
        accused: Accused = guesses[:, 1] == np.array(pair.first)[guesses[:, 0]]
        return accused


@dataclass(frozen=True)
class Numbers(Inputs):
    """A number of an interval; a guess is a number, and names the nearer of the two inputs."""

    noun, example = "numbers", "-1,1"

    low: float = -1.0
    high: float = 1.0

    def __post_init__(self) -> None:
        _set_interval(self)

    @property
    def words(self) -> str:
        return f"numbers in [{self.low:g}, {self.high:g}]"

    @property
    def default_pair(self) -> InputPair:
        return InputPair(self.low, self.high)

    @property
    def some(self) -> list[Any]:
        if not math.isfinite(self.high - self.low):
            return super().some
        steps = SEARCHED - 1
        return [self.low + step / steps * (self.high - self.low) for step in range(SEARCHED)]

    def check(self, value: Any, name: str = "an input") -> float:
        found = real_number(name, value)
        rule = f"lie in [{self.low:g}, {self.high:g}]"
        must(self.low <= found <= self.high, rule, **{name: found})
        return found

    def read(self, text: str) -> Any:
        return numeral(text.strip())

    @property
    def guess_words(self) -> str:
        return "one float"

    def are_guesses(self, guesses: NDArray[Any]) -> bool:
        return guesses.ndim == 1 and np.issubdtype(guesses.dtype, np.floating)

    def attributed(self, guesses: NDArray[Any], pair: InputPair, rng: Generator) -> Accused:
        return _nearer(guesses[:, None], (pair.first,), (pair.second,), rng)


@dataclass(frozen=True)
class Steps(Categories):
    """One of k whole numbers, counted from 0, that are near or far; a guess names the nearer."""

    noun, example = "whole numbers", "0,1"

    @property
    def words(self) -> str:
        return f"whole numbers 0 to {self.domain_size - 1}"

    def attributed(self, guesses: NDArray[Any], pair: InputPair, rng: Generator) -> Accused:
        return _nearer(guesses[:, None], (pair.first,), (pair.second,), rng)


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
        return _nearer(guesses, pair.first, pair.second, rng)


@dataclass(frozen=True)
class UnitVectors(Points):
    """A vector of Euclidean length 1."""

    @property
    def words(self) -> str:
        return f"unit vectors in {self.dimension} dimensions"

    def check_place(self, point: tuple[float, ...], name: str) -> None:
        length = math.hypot(*point)
        require(
            abs(length - 1) <= ROUNDED,
            f"{name} must have length 1, got length {length:g}; divide it by its length",
        )


NORMS = ("l1", "l2", "linf")


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


@dataclass(frozen=True)
class Places(Points):
    """A point of a box, every coordinate of which lies between the same two numbers."""

    example = "[0,0]:[1,1]"

    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        super().__post_init__()
        _set_interval(self)

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
            Categories(self.side).check(entry, f"a coordinate of {name}")

    def index(self, place: Sequence[float]) -> int:
        """The number of a place among `every`."""
        number = 0
        for entry in place:
            number = number * self.side + int(entry)
        return number


@dataclass(frozen=True)
class KeyValues(Inputs):
    """Keys with a number of [-1, 1] each, as one list: key, value, key, value, ...

    A guess is a key and a sign, and names an input that has the key; of two that do, the nearer.
    """

    noun, example = "lists of keys and values", "[0,1]:[1,-0.5]"

    keys: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", whole_number("keys", self.keys, 2, MOST_KEYS))

    @property
    def words(self) -> str:
        return f"keys 0 to {self.keys - 1} with numbers in [-1, 1]"

    @property
    def default_pair(self) -> InputPair:
        return InputPair((0, 1.0), (1, 1.0))

    def check(self, value: Any, name: str = "an input") -> tuple[float, ...]:
        right = isinstance(value, tuple | list | np.ndarray) and 0 < len(value) <= 2 * self.keys
        right = right and len(value) % 2 == 0
        rule = f"{name} must be a list of keys and values such as [0,1,3,-0.5]"
        require(right, f"{rule}, got {str(value)[:40]}")
        keys = [whole_number(f"a key of {name}", key, 0, self.keys - 1) for key in value[::2]]
        require(len(set(keys)) == len(keys), f"{name} must have every key once, got {value}")
        inside = Numbers(-1.0, 1.0)
        numbers = [inside.check(entry, f"a value of {name}") for entry in value[1::2]]
        both = sorted(zip(keys, numbers, strict=True))
        return tuple(entry for held in both for entry in held)

    def read(self, text: str) -> Any:
        return read_list(text)

    @property
    def guess_words(self) -> str:
        return "a key and a sign"

    def are_guesses(self, guesses: NDArray[Any]) -> bool:
        return guesses.shape[1:] == (2,) and np.issubdtype(guesses.dtype, np.floating)

    def attributed(self, guesses: NDArray[Any], pair: InputPair, rng: Generator) -> Accused:
        first, second = held_by(pair.first), held_by(pair.second)
        accused = np.zeros(len(guesses), bool)
        for key, value in first.items():
            (rows,) = np.nonzero(guesses[:, 0] == key)
            near: Any = True
            if key in second:
                near = _nearer(guesses[rows, 1:], (value,), (second[key],), rng)
            accused[rows] = near
        return accused


def held_by(value: Sequence[float]) -> dict[int, float]:
    """Return the values of a list of keys and values, by their keys."""
    return dict(zip(map(int, value[::2]), value[1::2], strict=True))


MOST_KEYS = 10**6


def _set_interval(kind: Numbers | Places) -> None:
    """Make the ends of an interval floats, or raise if they are none."""
    for side in ("low", "high"):
        object.__setattr__(kind, side, number(side, getattr(kind, side)))
    must(kind.low < kind.high, "be below high", low=kind.low, high=kind.high)


ROUNDED = 1e-9
"""By how much the length of a vector may be off."""


def _nearer(
    guesses: Any, first: Sequence[float], second: Sequence[float], rng: Generator
) -> Accused:
    """Tell which guesses are nearer to the first of two points than to the second, ties at random.

    Coordinate by coordinate, so that the sums have the same bits on every machine.
    """
    lead = np.zeros(len(guesses))
    for column, (a, b) in enumerate(zip(first, second, strict=True)):
        if a != b:
            lead += (guesses[:, column] - (a + b) / 2) * (a - b)
    accused: Accused = lead > 0
    (ties,) = np.nonzero(lead == 0)
    if ties.size:
        accused[ties] = (rng.bit_generator.random_raw(ties.size) >> np.uint64(63)).astype(bool)
    return accused
