"""From reports of any kind to columns of numbers and categories, each with words for it.

A report may be a number, a string, bytes, a set, a mapping, an array, an object, or any nesting of
these. A leak can sit in a coordinate, in the length, in the type, in the order in which a set is
read, in the last bits of a number, or in the report as a whole; all of these become columns.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.adapters.canonical import canonical, category_key, texts_of
from ldp_auditor.checks.search.differing import (
    MOST_OF_ARRAYS,
    differences,
    first_of_each,
    most_different,
)
from ldp_auditor.checks.search.pieces import ABSENT, Kind, Pieces, Same, Wanted
from ldp_auditor.checks.search.taking_apart import take_apart

MOST_COLUMNS = 1500
"""Largest number of columns; those that differ most between inputs are kept."""

DERIVED = 15.0
"""By how much more than a part of a report something derived from it must differ to take its place:
about as much as the largest of so many columns does by chance."""

MOST_CATEGORIES = 256
"""Largest number of categories of a column; all other values share one more category."""

MOST_WHOLE_REPORTS = 4000
"""Largest number of different reports that are categories, the commonest first."""

FIRST_REPORTS = 6000
"""Whole reports become a column if one of about this many reports repeats."""

MOST_REPEATED = 0.3
"""Share of different reports up to which each is a category; beyond, those seen three times."""

WHOLE_REPORT = "the report"
"""Words for the column of whole reports."""

OTHERS = -1
"""The category of everything that has no category of its own."""


@dataclass(frozen=True)
class Column:
    """One column: a number, letter, byte, membership or category of every report."""

    place: str
    """Where in the report it is found."""
    words: str
    kind: Kind
    codes: Mapping[Hashable, int] | None = None
    """Numbers of the categories, where the column is one of categories."""
    labels: tuple[str, ...] = ()
    """Words for the categories, by their numbers, where `codes` does not show them well."""
    is_everywhere: bool = field(default=False, compare=False)
    """Whether every report that was taken apart has an entry."""

    @property
    def name(self) -> tuple[str, Kind]:
        """Words and kind: no two columns share both."""
        return self.words, self.kind

    @property
    def default(self) -> float:
        """The entry of a report that has nothing in this column."""
        return ABSENT[self.kind]

    @property
    def is_ordered(self) -> bool:
        """Whether larger and smaller mean something."""
        return self.kind in ("number", "byte")

    def category(self, code: float) -> str:
        """Words for a value."""
        if code == self.default or np.isnan(code):
            return "absent"
        if self.kind == "letter":
            return repr(chr(int(code)))
        if self.codes is None:
            return repr(int(code)) if float(code).is_integer() else repr(float(code))
        if self.labels and 0 <= code < len(self.labels):
            return self.labels[int(code)]
        return next((repr(value) for value, c in self.codes.items() if c == code), "anything else")


@dataclass
class Table:
    """Entries of some reports in every column, and results computed from them, kept for reuse."""

    rows: int
    entries: dict[tuple[str, Kind], NDArray[Any]]
    forms: Callable[[], list[Hashable]]
    """Return the reports in canonical form; they are made once for all tables that share this."""
    known: dict[Hashable, Any] = field(default_factory=dict)

    def of(self, column: Column) -> NDArray[Any]:
        """Entries of a column, one for each report."""
        return self.entries[column.name]

    def part(self, chosen: slice) -> Self:
        """The table of some reports."""
        rows = len(range(*chosen.indices(self.rows)))
        entries = {name: entries[chosen] for name, entries in self.entries.items()}
        return type(self)(rows, entries, cache(lambda: self.forms()[chosen]))

    def once(self, name: Hashable, compute: Callable[[], Any]) -> Any:
        """Return `compute()`, which is called once for every `name`."""
        if name not in self.known:
            self.known[name] = compute()
        return self.known[name]


@dataclass(frozen=True)
class Layout:
    """The columns that events are about, chosen on pilot reports."""

    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()
    """How the reports were taken apart, and what was given up, in sentences."""

    @classmethod
    def fitted(
        cls, reports: Sequence[Any], owners: NDArray[np.int64] | None = None
    ) -> tuple[Self, Table]:
        """Choose columns that vary, and return them with their entries.

        Of too many those are chosen that differ most between inputs; `owners` has that of every
        report, in rising order.
        """
        pieces = take_apart(reports, owners=owners)
        forms = cache(lambda: list(_forms(reports)))
        table = Table(len(reports), {}, forms)
        columns: list[Column] = []
        cut: list[str] = []
        by_coverage = sorted(pieces.by_column.items(), key=lambda item: -pieces.covered(item[1]))
        for (words, kind), found in by_coverage:
            place = found[0].place
            codes = _codes(pieces, words) if kind == "category" else None
            everywhere = pieces.covered(found) == len(reports)
            column = Column(place, words, kind, codes, is_everywhere=everywhere)
            cut += [words] if codes is not None and len(codes) == MOST_CATEGORIES else []
            entries = _entries(pieces, column)
            if not np.array_equal(entries[1:], entries[:-1], equal_nan=True):  # it varies
                columns.append(column)
                table.entries[column.name] = entries
            if len(columns) == 2 * MOST_COLUMNS:  # or they would take too much memory
                columns = _most_different(pieces, columns, table)
        if len(columns) > MOST_COLUMNS:
            columns = _most_different(pieces, columns, table)
        if cut:
            pieces.note(f"Of {named(cut)} the {MOST_CATEGORIES} commonest values were told apart.")
        every = max(1, len(reports) // FIRST_REPORTS)
        some = forms() if every == 1 else list(_forms(reports[::every]))
        repeat = len(set(some)) < len(some)
        all_of_it = forms() if repeat else []
        kinds = _whole_reports(all_of_it)
        if kinds:
            shown = {all_of_it[i]: i for i in range(len(reports) - 1, -1, -1)}
            labels = tuple(texts_of([reports[shown[kind]] for kind in kinds]))
            column = Column("report", WHOLE_REPORT, "category", kinds, labels)
            columns.append(column)
            table.entries[column.name] = np.array([kinds.get(w, OTHERS) for w in all_of_it])
        return cls(tuple(columns), (_summary(len(reports), columns), *pieces.notes)), table

    def only(self, columns: Iterable[Column]) -> Self:
        """A layout of some of the columns, which is faster to fill."""
        names = {column.name for column in columns}
        return type(self)(tuple(column for column in self.columns if column.name in names))

    def table(self, reports: Sequence[Any]) -> Table:
        """The entries of reports in these columns."""
        return tables([self], reports)[0]

    @cached_property
    def named_columns(self) -> frozenset[tuple[str, str, Kind]]:
        """Place, words and kind of the columns, but for that of whole reports."""
        return frozenset(
            (c.place, c.words, c.kind) for c in self.columns if c.words != WHOLE_REPORT
        )


def _most_different(pieces: Pieces, columns: Sequence[Column], table: Table) -> list[Column]:
    """The columns that differ most between inputs, and of equal ones parts before what is derived.

    Entries of the other columns are dropped.
    """
    owners = pieces.owners_of(None)
    first = first_of_each(owners, len(columns), MOST_OF_ARRAYS // 10)
    apart = [differences(table.of(c)[first, None], owners[first])[0] for c in columns]
    derived = [DERIVED * (c.words != c.place) for c in columns]
    chosen = most_different(np.array(apart) - np.array(derived), MOST_COLUMNS)
    kept = [columns[i] for i in chosen]
    pieces.note(f"Of more columns the {MOST_COLUMNS:,} that differ most between inputs were kept.")
    names = {column.name for column in kept}
    for name in table.entries.keys() - names:
        del table.entries[name]
    return kept


def tables(layouts: Sequence[Layout], reports: Sequence[Any]) -> list[Table]:
    """The entries of reports in the columns of each layout; they are taken apart once for all."""
    if not layouts:
        return []
    pieces = take_apart(reports, _wanted(tuple(layout.named_columns for layout in layouts)))
    forms = cache(lambda: list(_forms(reports)))

    def entries(column: Column) -> NDArray[Any]:
        if column.codes is not None and column.words == WHOLE_REPORT:
            return np.array([column.codes.get(form, OTHERS) for form in forms()])
        return _entries(pieces, column)

    return [
        Table(len(reports), {c.name: entries(c) for c in one.columns}, forms) for one in layouts
    ]


@lru_cache(maxsize=16)
def _wanted(columns: tuple[frozenset[tuple[str, str, Kind]], ...]) -> Wanted:
    return Wanted(tuple(sorted(frozenset().union(*columns))))


def _summary(reports: int, columns: Sequence[Column]) -> str:
    """How reports were taken apart, in a sentence."""
    places = list(dict.fromkeys(column.place for column in columns))
    return (
        f"{reports:,} reports were taken apart; columns that vary: {len(columns):,}, "
        f"at {named(places) or 'no place'}."
    )


def named(words: Sequence[str], most: int = 3) -> str:
    """The first of many columns by their words, and how many more there are."""
    more = len(words) - most
    shown = ", ".join(words[:most])
    return f"{shown} and {more:,} more" if more > 0 else shown


def _codes(pieces: Pieces, words: str) -> dict[Hashable, int]:
    """Numbers for the commonest categories of a column."""
    counts: Counter[Hashable] = Counter()
    for piece in pieces.by_column[words, "category"]:
        if isinstance(piece.values, Same):
            counts[category_key(piece.values.value)] += pieces.covered([piece])
        else:
            counts.update(map(category_key, piece.values))
    chosen = counts.most_common(MOST_CATEGORIES)
    if len(counts) > MOST_CATEGORIES:
        chosen = [(value, count) for value, count in chosen if count > 1]
    return {value: code for code, (value, _) in enumerate(chosen)}


def _entries(pieces: Pieces, column: Column) -> NDArray[Any]:
    if column.codes is None:
        return pieces.numbers(column.words, column.kind)
    entries = np.full(pieces.total, column.default)
    for piece in pieces.by_column.get(column.name, []):
        values = [piece.values.value] if isinstance(piece.values, Same) else piece.values
        where = slice(None) if piece.rows is None else piece.rows
        entries[where] = [column.codes.get(category_key(value), OTHERS) for value in values]
    return entries


def _forms(reports: Sequence[Any]) -> Iterable[Hashable]:
    """The canonical forms of reports; equal rows of an array share theirs."""
    if not isinstance(reports, np.ndarray):
        return map(canonical, reports)
    packed, size = reports.tobytes(), reports[0].nbytes
    rows = [packed[i : i + size] for i in range(0, len(packed), size)]
    where = {row: i for i, row in enumerate(rows)}
    form = {row: canonical(reports[i]) for row, i in where.items()}
    return map(form.__getitem__, rows)


def _whole_reports(reports: Sequence[Hashable]) -> dict[Hashable, int]:
    """Numbers for whole reports: for all if most repeat, else for those seen three times."""
    counts = Counter(reports)
    if len(counts) < 2:
        return {}
    chosen = counts.most_common(MOST_WHOLE_REPORTS)
    if len(counts) > min(MOST_WHOLE_REPORTS, MOST_REPEATED * len(reports)):
        chosen = [(report, count) for report, count in chosen if count > 2]
    return {report: code for code, (report, _) in enumerate(chosen)}
