"""What a kind of input is, and how its pairs are written."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import InputPair, plain_input
from ldp_auditor.errors import AuditError, numeral, require

Accused = NDArray[np.bool_]

SEARCHED = 17
"""Inputs that stand for all of an interval or of many categories."""


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

    What stands between double quotes is not split.

    >>> split_pair("-1,1"), split_pair("0,0:1,2"), split_pair("[1,0],[0,1]")
    (['-1', '1'], ['0,0', '1,2'], ['[1,0]', '[0,1]'])
    >>> split_pair('"a,b":"c:d"')
    ['"a,b"', '"c:d"']
    """
    depth, quoted, escaped = 0, False, False
    cuts: dict[str, list[int]] = {":": [-1], ",": [-1]}
    for place, character in enumerate(text):
        if character == '"' and not escaped:
            quoted = not quoted
        escaped = quoted and character == "\\" and not escaped
        depth += (character == "[") - (character == "]")
        if not quoted and (character == ":" or (character == "," and depth == 0)):
            cuts[character].append(place)
    chosen = cuts[":"] if len(cuts[":"]) > 1 else cuts[","]
    return [text[a + 1 : b] for a, b in pairwise([*chosen, len(text)])]


def read_list(text: str) -> Any:
    """Return the numbers that a text lists, in brackets or not; the text if one is missing.

    >>> read_list("[1, 0.5, 0]"), read_list("2,25"), read_list("[1,0")
    ((1, 0.5, 0), (2, 25), '[1,0')
    """
    text = text.strip()
    if text.startswith("[") != text.endswith("]"):
        return text
    inside = text.removeprefix("[").removesuffix("]")
    return tuple(numeral(part.strip()) for part in inside.split(","))
