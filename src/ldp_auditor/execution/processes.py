"""The engine processes: for code that may raise, hang, crash, print or fork.

A worker opens its session once and then answers tasks one by one. The parent knows which call a
worker is in, kills it when a call takes too long, and starts another in its place. A worker that is
killed from outside has its task done again by its successor. When a worker ends, whatever it
started ends with it.
"""

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from ldp_auditor.errors import AuditError
from ldp_auditor.execution.contract import TRIES, Engine, Job, Opener, Packed, Stay, pack
from ldp_auditor.execution.worker import CALLING, OPENING, WARMING, Pulse, serve
from ldp_auditor.execution.worker_start import start_apart, start_method


@dataclass
class _Worker:
    process: Any
    tasks: Connection
    pulse: Pulse
    open_session: Opener
    task: Any = None
    since: float = field(default_factory=time.monotonic)
    last_pulse: int = -1

    def send(self, task: Any) -> None:
        """Send a task to the process."""
        self.task = task
        sent = pack(task)
        with contextlib.suppress(OSError):  # a dead worker is noticed when its answer is read
            self.tasks.send_bytes(sent)

    def end(self) -> None:
        """End the process and all that it started."""
        self.process.kill()
        self.end_group()
        self.process.join(timeout=1)
        self.tasks.close()

    def end_group(self) -> None:
        """End what the process started, which may outlive it."""
        if hasattr(os, "killpg") and self.process.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)


@dataclass
class _Stay(Stay):
    """Workers that wait for the next tasks."""

    idle: list[_Worker] = field(default_factory=list)

    def end(self) -> None:
        for worker in self.idle:
            worker.end()


class ProcessEngine(Engine):
    """Carries out tasks in processes of this machine."""

    isolates = True
    stays = _Stay

    def outcomes(self, job: Job, stay: _Stay) -> Iterator[tuple[Any, Any]]:
        """Carry out tasks; a worker whose session is open already goes on with it."""
        return _Mapping(job, stay).outcomes(max(1, self.workers // job.cores))


@dataclass(frozen=True)
class _Mapping:
    """A `map` that is under way."""

    job: Job
    stay: _Stay
    again: list[Any] = field(default_factory=list)
    """Tasks whose workers were killed, to be begun again."""
    killed: list[Any] = field(default_factory=list)
    """The same, once for every time."""

    def outcomes(self, most: int) -> Iterator[tuple[Any, Any]]:
        """Yield every task with its outcome; `most` workers are busy at a time."""
        workers: list[_Worker] = []
        try:
            while True:
                while len(workers) < most and (task := self._next_task()) is not None:
                    workers.append(self._begin(task))
                if not workers:
                    return
                ready = wait([w.tasks for w in workers], timeout=0.2)
                for worker in [w for w in workers if w.tasks in ready or not w.process.is_alive()]:
                    outcome = self._receive(worker)
                    if outcome is _DIED:
                        workers.remove(worker)
                        self._after_death(worker)
                    elif outcome is _OPENED:
                        worker.send(worker.task)
                    else:
                        done = worker.task
                        if (task := self._next_task()) is None:
                            workers.remove(worker)
                            self.stay.idle.append(worker)
                        else:
                            worker.send(task)  # before the caller takes its time with the outcome
                        yield done, outcome
                for worker in workers:
                    self._check_time(worker)
                self.job.check_total(self.stay.began)
        finally:
            for worker in workers:
                worker.end()

    def _next_task(self) -> Any:
        return self.again.pop() if self.again else next(self.job.tasks, None)

    def _begin(self, task: Any) -> _Worker:
        """Give a task to a worker that waits with the same session open, or to a new one."""
        while self.stay.idle:
            worker = self.stay.idle.pop()
            if worker.open_session is self.job.open_session:
                worker.send(task)
                return worker
            worker.end()
        return self._start(task)

    def _start(self, task: Any) -> _Worker:
        opener = self.job.open_session
        method = "spawn" if isinstance(opener, Packed) else start_method(opener)
        context: Any = multiprocessing.get_context(method)
        ours, theirs = context.Pipe()
        try:
            pulse: Pulse = context.Value(Pulse, lock=False)
        except OSError as error:
            raise AuditError(
                f"worker processes need /dev/shm or a folder for temporary files ({error}); set "
                "TMPDIR to one that can be written to"
            ) from None
        _PULSES.append(pulse)
        # A fresh interpreter says itself what it cannot read, so it gets the bytes.
        sent = pack(opener) if method == "spawn" else opener
        process = context.Process(target=serve, args=(theirs, pulse, sent), daemon=True)
        with start_apart(method):
            process.start()
        theirs.close()
        return _Worker(process, ours, pulse, opener, task)

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

    def _after_death(self, worker: _Worker) -> None:
        """Have the task of a worker that was killed begun again, unless it died of the task."""
        worker.process.join(timeout=5)
        code = worker.process.exitcode
        worker.end_group()
        worker.tasks.close()
        if code == -signal.SIGKILL:  # from outside, or for its memory: that may be bad luck
            self.killed.append(worker.task)
            if sum(task is worker.task for task in self.killed) < TRIES:
                self.again.append(worker.task)
                return
        how = f"exit code {code}" if code is None or code >= 0 else _signal_name(-code)
        self.job.on_death(worker.task, f"the target's process died ({how}) {worker.pulse.words}")

    def _check_time(self, worker: _Worker) -> None:
        pulse = worker.pulse
        if pulse.number != worker.last_pulse:
            worker.last_pulse, worker.since = pulse.number, time.monotonic()
        if self.job.limits is None or pulse.doing not in (OPENING, CALLING, WARMING):
            return
        allowed = self.job.limits.open_seconds
        if pulse.doing == CALLING:
            allowed = self.job.limits.call_seconds + pulse.more
        if time.monotonic() - worker.since > allowed:
            raise AuditError(
                f"the target did not come back within {allowed:.3g} seconds {pulse.words}"
            )


_DIED, _OPENED = object(), object()

_PULSES: list[Pulse] = []
"""Kept until this process ends: a fork of a worker, made by foreign code, may still write there."""


def _signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return f"signal {signal.Signals(number).name}"
    return f"signal {number}"
