"""A value for each of several attributes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import InputPair, Record
from ldp_auditor.errors import require
from ldp_auditor.inputs.categories import Categories
from ldp_auditor.inputs.kind import Accused, Inputs, read_list


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
