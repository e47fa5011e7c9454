"""Runs the command `sweep`, watches its processes and reads its folder."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyarrow import parquet

from tests.end_to_end.command import EXECUTABLE, Forked, forked, run_json


@contextmanager
def started(grid: Path, out: Path, *options: str) -> Iterator[Forked]:
    """Run the command in a session of its own, of which nothing is left at the end."""
    with forked("sweep", str(grid), "--out", str(out), *options) as process:
        yield process
    wait_until(lambda: not session_of(process), f"processes are left: {session_of(process)}")


def swept(grid: Path, out: Path) -> dict[str, Any]:
    """Run the command with one worker to a good end."""
    return run_json("sweep", str(grid), "--out", str(out), "--workers", "1")


def limited(
    limit: Callable[[], None], grid: Path, out: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """Run the command under limits that are set just before it."""
    command = [str(part) for part in (EXECUTABLE, "sweep", grid, "--out", out, *options)]
    return subprocess.run(
        command, preexec_fn=limit, capture_output=True, text=True, timeout=120, check=False
    )


def session_of(process: subprocess.Popen[str] | Forked) -> dict[int, str]:
    """Living processes of the session of a command, with their command lines."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, session = path.joinpath("stat").read_text().rpartition(")")[2].split()[:4]
            if int(session) == process.pid and state != "Z":
                found[int(path.name)] = path.joinpath("cmdline").read_text().replace("\0", " ")
        except OSError:  # it has just ended
            continue
    return found


def workers_of(process: subprocess.Popen[str] | Forked) -> list[int]:
    return [pid for pid, command in session_of(process).items() if "spawn_main" in command]


def wait_until(happened: Callable[[], object], otherwise: str) -> None:
    deadline = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.005)


def wait_for_lines(folder: Path, number: int) -> None:
    wait_until(lambda: len(lines(folder)) >= number, f"no {number} cells were done")


def lines(folder: Path, name: str = "journal.jsonl") -> list[bytes]:
    path = folder / name
    return path.read_bytes().splitlines(keepends=True) if path.exists() else []


def keys(of: list[bytes]) -> list[str]:
    return [json.loads(line)["key"] for line in of if line.endswith(b"\n")]


def table(folder: Path) -> list[dict[str, Any]]:
    """The table without the durations."""
    read: Any = parquet.read_table(folder / "results.parquet")
    rows: list[dict[str, Any]] = read.to_pylist()
    assert all(row.pop("seconds") > 0 for row in rows)
    return rows
