"""Columns derived from all entries of a sequence: order, duplicates, sums, what entries share."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.checks.search.pieces import Block, Piece, Place

MOST_ENTRIES = 1200
"""Largest number of entries of a sequence, or members of sets, that become columns."""

MOST_SUMS = 64
"""Largest number of positions over which the entries of a report are summed."""

MOST_PAIRS = 4
"""Largest number of neighbouring entries that are compared position by position."""

Numbers = NDArray[Any]

PLAIN = {int, float, bool}


def _different(ordered: Numbers) -> Numbers:
    changes: Numbers = np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)
    return 1 + changes


FEATURES: Mapping[str, Callable[[Numbers], Numbers]] = {
    "len(set({}))": lambda rows: _different(np.sort(rows, axis=1)),
    "rises in {}": lambda rows: np.count_nonzero(rows[:, 1:] > rows[:, :-1], axis=1),
    "{0}.index(max({0}))": lambda rows: rows.argmax(axis=1),
    "{0}.index(min({0}))": lambda rows: rows.argmin(axis=1),
}
"""Features of rows of numbers, by their words."""


def number_rows(place: Place, rows: Numbers, where: Any) -> Iterator[Block | Piece]:
    """Features of rows of numbers, which belong to the reports `where`."""
    if rows.shape[1] < 2:
        return
    columns = {}
    if rows.dtype.kind != "f":
        columns[f"sum({place.words})"] = rows.sum(axis=1, dtype=np.int64)
    if rows.dtype.kind == "f" or int(rows.max()) - int(rows.min()) > 1:
        for words, feature in FEATURES.items():
            columns[words.format(place.words)] = feature(rows)
    if columns:
        array = np.stack(list(columns.values()), axis=1).astype(np.int64)
        yield Block(list(columns), where, array, place=place.words)
    if rows.dtype.kind == "f":
        for words, numbers in _float_features(place.words, rows).items():
            yield Piece(place.words, words, "number", where, numbers)


def _float_features(words: str, rows: Numbers) -> dict[str, Numbers]:
    """Sum, sum of squares and extremes of rows of floats."""
    total, squares = np.zeros(len(rows)), np.zeros(len(rows))
    with np.errstate(over="ignore", invalid="ignore"):
        for column in rows.T:  # one by one: in this order on any processor
            total += column
            squares += column * column
    return {
        f"sum({words})": total,
        f"sum(x**2 for x in {words})": squares,
        f"max({words})": rows.max(axis=1),
        f"min({words})": rows.min(axis=1),
    }


def sequence_features(place: Place, parts: Sequence[Any]) -> Iterator[Block | Piece]:
    """Features of sequences of any lengths that have nothing but numbers, length by length."""
    by_length: dict[tuple[int, bool], list[int]] = {}
    for i, part in enumerate(parts):
        kinds = set(map(type, part))
        if len(part) > 1 and kinds <= PLAIN:
            by_length.setdefault((len(part), float in kinds), []).append(i)
    for chosen in by_length.values():
        try:
            rows = np.array([parts[i] for i in chosen])
        except OverflowError:
            continue
        if rows.dtype.kind in "bif":
            yield from number_rows(place, rows, _rows(place, chosen, len(parts)))


def nested_features(place: Place, parts: Sequence[Any]) -> Iterator[Block]:
    """Of several vectors or texts in one report: sums by position, and where neighbours agree."""
    by_shape: dict[Any, list[int]] = {}
    for i, part in enumerate(parts):
        by_shape.setdefault(_shape(part), []).append(i)
    for shape, chosen in by_shape.items():
        if shape is None:
            continue
        some = [parts[i] for i in chosen]
        columns = _of_vectors(place, some) if shape[0] == "vectors" else {}
        for i in range(min(shape[1] - 1, MOST_PAIRS)):
            agree, start = _agreement(some, i)
            pair = f"{place.words}[{i}] and {place.words}[{i + 1}]"
            columns[f"positions where {pair} agree"] = agree
            columns[f"position where {pair} first differ"] = start
        array = np.stack(list(columns.values()), axis=1).astype(np.int64)
        yield Block(list(columns), _rows(place, chosen, len(parts)), array, place=place.words)


def _shape(part: Any) -> tuple[str, int, int] | None:
    """How many vectors of numbers, or texts, a part consists of, and their length if it is one."""
    kinds = set(map(type, part))
    if len(part) < 2 or len(kinds) != 1:
        return None
    if kinds <= {str, bytes}:
        return "texts", len(part), 0
    lengths = {len(entry) for entry in part} if kinds <= {list, tuple} else set()
    if len(lengths) != 1 or 0 in lengths:
        return None
    if not {int, bool} >= {type(x) for entry in part for x in entry}:
        return None
    if any(abs(x) > 2**31 for entry in part for x in entry):
        return None
    return "vectors", len(part), lengths.pop()


def _of_vectors(place: Place, some: Sequence[Any]) -> dict[str, Numbers]:
    """Sums of the entries at each position."""
    sums = np.array(some, dtype=np.int64).sum(axis=1)[:, :MOST_SUMS]
    return {f"sum(x[{j}] for x in {place.words})": sums[:, j] for j in range(sums.shape[1])}


def _agreement(some: Sequence[Any], i: int) -> tuple[Numbers, Numbers]:
    """Positions at which entries i and i + 1 agree, and the first at which they do not."""
    agree, start = np.zeros(len(some), np.int64), np.zeros(len(some), np.int64)
    for row, part in enumerate(some):
        same = [a == b for a, b in zip(part[i], part[i + 1], strict=False)]
        agree[row] = sum(same)
        start[row] = same.index(False) if agree[row] < len(same) else len(same)
    return agree, start


def _rows(place: Place, chosen: Sequence[int], total: int) -> Any:
    mask = np.zeros(total, dtype=np.bool_)
    mask[list(chosen)] = True
    return place.some(mask)
