"""How the fields of a result are declared, written as plain values and read back.

A result is a frozen dataclass. `declared` says of a field what it means, its unit and when it is
told; keys, JSON, columns of the table and the table in the documents follow from that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, field, fields
from typing import Any

from ldp_auditor.core import InputPair
from ldp_auditor.errors import AuditError, require, whole_number

Plain = Mapping[str, Any]

LARGEST = 1e100
"""Numbers beyond it are none of ours, and would not add up."""

TYPES = {
    "str": "text",
    "float": "number",
    "float | None": "number or null",
    "int": "whole number",
    "int | None": "whole number or null",
    "bool | None": "true, false or null",
    "str | None": "text or null",
    "InputPair": "two values or two records",
    "Mapping[str, Any]": "the protocol's own options, each under its name",
}
"""Types of fields in words."""


def declared(
    meaning: str, *, unit: str = "", part: str = "", least: int = 0, default: Any = MISSING
) -> Any:
    """Declare a field of a result.

    `part` names the part of a result that the field belongs to, such as "over time"; the fields of
    a part are told together or not at all. `least` is the smallest whole number that is sound.
    """
    metadata = {"meaning": meaning, "unit": unit, "part": part, "least": least}
    if default is MISSING:
        return field(metadata=metadata)
    return field(default=default, metadata=metadata)


def plain_value(value: Any) -> Any:
    """Return a value as JSON has it: an infinite number is the string "inf", a pair is a list."""
    if isinstance(value, float) and math.isinf(value):
        return "inf"
    if isinstance(value, InputPair):
        return [plain_value(value.first), plain_value(value.second)]
    if isinstance(value, tuple | list):
        return [plain_value(entry) for entry in value]
    return value


def read_field(plain: Plain, declaration: Field[Any]) -> Any:
    """Return the value of a field from plain values, or raise if it is missing or unsound."""
    name, kind = declaration.name, str(declaration.type)
    if name not in plain and declaration.default is not MISSING:
        return declaration.default
    if kind.endswith("| None") and plain.get(name) is None:
        return None
    readers = {
        "str": text,
        "float": real,
        "int": lambda p, n: whole(p, n, declaration.metadata["least"]),
        "bool": truth,
        "InputPair": pair,
    }
    return readers[kind.removesuffix(" | None")](plain, name)


def real(plain: Plain, name: str) -> float:
    """Return a number that is not negative; an infinite one is written as "inf"."""
    value = plain.get(name)
    require(value is not None, f"{name} is missing")
    if value in ("inf", math.inf):
        return math.inf
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    require(is_number, f"{name} must be a number, got {name}={str(value)[:40]!r}")
    assert value is not None
    require(0 <= value <= LARGEST, f"{name} must lie in 0..{LARGEST:g}, got {str(value)[:40]}")
    return float(value)


def whole(plain: Plain, name: str, at_least: int) -> int:
    """Return a whole number."""
    value = plain.get(name)
    require(value is not None, f"{name} is missing")
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    require(is_whole, f"{name} must be a whole number, got {name}={str(value)[:40]!r}")
    return whole_number(name, value, at_least)


def text(plain: Plain, name: str) -> str:
    """Return a text that is not empty."""
    value = plain.get(name)
    sound = isinstance(value, str) and bool(value)
    require(sound, f"{name} must be a text, got {str(value)[:40]!r}")
    return str(value)


def truth(plain: Plain, name: str) -> bool:
    """Return true or false."""
    value = plain.get(name)
    require(isinstance(value, bool), f"{name} must be true or false, got {str(value)[:40]!r}")
    return bool(value)


def pair(plain: Plain, name: str) -> InputPair:
    """Return two inputs."""
    value = plain.get(name)
    if not isinstance(value, list) or len(value) != 2:
        raise AuditError(f"{name} must be two inputs, got {str(value)[:40]!r}")
    return InputPair(*value)


def option(value: Any) -> Any:
    """Return an option as something that can be compared and shown."""
    if isinstance(value, list):
        return tuple(option(entry) for entry in value)
    if isinstance(value, dict):
        return str(value)
    return math.inf if value == "inf" else value


def described(result: type) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, type, unit and meaning of every field of a result, for documents."""
    for declaration in fields(result):
        about = declaration.metadata
        kind = TYPES.get(str(declaration.type), str(declaration.type))
        meaning = about["meaning"] + (f" ({about['part']} only)" if about["part"] else "")
        yield declaration.name, kind, about["unit"], meaning
