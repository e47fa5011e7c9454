"""Canonical forms of values: hashable, and equal if type, order and content are equal."""

import builtins
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from pathlib import PurePath
from typing import Any

import numpy as np

DEEPEST = 20
"""Deeper parts count by their type only: a part may contain itself."""

MOST_PARTS = 20_000
"""Reports with more parts count by their type only: shared parts may unfold without end."""

_NUMPY = re.compile(r"\bnp\.[a-z]+\d*_?\(([^()]*)\)")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def canonical(report: Any) -> Hashable:
    """A hashable form of `report`; equal for two reports of equal type, order and content."""
    try:
        return _quick_form(report) or _Canonical().with_parts(report, 0)
    except Exception:  # foreign objects may raise anything from anywhere
        return ("opaque", type(report).__name__)


@dataclass
class _Canonical:
    """Builds the form of one report, part by part."""

    left: int = MOST_PARTS
    around: set[int] = field(default_factory=set)
    """Identities of the parts that contain the present one."""

    def of(self, part: Any, depth: int) -> Hashable:
        """A hashable form of a part."""
        kind = type(part)
        if kind in PLAIN:
            return (kind.__name__, part)
        self.left -= 1
        if self.left < 0:
            raise RecursionError(f"a report has more than {MOST_PARTS} parts")
        if depth > DEEPEST or id(part) in self.around:
            return (kind.__name__,)
        return _quick_form(part) or self.with_parts(part, depth)

    def with_parts(self, part: Any, depth: int) -> tuple[Hashable, ...]:
        """The form of a part that has no quick one."""
        self.around.add(id(part))
        inside = self._inside(part, depth + 1)
        self.around.discard(id(part))
        return (type(part).__name__, *inside)

    def _inside(self, part: Any, depth: int) -> Iterable[Hashable]:
        """The content of a part."""
        if isinstance(part, (list, tuple)):
            return [self.of(entry, depth) for entry in part]
        is_masked = isinstance(part, np.ma.MaskedArray)
        if isinstance(part, np.ndarray) and part.dtype.kind != "O" and not is_masked:
            return (part.dtype.str, part.shape, part.tobytes())
        for kinds, content in SINGLE:
            if isinstance(part, kinds):
                return content(part)
        if isinstance(part, Mapping):
            return [(self.of(k, depth), self.of(v, depth)) for k, v in part.items()]
        if isinstance(part, (Set, Sequence, np.ndarray)):
            entries = self._entries(tuple(part), depth)
            return (len(part), frozenset(entries)) if isinstance(part, Set) else entries
        fields = [(name, self.of(value, depth)) for name, value in attributes(part)]
        return fields or (text_of(part),)

    def _entries(self, entries: tuple[Any, ...], depth: int) -> tuple[Hashable, ...]:
        return _quick_form(entries) or tuple(self.of(entry, depth) for entry in entries)


def _quick_form(part: Any) -> tuple[Hashable, ...] | None:
    """The form of a plain part, or of an array or container of plain parts; None of others."""
    kind = type(part)
    content: Iterable[Hashable] | None = None
    if kind in PLAIN:
        content = (part,)
    elif kind is float:
        content = (part or repr(part),)
    elif kind is list or kind is tuple:
        types = set(map(type, part))
        if types <= PLAIN:
            content = (*(types if len(types) == 1 else map(type, part)), *part)
        elif types == {float}:
            content = (float, *_bits(part))
    elif kind is dict:
        parts = (*part, *part.values())
        if PLAIN.issuperset(map(type, parts)):
            content = (*map(type, parts), *parts)
    elif kind is frozenset or kind is set:
        types = set(map(type, part))
        if len(types) == 1 and types <= PLAIN:
            content = (*types, frozenset(part))
    elif kind is np.ndarray and part.dtype.kind != "O":
        content = (part.dtype.str, part.shape, part.tobytes())
    return None if content is None else (kind.__name__, *content)


def _bits(floats: Sequence[float]) -> Sequence[Hashable]:
    """Floats, by their bits if there are zeros: 0.0 and -0.0 are equal and not the same."""
    return floats if 0.0 not in floats else tuple(number or repr(number) for number in floats)


PLAIN = {bool, int, str, bytes, type(None)}
"""Types of which equal values are the same."""

SINGLE: tuple[tuple[Any, Callable[[Any], Sequence[Hashable]]], ...] = (
    (Enum, lambda part: (str(part.name),)),
    (np.generic, lambda part: (part.dtype.str, part.tobytes())),
    (float, lambda part: _bits((float(part),))),
    ((int, str, bytes), lambda part: (part,)),
    (bytearray, lambda part: (bytes(part),)),
    (PurePath, lambda part: (str(part),)),
    (
        np.ma.MaskedArray,
        lambda part: (part.dtype.str, repr(part.data.tolist()), part.mask.tobytes()),
    ),
)
"""Types without parts, and their hashable content."""


def type_name(kind: type) -> str:
    """The name of a type, with its module if a type of Python has the same: `numpy.bool`."""
    is_double = kind.__module__ != "builtins" and hasattr(builtins, kind.__name__)
    return f"{kind.__module__}.{kind.__name__}" if is_double else kind.__name__


def attributes(part: Any) -> list[tuple[str, Any]]:
    """Fields of an object, from its dictionary and its slots, in the order of their names.

    Of a series or a frame, as pandas has them, what it shows in place of how it keeps it.
    """
    kind: type = type(part)
    shown = _SHOWN.get(_sort_of_table(kind))
    if shown is not None:
        return [(name, read(part)) for name, read in shown.items()]
    found: dict[str, Any] = {}
    for kind in type(part).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            private = name.startswith("__") and not name.endswith("__")
            actual = f"_{kind.__name__.lstrip('_')}{name}" if private else name
            if name not in ("__dict__", "__weakref__") and hasattr(part, actual):
                found[name] = getattr(part, actual)
    found.update(getattr(part, "__dict__", None) or {})
    return sorted((str(name), value) for name, value in found.items()) if found else []


_SHOWN: Mapping[str, Mapping[str, Callable[[Any], Any]]] = {
    "frame": {
        "to_dict('list')": lambda frame: frame.to_dict("list"),
        "index": lambda frame: frame.index,
        "dtypes": lambda frame: [str(dtype) for dtype in frame.dtypes],
    },
    "series": {
        "to_list()": lambda series: series.to_list(),
        "index": lambda series: series.index,
        "name": lambda series: series.name,
        "dtype": lambda series: str(series.dtype),
    },
    "index": {"to_list()": lambda index: index.to_list(), "dtype": lambda index: str(index.dtype)},
}
"""What tables of pandas and its like show, by the sort of table."""


@lru_cache(maxsize=4096)
def _sort_of_table(kind: type) -> str:
    """Which sort of table a type is, by what it offers; nothing for other types."""
    if all(hasattr(kind, name) for name in ("to_dict", "index", "columns", "dtypes")):
        return "frame"
    if all(hasattr(kind, name) for name in ("to_list", "dtype", "name")):
        return "series" if hasattr(kind, "index") else "index"
    return ""


def text_of(part: Any) -> str:
    """The `repr` of an object without its address; empty if it raises."""
    try:
        return _ADDRESS.sub("", repr(part))
    except Exception:  # a foreign repr may raise anything
        return ""


def category_key(value: Any) -> Hashable:
    """The value itself if it is plain, so that it can be shown; otherwise its canonical form."""
    if type(value) in PLAIN or type(value) is float:
        return value  # type: ignore[no-any-return]
    return canonical(value)


def shortened(report: Any) -> str:
    """The text of a report, cut to 80 characters; numbers of NumPy are written as Python's."""
    text = re.sub(r"\n *", " ", text_of(report))  # of an array that takes several lines
    return _cut(_NUMPY.sub(r"\1", text) or f"<{type(report).__name__}>")


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


def texts_of(parts: Sequence[Any], among: Iterable[Any] = ()) -> list[str]:
    """The shortened texts of parts; with their types where others, also `among` some, look alike.

    `2` may be an int, or one of NumPy.
    """
    of_sort: dict[type, set[type]] = {}
    for part in (*parts, *among):
        of_sort.setdefault(_plain_type(part), set()).add(type(part))
    texts = [shortened(part) for part in parts]
    different: dict[str, set[Hashable]] = {}
    for part, text in zip(parts, texts, strict=True):
        different.setdefault(text, set()).add(canonical(part))
    told = []
    for part, text in zip(parts, texts, strict=True):
        if len(of_sort[_plain_type(part)]) > 1:
            told.append(f"{text} of type {type_name(type(part))}")
        elif len(different[text]) > 1:  # the types of what is inside
            told.append(_cut(text_of(part)) or text)
        else:
            told.append(text)
    return told


def _plain_type(part: Any) -> type:
    """The type of Python that a number or text of NumPy looks like; else the type itself."""
    kind = type(part)  # not isinstance: a foreign object may raise when it is asked for its class
    return type(part.item()) if issubclass(kind, np.generic) else kind
