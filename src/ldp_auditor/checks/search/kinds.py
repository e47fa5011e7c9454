"""Kinds of parts of a report, and who looks at them."""

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
from ldp_auditor.checks.search.shreds import Found, Place, Shreds

Handler = Callable[[Place, Shreds], Iterator[Found]]

KINDS: tuple[tuple[str, tuple[type, ...], Handler], ...] = (
    ("enum", (Enum,), scalars.of_properties("enum")),
    ("extended float", (np.longdouble,), scalars.of_extended_floats),
    ("number", (bool, int, float, np.bool_, np.integer, np.floating), scalars.of_numbers),
    ("complex", (complex, np.complexfloating), scalars.of_properties("complex")),
    ("decimal", (Decimal,), scalars.of_properties("decimal")),
    ("fraction", (Rational,), scalars.of_properties("fraction")),
    ("datetime", (datetime.datetime, datetime.time), scalars.of_properties("datetime")),
    ("date", (datetime.date,), scalars.of_properties("date")),
    ("timedelta", (datetime.timedelta,), scalars.of_properties("timedelta")),
    ("none", (type(None),), scalars.of_nothing),
    ("text", (str,), scalars.of_text),
    ("path", (PurePath,), scalars.of_properties("path")),
    ("bytes", (bytes, bytearray), scalars.of_bytes),
    ("array", (np.ndarray,), containers.of_arrays),
    ("mapping", (Mapping,), containers.of_mappings),
    ("set", (Set,), containers.of_sets),
    ("sequence", (Sequence,), containers.of_sequences),
    ("object", (object,), containers.of_objects),
)
"""The first kind that a type belongs to has it."""

HANDLERS: Mapping[str, Handler] = {name: handler for name, _, handler in KINDS}


@lru_cache(maxsize=4096)
def kind_of(kind: type) -> str:
    """Which kind parts of a type are."""
    try:
        return next(name for name, types, _ in KINDS if issubclass(kind, types))
    except Exception:  # a metaclass of foreign make may raise anything
        return "none"
