"""Take reports apart, all of them at once, place by place.

A place is where a part of a report sits: the report itself, an entry, a field. The parts of all
reports at one place are looked at together, which is fast; what is inside of them are places too.
Foreign objects may raise from anywhere: a part that raises is left out, and only its type is known.
"""

import datetime
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from numbers import Rational
from pathlib import PurePath
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.adapters.canonical import type_name
from ldp_auditor.checks.search import containers, scalars
from ldp_auditor.checks.search.number_features import Due, number_features
from ldp_auditor.checks.search.pieces import Block, Found, Piece, Pieces, Place, Rows, Same, Wanted

Handler = Callable[[Place, Pieces], Iterator[Found]]

KINDS: tuple[tuple[str, tuple[type, ...], Handler], ...] = (
    ("enum", (Enum,), scalars.property_parts("enum")),
    ("extended float", (np.longdouble,), scalars.extended_float_parts),
    ("time of NumPy", (np.datetime64, np.timedelta64), scalars.property_parts("time of NumPy")),
    ("number", (bool, int, float, np.bool_, np.integer, np.floating), scalars.number_parts),
    ("complex", (complex, np.complexfloating), scalars.property_parts("complex")),
    ("decimal", (Decimal,), scalars.property_parts("decimal")),
    ("fraction", (Rational,), scalars.property_parts("fraction")),
    ("datetime", (datetime.datetime, datetime.time), scalars.property_parts("datetime")),
    ("date", (datetime.date,), scalars.property_parts("date")),
    ("timedelta", (datetime.timedelta,), scalars.property_parts("timedelta")),
    ("none", (type(None),), scalars.property_parts("none")),
    ("text", (str,), scalars.text_parts),
    ("path", (PurePath,), scalars.property_parts("path")),
    ("uuid", (UUID,), scalars.property_parts("uuid")),
    ("bytes", (bytes, bytearray), scalars.bytes_parts),
    ("record", (np.void,), containers.record_parts),
    ("masked array", (np.ma.MaskedArray,), scalars.property_parts("masked array")),
    ("array", (np.ndarray,), containers.array_parts),
    ("mapping", (Mapping,), containers.mapping_parts),
    ("set", (Set,), containers.set_parts),
    ("sequence", (Sequence,), containers.sequence_parts),
    ("object", (object,), containers.object_parts),
)
"""A type belongs to the first kind of which it is a subclass."""

HANDLERS: Mapping[str, Handler] = {name: handler for name, _, handler in KINDS}

DEEPEST = 12
"""Deepest level of nesting that is looked into."""

MOST_PLACES = 2000
"""Largest number of places: a report that contains itself would never end."""

MOST_PARTS = 12_000_000
"""Largest number of parts that are looked at, nearest to the surface first."""


def take_apart(
    reports: Sequence[Any],
    wanted: Wanted | None = None,
    owners: NDArray[np.int64] | None = None,
) -> Pieces:
    """Take reports apart into pieces: all there are, or those of the `wanted` columns.

    With `owners`, the inputs of the reports, in rising order, what is left out of a report with too
    many parts is what differs least between inputs.
    """
    pieces = Pieces(len(reports), wanted, owners)
    queue = deque([Place("report", None, reports)] if len(reports) else [])
    looked, parts, numbers = 0, 0, 0
    while queue:
        place = queue.popleft()
        looked, parts = looked + 1, parts + len(place.parts)
        too_many = looked > MOST_PLACES or (parts > MOST_PARTS and place.depth > 0)
        if too_many and pieces.wanted is None:
            pieces.note(
                f"Too much to take apart: {place.words} and {len(queue):,} places after it were "
                "not looked into."
            )
            break
        for found in _look(place, pieces):
            if isinstance(found, Place):
                if found.depth > DEEPEST:
                    pieces.note(f"Nesting of more than {DEEPEST} levels was not looked into.")
                elif found.parts and pieces.may_contain(found.words):
                    queue.append(found)
            elif isinstance(found, Block):
                numbers += len(found.words)
                _numbers(found, pieces, numbers)
            else:
                pieces.add(found)
    return pieces


def _look(place: Place, pieces: Pieces) -> Iterator[Found]:
    """The types of the parts at a place, then what the handlers of their kinds find."""
    one = isinstance(place.parts, np.ndarray)  # whose entries are of one type
    types = [type(place.parts[0])] if one else list(map(type, place.parts))
    different = set(types)
    words = f"type({place.words})"
    if not place.is_typed:
        one_name = Same(type_name(types[0])) if len(different) == 1 else None
        names = one_name or [type_name(t) for t in types]
        yield Piece(place.words, words, "category", place.rows, names)
    kinds = {t: kind_of(t) for t in different}
    every = sorted(set(kinds.values()))
    for kind in every:
        chosen = [i for i, t in enumerate(types) if kinds[t] == kind] if len(every) > 1 else None
        yield from _handled(kind, place if chosen is None else _some(place, chosen), pieces)


def _handled(kind: str, place: Place, pieces: Pieces) -> list[Found]:
    """What the handler of a kind finds, leaving out the parts that raise."""
    try:
        return list(HANDLERS[kind](place, pieces))
    except Exception:  # foreign code: anything, from anywhere
        each = range(len(place.parts)) if len(place.parts) > 1 else ()
        sound = [i for i in each if _handled(kind, _some(place, [i]), pieces)]
    if 0 < len(sound) < len(place.parts):
        return _handled(kind, _some(place, sound), pieces)
    return []  # none is sound, or all are one by one, not together


def _some(place: Place, chosen: list[int]) -> Place:
    rows: Rows = np.array(chosen, dtype=np.int64)
    rows = rows if place.rows is None else place.rows[rows]
    return replace(place, rows=rows, parts=[place.parts[i] for i in chosen])


def _numbers(block: Block, pieces: Pieces, places: int) -> None:
    """Add the columns of a block of numbers, and the columns derived from each."""
    owners = pieces.owners_of(block.rows)
    for i, words in enumerate(block.words):
        place = words if block.place is None else block.place
        asked = None
        if pieces.wanted is not None:
            asked = pieces.wanted.numbers.get(place)
            if asked is None:
                continue
        if asked is not None and block.type_name is not None:
            type_of = Piece(words, f"type({words})", "category", block.rows, Same(block.type_name))
            pieces.add(type_of)
        if block.place is not None and block.array.dtype.kind == "i":  # a length is no more
            pieces.add(Piece(place, words, "number", block.rows, block.array[:, i]))
            continue
        numbers, due = block.array[:, i], Due(places, asked, owners, pieces.note)
        for name, column in number_features(words, numbers, due):
            pieces.add(Piece(place, name, "number", block.rows, column))


@lru_cache(maxsize=4096)
def kind_of(kind: type) -> str:
    """The kind of a type."""
    try:
        return next(name for name, types, _ in KINDS if issubclass(kind, types))
    except Exception:  # a metaclass of foreign make may raise anything
        return "none"
