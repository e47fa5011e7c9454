"""Events: yes-or-no questions about a report, in words and as a test of many reports at once."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.checks.search.layout import Column, Table
from ldp_auditor.core import Floats

Bools = NDArray[np.bool_]


class Event(ABC):
    """A yes-or-no question about a report."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The event in words, as the evidence shows it."""

    @property
    def negated_words(self) -> str:
        """Words for its opposite."""
        return f"not ({self.words})"

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns that `holds` reads: those in its fields, and in the events and scores there."""
        return tuple(_columns_in(vars(self).values()))

    @property
    def size(self) -> float:
        """How hard it is to understand: the number of its clauses, roughly."""
        return 1.0

    @property
    def is_score(self) -> bool:
        """Whether it is about a fitted score, which says nothing to a reader."""
        return False

    @abstractmethod
    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        """For every report, whether the event holds; `table` has the entries of its columns."""


def _column_size(column: Column) -> float:
    """What a reader sees in a report is simpler than what was derived from it.

    A field of what a text writes, or a word of it, is simpler than a letter whose place has to be
    counted, "the length is 6" than "the sixth entry is 0", and "it is 'leak'" than "its length is
    4".
    """
    if column.kind == "category" and column.words == column.place:
        return 0.9
    if column.words == f"len({column.place})":
        return 0.95
    if column.kind == "letter":
        return 1.1
    is_word = column.kind == "category" and column.words.startswith(f"{column.place}[")
    return 1.0 if is_word or column.words == column.place else 1.25


def _columns_in(things: Iterable[Any]) -> Iterator[Column]:
    for thing in things:
        inside = thing if isinstance(thing, tuple) else getattr(thing, "columns", ())
        yield from (thing,) if isinstance(thing, Column) else _columns_in(inside)


def number_text(number: float) -> str:
    """A number as a reader writes it: whole ones without a point."""
    is_short = abs(number) < 2**53 and number.is_integer()
    return repr(int(number)) if is_short and str(number) != "-0.0" else repr(number)


def _missing(words: str) -> str:
    """Words for reports that have nothing in a column."""
    entry = words.removeprefix("type(").removesuffix(")") if words.startswith("type(") else words
    of_a_sequence = re.fullmatch(r"(.+)\[(\d+)\]", entry)
    if of_a_sequence:
        return f"{of_a_sequence[1]} has {of_a_sequence[2]} entries or fewer"
    return f"there is no {entry}"


@dataclass(frozen=True)
class Equals(Event):
    """A column has one value."""

    column: Column
    value: float

    @property
    def words(self) -> str:
        if self.column.kind == "member":
            name = self.column.words
            return name if self.value else name.replace(" in ", " not in ")
        if self._is_missing:
            return _missing(self.column.words)
        return f"{self.column.words} is {self.column.category(self.value)}"

    @property
    def negated_words(self) -> str:
        if self.column.kind == "member":
            return Equals(self.column, 1 - self.value).words
        if self._is_missing:
            return super().negated_words
        return f"{self.column.words} is not {self.column.category(self.value)}"

    @property
    def _is_missing(self) -> bool:
        return bool(np.isnan(self.value)) or self.value == self.column.default

    @property
    def size(self) -> float:
        """What is missing in a sequence is said more plainly by its length."""
        in_a_sequence = self._is_missing and re.search(r"\[-?\d+\]", self.column.words)
        return _column_size(self.column) + (0.2 if in_a_sequence else 0.0)

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        entries = table.of(self.column)
        found: Bools = np.isnan(entries) if np.isnan(self.value) else entries == self.value
        return found


@dataclass(frozen=True)
class Beyond(Event):
    """A column of numbers is at least, or at most, a threshold."""

    column: Column
    threshold: float
    at_least: bool

    @property
    def words(self) -> str:
        return (
            f"{self.column.words} {'>=' if self.at_least else '<='} {number_text(self.threshold)}"
        )

    @property
    def negated_words(self) -> str:
        if not self.column.is_everywhere:
            return super().negated_words
        return f"{self.column.words} {'<' if self.at_least else '>'} {number_text(self.threshold)}"

    @property
    def size(self) -> float:
        return _column_size(self.column) + 0.05  # "it is 0" is simpler than "it is 0 or less"

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        """Compare the column; a missing entry is neither."""
        entries = table.of(self.column)
        return entries >= self.threshold if self.at_least else entries <= self.threshold


@dataclass(frozen=True)
class Both(Event):
    """Two events together."""

    first: Event
    second: Event

    @property
    def words(self) -> str:
        return f"{self.first.words} and {self.second.words}"

    @property
    def negated_words(self) -> str:
        parts = self.first, self.second
        if not any(isinstance(part, Not) for part in parts):
            return super().negated_words
        return " or ".join(negated(part).words for part in parts)

    @property
    def size(self) -> float:
        return self.first.size + self.second.size

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        return self.first.holds(reports, table) & self.second.holds(reports, table)


@dataclass(frozen=True)
class Not(Event):
    """An event did not happen."""

    event: Event

    @property
    def words(self) -> str:
        return self.event.negated_words

    @property
    def negated_words(self) -> str:
        return self.event.words

    @property
    def size(self) -> float:
        return self.event.size + 0.25

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        return ~self.event.holds(reports, table)


def negated(event: Event) -> Event:
    """The opposite of an event, without a double negation."""
    return event.event if isinstance(event, Not) else Not(event)


@dataclass(frozen=True)
class OneOf(Event):
    """A column has one of several values."""

    column: Column
    values: tuple[float, ...]

    @property
    def words(self) -> str:
        shown = ", ".join(self.column.category(value) for value in self.values[:3])
        more = max(0, len(self.values) - 3)
        others = {0: "", 1: " or one other"}.get(more, f" or one of {more} others")
        which = "is one of" if len(self.values) > 1 else "is"
        return f"{self.column.words} {which} {shown}{others}"

    @property
    def size(self) -> float:
        return (0.5 if len(self.values) < 4 else 1.5) + _column_size(self.column)

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        entries = table.of(self.column)
        found: Bools = np.isin(entries, self.values)
        if any(map(math.isnan, self.values)):
            found |= np.isnan(entries)
        return found


@dataclass(frozen=True)
class OddSum(Event):
    """An odd number of several events happened."""

    events: tuple[Event, ...]

    @property
    def words(self) -> str:
        if len(self._bits) == 2:
            return f"{self._bits[0]} and {self._bits[1]} differ: just one is 1"
        if len(self.events) == 2:
            return f"just one of two: {self.events[0].words}; {self.events[1].words}"
        return f"an odd number of {self._names}"

    @property
    def negated_words(self) -> str:
        if len(self._bits) == 2:
            return f"{self._bits[0]} and {self._bits[1]} are both 1, or neither is"
        if len(self.events) == 2:
            return f"both or neither of two: {self.events[0].words}; {self.events[1].words}"
        return f"an even number of {self._names}"

    @property
    def _bits(self) -> Sequence[str]:
        """The columns of numbers that may be 1; none if an event is of another kind."""
        places = [
            e.column.words
            for e in self.events
            if isinstance(e, Equals) and e.value == 1 and e.column.codes is None
        ]
        return places if len(places) == len(self.events) else ()

    @property
    def _names(self) -> str:
        if not self._bits:
            return "these: " + "; ".join(event.words for event in self.events)
        return f"{', '.join(self._bits)} are 1"

    @property
    def size(self) -> float:
        return 0.5 + sum(event.size for event in self.events)

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        found: Bools = np.zeros(table.rows, dtype=np.bool_)
        for event in self.events:
            found = found ^ event.holds(reports, table)
        return found


@dataclass(frozen=True)
class Scored(Event):
    """A function of the report, of the user's or learned, is at least a threshold."""

    name: str
    score: Callable[[Sequence[Any], Table], Floats]
    threshold: float
    at_least: bool = True
    is_fitted: bool = True
    """Whether the function was fitted to reports."""

    @property
    def words(self) -> str:
        return f"{self.name} {'>=' if self.at_least else '<='} {self.threshold:.6g}"

    @property
    def size(self) -> float:
        return 8.0 + len(self.columns) / 100

    @property
    def is_score(self) -> bool:
        return self.is_fitted

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        """Compare the score, which is computed once for all thresholds."""
        scores = self.scores(reports, table)
        return scores >= self.threshold if self.at_least else scores <= self.threshold

    def scores(self, reports: Sequence[Any], table: Table) -> Floats:
        """Scores of all reports."""
        known: Floats = table.once(("score", id(self.score)), lambda: self.score(reports, table))
        return known


@dataclass(frozen=True)
class Supports(Event):
    """The report speaks for a value, by the target's own `supports`."""

    supports: Callable[[Any, Any], bool]
    value: Any

    @property
    def words(self) -> str:
        return f"the report supports {self.value!r}"

    @property
    def columns(self) -> tuple[Column, ...]:
        return ()  # the user's value is none of ours to look into

    def holds(self, reports: Sequence[Any], table: Table) -> Bools:
        """Ask for every report, once for all events about the value."""
        found: Bools = table.once(
            ("supports", repr(self.value)),
            lambda: np.array([bool(self.supports(r, self.value)) for r in reports], np.bool_),
        )
        return found
