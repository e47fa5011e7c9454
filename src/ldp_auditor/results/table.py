"""The tidy table of a sweep: a row for every cell, or every number of reports of a cell."""

import csv
import io
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.errors import AuditError
from ldp_auditor.extras import is_installed, missing
from ldp_auditor.results.audit_result import AuditResult, column_value
from ldp_auditor.results.files import replace_file

_log = logging.getLogger("ldp_auditor")

Row = dict[str, Any]

KINDS = {"int": "int64", "float": "float64", "bool": "bool", "str": "string"}
"""The type of a column by that of its field or option; all others are text."""


def columns() -> dict[str, str]:
    """Return the columns of every table and their types: all fields and all options.

    Tables of different sweeps have the same columns, so that they can be put together.
    """
    found: dict[str, str] = {}
    for declaration in fields(AuditResult):
        if declaration.name == "options":
            options = {"epsilon_1": float, **mechanisms.every_option()}
            found |= {
                name: KINDS.get(kind.__name__, "string") for name, kind in sorted(options.items())
            }
        else:
            kind = str(declaration.type).removesuffix(" | None")
            found[declaration.name] = KINDS.get(kind, "string")
    return {**found, "verdict": "string", "version": "string", "key": "string"}


def rows_of(entry: Mapping[str, Any], seconds: float | None) -> list[Row]:
    """Return the rows of a finished cell; several numbers of reports share its seconds."""
    rows = ({n: column_value(value) for n, value in result.items()} for result in entry["results"])
    return [{"reports": 1, **row, "seconds": seconds, "key": entry["key"]} for row in rows]


def result_of(row: Row) -> AuditResult:
    """Return the result that a row was made of; options that are lists stay words."""
    known = {name: value for name, value in row.items() if value is not None}
    first, end = json.JSONDecoder().raw_decode(row["pair"])
    return AuditResult.from_dict({**known, "pair": [first, json.loads(row["pair"][end:])]})


def write_table(rows: Sequence[Row], folder: Path, name: str) -> list[Path]:
    """Write the table as CSV, and as Parquet where its package is installed; return the files."""
    known = columns()
    more = dict.fromkeys(name for row in rows for name in row if name not in known)
    types = {**known, **dict.fromkeys(more)}  # options of protocols from elsewhere
    text = io.StringIO()
    writer = csv.DictWriter(text, list(types), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    written = [folder / f"{name}.csv"]
    try:
        replace_file(written[0], text.getvalue().encode())
        if is_installed("pyarrow"):
            written.append(folder / f"{name}.parquet")
            replace_file(written[1], _parquet(rows, types))
        else:
            _log.warning("the table is CSV only: %s", missing("Parquet", "pyarrow"))
    except OSError as error:
        raise AuditError(
            f"cannot write the table to {folder}: {error}; the journal has all finished cells"
        ) from None
    return written


def _parquet(rows: Sequence[Row], types: Mapping[str, str | None]) -> bytes:
    import pyarrow as arrow
    from pyarrow import parquet

    typed = {name: _typed([row.get(name) for row in rows], kind) for name, kind in types.items()}
    sink = io.BytesIO()
    parquet.write_table(arrow.table({n: arrow.array(*column) for n, column in typed.items()}), sink)
    return sink.getvalue()


def _typed(values: list[Any], wanted: str | None) -> tuple[list[Any], str]:
    """Give a column the type that is wanted, or words if a value does not fit it."""
    kinds = {type(value) for value in values if value is not None}
    fitting: dict[str, set[type]] = {"bool": {bool}, "int64": {int}, "float64": {int, float}}
    for kind in (wanted,) if wanted else ("bool", "int64", "float64"):
        if kinds <= fitting.get(kind, set()):
            if kind == "float64":
                values = [None if value is None else float(value) for value in values]
            return values, kind
    return [None if value is None else str(value) for value in values], "string"
