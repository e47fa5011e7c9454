"""One of k values, by its number or by a word."""

import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import InputPair
from ldp_auditor.errors import numeral, require
from ldp_auditor.inputs.categories import Categories
from ldp_auditor.inputs.kind import Accused

LONGEST = 10_000
"""Characters of a word at most."""


@dataclass(frozen=True)
class Names(Categories):
    """One of k values, by its number or by a word: any text, quoted if it is no plain word.

    The first values are called by `named`, in this order; a guess is a number.
    """

    noun, example = "values", "0,1 or apple:pear"

    named: tuple[str, ...] = field(default=(), repr=False)

    @property
    def words(self) -> str:
        return f"{super().words}, or any words"

    def check(self, value: Any, name: str = "an input") -> Any:
        if not isinstance(value, str):
            return super().check(value, name)
        require(0 < len(value) <= LONGEST, f"{name} must have 1 to {LONGEST} characters")
        require(value.isprintable(), f"{name} must have no control characters, got {value!r:.40}")
        return value

    def read(self, text: str) -> Any:
        text = text.strip()
        if text.startswith('"'):
            try:
                return json.loads(text)
            except ValueError:
                return text
        found = numeral(text)
        return text if isinstance(found, float) and not math.isfinite(found) else found

    def pair(self, given: Any) -> InputPair:
        found = super().pair(given)
        require(
            isinstance(found.first, str) == isinstance(found.second, str),
            f"pair must be two numbers or two words, got {found}",
            argument="pair",
        )
        return found

    def number(self, value: Any) -> int:
        """Return which value is called by a word; a number is its own."""
        return self.named.index(value) if isinstance(value, str) else value

    def attributed(self, guesses: NDArray[Any], pair: InputPair, rng: Generator) -> Accused:
        accused: Accused = guesses == np.int64(self.number(pair.first))
        return accused
