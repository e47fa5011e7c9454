"""How the entries of a result are declared, written as plain values and read back.

A result is a frozen dataclass. `entry` says of a field what it means, its unit and when it is
told; keys, JSON, columns of the table and the table in the documents follow from that.
"""

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import MISSING, Field, field, fields
from functools import cache
from typing import Any, TypeVar

import numpy as np

from ldp_auditor.core import InputPair
from ldp_auditor.errors import (
    LARGEST_WHOLE,
    AuditError,
    describe,
    in_brief,
    require,
    whole_number,
)

Plain = Mapping[str, Any]
Result = TypeVar("Result")

OPTION = "option_"
"""What is put before the name of an option that an entry has, too: `bits` of dBitFlipPM."""

LARGEST = 1e100
"""No number of a result is larger; sums of such numbers would not be finite."""


def entry(
    meaning: str,
    *,
    unit: str = "",
    part: str = "",
    least: int = 0,
    of: type | None = None,
    then: str = "",
    default: Any = MISSING,
) -> Any:
    """Declare an entry of a result: a field of its dataclass.

    `part` names the part of a result that the entry belongs to, such as "over time"; the entries of
    a part are told together or not at all. `least` is the smallest whole number that is sound. An
    entry that is a list has entries `of` a dataclass. `then` names a property that follows from the
    fields, and is told after this one. A `default` that is a mapping is told entry by entry.
    """
    metadata = {"meaning": meaning, "unit": unit, "part": part, "least": least}
    metadata |= {"of": of, "then": then}
    if isinstance(default, Mapping):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def plain_value(value: Any) -> Any:
    """Return `value` as JSON can hold it: an infinite number as "inf", other objects as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, InputPair):
        value = (value.first, value.second)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, tuple | list):
        return [plain_value(part) for part in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: plain_value(part) for key, part in value.items()}
    return repr(value)


def to_plain(result: Any) -> dict[str, Any]:
    """Return the entries of a result, without the parts it lacks, as plain values by their keys."""
    plain: dict[str, Any] = {}
    parts = {f.metadata["part"] for f in fields(result) if getattr(result, f.name) is not None}
    for declaration in fields(result):
        about, value = declaration.metadata, getattr(result, declaration.name)
        if about["of"] is not None:
            plain[declaration.name] = [to_plain(one) for one in value]
        elif isinstance(value, Mapping):
            plain |= plain_value(options_apart(type(result), value))
        elif about["part"] in parts:
            plain[declaration.name] = plain_value(value)
        if about["then"]:
            plain[about["then"]] = getattr(result, about["then"])
    return plain


@cache
def entry_names(kind: Any) -> frozenset[str]:
    """Return the names of all entries of a `kind`, also of those that follow from others."""
    return frozenset((*(f.name for f in fields(kind)), *_following(kind)))


def options_apart(kind: type, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return `options` by the keys under which they are told among the entries of a `kind`."""
    own = entry_names(kind)
    return {f"{OPTION}{name}" if name in own else name: v for name, v in options.items()}


def options_among(kind: type, plain: Plain, beside: Set[str] = frozenset()) -> dict[str, Any]:
    """Return the options told in `plain`: what is neither an entry of a `kind` nor `beside` it."""
    _require_object(plain)
    own = entry_names(kind)
    names = plain.keys() - own - beside
    options = {}
    for name in plain if len(names) > 1 else names:  # in order, and quickly where there are none
        if name in names:
            short = name.removeprefix(OPTION)
            options[short if short in own else name] = option(plain[name])
    return options


def _require_object(plain: Any) -> None:
    """Raise unless what is read is a mapping."""
    if type(plain) is not dict:  # nearly always; to ask for a mapping takes longer
        right = isinstance(plain, Mapping)
        require(right, f"a result must be an object, got {in_brief(plain)}")


@contextlib.contextmanager
def reading(what: str) -> Iterator[None]:
    """Raise an `AuditError` where plain values, read in the block, are not those of `what`."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        why = str(error) if isinstance(error, AuditError) else describe(error)
        raise AuditError(f"what is read is no {what}: {why}") from None


def from_plain(kind: type[Result], plain: Plain, **given: Any) -> Result:
    """Read a result of a `kind` from plain values, or raise; `given` fields are not read."""
    _require_object(plain)
    declared: type = kind
    for name, usual, least, most, may_lack, read in _readers(declared, frozenset(given)):
        value = plain.get(name)
        if type(value) is usual and least <= value <= most:  # nearly always; a call takes longer
            given[name] = value
        else:
            given[name] = None if may_lack and value is None else read(plain)
    result = _made(kind, given)
    for name in _following(declared):
        follows = getattr(result, name)
        said = plain.get(name, follows)
        if said != follows:
            raise AuditError(f"its {name} {str(said)[:40]!r} does not follow from its numbers")
    return result


def _made(kind: type[Result], values: Mapping[str, Any]) -> Result:
    """Return what `kind(**values)` does for all its fields, without a call for each of them."""
    result = object.__new__(kind)
    vars(result).update(values)
    if hasattr(result, "__post_init__"):
        result.__post_init__()
    return result


@cache
def _following(kind: type) -> tuple[str, ...]:
    """Properties that are told beside the fields of a `kind`."""
    return tuple(f.metadata["then"] for f in fields(kind) if f.metadata["then"])


@cache
def _readers(kind: type, given: frozenset[str]) -> Sequence[tuple[Any, ...]]:
    """What reads each field of a `kind` that is not given, found out once for all its results.

    For every field: its name, the type and the range of values that are sound as they are, whether
    it may be missing, and what reads all other values.
    """
    usual = {
        "str": (str, "\0", "\U0010ffff"),
        "float": (float, 0.0, LARGEST),
        "int": (int, None, math.inf),
    }
    found = []
    for f in fields(kind):
        if f.name not in given:
            of, least, most = usual.get(str(f.type).removesuffix(" | None"), (None, 0, 0))
            least = f.metadata["least"] if least is None else least
            found.append((f.name, of, least, most, f.default is None, _reader(f)))
    return found


def _reader(declaration: Field[Any]) -> Callable[[Plain], Any]:
    """Return what reads an entry from plain values, or raises if it is missing or unsound."""
    name, kind, default = declaration.name, str(declaration.type), declaration.default
    least, of = declaration.metadata["least"], declaration.metadata["of"]
    readers: dict[str, Callable[[Plain, str], Any]] = {
        "str": text,
        "float": real,
        "int": lambda p, n: whole_entry(p, n, least),
        "bool": truth,
        "InputPair": pair,
        "Any": lambda p, n: p.get(n),
        "tuple": lambda p, n: listed(p, n, of),
    }
    found = readers["tuple" if kind.startswith("tuple") else kind.removesuffix(" | None")]
    may_lack = kind.endswith("| None")
    missing = None if default is MISSING else default

    def read(plain: Plain) -> Any:
        value = plain.get(name, missing)
        if value is None and may_lack:
            return None
        if value == default and type(value) is type(default):
            return default
        return found(plain, name)

    return read


def listed(plain: Plain, name: str, of: type | None) -> tuple[Any, ...]:
    """Return the entry `name`, which must be a list; of results of the kind `of`, if given."""
    value = plain.get(name)
    if not isinstance(value, list):
        raise AuditError(f"{name} must be a list, got {name}={str(value)[:40]!r}")
    for one in () if of is None else value:
        right = isinstance(one, dict)
        require(right, f"{name} must be a list of objects, got {str(one)[:40]!r}")
    return tuple(value if of is None else (from_plain(of, one) for one in value))


def real(plain: Plain, name: str) -> float:
    """Return the entry `name`, which must be a number from 0 on, or "inf"."""
    value = plain.get(name)
    if type(value) is float and 0 <= value <= LARGEST:  # nearly always, and messages take time
        return value
    require(value is not None, f"{name} is missing")
    if value in ("inf", math.inf):
        return math.inf
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    require(is_number, f"{name} must be a number, got {name}={str(value)[:40]!r}")
    assert value is not None
    require(0 <= value <= LARGEST, f"{name} must lie in 0..{LARGEST:g}, got {str(value)[:40]}")
    return float(value)


def whole_entry(plain: Plain, name: str, at_least: int) -> int:
    """Return the entry `name`, which must be a whole number from `at_least` on."""
    value = plain.get(name)
    if type(value) is not int:
        require(value is not None, f"{name} is missing")
        raise AuditError(f"{name} must be a whole number, got {name}={str(value)[:40]!r}")
    return whole_number(name, value, at_least)


def text(plain: Plain, name: str) -> str:
    """Return the entry `name`, which must be a text that is not empty."""
    value = plain.get(name)
    if isinstance(value, str) and value:
        return value
    raise AuditError(f"{name} must be a text, got {str(value)[:40]!r}")


def truth(plain: Plain, name: str) -> bool:
    """Return the entry `name`, which must be true or false."""
    value = plain.get(name)
    if isinstance(value, bool):
        return value
    raise AuditError(f"{name} must be true or false, got {str(value)[:40]!r}")


def pair(plain: Plain, name: str) -> InputPair:
    """Return the entry `name`, which must be a list of two inputs."""
    value = plain.get(name)
    if not isinstance(value, list) or len(value) != 2:
        raise AuditError(f"{name} must be two inputs, got {str(value)[:40]!r}")
    return InputPair(*value)


def option(value: Any) -> Any:
    """Return an option as something that can be compared, shown and put into a column."""
    if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        return str(value)
    if isinstance(value, list):
        return tuple(option(entry) for entry in value)
    if isinstance(value, dict):
        return str(value)
    return math.inf if value == "inf" else value
