"""Pieces of columns: what was found in reports, before columns are chosen.

A place is where a part of a report sits: the report itself, an entry, a field.
"""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

Kind = Literal["number", "letter", "byte", "member", "category"]
"""Numbers; letters by their code points; bytes; presence of a member; anything else hashable."""

Rows = NDArray[np.int64] | None
"""Numbers of the reports that have an entry; None for all of them."""

ABSENT: dict[Kind, float] = {
    "number": np.nan,
    "letter": -1.0,
    "byte": -1.0,
    "member": 0.0,
    "category": -2.0,
}
"""The entry of a report that has nothing in a column, by the kind of the column."""


@dataclass(frozen=True)
class Same:
    """One category for all rows of a piece."""

    value: Hashable


@dataclass(frozen=True)
class Piece:
    """Entries of some reports in one column."""

    place: str
    words: str
    kind: Kind
    rows: Rows
    values: NDArray[Any] | Sequence[Hashable] | Same


@dataclass(frozen=True)
class Block:
    """Several columns of numbers at once, one for each column of `array`."""

    words: Sequence[str]
    rows: Rows
    array: NDArray[Any]
    type_name: str | None = None
    """The type of all entries, if `type(...)` has no piece yet."""
    place: str | None = None
    """Where they sit; None if every column is a place of its own."""


@dataclass(frozen=True)
class Place:
    """The parts of reports that sit at one place."""

    words: str
    rows: Rows
    parts: Sequence[Any]
    depth: int = 0
    is_typed: bool = False
    """Whether the types of the parts are known already."""

    def some(self, mask: NDArray[np.bool_]) -> Rows:
        """Rows of some of the parts."""
        if mask.all():
            return self.rows
        return np.flatnonzero(mask) if self.rows is None else self.rows[mask]

    def inside(self, words: str, parts: Sequence[Any], mask: NDArray[np.bool_]) -> Self:
        """A place within this one, for those parts that have it."""
        return type(self)(words, self.some(mask), parts, self.depth + 1)

    def category(self, words: str, values: Sequence[Hashable]) -> Piece:
        """A column of categories, for all parts."""
        return Piece(self.words, words, "category", self.rows, values)

    def lengths(self, parts: Sequence[Any]) -> tuple[NDArray[np.int64], Block]:
        """Lengths of the parts, and the column of them."""
        lengths = np.array([len(part) for part in parts], dtype=np.int64)
        words = f"len({self.words})"
        return lengths, Block([words], self.rows, lengths[:, None], place=self.words)


Found = Piece | Place | Block
"""What a handler finds at a place: a piece of a column, a place inside, or a block of numbers."""


@dataclass(frozen=True)
class Wanted:
    """Columns that are wanted, where not all are, each by its place, words and kind."""

    triples: tuple[tuple[str, str, Kind], ...]

    @cached_property
    def columns(self) -> frozenset[tuple[str, Kind]]:
        """Words and kinds of the columns."""
        return frozenset((words, kind) for _, words, kind in self.triples)

    @cached_property
    def numbers(self) -> dict[str, frozenset[str]]:
        """Words of the columns of numbers, by their places, which may have none."""
        found: dict[str, set[str]] = {}
        for place, words, kind in self.triples:
            found.setdefault(place, set()).update([words] if kind == "number" else [])
        return {place: frozenset(words) for place, words in found.items()}

    @cached_property
    def _indices(self) -> dict[str, list[tuple[int, ...]]]:
        return {}

    def indices(self, place: str) -> list[tuple[int, ...]]:
        """Indices of the entries of a place that the columns are about, such as (7,) or (2, 5)."""
        if place not in self._indices:
            index = re.compile(re.escape(place) + r"((?:\[\d+\])+)")
            named = {m[1] for _, words, _ in self.triples for m in index.finditer(words)}
            found = {tuple(map(int, one[1:-1].split("]["))) for one in named}
            self._indices[place] = sorted(found)
        return self._indices[place]

    def entries(self, place: str) -> list[int]:
        """First numbers of these indices."""
        return sorted({index[0] for index in self.indices(place)})

    @cached_property
    def inside(self) -> dict[str, set[str]]:
        """Places of the columns, by every place that they lie in."""
        inside: dict[str, set[str]] = {}
        for place in self.numbers:
            for end in [m.start() for m in re.finditer(r"[\[.]", place)] + [len(place)]:
                inside.setdefault(place[:end], set()).add(place)
        return inside


@dataclass
class Pieces:
    """All pieces that were found in reports, by the words and kind of their column."""

    total: int
    wanted: Wanted | None = None
    """The columns that are wanted; None for all."""
    owners: NDArray[np.int64] | None = None
    """The input of every report, in rising order, where it is known."""
    by_column: dict[tuple[str, Kind], list[Piece]] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    """What was not looked into, in sentences, each once."""

    def note(self, sentence: str) -> None:
        """Tell what is not looked into, unless only certain columns are wanted."""
        if self.wanted is None:
            self.notes[sentence] = None

    def owners_of(self, rows: Rows) -> NDArray[np.int64]:
        """The inputs of some reports; all the same where they are not known."""
        owners = np.zeros(self.total, dtype=np.int64) if self.owners is None else self.owners
        return owners if rows is None else owners[rows]

    def wants(self, words: str, kind: Kind) -> bool:
        """Whether a column is wanted."""
        return self.wanted is None or (words, kind) in self.wanted.columns

    def wants_from(self, place: str, number: str) -> bool:
        """Whether a number at a place, or a column that is derived from it, is wanted."""
        if self.wanted is None:
            return True
        return any(number in words for words in self.wanted.numbers.get(place, ()))

    def may_contain(self, words: str) -> bool:
        """Whether a wanted column may lie inside of a place."""
        return self.wanted is None or words in self.wanted.inside

    def wanted_at(self, places: Sequence[str]) -> list[int]:
        """Which of some places have columns that are wanted, by their numbers."""
        if self.wanted is None:
            return list(range(len(places)))
        return [i for i, place in enumerate(places) if place in self.wanted.numbers]

    def wants_only(self, place: str, leaves: Sequence[str]) -> bool:
        """Whether nothing inside of a place is wanted except these leaves."""
        return self.wanted is None or self.wanted.inside.get(place, set()) <= {place, *leaves}

    def add(self, piece: Piece) -> None:
        """Add a piece if its column is wanted."""
        if self.wants(piece.words, piece.kind):
            self.by_column.setdefault((piece.words, piece.kind), []).append(piece)

    def numbers(self, words: str, kind: Kind) -> NDArray[Any]:
        """Entries of a column that is not one of categories; `ABSENT` where there is none."""
        pieces = self.by_column.get((words, kind), [])
        if len(pieces) == 1 and pieces[0].rows is None:
            return np.asarray(pieces[0].values)
        column = np.full(self.total, ABSENT[kind])
        for piece in pieces:
            column[slice(None) if piece.rows is None else piece.rows] = piece.values
        return column

    def covered(self, pieces: Sequence[Piece]) -> int:
        """How many reports have an entry in one of these pieces."""
        return sum(self.total if piece.rows is None else len(piece.rows) for piece in pieces)
