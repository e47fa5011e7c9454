"""Run a grid: cells side by side in worker processes, each written down when it is done."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from ldp_auditor import __version__
from ldp_auditor.errors import in_brief, require
from ldp_auditor.execution.contract import Engine, Ticker
from ldp_auditor.execution.engines import open_engine
from ldp_auditor.mechanisms.kernels.caching import kernel_folder
from ldp_auditor.results.journal import Journal
from ldp_auditor.results.showing import Shown
from ldp_auditor.results.table import Row, columns, rows_of, write_table
from ldp_auditor.results.violations import ViolationCount
from ldp_auditor.sweeps.cells import Cell
from ldp_auditor.sweeps.grid import Grid


@dataclass(frozen=True)
class Sweep(Shown):
    """What became of the cells of a grid."""

    rows: Sequence[Row]
    """A row for every cell, or every number of reports of a cell, in the order of the grid."""
    run: int
    """Cells that were run now; the others were in the journal, or failed."""
    failed: Sequence[str] = ()
    """Why cells failed that could not be run."""
    damaged: int = 0
    """Lines of the journal that were not as they had been written."""
    files: Sequence[Path] = ()

    @property
    def violations(self) -> ViolationCount:
        """How many of the audits found a violation."""
        return ViolationCount.of_rows(self.rows)

    @property
    def cells(self) -> int:
        """How many cells the grid has."""
        return len({row["key"] for row in self.rows}) + len(self.failed)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; the rows are in the `files`."""
        return {
            "cells": self.cells,
            "run": self.run,
            "failed": list(self.failed),
            "damaged": self.damaged,
            "files": [str(path) for path in self.files],
            **self.violations.to_dict(),
        }

    def to_rows(self) -> list[Row]:
        """Return the rows of the tidy table, with the same columns whatever the grid."""
        return [{**dict.fromkeys(columns()), **row} for row in self.rows]


@dataclass(frozen=True)
class CellSession:
    """A worker's side: runs cells on `threads` threads."""

    threads: int

    def __call__(self) -> Self:
        """Return itself as the session of a worker, which keeps nothing open."""
        return self

    def run(self, task: Cell, tick: Ticker) -> dict[str, Any]:
        """Run a cell; what went wrong is its outcome."""
        tick(f"in the cell {dict(task.settings)}")
        started = time.perf_counter()
        try:
            with open_engine("threads", self.threads) as engine:
                results = [result.to_store(__version__) for result in task.run(engine)]
        except Exception as error:  # whatever it is, the other cells go on
            return {"failed": f"{type(error).__name__}: {error}"}
        return {"results": results, "seconds": time.perf_counter() - started}


@dataclass
class Watch:
    """What is called while a sweep runs; by default functions that do nothing."""

    start: Callable[[int, int, int], None] = lambda cells, done, reports: None
    cell_done: Callable[[int], None] = lambda reports: None


def sweep(
    grid: Grid,
    out: Path | str | None = None,
    *,
    name: str = "results",
    workers: int | None = None,
    engine: str | Engine | None = None,
    address: str | None = None,
    watch: Watch | None = None,
) -> Sweep:
    """Run the cells of a grid that the folder `out` does not have yet, and return all rows.

    The folder gets the table as `name`.csv and `name`.parquet. `engine` is "processes", "ray" (with
    the `address` of a cluster, or a local one), or an engine that is open; a cell that runs out of
    memory must not take others with it, so that threads are refused.

    >>> grid = Grid.of(protocol=["GRR", "OUE"], epsilon=1, domain_size=5, trials=1000)
    >>> [round(row["attack_epsilon"], 6) for row in sweep(grid, workers=1).rows]
    [1.0, 0.645124]
    """
    require(
        isinstance(grid, Grid),
        f"grid must be a Grid, as Grid.of and Grid.read make it, got {in_brief(grid)}",
        argument="grid",
    )
    with open_engine(engine, workers, address, isolated=True) as opened:
        if out is None:
            return _run(grid, Journal(), opened, watch)
        with Journal.open(Path(out)) as journal:
            outcome = _run(grid, journal, opened, watch)
            files = write_table(outcome.rows, journal.folder, name)
        return replace(outcome, files=files, damaged=journal.damaged)


def _run(grid: Grid, journal: Journal, engine: Engine, watch: Watch | None) -> Sweep:
    watch = watch or Watch()
    left = [cell for cell in grid.cells if cell.key not in journal.entries]
    journal.require_room_for(sum(cell.results for cell in left))
    failed: list[str] = []
    watch.start(len(grid.cells), len(grid.cells) - len(left), sum(cell.reports for cell in left))
    if left:
        kernel_folder()  # tells where kernels are kept, if need be; what workers tell is lost

        def note(cell: Cell, reason: str) -> None:
            settings = ", ".join(f"{name}={value}" for name, value in cell.settings.items())
            failed.append(f"{settings}: {' '.join(reason.split())}")

        # Cells side by side; if there are fewer of them than cores, several threads for each. The
        # largest first: a long one at the end would keep one core busy alone.
        threads = engine.cores_each(len(left))
        in_order = sorted(left, key=lambda cell: -cell.reports)
        cells = engine.map(CellSession(threads), in_order, cores=threads, on_death=note)
        for cell, outcome in cells:
            if "failed" in outcome:
                note(cell, outcome["failed"])
            else:
                journal.add(cell.plan, outcome["results"], outcome["seconds"])
            watch.cell_done(cell.reports)
    done = [cell.key for cell in grid.cells if cell.key in journal.entries]
    found = [rows_of(journal.entries[key], journal.seconds.get(key)) for key in done]
    rows = [row for of_cell in found for row in of_cell]
    return Sweep(rows, len(left) - len(failed), failed)
