"""Events: yes-or-no questions about a report, in words and as a test of many reports at once."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.checks.search.layout import Column, Table
from ldp_auditor.core import Floats

Bools = NDArray[np.bool_]


class Event(Protocol):
    """A yes-or-no question about a report."""

    @property
    def words(self) -> str:
        """The event in words, as the evidence shows it."""
        ...

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns that `holds` reads."""
        ...

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        """For every report, whether the event holds; `table` has the entries of its columns."""
        ...


@dataclass(frozen=True)
class OfColumn:
    """What events about one column share."""

    column: Column

    @property
    def columns(self) -> tuple[Column, ...]:
        return (self.column,)


@dataclass(frozen=True)
class Equals(OfColumn):
    """A column has one value."""

    value: float

    @property
    def words(self) -> str:
        if self.column.kind == "member":
            name = self.column.words
            return name if self.value else name.replace(" in ", " not in ")
        if np.isnan(self.value) or self.value == self.column.default:
            return f"there is no {self.column.words}"
        return f"{self.column.words} is {self.column.category(self.value)}"

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        entries = table.of(self.column)
        found: Bools = np.isnan(entries) if np.isnan(self.value) else entries == self.value
        return found


@dataclass(frozen=True)
class Beyond(OfColumn):
    """A column of numbers is at least, or at most, a threshold."""

    threshold: float
    at_least: bool

    @property
    def words(self) -> str:
        return f"{self.column.words} {'>=' if self.at_least else '<='} {self.threshold!r}"

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        """Compare the column; a missing entry is neither."""
        entries = table.of(self.column)
        return entries >= self.threshold if self.at_least else entries <= self.threshold


@dataclass(frozen=True)
class Both:
    """Two events together."""

    first: Event
    second: Event

    @property
    def words(self) -> str:
        return f"{self.first.words} and {self.second.words}"

    @property
    def columns(self) -> tuple[Column, ...]:
        return (*self.first.columns, *self.second.columns)

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        return self.first.holds(reports, table) & self.second.holds(reports, table)


@dataclass(frozen=True)
class Not:
    """An event did not happen."""

    event: Event

    @property
    def words(self) -> str:
        return f"not ({self.event.words})"

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.event.columns

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        return ~self.event.holds(reports, table)


@dataclass(frozen=True)
class OneOf(OfColumn):
    """A column has one of several values."""

    values: tuple[float, ...]

    @property
    def words(self) -> str:
        shown = ", ".join(self.column.category(value) for value in self.values[:3])
        more = len(self.values) - 3
        others = f" or one of {more} others" if more > 0 else ""
        which = "is one of" if len(self.values) > 1 else "is"
        return f"{self.column.words} {which} {shown}{others}"

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        entries = table.of(self.column)
        found: Bools = np.isin(entries, self.values)
        if any(map(math.isnan, self.values)):
            found |= np.isnan(entries)
        return found


@dataclass(frozen=True)
class OddSum:
    """An odd number of several events happened."""

    events: tuple[Event, ...]

    @property
    def words(self) -> str:
        return "an odd number of these: " + "; ".join(event.words for event in self.events)

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(column for event in self.events for column in event.columns)

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        found: Bools = np.zeros(table.rows, dtype=np.bool_)
        for event in self.events:
            found = found ^ event.holds(reports, table)
        return found


@dataclass(frozen=True)
class Compared:
    """Two columns of numbers are equal, or the first is less."""

    first: Column
    second: Column
    is_less: bool

    @property
    def words(self) -> str:
        return f"{self.first.words} {'<' if self.is_less else '=='} {self.second.words}"

    @property
    def columns(self) -> tuple[Column, ...]:
        return (self.first, self.second)

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        first, second = table.of(self.first), table.of(self.second)
        return first < second if self.is_less else first == second


@dataclass(frozen=True)
class Scored:
    """A function of the report, of the user's or learned, is at least a threshold."""

    name: str
    score: Callable[[Sequence[Any], Table], Floats]
    threshold: float
    at_least: bool = True

    @property
    def words(self) -> str:
        return f"{self.name} {'>=' if self.at_least else '<='} {self.threshold:.6g}"

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(getattr(self.score, "columns", ()))

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        """Compare the score, which is computed once for all thresholds."""
        scores = self.scores(reports, table)
        return scores >= self.threshold if self.at_least else scores <= self.threshold

    def scores(self, reports: Sequence[Any], table: Table) -> Floats:
        """Scores of all reports."""
        known: Floats = table.once(("score", id(self.score)), lambda: self.score(reports, table))
        return known


@dataclass(frozen=True)
class Supports:
    """The report speaks for a value, by the target's own `supports`."""

    supports: Callable[[Any, Any], bool]
    value: Any

    @property
    def words(self) -> str:
        return f"the report supports {self.value!r}"

    @property
    def columns(self) -> tuple[Column, ...]:
        return ()

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        """Ask for every report, once for all events about the value."""
        found: Bools = table.once(
            ("supports", repr(self.value)),
            lambda: np.array([bool(self.supports(r, self.value)) for r in reports], np.bool_),
        )
        return found
