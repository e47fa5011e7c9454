"""Grids: every combination of some settings, written in Python or in TOML.

A value is one setting, a list of values is an axis, and a grid has a cell for every combination.
Numbers of `reports` are no axis: the same users are looked at after each of them, in one cell.
"""

from __future__ import annotations

import difflib
import inspect
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.errors import AuditError, require
from ldp_auditor.interface import plan_audit
from ldp_auditor.sweeps.cells import STUDY, Cell

LIST_SETTINGS = ("reports", "pair", "domain_sizes")
"""Settings whose value is a list already; an axis of them is a list of lists."""

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
    def of(cls, **axes: Any) -> Grid:
        """Make the grid of one block of settings; lists are axes. Grids add up with +."""
        return cls(tuple(_cells(axes)))

    @classmethod
    def read(cls, path: Path) -> Grid:
        """Read a TOML file; what is wrong with it is told with its line."""
        return _read(path)

    def __add__(self, other: Grid) -> Grid:
        return Grid(tuple({cell.key: cell for cell in (*self.cells, *other.cells)}.values()))

    def __post_init__(self) -> None:
        unique = {cell.key: cell for cell in self.cells}
        object.__setattr__(self, "cells", tuple(unique.values()))


def known_settings() -> set[str]:
    """Names that a grid may set."""
    common = set(inspect.signature(plan_audit).parameters) - {"mechanism", "options"}
    own = {
        name
        for protocols in (mechanisms.available(), mechanisms.available_for_records())
        for protocol in protocols.values()
        for name in protocol.option_types()
    }
    return common | own | {"protocol", "epsilon_1", *STUDY}


def axis_of(name: str, value: Any) -> list[Any]:
    """Return the values that a setting takes in turn."""
    if not isinstance(value, list | tuple):
        return [value]
    if name in LIST_SETTINGS and not (value and isinstance(value[0], list | tuple)):
        return [list(value)]
    require(len(value) > 0, f"{name} is an empty list")
    return list(value)


def _cells(axes: Mapping[str, Any]) -> Iterator[Cell]:
    values = [axis_of(name, value) for name, value in axes.items()]
    count = 1
    for axis in values:
        count *= len(axis)
    require(count <= MOST_CELLS, f"a grid has at most {MOST_CELLS:,} cells, got {count:,}")
    for combination in product(*values):
        settings = dict(zip(axes, combination, strict=True))
        try:
            yield Cell.of(**settings)
        except AuditError as error:
            raise CellError(settings, str(error)) from None


class CellError(AuditError):
    """A combination of settings that makes no audit."""

    def __init__(self, settings: Mapping[str, Any], reason: str) -> None:
        self.reason = reason
        told = ", ".join(f"{name}={value}" for name, value in settings.items())
        super().__init__(f"{reason} (in the cell {told})")


@dataclass(frozen=True)
class Lines:
    """Where in a TOML file the settings of its blocks are."""

    path: Path
    blocks: Sequence[Mapping[str, int]]
    """For the top and every [[grid]]: the line of each name, and that of the block under ""."""

    @classmethod
    def of(cls, path: Path, text: str) -> Lines:
        """Find the lines on which blocks and settings begin."""
        blocks: list[dict[str, int]] = [{"": 1}]
        for number, line in enumerate(text.splitlines(), start=1):
            if re.match(r"\s*\[\[\s*grid\s*\]\]", line):
                blocks.append({"": number})
            elif found := re.match(r"""\s*["']?([\w-]+)["']?\s*=""", line):
                blocks[-1].setdefault(found[1], number)
        return cls(path, blocks)

    def refuse(self, block: int, name: str, reason: str) -> AuditError:
        """Make the error about a setting, which a [[grid]] may have from the top."""
        for lines in (self.blocks[block], self.blocks[0]):
            if name in lines:
                return AuditError(f"{self.path}, line {lines[name]}: {reason}")
        return AuditError(f"{self.path}, line {self.blocks[block]['']}: {reason}")


def _read(path: Path) -> Grid:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AuditError(f"cannot read the grid {path}: {error}") from None
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise AuditError(f"{path} is not TOML: {error}") from None
    lines = Lines.of(path, text)
    grids = document.pop("grid", None)
    if grids is None:
        blocks: list[dict[str, Any]] = [document]
        first = 0
    else:
        shaped = isinstance(grids, list) and all(isinstance(block, dict) for block in grids)
        if not shaped or len(lines.blocks) != len(grids) + 1:
            raise lines.refuse(0, "grid", "write every block of the grid as [[grid]]")
        blocks = [{**document, **block} for block in grids]
        first = 1
    cells: list[Cell] = []
    for number, block in enumerate(blocks, start=first):
        _check_names(block, number, lines)
        try:
            cells += _cells(block)
        except CellError as error:
            raise lines.refuse(number, _about(error.reason, block), str(error)) from None
        except AuditError as error:
            raise lines.refuse(number, _about(str(error), block), str(error)) from None
    require(bool(cells), f"{path} has no cell: give it a protocol")
    return Grid(tuple(cells))


def _check_names(block: Mapping[str, Any], number: int, lines: Lines) -> None:
    known = known_settings()
    for name in block:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are: {', '.join(sorted(known))}"
            raise lines.refuse(number, name, f"no such setting: {name}; {hint}")
    if "protocol" not in block:
        raise lines.refuse(number, "", "this block names no protocol")


def _about(reason: str, block: Mapping[str, Any]) -> str:
    """The setting that a reason is about: the first one that it names."""
    spoken = {name: reason.find(name) for name in block if re.search(rf"\b{name}\b", reason)}
    return min(spoken, key=spoken.__getitem__) if spoken else ""
