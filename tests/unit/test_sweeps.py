"""The table of a sweep."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from ldp_auditor import audit
from ldp_auditor.errors import AuditError
from ldp_auditor.results.table import columns as known_columns
from ldp_auditor.results.table import rows_of, write_table


def table_of(results: list[dict[str, Any]], folder: Path) -> tuple[list[Any], list[Any]]:
    """Write rows and read them back, from CSV and from Parquet."""
    rows = rows_of({"key": "abc", "results": results}, 0.5)
    files = write_table(rows, folder, "results")
    assert [path.name for path in files] == ["results.csv", "results.parquet"]
    with files[0].open(newline="") as file:
        return list(csv.DictReader(file)), parquet.read_table(files[1]).to_pylist()


def test_a_table_keeps_infinite_and_missing_numbers(tmp_path: Path) -> None:
    results: list[dict[str, Any]] = [
        {"mechanism": "LHO", "epsilon": "inf", "hash_range": 4, "worst_case_epsilon": None},
        {"mechanism": "X", "epsilon": 1, "pair": [0, 1], "big": 2**53 + 1, "attack_epsilon": None},
        {"mechanism": 'Y, "Z"\n', "epsilon": 0.1, "pair": [[0, 1], [1, 0]], "reports": 9},
    ]
    comma, columns = table_of(results, tmp_path)
    assert [row["epsilon"] for row in columns] == [math.inf, 1.0, 0.1]
    assert [float(row["epsilon"]) for row in comma] == [math.inf, 1.0, 0.1]
    assert [row["hash_range"] for row in columns] == [4, None, None]
    assert [row["hash_range"] for row in comma] == ["4", "", ""]
    assert [row["worst_case_epsilon"] for row in columns] == [None] * 3
    assert [row["big"] for row in columns] == [None, 2**53 + 1, None]
    assert comma[1]["big"] == str(2**53 + 1)
    assert [row["pair"] for row in columns] == [None, "0 1", "[0, 1] [1, 0]"]
    assert [row["reports"] for row in columns] == [1, 1, 9]
    assert [row["mechanism"] for row in comma] == [row["mechanism"] for row in columns]
    schema = parquet.read_schema(tmp_path / "results.parquet")
    kinds = {"epsilon": "double", "hash_range": "int64", "attack_epsilon": "double"}
    assert {name: str(schema.field(name).type) for name in kinds} == kinds
    assert schema.names == list(comma[0]) == [*known_columns(), "big"]


def test_tables_have_the_same_columns_whatever_is_in_them(tmp_path: Path) -> None:
    """So that tables of different sweeps can be put together, as data frames too."""
    schemas = []
    for name, settings in (
        ("GRR", {"domain_size": 5}),
        ("LHO", {"domain_size": 5, "hash_range": 3}),
        ("RS+FD[GRR]", {"domain_size": 4, "attributes": 2}),
        ("OUE", {"domain_size": 5, "reports": 3}),
    ):
        folder = tmp_path / name
        audit(name, epsilon=1.0, trials=100, out=folder, **settings)  # type: ignore[arg-type]
        schemas.append(parquet.read_schema(folder / "results.parquet"))
    assert all(schema.equals(schemas[0]) for schema in schemas)
    assert schemas[0].names == list(known_columns())


def test_columns_of_mixed_values_are_written(tmp_path: Path) -> None:
    mixed: list[dict[str, Any]] = [
        {"a": True, "b": 1, "c": False},
        {"a": 1, "b": "x", "c": None},
        {"a": 0.5},
    ]
    _, columns = table_of(mixed, tmp_path)
    assert [row["a"] for row in columns] == ["True", "1", "0.5"]
    assert [row["b"] for row in columns] == ["1", "x", None]
    assert [row["c"] for row in columns] == [False, None, None]


def test_a_table_of_nothing_is_a_table(tmp_path: Path) -> None:
    assert write_table([], tmp_path, "none")
    assert parquet.read_table(tmp_path / "none.parquet").num_rows == 0


def test_a_table_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    table_of([{"mechanism": "old"}], tmp_path)
    before = (tmp_path / "results.csv").read_bytes()
    (tmp_path / "results.csv.new").mkdir()
    with pytest.raises(AuditError, match=r"cannot write the table to .* the journal has all"):
        table_of([{"mechanism": "new"}], tmp_path)
    assert (tmp_path / "results.csv").read_bytes() == before
