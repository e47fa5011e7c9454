"""The life of a worker process: open a session, answer tasks, tell which call it is in."""

import contextlib
import ctypes
import os
import pickle
import signal
import struct
import sys
import traceback
import warnings
from collections.abc import Iterator
from multiprocessing.connection import Connection
from os import getpid
from pathlib import Path
from typing import Any

from ldp_auditor.errors import AuditError, describe
from ldp_auditor.execution.contract import Opener, Ticker
from ldp_auditor.execution.threads import keep_freed_memory

STARTING, OPENING, CALLING, OWN_WORK, WARMING = range(5)
"""What a worker does: start, run the code that opens a target, call it, or work of ours; warming
is the first call."""

WORDS_BYTES = 480

FORK_EVERY = 4
"""After so many calls a copy of the process that Python does not know of is looked for: asking the
system takes as long as noting the call."""


class Pulse(ctypes.Structure):
    """What a worker does, in memory that it shares with its parent."""

    _fields_ = (
        ("number", ctypes.c_int64),
        ("call", ctypes.c_int64),
        ("doing", ctypes.c_int),
        ("more", ctypes.c_double),
        ("text", ctypes.c_char * WORDS_BYTES),
        ("is_copied", ctypes.c_bool),
    )
    number: int
    """How many notes were made."""
    call: int
    """The number of the call, or 0 if the text tells it."""
    doing: int
    """`STARTING`, `OPENING`, `CALLING`, `OWN_WORK` or `WARMING`."""
    more: float
    """Seconds that the call may take beyond what a call is allowed."""
    text: bytes
    """The call in words."""
    is_copied: bool
    """Whether a copy of the worker's process has shown itself."""

    @property
    def words(self) -> str:
        """What the worker does, as the end of a sentence: in call 3 with value 1."""
        text = self.text.decode(errors="replace") or "while its process was being started"
        return f"in call {self.call} {text}" if self.call else text


NOTE = struct.Struct(f"@qqid{WORDS_BYTES}s")
"""The fields of a pulse up to the text: written at once, which is faster than one by one."""

NUMBER = ctypes.sizeof(ctypes.c_int64)
"""Bytes of each of the first two of them."""


class Writer(Ticker):
    """The worker's end: writes the pulse, and notices copies of its process."""

    def __init__(self, pulse: Pulse) -> None:
        self.pulse = pulse
        self.memory = memoryview(pulse).cast("B")
        self.numbers = self.memory[: 2 * NUMBER].cast("q")
        """The number of notes, and that of the call."""
        self.number = pulse.number
        self.process = os.getpid()
        self.forked = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_parent=self._note_fork)

    def __call__(self, what: str, more: float = 0.0) -> None:
        """Note that a call of foreign code begins."""
        self.note(CALLING, what, more)

    def first_call(self, what: str) -> None:
        """Note that the first call of foreign code begins."""
        self.note(WARMING, what)

    def own_work(self, what: str) -> None:
        """Note that no foreign code runs."""
        self.note(OWN_WORK, what)

    def take(self, calls: Iterator[Any], first: int, count: int, where: str) -> list[Any]:
        """Return what some calls return, noting each; no more is done for each than must be."""
        if count == 0:
            return []
        self.note(CALLING, where, call=first)
        made = [next(calls)]
        process, numbers = self.process, self.numbers
        try:
            for call in range(first + 1, first + count):
                if self.forked or (call % FORK_EVERY == 0 and getpid() != process):
                    self._require_alone()
                numbers[1] = call
                numbers[0] += 1
                made.append(next(calls))
        finally:
            self.number = numbers[0]
        return made

    def note(self, doing: int, what: str, more: float = 0.0, call: int = 0) -> None:
        """Tell the parent what begins now."""
        self._require_alone()
        self.number += 1  # is written first: the parent counts the time from when it sees it
        words = what.encode(errors="replace")[: WORDS_BYTES - 1]
        NOTE.pack_into(self.memory, 0, self.number, call, doing, more, words)

    def _require_alone(self) -> None:
        """Raise if the last call has made a copy of this process."""
        self.leave_if_copy()
        if self.forked or self.pulse.is_copied:
            raise AuditError(
                f"the target forks its process, which copies its generator, {self.pulse.words}"
            )

    def leave_if_copy(self) -> None:
        """End this process if foreign code made it by a fork."""
        if os.getpid() != self.process:
            self.pulse.is_copied = True
            os._exit(0)

    def _note_fork(self) -> None:
        """Note a fork by foreign code; Python does not call this when a program is started."""
        if self.pulse.doing in (CALLING, WARMING):
            self.forked = True


def serve(tasks: Connection, pulse: Pulse, opener: bytes | Opener) -> None:
    """Open the session, then answer tasks until the parent is gone or ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and kills us
    if hasattr(os, "setpgrp"):
        os.setpgrp()  # whatever foreign code starts ends with us
    _die_with_parent()
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)  # what foreign code prints must not mix with our output
    os.dup2(silence, 2)
    _end_group_with_us()
    tick = Writer(pulse)
    keep_freed_memory()

    def answer(kind: str, payload: Any) -> None:
        tick.leave_if_copy()
        tasks.send((kind, payload))

    try:
        tick.note(OPENING, "while it was being opened")
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
        answer(*_outcome_of(session, sent, tick))


def _outcome_of(session: Any, sent: bytes, tick: Writer) -> tuple[str, Any]:
    """Return "done" and the outcome of the task that was `sent`, or "failed" and why, in words."""
    pulse = tick.pulse
    try:
        task = pickle.loads(sent)
        outcome = session.run(task, tick)
        tick.own_work(pulse.words)
    except AuditError as error:
        return "failed", str(error)
    except BaseException as error:
        if pulse.doing in (CALLING, WARMING):
            where = _place_of(error)
            return "failed", f"the target raised {describe(error)} {pulse.words}{where}"
        why = f"{describe(error)} ({pulse.words})"
        return "failed", f"what the target returned cannot be looked into: {why}"
    return "done", outcome


def _place_of(error: BaseException) -> str:
    """Return the last file and line of foreign code that raised, in brackets, or nothing."""
    frames = traceback.extract_tb(error.__traceback__)
    foreign = [f for f in frames if not Path(f.filename).is_relative_to(OURS) and f.lineno]
    if not foreign:
        return ""
    path = Path(foreign[-1].filename)
    with contextlib.suppress(ValueError, OSError):
        path = path.relative_to(Path.cwd())
    return f" ({path}, line {foreign[-1].lineno})"


OURS = Path(__file__).parents[1]
"""Where our own code is."""

WATCH = """
import os, select, signal, sys
worker = select.poll()
worker.register(int(sys.argv[1]), select.POLLIN)
worker.poll()
os.killpg(0, signal.SIGKILL)
"""
"""Waits for the end of a worker, then ends what is left of its group, itself included."""


def _end_group_with_us() -> None:
    """Make all processes of foreign code end with this worker, even if our parent is gone.

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
    """Ask Linux to end this worker when its parent is killed; elsewhere it finishes its task."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
