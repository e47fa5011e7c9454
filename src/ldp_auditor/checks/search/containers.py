"""How sequences, arrays, mappings, sets and objects are taken apart."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.adapters.canonical import attributes, text_of
from ldp_auditor.checks.search.differing import (
    MOST_LOOKED_UP,
    MOST_OF_ARRAYS,
    codes_of,
    differences,
    first_of_each,
    most_different,
)
from ldp_auditor.checks.search.members import members_of_rows, members_of_sequences, members_of_sets
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

WIDEST = 2**16
"""Entries of a sequence, or members of all sets, among which those are that become columns."""

AT_ONCE = 2000
"""Wide reports that are looked at together."""

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
    chosen = _chosen_entries(place, parts, longest, pieces)
    names = getattr(type(place.parts[0]), "_fields", ())
    words = [
        f"{place.words}.{names[i]}" if i < len(names) else f"{place.words}[{i}]" for i in chosen
    ]
    if same and longest and pieces.wants_only(place.words, words):
        found = _quick_entries(place, parts, chosen, words, pieces)
        if found is not None:
            yield from found
            return
    yield from sequence_features(place, parts)
    yield from nested_features(place, parts)
    yield from members_of_sequences(place, parts, pieces)
    for i, there in zip(chosen, words, strict=True):
        entries = [part[i] for part in parts if len(part) > i]
        yield place.inside(there, entries, lengths > i)
    if not same or pieces.wanted is not None:
        for i in range(1, min(LAST_ENTRIES, longest) + 1):
            entries = [part[-i] for part in parts if len(part) >= i]
            yield place.inside(f"{place.words}[-{i}]", entries, lengths >= i)


def _chosen_entries(
    place: Place, parts: Sequence[Any], longest: int, pieces: Pieces
) -> Sequence[int]:
    """Numbers of the entries that become columns: all, or those that differ most between inputs."""
    if longest <= MOST_ENTRIES:
        return range(longest)
    if pieces.wanted is not None:
        return [i for i in pieces.wanted.entries(place.words) if i < longest]
    wide = min(longest, WIDEST)
    owners = pieces.owners_of(place.rows)
    first = first_of_each(owners, wide, MOST_LOOKED_UP)
    some = [parts[i] for i in first.tolist()]
    apart_by = [
        differences(codes_of([part[i] if i < len(part) else None for part in some])[:, None],
                    owners[first])
        for i in range(wide)
    ]  # fmt: skip
    _note_chosen(pieces, place.words, "entries", wide, longest)
    return most_different(np.concatenate(apart_by), MOST_ENTRIES)


def _note_chosen(pieces: Pieces, words: str, what: str, wide: int, every: int) -> None:
    """Tell how many of a report's many parts were looked at."""
    among = "" if wide == every else f" the first {wide:,} of"
    pieces.note(
        f"Of{among} {every:,} {what} of {words} the {MOST_ENTRIES:,} that differ most between "
        "inputs were looked at."
    )


def _quick_entries(
    place: Place,
    parts: Sequence[Any],
    entries: Sequence[int],
    words: Sequence[str],
    pieces: Pieces,
) -> list[Found] | None:
    """Entries of sequences of one length, and what is derived; None unless of one simple type."""
    at = pieces.wanted_at(words)
    is_whole = not at or bool(pieces.wanted_at([place.words]))
    is_wide = len(parts[0]) > MOST_ENTRIES
    chosen = [entries[i] for i in at]
    some = parts if is_whole and not is_wide else [[part[i] for i in chosen] for part in parts]
    types = set(map(type, chain.from_iterable(some if chosen else parts)))
    if len(types) != 1 or not types <= QUICK:
        return None
    kind = types.pop()
    try:
        rows = np.array(some, dtype=np.float64 if issubclass(kind, float) else np.int64)
        found: list[Found] = []
        if is_wide or not is_whole:
            found += [Block([words[i] for i in at], place.rows, _compact(rows), kind.__name__)]
        else:
            found += _row_entries(place, rows, entries, words, kind.__name__, pieces)
            found += number_rows(place, rows, place.rows)
            found += members_of_rows(place, rows, place.rows, pieces)
        if is_wide and is_whole:
            found += _whole_rows(place, parts)
    except (OverflowError, ValueError):
        return None
    return found


def _whole_rows(place: Place, parts: Any) -> Iterator[Found]:
    """What all entries of wide rows of numbers have together, some rows at a time."""
    rows = np.arange(len(parts)) if place.rows is None else place.rows
    for start in range(0, len(parts), AT_ONCE):
        some = np.asarray(parts[start : start + AT_ONCE])
        if some.dtype.kind in "bif":
            yield from number_rows(place, some, rows[start : start + AT_ONCE])


def _compact(array: NDArray[Any]) -> NDArray[Any]:
    """Small integers as bytes, for the memory's sake, column after column."""
    small = array.dtype.kind == "b" or (
        array.dtype.kind in "ui" and array.min() >= -128 and array.max() <= 127
    )
    return np.asfortranarray(array.astype(np.int8) if small else array)


def _row_entries(
    place: Place,
    rows: NDArray[Any],
    entries: Sequence[int],
    words: Sequence[str],
    name: str,
    pieces: Pieces,
) -> Iterator[Found]:
    """Those `entries` of rows of numbers of the type `name` that are wanted."""
    at = pieces.wanted_at(words)
    if len(at) == rows.shape[1]:
        yield Block(words, place.rows, _compact(rows), name)
    elif at:
        some = rows[:, [entries[i] for i in at]]
        yield Block([words[i] for i in at], place.rows, _compact(some), name)


@lru_cache(maxsize=64)
def _entry_words(place: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Words for the entries of an array."""
    return tuple(place + "".join(f"[{i}]" for i in index) for index in np.ndindex(shape))


def _chosen_of_arrays(
    place: Place, rows: NDArray[Any], shape: tuple[int, ...], pieces: Pieces
) -> tuple[Sequence[int], Sequence[str]]:
    """Numbers and words of the entries of arrays that become columns, as `_chosen_entries`."""
    every = rows.shape[1]
    if every <= MOST_ENTRIES:
        return range(every), _entry_words(place.words, shape)
    if pieces.wanted is not None:
        indices = [i for i in pieces.wanted.indices(place.words) if len(i) == len(shape)]
    else:
        wide = min(every, WIDEST)
        owners = pieces.owners_of(place.rows)
        first = first_of_each(owners, wide, MOST_OF_ARRAYS)
        chosen = most_different(differences(rows[first, :wide], owners[first]), MOST_ENTRIES)
        _note_chosen(pieces, place.words, "entries", wide, every)
        indices = [tuple(map(int, np.unravel_index(i, shape))) for i in chosen]
    words = [place.words + "".join(f"[{i}]" for i in index) for index in indices]
    return [int(np.ravel_multi_index(index, shape)) for index in indices], words


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
        rows = np.asarray(parts).reshape(len(parts), -1)
        entries, words = _chosen_of_arrays(place, rows, shape, pieces)
        if pieces.wants_only(place.words, words):
            name = {"f": "float", "b": "bool"}.get(dtype.kind, "int")
            yield from _row_entries(place, rows, entries, words, name, pieces)
            if len(shape) == 1 and pieces.wanted_at([place.words]):
                if rows.shape[1] > MOST_ENTRIES:
                    yield from _whole_rows(place, rows)
                else:
                    yield from number_rows(place, rows, place.rows)
                    yield from members_of_rows(place, rows, place.rows, pieces)
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
    if pieces.wanted is None and len(common) > MOST_ENTRIES:
        common = _chosen_members(place, common, pieces)
    for words, (rows, values) in common:
        if not pieces.may_contain(words):
            continue
        mask = np.zeros(len(place.parts), dtype=np.bool_)
        mask[rows] = True
        yield place.inside(words, values, mask)


Members = list[tuple[str, tuple[list[int], list[Any]]]]
"""Words, and for each the numbers of the parts that have such a member, and what it is there."""


def _chosen_members(place: Place, common: Members, pieces: Pieces) -> Members:
    """The members that differ most between inputs, of those that are the commonest."""
    some = common[:WIDEST]
    owners = pieces.owners_of(place.rows)
    first = first_of_each(owners, len(some), MOST_LOOKED_UP)
    last = int(first[-1])
    among = np.zeros(last + 1, dtype=np.bool_)
    among[first] = True
    found = np.zeros(len(some))
    for i, (_, (rows, values)) in enumerate(some):
        there = [j for j, row in enumerate(rows) if row <= last and among[row]]
        codes = np.full(last + 1, np.nan)
        codes[[rows[j] for j in there]] = codes_of([values[j] for j in there])
        found[i] = differences(codes[first, None], owners[first])[0]
    _note_chosen(pieces, place.words, "members", len(some), len(common))
    return [some[i] for i in most_different(found, MOST_ENTRIES)]


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
    if all(type(m) is int and abs(m) < LARGEST_ADDED for part in place.parts for m in part):
        sums = np.array([sum(part) for part in place.parts], dtype=np.int64)
        yield Block([f"sum({place.words})"], place.rows, sums[:, None], place=place.words)
    yield from members_of_sets(place, pieces)
