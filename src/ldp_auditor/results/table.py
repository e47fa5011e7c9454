"""The tidy table of a sweep: a row for every cell, or every number of reports of a cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ldp_auditor.errors import AuditError
from ldp_auditor.results.files import replace_file

Row = dict[str, Any]

FIRST = ("mechanism", "epsilon", "delta", "domain_size", "attributes", "hash_range", "reports")
OF_EVERY_AUDIT = (
    "attack",
    "bound",
    "alpha",
    "trials",
    "seed",
    "true_positives",
    "false_positives",
    "exact_true_positive_rate",
    "exact_false_positive_rate",
    "empirical_epsilon",
    "attack_epsilon",
    "worst_case_epsilon",
    "monte_carlo_limit",
    "verdict",
    "seconds",
    "version",
    "key",
)
"""Columns at the left and at the right; the options of protocols stand between them."""


def rows_of(entry: Mapping[str, Any], seconds: float | None) -> list[Row]:
    """Return the rows of a finished cell; several numbers of reports share its seconds."""
    return [
        {"reports": 1, **_flat(result), "seconds": seconds, "key": entry["key"]}
        for result in entry["results"]
    ]


def _flat(result: Mapping[str, Any]) -> Row:
    """Turn what was written as JSON back into values that fit a column."""
    row: Row = {}
    for name, value in result.items():
        if isinstance(value, list):
            row[name] = " ".join(map(str, value))
        else:
            row[name] = float("inf") if value == "inf" else value
    return row


def columns_of(rows: Sequence[Row]) -> list[str]:
    """Return all columns, in an order that people like."""
    present = {name: None for row in rows for name in row}
    options = sorted(set(present) - {*FIRST, *OF_EVERY_AUDIT})
    return [name for name in (*FIRST, *options, *OF_EVERY_AUDIT) if name in present]


def write_table(rows: Sequence[Row], folder: Path, name: str) -> list[Path]:
    """Write the table as CSV and as Parquet."""
    columns = columns_of(rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    written = [folder / f"{name}.csv", folder / f"{name}.parquet"]
    try:
        replace_file(written[0], text.getvalue().encode())
        replace_file(written[1], _parquet(rows, columns))
    except OSError as error:
        raise AuditError(
            f"cannot write the table to {folder}: {error}; the journal has all finished cells"
        ) from None
    return written


def _parquet(rows: Sequence[Row], columns: Sequence[str]) -> bytes:
    import pyarrow as arrow
    from pyarrow import parquet

    table = arrow.table(
        {name: arrow.array(*_typed([row.get(name) for row in rows])) for name in columns}
    )
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def _typed(values: list[Any]) -> tuple[list[Any], str]:
    """Give a column one type: whole numbers, numbers or words; an empty one has numbers."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return values, "bool"
    if kinds == {int}:
        return values, "int64"
    if kinds <= {int, float}:
        return [None if value is None else float(value) for value in values], "float64"
    return [None if value is None else str(value) for value in values], "string"
