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
    with forked(*arguments, cwd=cwd) as process:
        output, errors = process.communicate(LONGEST)
        return subprocess.CompletedProcess(arguments, process.wait(), output, errors)


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


class Forked:
    """A command in a fork of `forking.py`, in a session of its own."""

    def __init__(
        self,
        arguments: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        files: Sequence[IO[Any]],
    ) -> None:
        self.files = files
        self.arguments = arguments
        command = {"arguments": arguments, "cwd": str(cwd), "environment": dict(environment)}
        self._told, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            message = [json.dumps(command).encode()]
            descriptors = [*(file.fileno() for file in files), its.fileno()]
            socket.send_fds(_forking(), message, descriptors)
        self._told.settimeout(LONGEST)
        try:
            self.pid: int = json.loads(self._told.recv(100))
        except TimeoutError:
            self._told.close()
            raise
        self.returncode: int | None = None

    def wait(self, seconds: float = LONGEST) -> int:
        """Return the exit code as soon as there is one."""
        if self.returncode is None:
            self._told.settimeout(seconds)
            try:
                self.returncode = int(json.loads(self._told.recv(100)))
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired(self.arguments, seconds) from None
        return self.returncode

    def communicate(self, timeout: float = LONGEST) -> tuple[str, str]:
        """Wait for the end; return what is in the files for its outputs."""
        self.wait(timeout)
        _, output, errors = self.files
        for file in (output, errors):
            file.seek(0)
        return output.read(), errors.read()

    def poll(self) -> int | None:
        """Return the exit code if there is one."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def send_signal(self, sent: signal.Signals) -> None:
        """Send a signal to the command alone, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, sent)

    def kill(self) -> None:
        """End the command, but none of those that it started."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Forked:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.wait()
        self._told.close()


@contextmanager
def forked(
    *arguments: str, cwd: Path | None = None, variables: Mapping[str, str] | None = None
) -> Iterator[Forked]:
    """Run the command in a process that need not import anything, and kill it at the end."""
    with (
        open(os.devnull) as nothing,
        tempfile.TemporaryFile("w+") as output,
        tempfile.TemporaryFile("w+") as errors,
        Forked(
            arguments,
            cwd or Path.cwd(),
            {**os.environ, **(variables or {})},
            (nothing, output, errors),
        ) as process,
    ):
        yield process


@functools.cache
def _forking() -> socket.socket:
    """Connect to `forking.py`, which the first process of this test run to come here starts."""
    test_run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    address = f"\0ldp-auditor-tests-{test_run}"  # no file: it goes when the socket is closed
    ours = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(LONGEST)
    while True:
        with contextlib.suppress(ConnectionRefusedError):
            ours.connect(address)
            return ours
        _start_forking(address)


def _start_forking(address: str) -> None:
    """Start `forking.py`, unless it is there; it ends with the last process that is connected."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        try:
            door.bind(address)
        except OSError:
            return  # another process was faster
        door.listen()
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("forking.py")), str(EXECUTABLE)],
            stdin=door.fileno(),
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def end() -> None:
        _forking().close()
        process.wait()

    atexit.register(end)


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
    environment = {**clean, "TERM": "xterm-256color", **(variables or {})}
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with open(its, "r+b", buffering=0) as terminal:
        process = Forked(arguments, Path.cwd(), environment, [terminal] * 3)
    with process:
        shown = bytearray()
        with contextlib.suppress(OSError):  # which is how the end of a terminal reads
            while piece := os.read(ours, 65536):
                shown += piece
        os.close(ours)
        return shown.decode().replace("\r\n", "\n"), process.wait()


TERMINAL_VARIABLES = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE"}
"""What may say in the environment how wide or how colourful a terminal is."""
