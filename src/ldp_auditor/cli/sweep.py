"""The command `sweep`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldp_auditor.cli.arguments import ENGINE, FILE, JSON, argument, command, path
from ldp_auditor.cli.output import EXIT_BAD_INPUT, exit_code, progress, show, tell

if TYPE_CHECKING:
    from ldp_auditor.report.progress import Bar
    from ldp_auditor.sweeps.running import Sweep, Watch

MOST_TOLD = 10
"""Failed cells that are told one by one."""


@command(
    ENGINE,
    grid=argument("GRID.toml", "The grid; lists of values are its axes.", type=FILE),
    out=path("Folder of the journal and the table.", required=True),
    as_json=JSON,
)
def sweep(grid: Path, *, out: Path, as_json: bool, **where: Any) -> int:
    """Audit every cell of a grid; a run that was killed goes on with the same command.

    The exit code is 1 if any cell proves a violation, 2 if a cell failed.
    """
    from ldp_auditor.execution.engines import open_engine
    from ldp_auditor.sweeps import Grid
    from ldp_auditor.sweeps import sweep as run_sweep

    asked = Grid.read(grid)
    with (
        open_engine(**where, isolated=True) as opened,
        progress("sweep", 0) as bar,
    ):
        outcome = run_sweep(asked, out, engine=opened, watch=watching(bar, "sweep"))
    show(outcome, as_json=as_json)
    tell_damaged(outcome.damaged)
    tell_failed(outcome)
    return EXIT_BAD_INPUT if outcome.failed else exit_code(outcome.violations.violations)


def watching(bar: Bar, name: str) -> Watch:
    """Show a sweep on a bar: cells done, reports a second, time left."""
    from ldp_auditor.sweeps.running import Watch

    state = {"cells": 0, "done": 0}

    def describe() -> None:
        bar.describe(f"{name}: {state['done']:,} of {state['cells']:,} cells")

    def start(cells: int, done: int, reports: int) -> None:
        state.update(cells=cells, done=done)
        bar.expect(reports)
        describe()

    def cell_done(reports: int) -> None:
        state["done"] += 1
        bar.advance(reports)
        describe()

    return Watch(start, cell_done)


def tell_damaged(lines: int) -> None:
    """Say on standard error that lines of a journal were put aside, if so."""
    from ldp_auditor.results.journal import DAMAGED

    if lines:
        count = "1 damaged line" if lines == 1 else f"{lines:,} damaged lines"
        where = f"of the journal put aside in {DAMAGED}"
        tell(f"ldp-auditor: {count} {where}; their cells were run again")


def tell_failed(outcome: Sweep) -> None:
    """Say on standard error which cells failed."""
    for reason in outcome.failed[:MOST_TOLD]:
        tell(f"ldp-auditor: a cell failed: {reason}")
    if len(outcome.failed) > MOST_TOLD:
        tell(f"ldp-auditor: and {len(outcome.failed) - MOST_TOLD:,} more cells failed")
