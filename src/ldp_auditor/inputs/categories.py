"""One of k values."""

from dataclasses import dataclass
from typing import Any

from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import InputPair
from ldp_auditor.errors import AuditError, must, numeral, shown_as, whole_input, whole_number
from ldp_auditor.inputs.kind import SEARCHED, Accused, Inputs
from ldp_auditor.inputs.nearness import nearer


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
        if isinstance(value, str):
            raise AuditError(
                f"{name} must be a whole number, got {shown_as(name, repr(value)[:40])}; count the "
                "values from 0, or use a sketch such as CMS, which takes words"
            )
        found, size = whole_input(name, value, at_least=0), self.domain_size
        if found >= size:
            must(False, f"lie in 0..{size - 1} (domain_size={size})", **{name: found})
        return found

    def read(self, text: str) -> Any:
        return numeral(text)

    @property
    def guess_words(self) -> str:
        return "one whole number"

    def are_guesses(self, guesses: NDArray[Any]) -> bool:
        return guesses.ndim == 1 and guesses.dtype.kind in "iu"

    def attributed(self, guesses: NDArray[Any], pair: InputPair, rng: Generator) -> Accused:
        accused: Accused = guesses == pair.first
        return accused


@dataclass(frozen=True)
class Steps(Categories):
    """One of k whole numbers, counted from 0, that are near or far; a guess names the nearer."""

    noun, example = "whole numbers", "0,1"

    @property
    def words(self) -> str:
        return f"whole numbers 0 to {self.domain_size - 1}"

    def attributed(self, guesses: NDArray[Any], pair: InputPair, rng: Generator) -> Accused:
        return nearer(guesses[:, None], (pair.first,), (pair.second,), rng)
