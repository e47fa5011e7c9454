"""Grids: every combination of some settings, written in Python or in TOML.

A value is one setting, a list of values is an axis, and a grid has a cell for every combination.
Numbers of `reports` are no axis: the same users are looked at after each of them, in one cell.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, Self

from ldp_auditor.errors import AuditError, in_brief, require
from ldp_auditor.sweeps.cells import LISTS, Cell

LIST_SETTINGS = ("reports", "pair", *LISTS)
"""Settings whose value is a list already; an axis of them is a list of lists."""

TWO_PAIRS = '; two lists in a grid are two pairs, write one pair of lists as "[1,0]:[0,1]"'

WORDS = "; texts in a list are one pair of words, write several pairs as lists, [[-1,1],[0,1]]"

MOST_CELLS = 10**6


@dataclass(frozen=True)
class Grid:
    """Cells for every combination of the axes of each block.

    >>> grid = Grid.of(protocol=["GRR", "OUE"], epsilon=[0.5, 1, 2], domain_size=25, trials=1000)
    >>> len(grid.cells)
    6
    """

    cells: tuple[Cell, ...]

    @classmethod
    def of(cls, **axes: Any) -> Self:
        """Make the grid of one block of settings; lists are axes. Grids add up with +."""
        return cls(tuple(cells_of(axes)))

    @classmethod
    def read(cls, path: Path | str) -> "Grid":
        """Read a TOML file; what is wrong with it is told with its line."""
        from ldp_auditor.sweeps.reading import read_grid

        return read_grid(Path(path))

    def __add__(self, other: Self) -> Self:
        return type(self)((*self.cells, *other.cells))

    def __post_init__(self) -> None:
        unique = {cell.key: cell for cell in self.cells}
        object.__setattr__(self, "cells", tuple(unique.values()))


def axis_of(name: str, value: Any) -> list[Any]:
    """Return the values that a setting takes in turn."""
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        return [value]
    values = value.tolist() if hasattr(value, "tolist") else list(value)  # an array of NumPy
    require(len(values) > 0, f"{name} is an empty list", argument=name)
    if name in LIST_SETTINGS and not isinstance(values[0], list | tuple):
        return [values]
    return values


def cells_of(axes: Mapping[str, Any]) -> Iterator[Cell]:
    """Yield a cell for every combination of the values of the axes."""
    values = [axis_of(name, value) for name, value in axes.items()]
    count = prod(map(len, values))
    require(count <= MOST_CELLS, f"a grid has at most {MOST_CELLS:,} cells, got {count:,}")
    for combination in product(*values):
        settings = dict(zip(axes, combination, strict=True))
        try:
            yield Cell.of(**settings)
        except AuditError as error:
            hint = hint_on_pairs(axes.get("pair")) if error.argument == "pair" else ""
            raise CellError(settings, error, hint) from None


def hint_on_pairs(given: Any) -> str:
    """Return what may have been meant by a list that is no pair."""
    if isinstance(given, list | tuple) and all(isinstance(each, str) for each in given):
        return WORDS
    return TWO_PAIRS if len(axis_of("pair", given)) == 2 else ""


class CellError(AuditError):
    """A combination of settings that makes no audit."""

    def __init__(self, settings: Mapping[str, Any], error: AuditError, hint: str = "") -> None:
        self.reason = f"{error}{hint}"
        cell = ", ".join(
            f"{name}={in_brief(value) if isinstance(value, int) else value}"
            for name, value in settings.items()
        )
        super().__init__(f"{self.reason} (in the cell {cell})", argument=error.argument)
