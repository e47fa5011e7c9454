"""Run tasks in worker processes that may raise, hang, crash, print or fork.

A worker opens its session once and then answers tasks one by one. The parent knows which call a
worker is in, kills it when a call takes too long, and starts another in its place. A worker that is
killed from outside has its task done again by its successor. When a worker ends, whatever it
started ends with it.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from typing import Any

from ldp_auditor.errors import AuditError, number, require
from ldp_auditor.execution.serving import (
    CALLING,
    OPENING,
    PULSE_BYTES,
    Pulse,
    Session,
    Ticker,
    serve,
    told,
)
from ldp_auditor.execution.starting import alone, start_method
from ldp_auditor.execution.threads import usable_cores, worker_count

TRIES = 3
"""How often a task is begun whose workers are killed."""

__all__ = ["Limits", "ProcessEngine", "Session", "Ticker"]


@dataclass(frozen=True)
class Limits:
    """How long foreign code may take, in seconds."""

    call_seconds: float = 10.0
    """For one report; a call for many may take as long as its predecessors let expect, and this."""
    total_seconds: float = 600.0
    """For everything."""
    open_seconds: float = 60.0
    """For being imported and made ready."""

    def __post_init__(self) -> None:
        for name in ("call_seconds", "total_seconds", "open_seconds"):
            seconds = number(name, getattr(self, name))
            require(seconds > 0, f"{name} must be positive, got {name}={seconds:g}")
            object.__setattr__(self, name, seconds)

    def check_total(self, started: float) -> None:
        """Raise if what was started then has taken too long."""
        require(
            time.monotonic() - started <= self.total_seconds,
            f"the target was not done after {self.total_seconds:g} seconds in all; allow more, or "
            "ask for fewer trials",
        )


@dataclass
class _Worker:
    process: Any
    tasks: Connection
    memory: Any
    task: Any = None
    since: float = field(default_factory=time.monotonic)
    last_pulse: int = -1

    def end(self) -> None:
        """End the process and all that it started."""
        self.process.kill()
        self.end_group()
        self.tasks.close()

    def end_group(self) -> None:
        """End what the process started, which may outlive it."""
        if hasattr(os, "killpg") and self.process.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)


@dataclass(frozen=True)
class ProcessEngine:
    """Maps tasks over sessions in `workers` processes."""

    open_session: Callable[[], Session]
    workers: int = field(default_factory=usable_cores)
    limits: Limits = Limits()
    _started: list[float] = field(default_factory=list)
    """When it was first used; the limit for everything counts from there."""
    _killed: list[Any] = field(default_factory=list)
    """Tasks whose workers were killed, once for every time."""
    _idle: list[_Worker] | None = None
    """Workers that wait for the next tasks."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "workers", worker_count(self.workers))

    @property
    def tells_workers_apart(self) -> bool:
        """Whether two tasks at a time are sure to run in two processes."""
        return self.workers > 1

    def map(self, tasks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield every task with its outcome, in the order of completion."""
        if not self._started:
            self._started.append(time.monotonic())
        workers: list[_Worker] = []
        again: list[Any] = []
        queue = iter(tasks)

        def next_task() -> Any:
            return again.pop() if again else next(queue, None)

        try:
            while True:
                while len(workers) < self.workers and (task := next_task()) is not None:
                    workers.append(self._resume(task) if self._idle else self._start(task))
                if not workers:
                    return
                ready = wait([w.tasks for w in workers], timeout=0.2)
                for worker in [w for w in workers if w.tasks in ready or not w.process.is_alive()]:
                    outcome = self._receive(worker)
                    if outcome is _DIED:
                        workers.remove(worker)
                        self.after_death(worker, again)
                        continue
                    if outcome is not _OPENED:
                        yield worker.task, outcome
                        worker.task = next_task()
                    if worker.task is None:
                        workers.remove(worker)
                        self._release(worker)
                    else:
                        self._send(worker, worker.task)
                self._check_times(workers)
        finally:
            for worker in workers:
                worker.end()

    @contextlib.contextmanager
    def staying(self) -> Iterator[ProcessEngine]:
        """An engine whose workers stay from one `map` to the next, as long as the block runs."""
        engine = replace(self, _idle=[])
        try:
            yield engine
        finally:
            for worker in engine._idle or []:
                worker.end()

    def _check_times(self, workers: list[_Worker]) -> None:
        """Raise if a call or everything together has taken too long."""
        for worker in workers:
            self._check_time(worker)
        self.limits.check_total(self._started[0])

    def _start(self, task: Any) -> _Worker:
        method = start_method(self.open_session)
        context: Any = multiprocessing.get_context(method)
        ours, theirs = context.Pipe()
        try:
            memory = context.Array("c", PULSE_BYTES, lock=False)
        except OSError as error:
            raise AuditError(
                f"worker processes need /dev/shm or a folder for temporary files ({error}); set "
                "TMPDIR to one that can be written to"
            ) from None
        _MEMORIES.append(memory)
        # What a fresh interpreter cannot read is noticed there and told, so it gets the bytes.
        opener = pickle.dumps(self.open_session) if method == "spawn" else self.open_session
        process = context.Process(target=serve, args=(theirs, memory, opener), daemon=True)
        with alone(method):
            process.start()
        theirs.close()
        return _Worker(process, ours, memory, task)

    def _resume(self, task: Any) -> _Worker:
        assert self._idle
        worker = self._idle.pop()
        worker.task = task
        self._send(worker, task)
        return worker

    def _send(self, worker: _Worker, task: Any) -> None:
        try:
            worker.tasks.send(task)
        except OSError:
            pass  # a dead worker is noticed when its answer is read
        except Exception as error:
            raise AuditError(
                f"values must be what can be sent to a worker process: {told(error)}"
            ) from None

    def _receive(self, worker: _Worker) -> Any:
        try:
            if not worker.tasks.poll():  # it died, though a copy of it keeps the connection open
                return _DIED
            kind, payload = worker.tasks.recv()
        except (EOFError, OSError):
            return _DIED
        except Exception as error:
            raise AuditError(f"the target sent what cannot be read: {error}") from None
        if kind == "failed":
            raise AuditError(payload)
        return _OPENED if kind == "opened" else payload

    def _release(self, worker: _Worker) -> None:
        if self._idle is not None:
            self._idle.append(worker)
            return
        with contextlib.suppress(OSError):
            worker.tasks.send(None)
        worker.process.join(timeout=1)
        worker.end()

    def after_death(self, worker: _Worker, again: list[Any]) -> None:
        """Try the task of a worker that was killed again; raise if it died of the task."""
        worker.process.join(timeout=5)
        code = worker.process.exitcode
        worker.end_group()
        worker.tasks.close()
        if code == -signal.SIGKILL:  # from outside, or for its memory: that may be bad luck
            self._killed.append(worker.task)
            if sum(task is worker.task for task in self._killed) < TRIES:
                again.append(worker.task)
                return
        how = f"exit code {code}" if code is None or code >= 0 else _signal_name(-code)
        raise AuditError(f"the target's process died ({how}) {Pulse.read(worker.memory).what}")

    def _check_time(self, worker: _Worker) -> None:
        pulse = Pulse.read(worker.memory)
        if pulse.number != worker.last_pulse:
            worker.last_pulse, worker.since = pulse.number, time.monotonic()
        limits = {
            OPENING: self.limits.open_seconds,
            CALLING: self.limits.call_seconds + pulse.more,
        }
        allowed = limits.get(pulse.doing, math.inf)
        if time.monotonic() - worker.since > allowed:
            raise AuditError(
                f"the target did not come back within {allowed:.3g} seconds {pulse.what}"
            )


_DIED, _OPENED = object(), object()

_MEMORIES: list[Any] = []
"""Kept for ever: a copy of a worker that nobody knows of may write to them later."""


def _signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return f"signal {signal.Signals(number).name}"
    return f"signal {number}"
