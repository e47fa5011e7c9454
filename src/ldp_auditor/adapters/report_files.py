"""Reports that were collected elsewhere: pairs of value and report in a file."""

import ast
import csv
import json
import math
import warnings
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ldp_auditor.adapters.canonical import canonical
from ldp_auditor.adapters.reports import MOST_BYTES, has_nan
from ldp_auditor.errors import AuditError, require
from ldp_auditor.extras import require_package

COLUMNS = ("value", "report")
"""Names of the two columns."""

Row = tuple[str, Any, Any]
"""Where it is in the file, the value and the report."""


def read_recorded(path: Path) -> list[tuple[Any, list[Any]]]:
    """Return every value with its reports, in the order of the file."""
    readers = {".csv": _read_csv, ".jsonl": _read_jsonl, ".parquet": _read_parquet}
    require(
        path.suffix.lower() in readers,
        f"recorded reports are read from {', '.join(readers)} files, got {str(path)!r}",
    )
    read: dict[Hashable, tuple[Any, list[Any]]] = {}
    try:
        for place, value, report in readers[path.suffix.lower()](path):
            for name, entry in (("value", value), ("report", report)):
                missing = "null" if entry is None else "NaN" if has_nan(entry) else None
                require(missing is None, f"{path}, {place}: the {name} is {missing}")
            read.setdefault(canonical(value), (value, []))[1].append(report)
    except OSError as error:
        raise AuditError(f"cannot read {str(path)!r}: {error}") from error
    except UnicodeDecodeError as error:
        raise AuditError(f"{str(path)!r} is not text in UTF-8 ({error.reason})") from None
    require(
        len(read) >= 2,
        f"{str(path)!r} must have reports of two values at least, got {len(read)}",
    )
    return list(read.values())


def _read_csv(path: Path) -> Iterator[Row]:
    csv.field_size_limit(MOST_BYTES)
    with path.open(newline="", encoding="utf-8-sig") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's, about fields that are hardly literals
        rows = csv.reader(file)
        try:
            names = [name.strip() for name in next(rows, [])]
            _check_columns(path, names)
            at_value, at_report = (names.index(column) for column in COLUMNS)
            for row in rows:
                if not row:
                    continue
                place = f"line {rows.line_num}"
                require(
                    len(row) == len(names),
                    f"{path}, {place}: expected {len(names)} fields, got {len(row)}",
                )
                yield place, _literal(row[at_value]), _literal(row[at_report])
        except csv.Error as error:
            raise AuditError(f"{path}, line {rows.line_num}: {error}") from None


SPECIAL = {"": None, "nan": math.nan, "inf": math.inf, "-inf": -math.inf}
"""What is no Python literal, but is written for numbers."""


def _literal(text: str) -> Any:
    """A number, list or string as it is written; anything else is a string."""
    text = text.strip()
    if text.lower() in SPECIAL:
        return SPECIAL[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def _read_jsonl(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            place = f"line {number}"
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise AuditError(f"{path}, {place}: not JSON ({error.msg})") from None
            except RecursionError:
                raise AuditError(f"{path}, {place}: nested too deeply") from None
            except ValueError:
                raise AuditError(f"{path}, {place}: a number is too long") from None
            require(
                isinstance(row, dict) and set(COLUMNS) <= set(row),
                f'{path}, {place}: expected {{"value": ..., "report": ...}}',
            )
            yield place, row["value"], row["report"]


def _read_parquet(path: Path) -> Iterator[Row]:
    require_package("a Parquet file", "pyarrow")
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(path)
    except OSError:
        raise
    except Exception as error:
        raise AuditError(f"cannot read {str(path)!r}: {error}") from error
    _check_columns(path, table.column_names)
    both = zip(table["value"].to_pylist(), table["report"].to_pylist(), strict=True)
    for number, (value, report) in enumerate(both, start=1):
        yield f"row {number}", value, report


def _check_columns(path: Path, names: Sequence[str]) -> None:
    require(
        set(COLUMNS) <= set(names),
        f"{str(path)!r} needs the columns value and report, got "
        f"{', '.join(map(str, names))[:200] or 'none'}",
    )
