"""Kinds of parts of a report, and the function that takes each kind apart."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from numbers import Rational
from pathlib import PurePath

import numpy as np

from ldp_auditor.checks.search import containers, scalars
from ldp_auditor.checks.search.pieces import Found, Pieces, Place

Handler = Callable[[Place, Pieces], Iterator[Found]]

KINDS: tuple[tuple[str, tuple[type, ...], Handler], ...] = (
    ("enum", (Enum,), scalars.property_parts("enum")),
    ("extended float", (np.longdouble,), scalars.extended_float_parts),
    ("number", (bool, int, float, np.bool_, np.integer, np.floating), scalars.number_parts),
    ("complex", (complex, np.complexfloating), scalars.property_parts("complex")),
    ("decimal", (Decimal,), scalars.property_parts("decimal")),
    ("fraction", (Rational,), scalars.property_parts("fraction")),
    ("datetime", (datetime.datetime, datetime.time), scalars.property_parts("datetime")),
    ("date", (datetime.date,), scalars.property_parts("date")),
    ("timedelta", (datetime.timedelta,), scalars.property_parts("timedelta")),
    ("none", (type(None),), scalars.no_parts),
    ("text", (str,), scalars.text_parts),
    ("path", (PurePath,), scalars.property_parts("path")),
    ("bytes", (bytes, bytearray), scalars.bytes_parts),
    ("array", (np.ndarray,), containers.array_parts),
    ("mapping", (Mapping,), containers.mapping_parts),
    ("set", (Set,), containers.set_parts),
    ("sequence", (Sequence,), containers.sequence_parts),
    ("object", (object,), containers.object_parts),
)
"""A type belongs to the first kind of which it is a subclass."""

HANDLERS: Mapping[str, Handler] = {name: handler for name, _, handler in KINDS}


@lru_cache(maxsize=4096)
def kind_of(kind: type) -> str:
    """The kind of a type."""
    try:
        return next(name for name, types, _ in KINDS if issubclass(kind, types))
    except Exception:  # a metaclass of foreign make may raise anything
        return "none"
