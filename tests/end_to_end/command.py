"""Runs the installed command."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import json
import os
import pty
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

EXECUTABLE = Path(sys.executable).with_name("ldp-auditor")

LONGEST = 120
"""Seconds after which a command hangs."""


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own that need not import anything; keep what it says."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        code = _forked(arguments, cwd or Path.cwd(), (output, errors))
        for file in (output, errors):
            file.seek(0)
        return subprocess.CompletedProcess(arguments, code, output.read(), errors.read())


def run_fresh(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command in a new interpreter, with its imports and its own order of sets."""
    return subprocess.run(
        [EXECUTABLE, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )


def _forked(arguments: Sequence[str], cwd: Path, files: Sequence[IO[str]]) -> int:
    """Return the exit code of the command, whose outputs go to these files."""
    command = {"arguments": arguments, "cwd": str(cwd), "environment": dict(os.environ)}
    asked = _forking()
    socket.send_fds(asked, [json.dumps(command).encode()], [file.fileno() for file in files])
    process: int = json.loads(asked.recv(100))
    try:
        code: int = json.loads(asked.recv(100))
    except TimeoutError:
        os.killpg(process, signal.SIGKILL)
        asked.recv(100)
        raise subprocess.TimeoutExpired(arguments, LONGEST) from None
    return code


@functools.cache
def _forking() -> socket.socket:
    """Start `forking.py`; it ends when this process does, which holds the other end."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("forking.py")), str(EXECUTABLE)],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    ours.settimeout(LONGEST)
    return ours


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


def run_on_terminal(
    *arguments: str, columns: int, variables: Mapping[str, str] | None = None
) -> tuple[str, int]:
    """Run the command on a terminal of so many columns; what it shows, and the exit code."""
    clean = {name: value for name, value in os.environ.items() if name not in TERMINAL_VARIABLES}
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen(
        [EXECUTABLE, *arguments],
        stdin=its,
        stdout=its,
        stderr=its,
        env={**clean, "TERM": "xterm-256color", **(variables or {})},
        start_new_session=True,
    ) as process:
        os.close(its)
        shown = bytearray()
        with contextlib.suppress(OSError):  # which is how the end of a terminal reads
            while piece := os.read(ours, 65536):
                shown += piece
        os.close(ours)
    return shown.decode().replace("\r\n", "\n"), process.returncode


TERMINAL_VARIABLES = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE"}
"""What may say in the environment how wide or how colourful a terminal is."""
