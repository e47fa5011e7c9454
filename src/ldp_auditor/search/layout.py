"""From reports of any kind to columns of numbers and categories, each with words for it.

A report may be a number, a string, bytes, a set, a mapping, an array, or any nesting of these. A
leak can sit in a coordinate, in the length, in the type, in the order in which a set is read, in
the last bits of a float, or in the report as a whole; all of these become columns.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_auditor.core import Floats

MOST_COLUMNS = 400
"""Columns that are kept; those seen in most reports come first."""

MOST_ENTRIES = 300
"""Entries of a sequence, or members of a set, that are looked at."""

DEEPEST = 3
"""Levels of nesting that are looked into."""

WHOLE = "the report"
"""Words for the column of whole reports."""

MOST_REPEATED = 0.3
"""Different reports, as a share of all, up to which whole reports are looked at."""

MISSING = math.nan
"""What a numeric column holds where a report has no such entry."""

Cells = dict[str, Any]
"""What one report says, by the words for it."""


def cells_of(report: Any) -> Cells:
    """Take a report apart."""
    cells: Cells = {}
    _describe(report, "report", 0, cells)
    return cells


def _describe(part: Any, words: str, depth: int, cells: Cells) -> None:
    """Note what a part of a report is, and look into it."""
    cells[f"type({words})"] = type(part).__name__
    if isinstance(part, np.ndarray):
        cells[f"shape({words})"] = part.shape
    if isinstance(part, (np.generic, np.ndarray)):
        part = part.tolist()
    if isinstance(part, (bool, int, float)):
        cells[words] = part
        if isinstance(part, float):
            cells[f"lowest bit of {words}"] = lowest_bit(part)
        return
    if not isinstance(part, (Mapping, Set, Sequence)) or isinstance(part, (str, bytes)):
        cells[words] = part if isinstance(part, (str, bytes)) else repr(part)
    if hasattr(part, "__len__"):
        cells[f"len({words})"] = len(part)
    if isinstance(part, (Mapping, Set)):  # in the order in which it is read
        for i, key in enumerate(list(part)[:MOST_ENTRIES]):
            cells[f"list({words})[{i}]"] = _key(key)
    for name, entry in _entries(part, words)[:MOST_ENTRIES]:
        if isinstance(part, (str, bytes, Set)):
            cells[name] = entry
        elif depth < DEEPEST:
            _describe(entry, name, depth + 1, cells)


def _entries(part: Any, words: str) -> list[tuple[str, Any]]:
    """What is inside a part, with words for it."""
    if isinstance(part, (str, bytes)):
        return [(f"{words}[{i}]", letter) for i, letter in enumerate(part[:64])]
    if isinstance(part, Mapping):
        return [(f"{words}[{key!r}]", entry) for key, entry in part.items()]
    if isinstance(part, Set):
        return [(f"{member!r} in {words}", 1) for member in part]
    if isinstance(part, Sequence):
        return [(f"{words}[{i}]", entry) for i, entry in enumerate(part[:MOST_ENTRIES])]
    return [(f"{words}.{name}", v) for name, v in sorted(getattr(part, "__dict__", {}).items())]


def lowest_bit(number: float) -> int:
    """Exponent of the lowest set bit: the finest power of two that the number is a multiple of."""
    if number == 0 or not math.isfinite(number):
        return 1100
    numerator, denominator = abs(number).as_integer_ratio()
    trailing = (numerator & -numerator).bit_length() - 1
    return trailing - (denominator.bit_length() - 1)


def _key(value: Any) -> Hashable:
    """A hashable stand-in for anything."""
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value  # type: ignore[no-any-return]


def whole(report: Any) -> Hashable:
    """The report as something to count; two reports that look the same are the same."""
    if isinstance(report, np.ndarray):
        return (type(report).__name__, report.shape, report.tobytes())
    if isinstance(report, (list, tuple)):
        return (type(report).__name__, *(whole(entry) for entry in report))
    if isinstance(report, Mapping):
        return ("mapping", *((_key(k), whole(v)) for k, v in report.items()))
    if isinstance(report, (set, frozenset)):
        return ("set", frozenset(_key(member) for member in report))
    return (type(report).__name__, _key(report))


def _short(report: Any) -> str:
    text = repr(report)
    return text if len(text) <= 80 else text[:77] + "..."


@dataclass(frozen=True)
class Column:
    """One thing that a report says."""

    words: str
    codes: Mapping[Hashable, int] | None
    """Numbers of the categories, or None for a column of numbers."""
    default: float
    """What stands where a report does not say it."""
    labels: tuple[str, ...] = ()
    """Words for the categories, by their numbers, where those are not what they look like."""

    def number_of(self, cells: Cells) -> float:
        """The entry of one report."""
        if self.words not in cells:
            return self.default
        value = cells[self.words]
        if self.codes is None:
            return float(value)
        return self.codes.get(_key(value), -1)

    def category(self, code: float) -> str:
        """Words for a category."""
        if self.codes is None:
            return f"{code:g}"
        if self.labels and 0 <= code < len(self.labels):
            return self.labels[int(code)]
        return next((repr(value) for value, c in self.codes.items() if c == code), "anything else")


@dataclass(frozen=True)
class Layout:
    """The columns that are looked at, chosen on pilot reports."""

    columns: tuple[Column, ...]
    flat: Flat | None = None
    """Set where reports are flat, which is much faster."""

    @classmethod
    def of(cls, reports: Iterable[Any]) -> Layout:
        """Choose columns that vary, and tell numbers from categories."""
        sample = list(reports)
        seen: dict[str, dict[Hashable, int]] = {}
        numeric: dict[str, bool] = {}
        total = len(sample)
        for report in sample:
            for words, value in cells_of(report).items():
                counts = seen.setdefault(words, {})
                is_number = isinstance(value, (int, float))
                numeric[words] = numeric.get(words, True) and is_number
                if len(counts) <= MOST_CATEGORIES or _key(value) in counts:
                    counts[_key(value)] = counts.get(_key(value), 0) + 1
        columns = []
        for words, counts in seen.items():
            everywhere = sum(counts.values()) == total
            if len(counts) == 1 and everywhere:
                continue  # all reports say the same
            if numeric[words]:
                columns.append(Column(words, None, 0.0 if " in " in words else MISSING))
            elif len(counts) <= MOST_CATEGORIES:
                codes = {value: code for code, value in enumerate(counts)}
                columns.append(Column(words, codes, -2.0))
        columns.sort(key=lambda column: -sum(seen[column.words].values()))
        del columns[MOST_COLUMNS:]
        kinds: dict[Hashable, int] = {}
        labels: list[str] = []
        for report in sample:
            if kinds.setdefault(whole(report), len(kinds)) == len(labels):
                labels.append(_short(report))
        if 1 < len(kinds) <= MOST_REPEATED * total:
            columns.append(Column(WHOLE, kinds, -1.0, tuple(labels)))
        return cls(tuple(columns), Flat.of(sample))

    def matrix(self, reports: Sequence[Any]) -> Floats:
        """Entries of all reports: a row per report, a column per column."""
        quick = None if self.flat is None else self.flat.matrix(reports, self.columns)
        if quick is not None:
            return quick
        out = np.empty((len(reports), len(self.columns)))
        for i, report in enumerate(reports):
            cells = cells_of(report)
            if self.columns and self.columns[-1].words == WHOLE:
                cells[WHOLE] = whole(report)
            out[i] = [column.number_of(cells) for column in self.columns]
        return out


@dataclass(frozen=True)
class Flat:
    """Reports that are all numbers, or sequences of so many numbers, of one and the same type."""

    kind: type
    width: int | None
    """Number of entries, or None for a plain number."""

    @classmethod
    def of(cls, reports: Sequence[Any]) -> Flat | None:
        """Tell whether reports are like that."""
        kind = type(reports[0])
        if any(type(report) is not kind for report in reports):
            return None
        if issubclass(kind, (int, float, np.generic)):
            return cls(kind, None)
        if not issubclass(kind, (list, tuple, np.ndarray)):
            return None
        width = len(reports[0])
        try:
            array = np.array(reports)
        except ValueError:
            return None
        is_flat = array.ndim == 2 and array.shape[1] == width and array.dtype.kind in "biuf"
        return cls(kind, width) if is_flat and width <= MOST_ENTRIES else None

    def matrix(self, reports: Sequence[Any], columns: Sequence[Column]) -> Floats | None:
        """The same entries as one by one, all at once; None if a report is of another kind."""
        if any(type(report) is not self.kind for report in reports):
            return None
        try:
            array = np.asarray(list(reports), dtype=np.float64)
        except (ValueError, TypeError):
            return None
        if array.shape != ((len(reports),) if self.width is None else (len(reports), self.width)):
            return None
        entries = array.reshape(len(reports), -1)
        places = {
            "report" if self.width is None else f"report[{i}]": i for i in range(entries.shape[1])
        }
        out = np.empty((len(reports), len(columns)))
        for j, column in enumerate(columns):
            if column.words == WHOLE and column.codes is not None:
                out[:, j] = [column.codes.get(whole(report), -1) for report in reports]
                continue
            place = places.get(column.words.removeprefix("lowest bit of "))
            if place is None or column.codes is not None:
                return None
            entry = entries[:, place]
            is_bit = column.words.startswith("lowest bit of ")
            out[:, j] = lowest_bits(entry) if is_bit else entry
        return out


def lowest_bits(numbers: Floats) -> Floats:
    """`lowest_bit` of many numbers."""
    mantissa, exponent = np.frexp(np.abs(numbers))
    whole_mantissa = np.where(np.isfinite(mantissa), mantissa * 2.0**53, 0.0).astype(np.int64)
    lowest = whole_mantissa & -whole_mantissa
    bits = np.log2(np.maximum(lowest, 1)) + exponent - 53
    return np.where(lowest == 0, 1100.0, bits)


MOST_CATEGORIES = 256
"""Different values up to which a column that is no number is one of categories."""
