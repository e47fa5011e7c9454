"""Run tasks in worker processes that may raise, hang, crash, print or fork.

A worker opens its session once and then answers tasks one by one. The parent knows which call a
worker is in, kills it when a call takes too long, and starts another in its place. A worker that is
killed from outside has its task done again, once, by its successor.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from ldp_auditor.errors import AuditError, require, whole_number
from ldp_auditor.execution.threads import MOST_WORKERS, usable_cores

FORKED = b"F"
"""Mark by which a copy of a worker tells that it exists."""

STARTING_SECONDS = 120.0
"""Time that a worker may take to open its session; imports can be slow."""


class Ticker(Protocol):
    """Tells the parent which call the worker is in."""

    def __call__(self, what: str) -> None:
        """Note that a call begins; `what` names it if it never ends."""
        ...


class Session(Protocol):
    """What a worker process keeps open."""

    def run(self, task: Any, tick: Ticker) -> Any:
        """Carry out a task, ticking before every call of foreign code."""
        ...


@dataclass(frozen=True)
class Limits:
    """How long foreign code may take."""

    call_seconds: float = 10.0
    total_seconds: float = 600.0


@dataclass
class _Worker:
    process: Any
    tasks: Connection
    ticks: Any
    task: Any = None
    since: float = field(default_factory=time.monotonic)
    last_tick: int = -1
    starting: bool = True


@dataclass(frozen=True)
class ProcessEngine:
    """Maps tasks over sessions in `workers` processes."""

    open_session: Callable[[], Session]
    workers: int = field(default_factory=usable_cores)
    limits: Limits = Limits()
    _killed: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        object.__setattr__(self, "workers", whole_number("workers", self.workers, 1, MOST_WORKERS))

    def map(self, tasks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield every task with its outcome, in the order of completion."""
        started = time.monotonic()
        workers: list[_Worker] = []
        again: list[Any] = []
        queue = iter(tasks)

        def next_task() -> Any:
            return again.pop() if again else next(queue, None)

        try:
            while True:
                while len(workers) < self.workers and (task := next_task()) is not None:
                    workers.append(self._start(task))
                if not workers:
                    return
                ready = wait([w.tasks for w in workers], timeout=0.2)
                for worker in [w for w in workers if w.tasks in ready]:
                    outcome = self._receive(worker)
                    if outcome is _DIED:
                        workers.remove(worker)
                        self._after_death(worker, again)
                        continue
                    if outcome is not _OPENED:
                        yield worker.task, outcome
                        worker.task = next_task()
                    if worker.task is None:
                        workers.remove(worker)
                        self._stop(worker)
                    else:
                        self._send(worker, worker.task)
                self._check_times(workers, started)
        finally:
            for worker in workers:
                worker.process.kill()
                worker.tasks.close()

    def _check_times(self, workers: list[_Worker], started: float) -> None:
        """Raise if a call or everything together has taken too long."""
        for worker in workers:
            self._check_time(worker)
        require(
            time.monotonic() - started <= self.limits.total_seconds,
            f"the target was not done after {self.limits.total_seconds:g} seconds in all; allow "
            "more, or ask for fewer trials",
        )

    def _start(self, task: Any) -> _Worker:
        context: Any = multiprocessing.get_context(_start_method(self.open_session))
        ours, theirs = context.Pipe()
        ticks = context.Array("c", 512, lock=False)
        _TICKS.append(ticks)
        process = context.Process(
            target=_serve, args=(theirs, ticks, self.open_session), daemon=True
        )
        with _no_main_module():
            process.start()
        theirs.close()
        return _Worker(process, ours, ticks, task)

    def _send(self, worker: _Worker, task: Any) -> None:
        worker.starting = False
        worker.since = time.monotonic()
        worker.last_tick = -1
        with contextlib.suppress(OSError):  # a dead worker is noticed when its answer is read
            worker.tasks.send(task)

    def _receive(self, worker: _Worker) -> Any:
        try:
            kind, payload = worker.tasks.recv()
        except (EOFError, OSError):
            return _DIED
        except Exception as error:
            raise AuditError(f"the target sent what cannot be read: {error}") from None
        if kind == "failed":
            raise AuditError(payload)
        return _OPENED if kind == "opened" else payload

    def _stop(self, worker: _Worker) -> None:
        with contextlib.suppress(OSError):
            worker.tasks.send(None)
        worker.process.join(timeout=1)
        worker.process.kill()
        worker.tasks.close()

    def _after_death(self, worker: _Worker, again: list[Any]) -> None:
        """Try the task of a worker that was killed again; raise if it died of the task."""
        worker.process.join(timeout=5)
        code = worker.process.exitcode
        _, what = _read_tick(worker.ticks)
        if code == -signal.SIGKILL and id(worker.task) not in self._killed:
            self._killed.add(id(worker.task))  # from outside, or for its memory: once is forgiven
            again.append(worker.task)
            return
        how = f"exit code {code}" if code is None or code >= 0 else _signal_name(-code)
        raise AuditError(f"the target's process died ({how}) {what or 'while it was being opened'}")

    def _check_time(self, worker: _Worker) -> None:
        number, what = _read_tick(worker.ticks)
        if number != worker.last_tick:
            worker.last_tick, worker.since = number, time.monotonic()
        allowed = STARTING_SECONDS
        if not worker.starting:
            allowed = getattr(worker.task, "seconds", self.limits.call_seconds)
        if time.monotonic() - worker.since > allowed:
            raise AuditError(
                f"the target did not come back within {allowed:g} seconds "
                f"{what or 'while it was being opened'}"
            )


_DIED, _OPENED = object(), object()

_TICKS: list[Any] = []
"""Kept for ever: a copy of a worker that nobody knows of may write to them later."""


def _start_method(open_session: Callable[[], Session]) -> str:
    """Prefer a fresh interpreter; a target that cannot be sent to one is inherited by a fork."""
    try:
        pickle.dumps(open_session)
    except Exception:
        if "fork" in multiprocessing.get_all_start_methods():
            return "fork"
        raise AuditError(
            "the target cannot be sent to a worker process; define it at the top of a module"
        ) from None
    return "spawn"


@contextlib.contextmanager
def _no_main_module() -> Iterator[None]:
    """Keep fresh interpreters from running the user's script again; they do not need it."""
    main = sys.modules["__main__"]
    path = getattr(main, "__file__", None)
    spec = getattr(main, "__spec__", None)
    try:
        if path is not None:
            del main.__file__
        main.__spec__ = None
        yield
    finally:
        if path is not None:
            main.__file__ = path
        main.__spec__ = spec


def _serve(tasks: Connection, ticks: Any, open_session: Callable[[], Session]) -> None:
    """Life of a worker: open the session, then answer tasks until there are none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and kills us
    _die_with_parent()
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)  # what foreign code prints must not mix with our output
    os.dup2(silence, 2)
    me = os.getpid()
    calls = 0

    def tick(what: str) -> None:
        nonlocal calls
        leave_if_copy()
        if ticks[-1] == FORKED:
            _, before = _read_tick(ticks)
            raise AuditError(f"the target forks its process, which copies its generator, {before}")
        calls += 1
        ticks[: len(ticks) - 1] = f"{calls}|{what}".encode()[:500].ljust(len(ticks) - 1, b"\0")

    def leave_if_copy() -> None:
        if os.getpid() != me:  # foreign code forked, and this is the copy
            ticks[-1] = FORKED
            os._exit(0)

    def answer(kind: str, payload: Any) -> None:
        leave_if_copy()
        tasks.send((kind, payload))

    try:
        session = open_session()
    except AuditError as error:
        answer("failed", str(error))
        return
    except BaseException as error:
        answer("failed", f"the target cannot be opened: {type(error).__name__}: {error}")
        return
    answer("opened", None)
    while True:
        try:
            task = tasks.recv()
        except (EOFError, OSError):
            return
        if task is None:
            return
        try:
            outcome = session.run(task, tick)
        except AuditError as error:
            answer("failed", str(error))
        except BaseException as error:
            _, what = _read_tick(ticks)
            answer("failed", f"the target raised {type(error).__name__}: {error} {what}")
        else:
            answer("done", outcome)


def _die_with_parent() -> None:
    """Ask the kernel to end this worker when its parent is killed; elsewhere it ends its task."""
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _read_tick(ticks: Any) -> tuple[int, str]:
    text = ticks.raw[:-1].rstrip(b"\0").decode(errors="replace")
    number, _, what = text.partition("|")
    return (int(number) if number.isdigit() else 0), what


def _signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return f"signal {signal.Signals(number).name}"
    return f"signal {number}"
