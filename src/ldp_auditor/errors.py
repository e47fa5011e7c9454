"""What is refused, and how: one family of exceptions and the checks that raise it."""

from __future__ import annotations

import operator
from typing import Any


class AuditError(ValueError):
    """A request that cannot be carried out; the message names the argument, rule and value."""


def require(condition: bool, message: str) -> None:
    """Raise `AuditError` with `message` unless `condition` holds."""
    if not condition:
        raise AuditError(message)


def number(name: str, value: Any) -> float:
    """Return `value` as a float, or raise if it is none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise AuditError(f"{name} must be a number, got {name}={value!r}") from None


def whole_number(name: str, value: Any, at_least: int, at_most: int | None = None) -> int:
    """Return `value` as an int, or raise unless it is a whole number in the range."""
    try:
        is_whole_float = isinstance(value, float) and value.is_integer()
        number = int(value) if is_whole_float else operator.index(value)
    except TypeError:
        raise AuditError(f"{name} must be a whole number, got {name}={value}") from None
    require(number >= at_least, f"{name} must be at least {at_least}, got {name}={number}")
    if at_most is not None:
        require(number <= at_most, f"{name} must be at most {at_most}, got {name}={number}")
    return number
