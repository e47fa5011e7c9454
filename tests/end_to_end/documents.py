"""Reads a document as somebody who follows it: files to write, commands to type, what they print.

A fenced block is

- `console`: lines that begin with `$ ` are commands, a line that ends with a backslash goes on in
  the next one, and what stands below a command is what it prints; `...` stands for anything;
- a file, if its first line is a comment with a name: `# grid.toml: a list of values is an axis`;
- left alone if `<!-- not run: reason -->` stands above it.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.end_to_end.command import EXECUTABLE, run

BLOCK = re.compile(r"^(<!-- not run: .*? -->\n)?```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
SHELL = re.compile(r"[|&;<>$#`]")
"""Characters by which a line is more than one command with its arguments."""
FILE = re.compile(r"# ([\w./-]+\.\w+)(?::.*)?\n")


@dataclass(frozen=True)
class Block:
    """A fenced block of a document."""

    language: str
    text: str
    left_alone: bool

    @property
    def file(self) -> str | None:
        """The name of the file that this is, if it is one."""
        name = FILE.match(self.text)
        return None if name is None or self.language == "console" else name[1]

    @property
    def commands(self) -> list[Command]:
        """The commands of the block."""
        if self.language != "console":
            return []
        return [Command(line, shown) for line, shown in COMMAND.findall(self.text)]


@dataclass(frozen=True)
class Command:
    """A command, and what the document says that it prints (nothing, if it does not say)."""

    line: str
    shown: str

    def run(self, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run it as a shell would that finds the commands of this environment."""
        if self.line.startswith("ldp-auditor ") and not SHELL.search(self.line):
            words = shlex.split(self.line.replace("\\\n", " "))
            return run(*words[1:], cwd=cwd)
        path = os.pathsep.join([str(EXECUTABLE.parent), os.environ["PATH"]])
        return subprocess.run(
            self.line,
            shell=True,
            cwd=cwd,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    def difference(self, printed: str) -> str:
        """Return how what was printed differs from what is shown, beyond white space."""
        checker, rules = doctest.OutputChecker(), doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        if not self.shown or checker.check_output(self.shown, printed, rules):
            return ""
        return f"$ {self.line}\nshows\n{self.shown}\nand printed\n{printed}"


def blocks(document: str) -> Iterator[Block]:
    """Yield the fenced blocks of a document, in order."""
    for mark, language, text in BLOCK.findall(document):
        yield Block(language, text, bool(mark))
