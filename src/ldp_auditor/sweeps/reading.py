"""Grids written in TOML; what is wrong with one is told with its line."""

import contextlib
import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ldp_auditor.audits.interface import SETTINGS
from ldp_auditor.errors import AuditError
from ldp_auditor.sweeps.cells import Cell, option_types
from ldp_auditor.sweeps.grid import Grid, cells_of


@dataclass(frozen=True)
class Lines:
    """Where in a TOML file the settings of its blocks are."""

    path: Path
    blocks: Sequence[Mapping[str, int]]
    """For the top and every [[grid]]: the line of each name, and that of the block under ""."""

    @classmethod
    def of(cls, path: Path, text: str) -> Self:
        """Find the lines on which blocks and settings begin."""
        blocks: list[dict[str, int]] = [{"": 1}]
        in_block = True
        for line, is_header, content in _statements(text):
            if not is_header:
                names = content if in_block else {}
                blocks[-1].update({name: line for name in names if name not in blocks[-1]})
                continue
            in_block = content == {"grid": [{}]}
            inner = content.get("grid")
            if in_block:
                blocks.append({"": line})
            elif isinstance(inner, dict) and inner:  # [grid.name] is a name of the last block
                blocks[-1].setdefault(next(iter(inner)), line)
            else:
                blocks[0].setdefault(next(iter(content)), line)
        return cls(path, blocks)

    def refuse(self, block: int, name: str, reason: str) -> AuditError:
        """Make the error about a setting, which a [[grid]] may have from the top."""
        block = min(block, len(self.blocks) - 1)
        for lines in (self.blocks[block], self.blocks[0]):
            if name in lines:
                return _at(self.path, lines[name], reason)
        return _at(self.path, self.blocks[block][""], reason)


def read_grid(path: Path) -> Grid:
    """Read the grid of a TOML file."""
    text = _text_of(path)
    document = _parse(path, text)
    grids = document.pop("grid", None)
    if grids is None:
        return Grid(tuple(_read_block(document, 0, path, text)))
    written_out = len(Lines.of(path, text).blocks) - 1
    if not isinstance(grids, list) or not grids or len(grids) != written_out:
        reason = "write every block of the grid as [[grid]]"
        raise Lines.of(path, text).refuse(0, "grid", reason)
    cells: list[Cell] = []
    for number, block in enumerate(grids, start=1):
        cells += _read_block({**document, **block}, number, path, text)
    return Grid(tuple(cells))


def _text_of(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise AuditError(f"cannot read the grid {path}: {error.strerror}") from None
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise _at(path, line, f"not UTF-8 text: {error.reason}") from None


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise AuditError(f"{path} is nested too deeply") from None
    except ValueError as error:  # a number of thousands of digits is one without a line
        found = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", str(error))
        line = int(found[2]) if found and found[2] else len(text.rstrip("\n").split("\n"))
        if found is None:
            line = next(
                n
                for n, row in enumerate(text.split("\n"), 1)
                if re.search(r"\d(?:_?\d){4300}", row)
            )
        raise _at(path, line, f"not TOML: {found[1] if found else error}") from None


def _read_block(block: dict[str, Any], number: int, path: Path, text: str) -> list[Cell]:
    """Make the cells of a block; lines are looked for only if there is something to tell."""
    known = {*SETTINGS, *option_types(block.get("protocol")), "protocol", "epsilon_1"}
    for name in block:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are: {', '.join(sorted(known))}"
            reason = f"no such setting: {name}; {hint}"
            raise Lines.of(path, text).refuse(number, name, reason)
    if "protocol" not in block:
        raise Lines.of(path, text).refuse(number, "", "this block names no protocol")
    try:
        return list(cells_of(block))
    except AuditError as error:
        raise Lines.of(path, text).refuse(number, error.argument or "", str(error)) from None


def _at(path: Path, line: int, reason: str) -> AuditError:
    return AuditError(f"{path}, line {line}: {reason}")


def _statements(text: str) -> Iterator[tuple[int, bool, dict[str, Any]]]:
    """Yield every statement of a TOML document: its line, whether it is a header, its content."""
    held: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        held.append(line)
        # A statement of several lines ends with a list or a long string.
        if len(held) > 1 and not any(end in line for end in ("]", '"""', "'''")):
            continue
        with contextlib.suppress(tomllib.TOMLDecodeError):
            content = tomllib.loads("\n".join(held))
            if content:
                yield number - len(held) + 1, held[0].lstrip().startswith("["), content
            held.clear()
