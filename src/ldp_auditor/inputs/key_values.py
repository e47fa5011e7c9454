"""Keys with a number each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import InputPair
from ldp_auditor.errors import require, whole_number
from ldp_auditor.inputs.kind import Accused, Inputs, read_list
from ldp_auditor.inputs.nearness import nearer
from ldp_auditor.inputs.numbers import Numbers

MOST_KEYS = 10**6


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

    @property
    def some(self) -> list[Any]:
        """Two keys, one at a time, with numbers that are opposite and that are near."""
        return [(key, value) for key in (0, 1) for value in (1.0, 0.875, 0.0, -0.875, -1.0)]

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
                near = nearer(guesses[rows, 1:], (value,), (second[key],), rng)
            accused[rows] = near
        return accused


def held_by(value: Sequence[float]) -> dict[int, float]:
    """Return the values of a list of keys and values, by their keys."""
    return dict(zip(map(int, value[::2]), value[1::2], strict=True))
