"""Runs the installed command."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from ldp_auditor.cli import main

EXECUTABLE = Path(sys.executable).with_name("ldp-auditor")


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command and keep what it says."""
    return subprocess.run(
        [EXECUTABLE, *arguments], cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )


def run_here(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, which takes a moment instead of seconds."""
    output, errors = io.StringIO(), io.StringIO()
    kept = sys.argv
    sys.argv = ["ldp-auditor", *arguments]
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            main()
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.argv = kept
    assert isinstance(code, int)
    return subprocess.CompletedProcess(sys.argv, code, output.getvalue(), errors.getvalue())


def run_json(*arguments: str) -> dict[str, Any]:
    """Run the command with --json; it must find no violation and say nothing else."""
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@contextmanager
def in_session(
    command: Sequence[str | Path],
    cwd: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[str]]:
    """Run a command in a session of its own, where it hears Ctrl-C, and kill it at the end."""
    with subprocess.Popen(
        command,
        cwd=cwd,
        env={**os.environ, **(variables or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_hear_interrupts,  # noqa: PLW1509
    ) as process:
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


def _hear_interrupts() -> None:
    """Undo what a shell does to its background jobs: they ignore Ctrl-C, and so do our tests."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
