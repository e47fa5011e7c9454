"""The engine ray: a cluster that is started here, or one that exists.

Ray repeats nothing by itself: a task whose worker or node died is sent again from here, so that it
is known how often, and an outcome is taken once.
"""

import contextlib
import time
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ldp_auditor.errors import AuditError
from ldp_auditor.execution.contract import (
    MOST_WORKERS,
    TRIES,
    Engine,
    Job,
    Limits,
    Opener,
    Stay,
    pack,
    worker_count,
)
from ldp_auditor.execution.module_shipping import modules_of
from ldp_auditor.execution.ray_connection import connected
from ldp_auditor.execution.ray_watch import ClusterWatch
from ldp_auditor.execution.ray_worker import Answer, run_tasks

SHARE, LONGEST = 0.05, 2.0
"""A bundle may take `SHARE` of the time since the start, and `LONGEST` seconds at most."""

SHORT = 50_000
"""Bytes that travel with a task; Ray puts arguments of 100,000 or more into shared memory."""


@dataclass
class _Stay(Stay):
    """Sessions that stay, by the name under which workers know them."""

    opened: tuple[Opener, Limits | None] | None = None
    sent: tuple[str, Any] = ("", None)

    def sent_for(self, job: Job, ray: Any) -> tuple[str, Any]:
        """Return the name and the opener to send for `job`: those of the last job if it is alike.

        A short opener goes with every task. Ray ends a process, with exit code 1, that reaches for
        shared memory after the Ray of its host was lost.
        """
        opened = self.opened
        if opened is None or opened[0] is not job.open_session or opened[1] != job.limits:
            packed = ray.cloudpickle.dumps(job.open_session)
            self.opened = (job.open_session, job.limits)
            self.sent = uuid.uuid4().hex, packed if len(packed) <= SHORT else ray.put(packed)
        return self.sent


@dataclass(frozen=True, kw_only=True)
class RayEngine(Engine):
    """Carries out tasks on the cores of a Ray cluster."""

    isolates = True
    stays = _Stay

    ray: Any
    """The module, connected to the cluster."""
    watch: ClusterWatch

    @property
    def workers(self) -> int:
        """Cores that can be used now."""
        self.watch.wait_until_whole()
        return self._usable

    @property
    def _usable(self) -> int:
        cores = self.watch.cores
        return max(1, cores if self.most is None else min(cores, self.most))

    def cores_each(self, sessions: int) -> int:
        """Cores that each of `sessions` sessions can have: no more than the smallest node has."""
        share = super().cores_each(sessions)  # waits for the cluster, which the next line would not
        cores = [int(n["Resources"].get("CPU", 0)) for n in self.ray.nodes() if n["Alive"]]
        smallest = min(filter(None, cores), default=1)
        return min(share, smallest, MOST_WORKERS)

    def outcomes(self, job: Job, stay: _Stay) -> Iterator[tuple[Any, Any]]:
        """Carry out tasks in bundles.

        The tasks of a bundle whose worker died are sent again one by one.
        """
        self.watch.wait_until_whole()
        key, opener = stay.sent_for(job, self.ray)
        run = self.ray.remote(run_tasks).options(max_retries=0, num_cpus=job.cores)
        pace = _Pace()
        bundles = pace.bundles(job.tasks)
        flying: dict[Any, tuple[list[Any], int]] = {}
        again: list[tuple[list[Any], int]] = []
        ahead = 2 if self.most is None else 1  # a limit on cores is one on tasks in flight
        try:
            while True:
                while len(flying) < max(1, ahead * (self._usable // job.cores)):
                    sending = again.pop() if again else next(((b, 1) for b in bundles), None)
                    if sending is None:
                        break
                    packed = [pack(task) for task in sending[0]]
                    flying[run.remote(key, opener, job.limits, packed)] = sending
                if not flying:
                    return
                done, _ = self.ray.wait(list(flying), num_returns=1, timeout=1.0)
                if done:
                    done, _ = self.ray.wait(list(flying), num_returns=len(flying), timeout=0)
                self.watch.look()
                job.check_total(stay.began)
                for ref in done:
                    bundle, tries = flying.pop(ref)
                    answer = self._answer(ref)
                    if answer.died is None:
                        pace.tasks += len(bundle)
                        pace.seconds += answer.seconds
                        yield from zip(bundle, answer.outcomes, strict=True)
                    elif len(bundle) > 1 or (answer.again and tries < TRIES):
                        again += [([task], tries + 1) for task in bundle]
                    else:
                        job.on_death(bundle[0], answer.died)
                if again:
                    self.watch.wait_until_whole()
        finally:
            self._cancel(list(flying))

    def _answer(self, ref: Any) -> Answer:
        """Return the answer of a worker, or how it died."""
        errors = self.ray.exceptions
        try:
            answer: Answer = self.ray.get(ref)
        except errors.RayTaskError as error:  # before our code ran: something is not installed
            raise AuditError(
                f"a worker of the cluster cannot run ldp-auditor: {_first_line(error.cause)}; "
                "install it there with what it needs"
            ) from None
        except errors.RuntimeEnvSetupError as error:
            raise AuditError(
                f"a worker of the cluster could not be set up: {_first_line(error)}"
            ) from None
        except errors.RayError as error:
            how = type(error).__name__.removesuffix("Error")
            return Answer(died=f"a worker died {TRIES} times on the same task ({how})", again=True)
        if answer.failed is not None:
            raise AuditError(answer.failed)
        return answer

    def _cancel(self, flying: list[Any]) -> None:
        """Stop what runs: ask first, so that watched processes are ended, then by force.

        What is done is left alone: Ray ends this process, with exit code 1, if a task is cancelled
        between the arrival of its result, which wakes us, and Ray's own note that it is complete.
        """
        if not self.ray.is_initialized() or not self.watch.is_whole:
            return
        for force in (False, True):
            for ref in flying:
                done, _ = self.ray.wait([ref], timeout=0)
                if not done:
                    with contextlib.suppress(Exception):
                        self.ray.cancel(ref, force=force)
            if flying:
                _, flying = self.ray.wait(flying, num_returns=len(flying), timeout=2.0)


@contextlib.contextmanager
def ray_engine(
    address: str | None,
    workers: int | None,
    modules: Iterable[str],
    needs: Any,
    working_dir: Path | str | None,
) -> Iterator[RayEngine]:
    """Open an engine on a cluster, as `open_engine` does; one that existed before stays."""
    if workers is not None:
        workers = worker_count(workers)
    wanted = [*modules, *modules_of(needs)]
    with connected(address, workers, wanted, working_dir) as ray:
        yield RayEngine(most=workers, ray=ray, watch=ClusterWatch(ray))


class _Pace:
    """Bundles tasks, so that a bundle is long enough for Ray and short enough for the end."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.seconds = 0.0
        self.tasks = 0

    def bundles(self, tasks: Iterator[Any]) -> Iterator[list[Any]]:
        while bundle := list(islice(tasks, self._length())):
            yield bundle

    def _length(self) -> int:
        if not self.seconds:
            return 1
        allowed = min(LONGEST, SHARE * (time.monotonic() - self.started))
        return max(1, int(allowed * self.tasks / self.seconds))


def _first_line(error: Any) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()] or [""]
    return f"{type(error).__name__}: {lines[-1].strip()[:300]}"
