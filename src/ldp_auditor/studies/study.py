"""What a study is: a grid of audits and the arrangement of its figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldp_auditor.execution.contract import Engine
from ldp_auditor.studies.environment import Environment, sweep_with
from ldp_auditor.sweeps import Grid, Sweep, sweep
from ldp_auditor.sweeps.running import Watch


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
    """How rows of a table become panels with curves: a panel for every protocol."""

    x: str
    series: str
    """Column whose values are told apart by colour and marker."""
    x_label: str
    series_label: str
    columns: int
    """Panels side by side."""
    part_by_size: bool = False
    """Whether every domain size has a part of the figure."""
    promise: str = "claim"
    """The dashed line: the `claim` itself over x, each curve's `own` claim, or none."""
    log: bool = True
    """Whether both axes are logarithmic."""
    with_counterparts: bool = False
    """Whether a pure protocol is drawn in the panel of its approximate counterpart."""


@dataclass(frozen=True)
class Study:
    """An experiment of the paper: what is audited, and how it is drawn."""

    name: str
    section: str
    title: str
    blocks: Sequence[Mapping[str, Any]]
    """Of its grid; lists are axes."""
    arrangement: Arrangement | None = None
    """None for a bar of every protocol."""
    violations: bool = False
    """Whether a rectangle shows where the claim is broken."""
    trials: int = PAPER_TRIALS
    """Trials per input: the paper's, unless they take too long."""
    quick_trials: int = 100_000
    """Trials per input when there are minutes for all studies."""
    environment: Environment | None = None
    """Packages that it needs beyond ours."""

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

    def sweep(
        self, scale: Scale, out: Path, engine: Engine, named: Mapping[str, Any], watch: Watch
    ) -> Sweep:
        """Run the study into the folder `out`.

        It runs on `engine`, or elsewhere if it needs what is not installed here: then on an engine
        that is opened there, by the settings `named` of `sweep`.
        """
        if self.environment is None or self.environment.is_this():
            return sweep(self.grid(scale), out, name=self.name, engine=engine, watch=watch)
        python = self.environment.python()
        settings = {"scale": vars(scale), "out": str(out), **named}
        return sweep_with(python, watch, self.name, settings)
