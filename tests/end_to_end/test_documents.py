"""Documents run: every command and example of the README, every reference of the code."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.command import EXECUTABLE, run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()

CONSOLE = re.findall(r"```console\n(\$ .*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("block", CONSOLE, ids=[block.split("\n")[0] for block in CONSOLE])
def test_commands_of_the_readme_print_what_it_shows(block: str, tmp_path: Path) -> None:
    command, *shown = block.rstrip().split("\n")
    done = run(*shlex.split(command)[2:], cwd=tmp_path)
    assert done.returncode in {0, 1}, done.stderr
    printed = {line.strip() for line in done.stdout.split("\n")}
    assert [line for line in shown if line.strip() not in printed] == []


def test_python_examples_of_the_readme() -> None:
    outcome = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert outcome.attempted > 10
    assert outcome.failed == 0


def test_a_protocol_is_one_file(tmp_path: Path) -> None:
    """The README's new protocol, put where protocols are looked for, is offered everywhere."""
    (source,) = re.findall(r'```python\n("""Unary encoding that.*?)```', README, flags=re.DOTALL)
    (tmp_path / "quarter_encoding.py").write_text(source)
    program = (
        "import sys, ldp_auditor.mechanisms as m; from ldp_auditor.cli import main;"
        f"m.__path__.append({str(tmp_path)!r}); main()"
    )
    for arguments in (
        ["list"],
        ["audit", "QUE", "--epsilon", "1", "--domain-size", "9", "--trials", "1e4", "--json"],
        ["compare", "QUE", "--epsilon", "1", "--domain-size", "9", "--trials", "1e4"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "QUE" in done.stdout


def test_references_are_resolved() -> None:
    papers = (ROOT / "docs" / "papers.md").read_text()
    known = set(re.findall(r"^\| ([A-Z][a-z]+\d\d[a-z]?) ", papers, flags=re.MULTILINE))
    cited = set()
    for source in (ROOT / "src").rglob("*.py"):
        for group in re.findall(r"\[((?:[A-Z][a-z]+\d\d[a-z]?(?:, )?)+)\]", source.read_text()):
            cited.update(group.split(", "))
    assert cited == known


def test_the_module_runs_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ldp_auditor", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (
        done.stdout
        == subprocess.run(
            [EXECUTABLE, "--version"], capture_output=True, text=True, check=True
        ).stdout
    )
