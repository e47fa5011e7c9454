"""A number of an interval."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import InputPair
from ldp_auditor.errors import must, number, numeral, require
from ldp_auditor.inputs.kind import SEARCHED, Accused, Inputs
from ldp_auditor.inputs.nearness import nearer


def real_number(name: str, value: Any) -> float:
    """Return a finite number as a float, or raise."""
    if type(value) is float and math.isfinite(value):  # vectors are checked for every batch
        return value
    right = isinstance(value, int | float | np.integer | np.floating) and math.isfinite(value)
    require(right, f"{name} must be a number, got {str(value)[:40]}")
    return float(value)


def interval(low: Any, high: Any) -> tuple[float, float]:
    """Return the ends of an interval as floats, or raise if they are none."""
    ends = number("low", low), number("high", high)
    must(ends[0] < ends[1], "be below high", low=ends[0], high=ends[1])
    return ends


@dataclass(frozen=True)
class Numbers(Inputs):
    """A number of an interval; a guess is a number, and names the nearer of the two inputs."""

    noun, example = "numbers", "-1,1"

    low: float = -1.0
    high: float = 1.0

    def __post_init__(self) -> None:
        for side, end in zip(("low", "high"), interval(self.low, self.high), strict=True):
            object.__setattr__(self, side, end)

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
        return nearer(guesses[:, None], (pair.first,), (pair.second,), rng)
