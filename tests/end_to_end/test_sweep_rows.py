"""The rows of a sweep: their order, and that they are the same when they are read back."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from ldp_auditor import AuditError
from ldp_auditor.results.table import columns
from ldp_auditor.sweeps import Grid, sweep
from ldp_auditor.sweeps.cells import Cell
from tests.unit.test_grids import SETTINGS


def test_rows_come_in_the_order_of_the_grid() -> None:
    trials = random.Random(5).sample(range(100, 5000), 6)
    grid = Grid.of(protocol=["GRR", "LHO"], domain_size=5, epsilon=3, trials=trials)
    rows = sweep(grid, workers=2).rows
    assert [row["trials"] for row in rows] == trials * 2
    assert [row["mechanism"] for row in rows] == ["GRR"] * 6 + ["LHO"] * 6
    assert [row["key"] for row in rows] == [cell.key for cell in grid.cells]


def test_a_table_is_the_same_whether_cells_were_run_or_read(tmp_path: Path) -> None:
    common = {"epsilon": 1, "trials": 100}
    grid = Grid.of(protocol="RS+FD[GRR]", domain_sizes=[[3, 4], [3, 3, 3]], **common)
    grid += Grid.of(protocol="LHO", domain_size=9, hash_range=4, trials=100)
    grid += Grid.of(protocol="OUE", domain_size=9, reports=[1, 5], **common)
    run = sweep(grid, tmp_path, workers=1)
    tables = {path.name: path.read_bytes() for path in run.files}
    read_back = sweep(grid, tmp_path, workers=1)
    assert (run.run, read_back.run) == (4, 0)
    assert read_back.rows == run.rows
    assert {path.name: path.read_bytes() for path in read_back.files} == tables


def test_a_sweep_is_a_frame_with_the_columns_of_every_table() -> None:
    grid = Grid.of(protocol=["GRR", "SUE"], epsilon=1, domain_size=5, trials=200)
    swept = sweep(grid, workers=1)
    assert str(swept) == "2 cells, 2 of them run now\nno violation found in 2 audits"
    assert list(swept.to_frame().columns) == list(columns())
    with pytest.raises(AuditError, match="Sweep has no figure"):
        swept.plot()


def test_keys_are_the_same_in_other_processes() -> None:
    code = (
        "import json, sys; from ldp_auditor.sweeps.cells import Cell; "
        "print([Cell.of(**settings).key for settings in json.load(sys.stdin)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(SETTINGS),
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "17"},
    )
    assert done.stdout == f"{[Cell.of(**settings).key for settings in SETTINGS]}\n"
