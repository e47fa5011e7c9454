"""What may be a report: data without NaN, that can be sent from one process to another."""

import inspect
import io
import math
import pickle
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ldp_auditor.adapters.canonical import shortened
from ldp_auditor.errors import AuditError, require

MOST_BYTES = 2**20
"""Size of a report, when it is sent, up to which it is taken."""

DEEPEST = 10
"""Levels of nesting that are searched for NaN."""

NO_DATA = (
    Iterator,
    io.IOBase,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
    types.CoroutineType,
    type,
)
"""Types of what can be returned but says nothing by itself."""


def gathered(batches: Iterable[Any]) -> Any:
    """The reports of all batches, one after the other.

    Numbers and arrays of numbers of one type and shape become one array, whose rows they are:
    that is looked at, sent and taken apart at once, and an entry of it is the report.
    """
    several = list(map(_stacked, batches))  # each at once: what it was made of is free again
    if all(map(_is_array, several)) and len({(b.dtype, b.shape[1:]) for b in several}) == 1:
        return several[0] if len(several) == 1 else np.concatenate(several)
    return [report for batch in several for report in batch]


def _stacked(reports: Any) -> Any:
    """One array of a list of arrays of one type and shape; anything else as it is.

    Their bytes are joined, which takes a third of the time of `np.array`.
    """
    first = reports[0] if type(reports) is list and reports else None
    if not (type(first) is np.ndarray and first.shape and _is_array(first)):
        return reports
    dtype, shape = first.dtype, first.shape
    if not all(type(r) is np.ndarray and r.shape == shape and r.dtype == dtype for r in reports):
        return reports
    try:
        joined = bytearray().join(reports)
    except (BufferError, TypeError):  # an entry is not beside the next one
        return np.array(reports)
    return np.frombuffer(joined, dtype).reshape(-1, *shape)


def _is_array(batch: Any) -> bool:
    """Whether it is an array of numbers that numpy takes for what they are, and has some."""
    return (
        type(batch) is np.ndarray
        and batch.dtype.kind in "biuf"
        and batch.dtype.itemsize <= 8
        and batch.dtype.isnative
        and batch.size > 0
    )


def require_reports(reports: Sequence[Any], value: Any, before: int = 0) -> None:
    """Raise unless all are data without NaN; `before` reports of the value came before them."""
    for kind in set() if isinstance(reports, np.ndarray) else set(map(type, reports)):
        if kind is types.NoneType or issubclass(kind, NO_DATA):
            i = next(i for i, report in enumerate(reports) if type(report) is kind)
            what = "None" if reports[i] is None else _name(reports[i])
            raise AuditError(
                f"the target returned {what} for value {value!r} (report {before + i + 1}); a "
                "report must be data, such as numbers, strings, sets, lists and objects of them"
            )
    if _may_have_nan(reports):
        for i, report in enumerate(reports):
            require(
                not has_nan(report),
                f"the target returned nan for value {value!r} (report {before + i + 1}"
                f"{'' if isinstance(report, float) else f', {shortened(report)}'})",
            )


def _may_have_nan(reports: Sequence[Any]) -> bool:
    """Tell quickly, for numbers and rows of as many numbers, whether there is a NaN to look for."""
    if isinstance(reports, np.ndarray):
        return reports.dtype.kind == "f" and bool(np.isnan(reports).any())
    rows = {list, tuple}.issuperset(map(type, reports))
    try:
        total = sum(map(sum, reports)) if rows else sum(reports)  # a NaN makes every sum NaN
        if type(total) in (int, float):
            return math.isnan(total)
    except (TypeError, ValueError, OverflowError):
        pass
    entries: Iterable[Any] = chain.from_iterable(reports) if rows else reports
    if {int, bool, str, bytes}.issuperset(map(type, entries)):
        return False
    try:
        return bool(np.isnan(np.asarray(reports, dtype=np.float64)).any())
    except (TypeError, ValueError, OverflowError):  # ragged, mixed or no numbers
        return True


def has_nan(part: Any, depth: int = 0) -> bool:
    """Tell whether there is a NaN anywhere in a report."""
    if isinstance(part, (float, np.floating)):
        return math.isnan(part)
    if isinstance(part, np.ndarray):
        return part.dtype.kind in "fc" and bool(np.isnan(part).any())
    if depth >= DEEPEST or isinstance(part, (str, bytes, int)):
        return False
    if isinstance(part, Mapping):
        return any(has_nan(entry, depth + 1) for entry in part.values())
    if isinstance(part, (list, tuple, set, frozenset)):
        return any(has_nan(entry, depth + 1) for entry in part)
    return False


def sent(reports: Sequence[Any], value: Any, before: int = 0) -> bytes:
    """The reports as bytes that another process can read; raise, naming the one that cannot be."""
    try:
        packed = pickle.dumps(reports)
        if not isinstance(reports, np.ndarray) and pickle.STACK_GLOBAL in packed:
            pickle.loads(packed)  # it names something to import
    except Exception:
        for number, report in enumerate(reports, start=before + 1):
            try:
                pickle.loads(pickle.dumps(report))
            except Exception as error:
                raise AuditError(
                    f"the target returned {_name(report)} for value {value!r} (report {number}), "
                    f"which cannot be sent between processes ({type(error).__name__}); return "
                    "plain data, or define its class at the top of a module"
                ) from None
        raise
    require(
        len(packed) <= MOST_BYTES * max(1, len(reports)),
        f"reports of value {value!r} take {_size(len(packed) // max(1, len(reports)))} each; up "
        f"to {_size(MOST_BYTES)} can be checked",
    )
    return packed


def _name(report: Any) -> str:
    kind = type(report)
    if inspect.isclass(report):
        return f"the class {report.__qualname__}"
    article = "an" if kind.__qualname__[0].lower() in "aeiou" else "a"
    return f"{article} {kind.__qualname__}"


def _size(count: int) -> str:
    return f"{count / 2**20:.1f} MB" if count >= 2**20 else f"{count / 2**10:.1f} kB"
