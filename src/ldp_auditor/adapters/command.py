"""Any program in any language: values go in as JSON lines, reports come out as JSON lines."""

import json
import os
import select
import shlex
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.random import Generator

from ldp_auditor.adapters.randomizer import Randomizer
from ldp_auditor.adapters.reports import MOST_BYTES
from ldp_auditor.errors import AuditError, require

SECOND_THOUGHTS = 0.05
"""Seconds in which a program that answers a line twice has done so."""


@dataclass(frozen=True)
class CommandTarget:
    """A command; every worker starts one and keeps it running."""

    command: str

    def open(self) -> Randomizer:
        """Start the program."""
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise AuditError(f"the command {self.command!r} cannot be read: {error}") from None
        require(bool(words), "the command is empty")
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
            )
        except OSError as error:
            raise AuditError(f"cannot start {words[0]!r}: {error}") from error
        return Program(process, self.command)


@dataclass
class Program:
    """A running program."""

    process: subprocess.Popen[bytes]
    command: str
    _rest: bytes = b""
    """What came after the last answer that was asked for."""
    _errors: bytes = b""
    """The end of what it wrote on standard error."""
    _listener: threading.Thread = field(init=False)
    _is_new: bool = True

    def __post_init__(self) -> None:
        pipes = (self.process.stdin, self.process.stdout, self.process.stderr)
        self._input, self._output, self._error = (pipe.fileno() for pipe in pipes if pipe)
        os.set_blocking(self._input, False)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        """Read standard error, so that the program never waits for it."""
        while data := os.read(self._error, 2**16):
            self._errors = (self._errors + data)[-2000:]

    def sample(self, value: Any, n: int, rng: Generator) -> Sequence[Any]:
        """Write the value `n` times, read as many reports."""
        try:
            line = json.dumps(value, allow_nan=False).encode() + b"\n"
        except (TypeError, ValueError) as error:
            raise AuditError(f"value {value!r} cannot be written as JSON: {error}") from None
        self._require_silence(value)
        answers = self._exchange(line * n, value, n)
        reports = [self._read(answer, value) for answer in answers]
        if self._is_new:  # it has answered once; does it go on?
            self._is_new = False
            select.select([self._output], [], [], SECOND_THOUGHTS)
        self._require_silence(value)
        return reports

    def _require_silence(self, value: Any) -> None:
        """Raise if there is an answer that nobody asked for."""
        if not self._rest and select.select([self._output], [], [], 0)[0]:
            self._rest = os.read(self._output, 2**16)
        require(
            not self._rest,
            f"{self.command!r} answers more than once, or before it is asked: {_shown(self._rest)} "
            f"beside a report of value {value!r}; it must answer every line with one line",
        )

    def _exchange(self, to_write: bytes, value: Any, n: int) -> list[bytes]:
        """Write and read at the same time; neither side must wait for the other."""
        answers: list[bytes] = []
        while len(answers) < n:
            readable, writable, _ = select.select(
                [self._output], [self._input] if to_write else [], []
            )
            if writable:
                try:
                    to_write = to_write[os.write(self._input, to_write[: 2**16]) :]
                except BlockingIOError:
                    pass
                except OSError:
                    to_write = b""  # it does not read any more; the end of its output tells why
            if not readable:
                continue
            data = os.read(self._output, 2**16)
            if not data:
                raise AuditError(self._ended(len(answers), n, value))
            *lines, self._rest = (self._rest + data).split(b"\n")
            answers += lines
            require(
                len(self._rest) <= MOST_BYTES,
                f"{self.command!r} answers value {value!r} with a line of more than "
                f"{MOST_BYTES} bytes",
            )
        extra, answers = answers[n:], answers[:n]
        self._rest = b"\n".join([*extra, self._rest])
        return answers

    def _read(self, answer: bytes, value: Any) -> Any:
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise AuditError(
                f"{self.command!r} answered value {value!r} with {_shown(answer)}, which is not "
                "JSON"
            ) from None

    def _ended(self, made: int, n: int, value: Any) -> str:
        code = self.process.wait()
        self._listener.join(timeout=1)
        said = [line for line in self._errors.decode(errors="replace").split("\n") if line.strip()]
        why = f": {said[-1].strip()[:200]}" if said else ""
        return (
            f"{self.command!r} ended with exit code {code} after {made} of {n} reports of "
            f"value {value!r}{why}"
        )


def _shown(line: bytes) -> str:
    return repr(line.decode(errors="replace").strip()[:80])
