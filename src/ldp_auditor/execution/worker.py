"""The life of a worker process: open a session, answer tasks, tell which call it is in."""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import signal
import sys
import warnings
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from ldp_auditor.errors import AuditError, describe
from ldp_auditor.execution.contract import Opener
from ldp_auditor.execution.threads import keep_freed_memory

FORKED = b"F"
"""Mark by which a copy of a worker tells that it exists."""

PULSE_BYTES = 512
"""Size of the memory in which a worker tells what it does."""

OPENING, CALLING, OWN_WORK = "open", "call", "own"
"""What a worker does: run the code that opens a target, call it, or work of ours."""


@dataclass(frozen=True)
class Pulse:
    """What a worker does, as its parent reads it."""

    number: int
    doing: str
    more: float
    what: str

    @classmethod
    def read(cls, memory: Any) -> Pulse:
        """Read what was written last; before that, a worker is only being started."""
        text = memory.raw[:-1].rstrip(b"\0").decode(errors="replace")
        number, _, rest = text.partition("|")
        doing, _, rest = rest.partition("|")
        more, _, what = rest.partition("|")
        try:
            return cls(int(number), doing, float(more), what)
        except ValueError:  # nothing yet, or half of it
            return cls(0, OWN_WORK, math.inf, "while its process was being started")


class Writer:
    """The worker's end: writes the pulse, and notices copies of its process."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory
        self.bytes = memoryview(memory).cast("B")  # fifty times as fast as to write to the array
        self.process = os.getpid()
        self.number = 0
        self.doing = OWN_WORK
        self.forked = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_parent=self._note_fork)

    def __call__(self, what: str, more: float = 0.0) -> None:
        """Note that a call of foreign code begins."""
        self._write(CALLING, what, more)

    def own_work(self, what: str) -> None:
        """Note that no foreign code runs."""
        self._write(OWN_WORK, what, math.inf)

    def opening(self) -> None:
        """Note that the target is being opened."""
        self._write(OPENING, "while it was being opened", 0.0)

    @property
    def last(self) -> str:
        """What was noted last, in words."""
        return Pulse.read(self.memory).what

    def leave_if_copy(self) -> None:
        """End this process if foreign code made it by a fork."""
        if os.getpid() != self.process:
            self.memory[-1] = FORKED
            os._exit(0)

    def _write(self, doing: str, what: str, more: float) -> None:
        self.leave_if_copy()
        if self.forked or self.memory[-1] == FORKED:
            raise AuditError(
                f"the target forks its process, which copies its generator, {self.last}"
            )
        self.number += 1
        self.doing = doing
        text = f"{self.number}|{doing}|{more:g}|{what}".encode(errors="replace")
        self.bytes[: PULSE_BYTES - 1] = text[: PULSE_BYTES - 12].ljust(PULSE_BYTES - 1, b"\0")

    def _note_fork(self) -> None:
        """Runs after a fork that goes on in Python; starting a program is none."""
        if self.doing == CALLING:
            self.forked = True


def serve(tasks: Connection, memory: Any, opener: bytes | Opener) -> None:
    """Open the session, then answer tasks until the parent is gone or ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and kills us
    if hasattr(os, "setpgrp"):
        os.setpgrp()  # whatever foreign code starts ends with us
    _die_with_parent()
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)  # what foreign code prints must not mix with our output
    os.dup2(silence, 2)
    _end_group_with_us()
    tick = Writer(memory)
    keep_freed_memory()

    def answer(kind: str, payload: Any) -> None:
        tick.leave_if_copy()
        tasks.send((kind, payload))

    try:
        tick.opening()
        session = pickle.loads(opener)() if isinstance(opener, bytes) else opener()
        tick.own_work("after it was opened")
    except AuditError as error:
        answer("failed", str(error))
        return
    except BaseException as error:
        answer("failed", f"the target cannot be opened: {describe(error)}")
        return
    answer("opened", None)
    while True:
        try:
            sent = tasks.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            task = pickle.loads(sent)
            outcome = session.run(task, tick)
            tick.own_work(tick.last)
        except AuditError as error:
            answer("failed", str(error))
        except BaseException as error:
            if tick.doing == CALLING:
                answer("failed", f"the target raised {describe(error)} {tick.last}")
            else:
                why = f"{describe(error)} ({tick.last})"
                answer("failed", f"what the target returned cannot be looked into: {why}")
        else:
            answer("done", outcome)


WATCH = """
import os, select, signal, sys
worker = select.poll()
worker.register(int(sys.argv[1]), select.POLLIN)
worker.poll()
os.killpg(0, signal.SIGKILL)
"""
"""Waits for the end of a worker, then ends what is left of its group, itself included."""


def _end_group_with_us() -> None:
    """Have whatever foreign code starts ended with this worker, even if our parent is gone.

    The process that does so is nobody's child: foreign code may wait for its own children.
    """
    if not hasattr(os, "pidfd_open"):  # then it is up to our parent
        return
    with contextlib.suppress(OSError), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads
        worker = os.pidfd_open(os.getpid())
        child = os.fork()
        if child == 0:
            try:
                os.set_inheritable(worker, True)
                words = [sys.executable, "-I", "-S", "-c", WATCH, str(worker)]
                os.posix_spawn(sys.executable, words, os.environ)
            finally:
                os._exit(0)
        os.close(worker)
        os.waitpid(child, 0)


def _die_with_parent() -> None:
    """Ask the kernel to end this worker when its parent is killed; elsewhere it ends its task."""
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig = 1
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
