"""What the catalogue says of a pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tests.broken_mechanisms.exact import Law, smallest_epsilon


class Mechanism(Protocol):
    """A picklable function from value to report which knows its own law.

    Some also have `batch(value, n, rng)`, a sequence of n reports with the same law.
    """

    def __call__(self, value: Any, rng: np.random.Generator, /) -> Any:
        """One report."""
        ...

    def law(self, value: Any, /) -> Law:
        """The exact law of the report, or of what the entry's view keeps of it."""
        ...


def whole(report: Any) -> Any:
    """The view that keeps everything."""
    return report


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A wrong mechanism and its correct twin, under one claim.

    `view` reduces a report to something with few enough values to enumerate; `law` is the law of
    the reduced report. Where it is not `whole`, the two epsilons come from a closed form.
    """

    name: str
    family: str
    place: str
    epsilon: float
    delta: float = 0.0
    values: tuple[Any, ...]
    broken: Mechanism
    correct: Mechanism
    true_epsilon: float
    correct_epsilon: float
    supports: Callable[[Any, Any], bool] | None = None
    view: Callable[[Any], Any] = whole
    must_be_caught: bool = True
    why: str


def pair(
    *,
    name: str,
    family: str,
    place: str,
    epsilon: float,
    values: tuple[Any, ...],
    broken: Mechanism,
    correct: Mechanism,
    why: str,
    delta: float = 0.0,
    supports: Callable[[Any, Any], bool] | None = None,
    must_be_caught: bool = True,
) -> Entry:
    """An entry whose two epsilons follow from the laws by enumeration."""
    return Entry(
        name=name,
        family=family,
        place=place,
        epsilon=epsilon,
        delta=delta,
        values=values,
        broken=broken,
        correct=correct,
        true_epsilon=smallest_epsilon(broken.law, values, delta),
        correct_epsilon=smallest_epsilon(correct.law, values, delta),
        supports=supports,
        must_be_caught=must_be_caught,
        why=why,
    )


def equals(report: Any, value: Any) -> bool:
    """GRR supports the value that it reports."""
    return bool(report == value)


def contains(report: Any, value: Any) -> bool:
    """A subset supports its members."""
    return value in report


def has_bit(report: Any, value: Any) -> bool:
    """A unary vector supports the positions of its ones."""
    return bool(report[value] == 1)
