"""Events: what a report may be, in words and as a test of many reports at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.core import Floats
from ldp_auditor.search.layout import Column

Bools = NDArray[np.bool_]


class Event(Protocol):
    """Something that a report is, or is not."""

    @property
    def words(self) -> str:
        """The event in words."""
        ...

    def holds(self, reports: Sequence[Any], matrix: Floats) -> Bools:
        """Tell for every report whether it happened; `matrix` has the layout's columns."""
        ...


@dataclass(frozen=True)
class Equals:
    """A column has one value."""

    column: Column
    index: int
    value: float

    @property
    def words(self) -> str:
        """The event in words."""
        if self.column.words.count(" in ") and self.column.codes is None:
            name = self.column.words
            return name if self.value else name.replace(" in ", " not in ")
        if np.isnan(self.value) or self.value == self.column.default:
            return f"there is no {self.column.words}"
        return f"{self.column.words} is {self.column.category(self.value)}"

    def holds(self, reports: Sequence[Any], matrix: Floats) -> Bools:
        """Compare the column."""
        entries = matrix[:, self.index]
        found: Bools = np.isnan(entries) if np.isnan(self.value) else entries == self.value
        return found


@dataclass(frozen=True)
class Beyond:
    """A column of numbers is at least, or at most, a threshold."""

    column: Column
    index: int
    threshold: float
    at_least: bool

    @property
    def words(self) -> str:
        """The event in words."""
        return f"{self.column.words} {'>=' if self.at_least else '<='} {self.threshold!r}"

    def holds(self, reports: Sequence[Any], matrix: Floats) -> Bools:
        """Compare the column; a missing entry is neither."""
        entries = matrix[:, self.index]
        found: Bools = entries >= self.threshold if self.at_least else entries <= self.threshold
        return found


@dataclass(frozen=True)
class Both:
    """Two events together."""

    first: Event
    second: Event

    @property
    def words(self) -> str:
        """The event in words."""
        return f"{self.first.words} and {self.second.words}"

    def holds(self, reports: Sequence[Any], matrix: Floats) -> Bools:
        """Both hold."""
        found: Bools = self.first.holds(reports, matrix) & self.second.holds(reports, matrix)
        return found


@dataclass(frozen=True)
class Not:
    """An event did not happen."""

    event: Event

    @property
    def words(self) -> str:
        """The event in words."""
        return f"not ({self.event.words})"

    def holds(self, reports: Sequence[Any], matrix: Floats) -> Bools:
        """The event does not hold."""
        found: Bools = ~self.event.holds(reports, matrix)
        return found


@dataclass(frozen=True)
class OneOf:
    """A column has one of several values."""

    column: Column
    index: int
    values: tuple[float, ...]

    @property
    def words(self) -> str:
        """The event in words."""
        shown = ", ".join(self.column.category(value) for value in self.values[:3])
        more = len(self.values) - 3
        others = f" or one of {more} others" if more > 0 else ""
        return f"{self.column.words} is one of {shown}{others}"

    def holds(self, reports: Sequence[Any], matrix: Floats) -> Bools:
        """Look the entries up."""
        found: Bools = np.isin(matrix[:, self.index], self.values)
        return found


@dataclass(frozen=True)
class Scored:
    """A function of the report, of the user's or learned, is at least a threshold."""

    name: str
    score: Callable[[Sequence[Any], Floats], Floats]
    threshold: float
    at_least: bool = True

    @property
    def words(self) -> str:
        """The event in words."""
        return f"{self.name} {'>=' if self.at_least else '<='} {self.threshold:.6g}"

    def holds(self, reports: Sequence[Any], matrix: Floats) -> Bools:
        """Compare the score."""
        return self.reached(self.score(reports, matrix))

    def reached(self, scores: Floats) -> Bools:
        """Compare scores that are known."""
        found: Bools = scores >= self.threshold if self.at_least else scores <= self.threshold
        return found


@dataclass(frozen=True)
class Supports:
    """The report speaks for a value, by the target's own `supports`."""

    supports: Callable[[Any, Any], bool]
    value: Any

    @property
    def words(self) -> str:
        """The event in words."""
        return f"the report supports {self.value!r}"

    def holds(self, reports: Sequence[Any], matrix: Floats) -> Bools:
        """Ask for every report."""
        return np.array([bool(self.supports(r, self.value)) for r in reports], dtype=np.bool_)
