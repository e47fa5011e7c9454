"""Runs commands where Ray is installed, and looks at their processes."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tests.end_to_end.command import in_session
from tests.end_to_end.environments import with_ray
from tests.end_to_end.sweeping import session_of

HERE = Path(__file__).parent

OUE = ("audit", "OUE", "--epsilon", "1", "--domain-size", "200", "--json")
RAY = ("--engine", "ray")


def command(*arguments: str) -> list[str]:
    return [str(with_ray() / "bin" / "ldp-auditor"), *arguments]


def run(
    *arguments: str, path: Path | None = None, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command, with a folder on its path if one is given."""
    environment = {**os.environ, **(variables or {})}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    return subprocess.run(
        command(*arguments),
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def counts(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """What an audit that went well told, but for its duration."""
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    result: dict[str, Any] = json.loads(done.stdout)
    del result["seconds"]
    return result


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run the command in a session of its own."""
    with in_session(command(*arguments)) as process:
        yield process


@dataclass
class TwoNodes:
    """The cluster of `two_nodes.py`."""

    process: subprocess.Popen[str]
    address: str

    def remove(self) -> None:
        """Take the second node away."""
        self._tell("remove")

    def add(self) -> None:
        """Bring a second node again."""
        self._tell("add")

    def _tell(self, word: str) -> None:
        words: IO[str] | None = self.process.stdin
        assert words is not None
        words.write(f"{word}\n")
        words.flush()
        answers: IO[str] | None = self.process.stdout
        assert answers is not None
        assert answers.readline().strip() == "done"

    def busy(self) -> list[int]:
        """Workers of the cluster that run a task of ours."""
        return busy(self.process)

    def first(self, program: str) -> int:
        """The process of that program which was started first: the one of the head."""
        found = session_of(self.process).items()
        return min(pid for pid, words in found if words.split(" ")[0].endswith(f"/{program}"))

    def running(self, words: str) -> list[int]:
        """Processes of the cluster, and what they started, with these words."""
        return [pid for pid, said in session_of(self.process).items() if words in said]


@contextmanager
def two_nodes(folder: Path) -> Iterator[TwoNodes]:
    """Start a cluster whose workers have only that folder and the environment on their path."""
    with subprocess.Popen(
        [str(with_ray() / "bin" / "python"), str(HERE / "two_nodes.py")],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield TwoNodes(process, process.stdout.readline().strip())
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(timeout=60)


def busy(process: subprocess.Popen[str]) -> list[int]:
    """Workers in the session of a process that run a task of ours."""
    return [pid for pid, name in session_of(process).items() if name.startswith("ray::run_")]
