"""Reports that were collected elsewhere: pairs of value and report in a file."""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

from ldp_auditor.errors import AuditError, require
from ldp_auditor.search.layout import whole

COLUMNS = ("value", "report")
"""Names of the two columns."""


def read_recorded(path: Path) -> dict[Any, list[Any]]:
    """Return the reports of every value, in the order of the file."""
    readers = {".csv": _read_csv, ".jsonl": _read_jsonl, ".parquet": _read_parquet}
    require(
        path.suffix.lower() in readers,
        f"recorded reports are read from {', '.join(readers)} files, got {str(path)!r}",
    )
    values: dict[Hashable, Any] = {}
    reports: dict[Hashable, list[Any]] = {}
    try:
        for value, report in readers[path.suffix.lower()](path):
            key = whole(value)
            values.setdefault(key, value)
            reports.setdefault(key, []).append(report)
    except OSError as error:
        raise AuditError(f"cannot read {str(path)!r}: {error}") from error
    require(
        len(values) >= 2,
        f"{str(path)!r} must have reports of two values at least, got {len(values)}",
    )
    return {_hashable(values[key]): reports[key] for key in values}


def _hashable(value: Any) -> Any:
    return tuple(_hashable(entry) for entry in value) if isinstance(value, list) else value


def _read_csv(path: Path) -> Iterator[tuple[Any, Any]]:
    with path.open(newline="") as file:
        rows = csv.DictReader(file)
        _check_columns(path, rows.fieldnames or [])
        for row in rows:
            yield _literal(row["value"]), _literal(row["report"])


def _literal(text: str) -> Any:
    """A number, list or string as it is written; anything else is a string."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _read_jsonl(path: Path) -> Iterator[tuple[Any, Any]]:
    with path.open() as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise AuditError(f"{path}, line {number}: not JSON ({error.msg})") from None
            require(
                isinstance(row, dict) and set(COLUMNS) <= set(row),
                f'{path}, line {number}: expected {{"value": ..., "report": ...}}',
            )
            yield row["value"], row["report"]


def _read_parquet(path: Path) -> Iterator[tuple[Any, Any]]:
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(path)
    except Exception as error:
        raise AuditError(f"cannot read {str(path)!r}: {error}") from error
    _check_columns(path, table.column_names)
    yield from zip(table["value"].to_pylist(), table["report"].to_pylist(), strict=True)


def _check_columns(path: Path, names: list[str] | Any) -> None:
    require(
        set(COLUMNS) <= set(names),
        f"{str(path)!r} needs the columns value and report, got {', '.join(map(str, names))}",
    )
