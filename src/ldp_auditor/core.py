"""The values that flow through an audit: claim, input pair, counts and rates.

All of them are frozen and validate once, when made. Nothing here samples, draws or prints.
"""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.errors import AuditError, must, number

Reports = NDArray[Any]
"""A batch of reports: one NumPy array whose first axis counts the reports."""

Values = NDArray[np.int64]
Floats = NDArray[np.float64]
Verdict = Literal["violation", "no-violation-found"]


@dataclass(frozen=True)
class Claim:
    """A promise of (epsilon, delta)-LDP; an infinite epsilon promises nothing.

    With a `metric` (see `metrics.py`) epsilon is promised for each unit of distance.

    >>> Claim(0.5, metric="euclidean").at(4.0)
    Claim(epsilon=2.0, delta=0.0)
    """

    epsilon: float
    delta: float = 0.0
    metric: str | None = field(default=None, repr=False)  # streams of checks are named by the rest

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", number("epsilon", self.epsilon))
        object.__setattr__(self, "delta", number("delta", self.delta))
        must(self.epsilon > 0, "be positive", epsilon=self.epsilon)
        must(0 <= self.delta < 1, "lie in [0, 1)", delta=self.delta)
        named = self.metric is None or isinstance(self.metric, str)
        must(named, "be the name of a distance", metric=repr(self.metric))

    def at(self, distance: float) -> "Claim":
        """Return what is promised for two inputs at a `distance`."""
        return self if self.metric is None else Claim(distance * self.epsilon, self.delta)


class Mechanism(Protocol):
    """What an audit needs to know of a mechanism: its name, its promise and how it randomizes."""

    @property
    def name(self) -> str:
        """Its name in results and messages."""

    @property
    def claim(self) -> Claim:
        """What it promises."""

    def privatize(self, value: Any, n: int, rng: Generator) -> Reports:
        """Return `n` independent reports of `value`."""


Record = tuple[int, ...]
"""A value for every attribute."""


@dataclass(frozen=True)
class InputPair:
    """The two inputs that the attack tells apart: a hit is a report attributed to `first`.

    An input is a number, a word, or several of them: a record or a vector. What a mechanism takes
    is told by its `Inputs`, which also read and check pairs.

    >>> str(InputPair(0, 1)), str(InputPair(-1.0, 0.5)), str(InputPair([0, 0], [1, 2]))
    ('0,1', '-1,0.5', '0,0:1,2')
    >>> str(InputPair([1.0, 0.0], [0.0, 1.0])), str(InputPair("apple", "red wine: 1"))
    ('[1,0]:[0,1]', 'apple:"red wine: 1"')
    """

    first: Any
    second: Any

    def __post_init__(self) -> None:
        for side in ("first", "second"):
            value = getattr(self, side)
            if type(value) is not int:  # which needs no change
                object.__setattr__(self, side, plain_input(value))
        if self.first == self.second:
            twice = f"the two inputs must differ, got {self.first} twice"
            raise AuditError(twice, argument="pair")

    def __str__(self) -> str:
        """How a pair is written on the command line and in grids."""
        between = ":" if isinstance(self.first, tuple | str) else ","
        return between.join(_written(value) for value in (self.first, self.second))


def plain_input(value: Any) -> Any:
    """Return an input as a plain number or word, or as a tuple of them; raise if it is none."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, tuple | list):
        entries = tuple(plain_input(entry) for entry in value)
        if entries and not any(isinstance(entry, tuple) for entry in entries):
            return entries
    elif isinstance(value, bool | int):
        return int(value)
    elif isinstance(value, str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise AuditError(
        f"an input must be a number, a word or a list of them, got {str(value)[:40]}",
        argument="pair",
    )


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        words = ",".join(map(_written, value))
        return words if all(isinstance(entry, int) for entry in value) else f"[{words}]"
    if isinstance(value, str):
        return value if value.isidentifier() else json.dumps(value, ensure_ascii=False)
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


FIRST_TWO_VALUES = InputPair(0, 1)


@dataclass(frozen=True)
class Rates:
    """Exact probabilities of attributing a report to `first`, when it is (TPR) and is not (FPR)."""

    true_positive: float
    false_positive: float

    def epsilon(self, delta: float) -> float:
        """ln((TPR - delta) / FPR), or 0 where the rates show no loss at all."""
        if self.true_positive - delta <= self.false_positive:
            return 0.0
        if self.false_positive == 0.0:
            return math.inf
        return math.log((self.true_positive - delta) / self.false_positive)


def verdict_on(claim: Claim, proven: float) -> Verdict:
    """`violation` if the lower bound `proven` exceeds the claim; the only place that decides it."""
    return "violation" if proven > claim.epsilon else "no-violation-found"


def exceeds(loss: float, epsilon: float) -> bool:
    """Tell whether an exact loss breaks a claim, beyond what rounding can do."""
    return loss > epsilon * (1 + 1e-9) + 1e-13


@dataclass(frozen=True)
class Counts:
    """Outcome of `trials` reports of each input; counts of disjoint trials add up."""

    trials: int
    true_positives: int
    false_positives: int

    def __post_init__(self) -> None:
        must(self.trials >= 0, "not be negative", trials=self.trials)
        for name in ("true_positives", "false_positives"):
            count = getattr(self, name)
            if not 0 <= count <= self.trials:  # words are made for an error alone
                must(False, f"lie in 0..trials={self.trials}", **{name: count})

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.trials + other.trials,
            self.true_positives + other.true_positives,
            self.false_positives + other.false_positives,
        )


@dataclass(frozen=True)
class Goal:
    """What an attack is chosen for: the largest bound from `trials` trials."""

    trials: int
    bounds: Callable[[Sequence[Counts]], Sequence[float]]
    """Epsilons that counts would prove."""
    pilot: Callable[[int, int], Iterable[Reports]]
    """Given an input of the pair (0 or 1) and a number of reports, draws them in batches. They
    serve to choose the attack and are not counted."""


class Attack(Protocol):
    """Decides for every report whether it came from the first value of a pair."""

    needs: ClassVar[type]
    """Capability that the mechanism must have."""

    @classmethod
    def prepare(cls, mechanism: Any, pair: InputPair, goal: Goal) -> Self:
        """Fit the attack to a mechanism, a pair of inputs and a goal."""

    def accuse(self, reports: Reports, rng: Generator) -> NDArray[np.bool_]:
        """Tell for every report whether it is attributed to the pair's first value."""

    def rates(self) -> Rates | None:
        """Exact rates of this attack, where they are known."""

    @property
    def pilot_trials(self) -> int:
        """Trials per input that were spent on choosing it."""
