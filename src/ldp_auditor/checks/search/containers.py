"""How sequences, arrays, mappings, sets and objects are taken apart."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.adapters.canonical import attributes, category_key, text_of
from ldp_auditor.checks.search.pieces import Block, Found, Piece, Pieces, Place

MOST_ENTRIES = 1200
"""Largest number of entries of a sequence, or members of sets, that become columns."""

FIRST_READ = 40
"""Members of a set or mapping that become columns in the order in which they are read."""

QUICK = {int, float, bool, np.int64, np.float64, np.bool_}
"""Types of entries that are read into one array, if all entries have the same type."""


def sequence_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """Length and entries; the last one too, if lengths differ."""
    parts = [part if type(part) in (list, tuple) else tuple(part) for part in place.parts]
    lengths, column = place.lengths(parts)
    yield column
    longest = int(lengths.max())
    same = int(lengths.min()) == longest
    names = getattr(type(place.parts[0]), "_fields", ())
    words = [
        f"{place.words}.{names[i]}" if i < len(names) else f"{place.words}[{i}]"
        for i in range(min(longest, MOST_ENTRIES))
    ]
    types = set(map(type, chain.from_iterable(parts))) if same and longest else set()
    if len(types) == 1 and types <= QUICK and pieces.wants_only(place.words, words):
        kind = types.pop()
        array = _numbers([part[:MOST_ENTRIES] for part in parts], kind)
        if array is not None:
            yield Block(words, place.rows, array, kind.__name__)
            return
    for i, there in enumerate(words):
        entries = [part[i] for part in parts if len(part) > i]
        yield place.inside(there, entries, lengths > i)
    if not same or pieces.wanted is not None:
        yield place.inside(f"{place.words}[-1]", [p[-1] for p in parts if len(p)], lengths > 0)


def _numbers(parts: Sequence[Any], kind: type) -> NDArray[Any] | None:
    try:
        return _compact(np.array(parts, dtype=np.float64 if issubclass(kind, float) else np.int64))
    except OverflowError:
        return None


def _compact(array: NDArray[Any]) -> NDArray[Any]:
    """Small integers as bytes, for the memory's sake, column after column."""
    small = array.dtype.kind == "b" or (
        array.dtype.kind in "ui" and array.min() >= -128 and array.max() <= 127
    )
    return np.asfortranarray(array.astype(np.int8) if small else array)


def array_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """Shape, type and entries."""
    yield place.category(f"shape({place.words})", [part.shape for part in place.parts])
    yield place.category(f"dtype({place.words})", [part.dtype.str for part in place.parts])
    first = place.parts[0]
    shape, dtype = first.shape, first.dtype
    numeric = dtype.kind in "bif" or (dtype.kind == "u" and dtype.itemsize < 8)
    alike = all(part.shape == shape and part.dtype == dtype for part in place.parts)
    if alike and numeric and shape and first.size > 0:
        indices = list(np.ndindex(shape))[:MOST_ENTRIES]
        words = [place.words + "".join(f"[{i}]" for i in index) for index in indices]
        if pieces.wants_only(place.words, words):
            array = np.array(place.parts).reshape(len(place.parts), -1)[:, :MOST_ENTRIES]
            name = {"f": "float", "b": "bool"}.get(dtype.kind, "int")
            yield Block(words, place.rows, _compact(array), name)
            return
    lists = [part.tolist() for part in place.parts]
    yield replace(place, parts=lists, depth=place.depth + 1, is_typed=True)


def mapping_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """Length, keys in reading order, and the value of every key as a place."""
    yield from _in_order(place)

    @cache
    def of_text(member: str) -> str:
        return f"{place.words}[{member!r}]"

    def name_of(member: Any) -> str:
        return of_text(member) if type(member) is str else f"{place.words}[{text_of(member)}]"

    yield from _named(place, pieces, lambda part: [(name_of(k), v) for k, v in part.items()])


def object_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """Fields as places; the text of `repr`, if an object has no fields."""

    def fields(part: Any) -> list[tuple[str, Any]]:
        found = attributes(part) or [("__repr__()", text_of(part))]
        return [(f"{place.words}.{name}", value) for name, value in found]

    yield from _named(place, pieces, fields)


def _most(pieces: Pieces) -> int | None:
    """Largest number of members; None, for no limit, when certain columns are wanted."""
    return MOST_ENTRIES if pieces.wanted is None else None


def _named(
    place: Place, pieces: Pieces, members: Callable[[Any], Sequence[tuple[str, Any]]]
) -> Iterator[Found]:
    """Places by the names that the members of every part have, the commonest first."""
    found: dict[str, tuple[list[int], list[Any]]] = {}
    for i, part in enumerate(place.parts):
        for words, value in members(part):
            rows, values = found.setdefault(words, ([], []))
            if not rows or rows[-1] != i:  # keys that read alike are one place
                rows.append(i)
                values.append(value)
    common = sorted(found.items(), key=lambda item: -len(item[1][0]))
    for words, (rows, values) in common[: _most(pieces)]:
        mask = np.zeros(len(place.parts), dtype=np.bool_)
        mask[rows] = True
        yield place.inside(words, values, mask)


def _in_order(place: Place) -> Iterator[Found]:
    """Lengths, and members in the order in which they are read."""
    read = [list(part) for part in place.parts]
    lengths, column = place.lengths(read)
    yield column
    for i in range(min(int(lengths.max()), FIRST_READ)):
        keys = [category_key(part[i]) for part in read if len(part) > i]
        words = f"list({place.words})[{i}]"
        yield Piece(place.words, words, "category", place.some(lengths > i), keys)


def set_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """Length, members, and the order in which they are read."""
    yield from _in_order(place)
    counts: Counter[Any] = Counter()
    for part in place.parts:
        counts.update(part)
    for member, _ in counts.most_common(_most(pieces)):
        words = f"{text_of(member)} in {place.words}"
        if pieces.wants(words, "member"):
            held = np.array([member in part for part in place.parts], dtype=np.int8)
            yield Piece(place.words, words, "member", place.rows, held)
