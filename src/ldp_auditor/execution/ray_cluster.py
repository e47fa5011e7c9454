"""Run work on a Ray cluster, one that is started here or one that exists.

Ray repeats nothing by itself: a task whose worker or node died is sent again from here, so that it
is known how often, and an outcome is taken once.
"""

from __future__ import annotations

import contextlib
import pickle
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from ldp_auditor.errors import AuditError, require
from ldp_auditor.execution import remote
from ldp_auditor.execution.processes import Limits, Session
from ldp_auditor.execution.ray_connection import connected
from ldp_auditor.execution.ray_watch import ClusterWatch
from ldp_auditor.execution.shipping import modules_of
from ldp_auditor.execution.threads import worker_count

TRIES = 4
"""How often a task is sent whose workers die."""

SHARE, LONGEST = 0.05, 2.0
"""A task may take this share of the time since the start, and at most so many seconds."""


def _give_up(task: Any, reason: str) -> None:
    raise AuditError(reason)


@dataclass(frozen=True)
class RayEngine:
    """Maps a function over pieces of work on the cores of a Ray cluster."""

    ray: Any
    """The module, connected to the cluster."""
    watch: ClusterWatch
    most: int | None = None
    """Cores to use at most."""

    @property
    def workers(self) -> int:
        """Cores that can be used now."""
        self.watch.wait_until_whole()
        return self._usable

    @property
    def _usable(self) -> int:
        cores = self.watch.cores
        return max(1, cores if self.most is None else min(cores, self.most))

    @property
    def smallest_node(self) -> int:
        """Cores of the smallest node that has any."""
        cores = [int(n["Resources"].get("CPU", 0)) for n in self.ray.nodes() if n["Alive"]]
        return max(1, min(filter(None, cores), default=1))

    def map(self, function: Callable[[Any], Any], pieces: Iterable[Any]) -> Iterator[Any]:
        """Yield the outcomes in the order of completion, with few pieces in flight at a time."""
        self.watch.wait_until_whole()
        sent = self.ray.put(self.ray.cloudpickle.dumps(function))
        run = self.on_workers(remote.run_pieces)
        pace = _Pace()
        bundles = pace.bundles(iter(pieces))
        for bundle, answer in self.dispatch(lambda b: run.remote(sent, b), bundles):
            pace.learn(len(bundle), answer.seconds)
            yield from answer.outcome

    def on_workers(self, function: Callable[..., remote.Answer], cores: int = 1) -> Any:
        """A function that runs on workers of the cluster; Ray repeats nothing by itself."""
        return self.ray.remote(function).options(max_retries=0, num_cpus=cores)

    def sessions(
        self,
        open_session: Callable[[], Session],
        *,
        limits: Limits | None = None,
        cores: int = 1,
        on_death: Callable[[Any, str], None] = _give_up,
    ) -> RaySessions:
        """An engine for tasks of a session; with limits its code runs in a watched process."""
        return RaySessions(self, open_session, limits, cores, on_death)

    def dispatch(
        self,
        submit: Callable[[Any], Any],
        tasks: Iterator[Any],
        *,
        cores: int = 1,
        limits: Limits | None = None,
        started: float = 0.0,
        on_death: Callable[[Any, str], None] = _give_up,
    ) -> Iterator[tuple[Any, remote.Answer]]:
        """Send tasks, yield each with its answer; send those again whose workers died."""
        flying: dict[Any, tuple[Any, int]] = {}
        again: list[tuple[Any, int]] = []
        ahead = 2 if self.most is None else 1  # a limit on cores is one on tasks in flight
        try:
            while True:
                while len(flying) < max(1, ahead * (self._usable // cores)):
                    sending = again.pop() if again else next(((t, 1) for t in tasks), None)
                    if sending is None:
                        break
                    flying[submit(sending[0])] = sending
                if not flying:
                    return
                done, _ = self.ray.wait(list(flying), num_returns=1, timeout=1.0)
                if done:
                    done, _ = self.ray.wait(list(flying), num_returns=len(flying), timeout=0)
                self.watch.look()
                if limits is not None:
                    limits.check_total(started)
                for ref in done:
                    task, tries = flying.pop(ref)
                    answer, reason = self._answer(ref)
                    if answer is not None:
                        yield task, answer
                    elif tries < TRIES:
                        again.append((task, tries + 1))
                    else:
                        on_death(task, f"a worker died {TRIES} times on the same task ({reason})")
                if again:
                    self.watch.wait_until_whole()
        finally:
            self._cancel(list(flying))

    def _answer(self, ref: Any) -> tuple[remote.Answer | None, str]:
        """Return the answer of a task, or why its worker could not give one."""
        errors = self.ray.exceptions
        try:
            answer: remote.Answer = self.ray.get(ref)
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
            return None, type(error).__name__.removesuffix("Error")
        if answer.failed is not None:
            raise AuditError(answer.failed)
        return answer, ""

    def _cancel(self, flying: list[Any]) -> None:
        """Stop what runs: ask first, so that watched processes are ended, then by force."""
        if not flying or not self.ray.is_initialized() or not self.watch.is_whole:
            return
        for force in (False, True):
            for ref in flying:
                with contextlib.suppress(Exception):
                    self.ray.cancel(ref, force=force)
            _, flying = self.ray.wait(flying, num_returns=len(flying), timeout=2.0)
            if not flying:
                return


@dataclass(frozen=True)
class RaySessions:
    """Maps tasks over sessions on a cluster, as `ProcessEngine` does on this machine."""

    engine: RayEngine
    open_session: Callable[[], Session]
    limits: Limits | None = None
    cores: int = 1
    on_death: Callable[[Any, str], None] = _give_up
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    _started: list[float] = field(default_factory=list)

    @property
    def workers(self) -> int:
        """Sessions that can be open at a time."""
        return max(1, self.engine.workers // self.cores)

    @property
    def tells_workers_apart(self) -> bool:
        """Whether two tasks at a time are sure to run in two processes."""
        return False

    def map(self, tasks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield every task with its outcome, in the order of completion."""
        if not self._started:
            self._started.append(time.monotonic())
        ray = self.engine.ray
        self.engine.watch.wait_until_whole()
        opener = ray.put(ray.cloudpickle.dumps(self.open_session))
        own, foreign = remote.run_session, remote.run_guarded
        run = self.engine.on_workers(own if self.limits is None else foreign, self.cores)

        def submit(task: Any) -> Any:
            sent = pickle.dumps(task)
            if self.limits is None:
                return run.remote(opener, sent)
            return run.remote(self.key, opener, self.limits, sent)

        for task, answer in self.engine.dispatch(
            submit,
            iter(tasks),
            cores=self.cores,
            limits=self.limits,
            started=self._started[0],
            on_death=self.on_death,
        ):
            yield task, answer.outcome

    @contextlib.contextmanager
    def staying(self) -> Iterator[RaySessions]:
        """An engine with processes of its own, which stay from one `map` to the next."""
        yield replace(self, key=uuid.uuid4().hex)


@contextlib.contextmanager
def ray_engine(
    address: str | None = None,
    *,
    workers: int | None = None,
    modules: Iterable[str] = (),
    working_dir: Path | str | None = None,
    needs: Any = None,
) -> Iterator[RayEngine]:
    """Open an engine on a cluster: at an address, "auto" for the one on this host, or a new one.

    A new one is on the loopback interface and ends with the block; another is left as it is. The
    source of `modules`, and of the modules that `needs` is made of, is sent to its workers.
    """
    if workers is not None:
        workers = worker_count(workers)
    wanted = [*modules, *modules_of(needs)]
    with connected(address, workers, wanted, working_dir) as ray:
        yield RayEngine(ray, ClusterWatch(ray), workers)


@contextlib.contextmanager
def ray_if_asked(
    engine: str | RayEngine | None, address: str | None, workers: int | None, **settings: Any
) -> Iterator[RayEngine | None]:
    """Open a cluster for work that otherwise runs in processes, if it is asked for."""
    if isinstance(engine, RayEngine):
        require(
            workers is None and address is None,
            "an engine has its workers and its address already; drop them",
        )
        yield engine
        return
    name = "processes" if engine is None else engine
    require(
        name in {"processes", "ray"},
        f"engine must be processes or ray here, got {name!r}",
        argument="engine",
    )
    require(name == "ray" or address is None, f"an address is for the engine ray, not for {name}")
    if name == "processes":
        yield None
        return
    with ray_engine(address, workers=workers, **settings) as opened:
        yield opened


class _Pace:
    """Bundles pieces so that a task is long enough for Ray and short enough for the end."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.seconds = 0.0
        self.pieces = 0

    def learn(self, pieces: int, seconds: float) -> None:
        self.pieces += pieces
        self.seconds += seconds

    def bundles(self, pieces: Iterator[Any]) -> Iterator[list[Any]]:
        while bundle := list(islice(pieces, self._length())):
            yield bundle

    def _length(self) -> int:
        if not self.seconds:
            return 1
        allowed = min(LONGEST, SHARE * (time.monotonic() - self.started))
        return max(1, int(allowed * self.pieces / self.seconds))


def _first_line(error: Any) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()] or [""]
    return f"{type(error).__name__}: {lines[-1].strip()[:300]}"
