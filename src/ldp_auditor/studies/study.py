"""What a study is: a grid of audits and the arrangement of its figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ldp_auditor.results.table import Row
from ldp_auditor.sweeps import Grid

Axes = Mapping[str, Any]
"""Settings of a block of a grid; lists are axes."""


@dataclass(frozen=True)
class Scale:
    """How much of a study is run."""

    quick: bool = False
    """Whether there are minutes for all studies, not hours."""
    trials: int | None = None
    """Trials per input, if not those of the study."""
    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    optimal: bool = False
    """Whether the optimal attack is run beside the paper's."""

    @property
    def attacks(self) -> list[str]:
        """The attacks that are run."""
        return ["paper", "optimal"] if self.optimal else ["paper"]


PAPER_SCALE = Scale()
QUICK_SCALE = Scale(quick=True, seeds=(1,))
ALPHA = 0.01
PAPER_TRIALS = 1_000_000


@dataclass(frozen=True)
class Arrangement:
    """How rows of a table become panels with curves."""

    panel: str
    """Column whose values have a panel each."""
    x: str
    series: str
    """Column whose values are told apart by colour and marker."""
    x_label: str
    series_label: str
    columns: int
    """Panels side by side."""
    block: str | None = None
    """Column whose values have a part of the figure each."""
    block_label: str = ""
    promise: str | None = "claim"
    """The dashed line: the `claim` itself over x, each curve's `own` claim, or none."""
    log: bool = True
    """Whether both axes are logarithmic."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Panels in which protocols of another name are drawn."""


@dataclass(frozen=True)
class Study:
    """An experiment of the paper: what is audited, and how it is drawn."""

    name: str
    section: str
    title: str
    blocks: Sequence[Axes]
    arrangement: Arrangement | None
    """None for a bar of every protocol."""
    violations: bool = False
    """Whether a rectangle shows where the claim is broken."""
    trials: int = PAPER_TRIALS
    """Trials per input: the paper's, unless they take too long."""
    quick_trials: int = 100_000
    """Trials per input when there are minutes for all studies."""
    needs: Callable[[Path], str | None] = lambda folder: None
    """Gets what the study needs beyond this package into a folder, or says why it cannot."""

    def grid(self, scale: Scale = PAPER_SCALE) -> Grid:
        """Return the cells of the study."""
        grid = Grid(())
        for block in self.blocks:
            grid += Grid.of(
                **{
                    "attack": scale.attacks,
                    "trials": self.trials_at(scale),
                    "alpha": ALPHA,
                    "seed": list(scale.seeds),
                    **block,
                }
            )
        return grid

    def trials_at(self, scale: Scale) -> int:
        """Trials per input at a scale."""
        if scale.trials is not None:
            return scale.trials
        return self.quick_trials if scale.quick else self.trials

    def words(self, scale: Scale) -> str:
        """What its figure says of a scale."""
        seeds = len(scale.seeds)
        return f"T = {self.trials_at(scale):,}, {seeds} {'seed' if seeds == 1 else 'seeds'}"

    def unavailable(self, folder: Path) -> str | None:
        """Say why the study cannot be run here, if so."""
        return self.needs(folder)

    def rows_of(self, rows: Sequence[Row], scale: Scale = PAPER_SCALE) -> list[Row]:
        """Choose the study's own rows from a larger table."""
        keys = {cell.key for cell in self.grid(scale).cells}
        return [row for row in rows if row["key"] in keys]
