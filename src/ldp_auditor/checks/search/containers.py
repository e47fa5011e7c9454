"""How sequences, arrays, mappings, sets and objects are taken apart."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.adapters.canonical import attributes, text_of
from ldp_auditor.checks.search.pieces import Block, Found, Piece, Pieces, Place, Same
from ldp_auditor.checks.search.sequence_features import (
    MOST_ENTRIES,
    nested_features,
    number_rows,
    sequence_features,
)

FIRST_READ = 40
"""Members of a set or mapping that become columns in the order in which they are read."""

LAST_ENTRIES = 3
"""Entries from the end of a sequence that are looked at, where lengths differ."""

LARGEST_ADDED = 2**40
"""Size up to which members of a set are added up."""

QUICK = {int, float, bool, np.int64, np.float64, np.bool_}
"""Types of entries that are read into one array, if all entries have the same type."""


def sequence_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """Length and entries; the last one too, if lengths differ."""
    parts = [part if type(part) in (list, tuple) else tuple(part) for part in place.parts]
    lengths, column = place.lengths(parts)
    yield column
    longest = int(lengths.max())
    same = int(lengths.min()) == longest
    if longest > MOST_ENTRIES:
        pieces.note(f"Of {place.words} the first {MOST_ENTRIES:,} entries were looked at.")
    names = getattr(type(place.parts[0]), "_fields", ())
    words = [
        f"{place.words}.{names[i]}" if i < len(names) else f"{place.words}[{i}]"
        for i in range(min(longest, MOST_ENTRIES))
    ]
    if same and longest and pieces.wants_only(place.words, words):
        found = _quick_entries(place, parts, words, pieces)
        if found is not None:
            yield from found
            return
    yield from sequence_features(place, parts)
    yield from nested_features(place, parts)
    for i, there in enumerate(words):
        entries = [part[i] for part in parts if len(part) > i]
        yield place.inside(there, entries, lengths > i)
    if not same or pieces.wanted is not None:
        for i in range(1, min(LAST_ENTRIES, longest) + 1):
            entries = [part[-i] for part in parts if len(part) >= i]
            yield place.inside(f"{place.words}[-{i}]", entries, lengths >= i)


def _quick_entries(
    place: Place, parts: Sequence[Any], words: Sequence[str], pieces: Pieces
) -> list[Found] | None:
    """Entries of sequences of one length, and what is derived; None unless of one simple type."""
    chosen = pieces.wanted_at(words)
    is_whole = not chosen or bool(pieces.wanted_at([place.words]))
    some = parts if is_whole else [[part[i] for i in chosen] for part in parts]
    types = set(map(type, chain.from_iterable(some)))
    if len(types) != 1 or not types <= QUICK:
        return None
    kind = types.pop()
    if len(parts[0]) > MOST_ENTRIES and is_whole:
        some = [part[:MOST_ENTRIES] for part in parts]
    try:
        rows = np.array(some, dtype=np.float64 if issubclass(kind, float) else np.int64)
    except OverflowError:
        return None
    if not is_whole:
        return [Block([words[i] for i in chosen], place.rows, _compact(rows), kind.__name__)]
    return [
        *_row_entries(place, rows, words, kind.__name__, pieces),
        *number_rows(place, rows, place.rows),
    ]


def _compact(array: NDArray[Any]) -> NDArray[Any]:
    """Small integers as bytes, for the memory's sake, column after column."""
    small = array.dtype.kind == "b" or (
        array.dtype.kind in "ui" and array.min() >= -128 and array.max() <= 127
    )
    return np.asfortranarray(array.astype(np.int8) if small else array)


def _row_entries(
    place: Place, rows: NDArray[Any], words: Sequence[str], name: str, pieces: Pieces
) -> Iterator[Found]:
    """Entries of rows of numbers of the type `name`."""
    chosen = pieces.wanted_at(words)
    if len(chosen) == len(words):
        yield Block(words, place.rows, _compact(rows), name)
    elif chosen:
        yield Block([words[i] for i in chosen], place.rows, _compact(rows[:, chosen]), name)


@lru_cache(maxsize=64)
def _entry_words(place: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Words for the entries of an array."""
    indices = islice(np.ndindex(shape), MOST_ENTRIES)
    return tuple(place + "".join(f"[{i}]" for i in index) for index in indices)


def array_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """Shape, type and entries."""
    parts: Any = place.parts
    first = parts[0]
    shape, dtype = first.shape, first.dtype
    numeric = dtype.kind in "bif" or (dtype.kind == "u" and dtype.itemsize < 8)
    alike = isinstance(parts, np.ndarray) or all(
        part.shape == shape and part.dtype == dtype for part in parts
    )
    shapes, dtypes = (
        (Same(shape), Same(dtype.str))
        if alike
        else ([part.shape for part in parts], [part.dtype.str for part in parts])
    )
    yield Piece(place.words, f"shape({place.words})", "category", place.rows, shapes)
    yield Piece(place.words, f"dtype({place.words})", "category", place.rows, dtypes)
    if alike and numeric and shape and first.size > 0:
        words = _entry_words(place.words, shape)
        if pieces.wants_only(place.words, words):
            rows = np.asarray(parts).reshape(len(parts), -1)[:, :MOST_ENTRIES]
            name = {"f": "float", "b": "bool"}.get(dtype.kind, "int")
            yield from _row_entries(place, rows, words, name, pieces)
            if len(shape) == 1 and pieces.wanted_at([place.words]):
                yield from number_rows(place, rows, place.rows)
            return
    is_records = dtype.kind == "V" and len(shape) > 0
    lists = [list(part) if is_records else part.tolist() for part in place.parts]
    yield replace(place, parts=lists, depth=place.depth + 1, is_typed=True)


def record_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """An entry of a structured array, by the names of its fields, or its bytes if it has none."""
    dtypes = [str(part.dtype) for part in place.parts]
    yield place.category(f"dtype({place.words})", dtypes)
    found = [
        {name: part[name] for name in part.dtype.names} if part.dtype.names else bytes(part)
        for part in place.parts
    ]
    yield replace(place, parts=found, depth=place.depth + 1, is_typed=True)


def mapping_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """Length, keys in reading order, and the value of every key as a place.

    If no key is in half of the mappings, keys are names that are made up: values by their order.
    """
    yield from _in_order(place)
    words = f"{place.words}.values()"
    if pieces.may_contain(words) and (pieces.wanted is not None or _are_made_up(place.parts)):
        values = [list(part.values()) for part in place.parts]
        yield place.inside(words, values, np.ones(len(values), dtype=np.bool_))

    @cache
    def of_text(member: str) -> str:
        return f"{place.words}[{member!r}]"

    def name_of(member: Any) -> str:
        return of_text(member) if type(member) is str else f"{place.words}[{text_of(member)}]"

    yield from _named(place, pieces, lambda part: [(name_of(k), v) for k, v in part.items()])


def _are_made_up(mappings: Sequence[Any]) -> bool:
    """Whether no key is in half of the mappings."""
    times = Counter(chain.from_iterable(mappings))
    return bool(times) and max(times.values()) < len(mappings) / 2


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
            if words not in found:
                found[words] = ([], [])
            rows, values = found[words]
            if not rows or rows[-1] != i:  # keys that read alike are one place
                rows.append(i)
                values.append(value)
    if pieces.wanted is None and len(place.parts) > 1:  # one report alone has no rate
        found = {words: one for words, one in found.items() if len(one[0]) > 1}
    common = sorted(found.items(), key=lambda item: -len(item[1][0]))
    if len(common) > MOST_ENTRIES:
        pieces.note(f"Of {place.words} the {MOST_ENTRIES:,} commonest members were looked at.")
    for words, (rows, values) in common[: _most(pieces)]:
        if not pieces.may_contain(words):
            continue
        mask = np.zeros(len(place.parts), dtype=np.bool_)
        mask[rows] = True
        yield place.inside(words, values, mask)


def _in_order(place: Place) -> Iterator[Found]:
    """Lengths, and members in the order in which they are read."""
    read = [list(part) for part in place.parts]
    lengths, column = place.lengths(read)
    yield column
    for i in range(min(int(lengths.max()), FIRST_READ)):
        keys = [part[i] for part in read if len(part) > i]
        words = f"list({place.words})[{i}]"
        yield Piece(place.words, words, "category", place.some(lengths > i), keys)


def set_parts(place: Place, pieces: Pieces) -> Iterator[Found]:
    """Length, members, and the order in which they are read."""
    yield from _in_order(place)
    counts: Counter[Any] = Counter()
    for part in place.parts:
        counts.update(part)
    if all(type(member) is int and abs(member) < LARGEST_ADDED for member in counts):
        sums = np.array([sum(part) for part in place.parts], dtype=np.int64)
        yield Block([f"sum({place.words})"], place.rows, sums[:, None], place=place.words)
    if len(counts) > MOST_ENTRIES:
        pieces.note(f"Of {place.words} the {MOST_ENTRIES:,} commonest members were looked at.")
    for member, times in counts.most_common(_most(pieces)):
        if pieces.wanted is None and times == 1 < len(place.parts):
            break  # one report alone has no rate
        words = f"{text_of(member)} in {place.words}"
        if pieces.wants(words, "member"):
            held = np.array([member in part for part in place.parts], dtype=np.int8)
            yield Piece(place.words, words, "member", place.rows, held)
