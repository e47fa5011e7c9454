"""Any program in any language: values go in as JSON lines, reports come out as JSON lines."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from ldp_auditor.adapters.randomizer import Randomizer
from ldp_auditor.errors import AuditError, require


@dataclass(frozen=True)
class CommandTarget:
    """A command; every worker starts one and keeps it running."""

    command: str

    def open(self) -> Randomizer:
        """Start the program."""
        words = shlex.split(self.command)
        require(bool(words), "the command is empty")
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 (a worker has no other threads yet)
            )
        except OSError as error:
            raise AuditError(f"cannot start {words[0]!r}: {error}") from error
        return Program(process, self.command)


def _die_with_parent() -> None:
    """End the program when the worker that started it is killed (Linux)."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (OSError, AttributeError):
        os.setpgrp()


@dataclass
class Program:
    """A running program."""

    process: subprocess.Popen[str]
    command: str

    def sample(self, value: Any, n: int, rng: Generator) -> Sequence[Any]:
        """Write the value `n` times, read as many reports."""
        line = json.dumps(value) + "\n"
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None

        def write() -> None:
            try:
                stdin.write(line * n)
                stdin.flush()
            except (OSError, ValueError):
                pass  # the reader finds out

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        reports = []
        for i in range(n):
            answer = stdout.readline()
            if not answer:
                code = self.process.wait()
                raise AuditError(
                    f"{self.command!r} ended with exit code {code} after {i} of {n} reports of "
                    f"value {value!r}"
                )
            try:
                reports.append(json.loads(answer))
            except json.JSONDecodeError:
                raise AuditError(
                    f"{self.command!r} answered value {value!r} with {answer.strip()[:80]!r}, "
                    "which is not JSON"
                ) from None
        writer.join()
        return reports
