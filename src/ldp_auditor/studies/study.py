"""What a study is: a grid of audits and the arrangement of its figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ldp_auditor.sweeps import Grid
from ldp_auditor.sweeps.table import Row

Axes = Mapping[str, Any]
"""Settings of a block of a grid; lists are axes."""


@dataclass(frozen=True)
class Scale:
    """How much of a study is run."""

    trials: int = 1_000_000
    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    optimal: bool = False
    """Whether the optimal attack is run beside the paper's."""

    @property
    def attacks(self) -> list[str]:
        """The attacks that are run."""
        return ["paper", "optimal"] if self.optimal else ["paper"]

    @property
    def words(self) -> str:
        """What a figure says of it."""
        seeds = len(self.seeds)
        return f"T = {self.trials:,}, {seeds} {'seed' if seeds == 1 else 'seeds'}"


PAPER_SCALE = Scale()
QUICK_SCALE = Scale(trials=20_000, seeds=(1,))
ALPHA = 0.01


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
    scaled: Callable[[Scale], Scale] = lambda scale: scale
    """What the study makes of a scale that it cannot afford."""

    def grid(self, scale: Scale = PAPER_SCALE) -> Grid:
        """Return the cells of the study."""
        scale = self.scaled(scale)
        grid = Grid(())
        for block in self.blocks:
            grid += Grid.of(
                **{
                    "attack": scale.attacks,
                    "trials": scale.trials,
                    "alpha": ALPHA,
                    "seed": list(scale.seeds),
                    **block,
                }
            )
        return grid

    def rows_of(self, rows: Sequence[Row], scale: Scale = PAPER_SCALE) -> list[Row]:
        """Choose the study's own rows from a larger table."""
        keys = {cell.key for cell in self.grid(scale).cells}
        return [row for row in rows if row["key"] in keys]
