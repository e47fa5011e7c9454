"""The one contract of all engines: a `map` over tasks, with a session on the worker's side.

Threads, processes and Ray derive from `Engine`, and `open_engine` opens one by its name; code that
has an engine does not know which one.
"""

import contextlib
import math
import os
import pickle
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, ClassVar, Protocol, Self, TypeVar

from ldp_auditor.errors import AuditError, describe, must, number, require, whole_number

Task = TypeVar("Task")

TRIES = 4
"""How often a task is begun whose workers are killed from outside, or for their memory."""


class Ticker:
    """Hears what a worker is about to do; this one does nothing, as work without limits needs."""

    def __call__(self, what: str, more: float = 0.0) -> None:
        """Note that a call of foreign code begins; `what` names it if it never ends.

        It may take `more` seconds than a call is allowed.
        """

    def first_call(self, what: str) -> None:
        """Note the first call of foreign code; imports and compilation make it as slow as opening.

        It may take as long as opening may.
        """

    def take(self, calls: Iterator[Any], first: int, count: int, where: str) -> list[Any]:
        """Return what `count` calls of foreign code return, noting each; `where` tells about all.

        Asking `calls` for the next one makes it; they are numbered from `first` on.
        """
        return list(islice(calls, count))

    def own_work(self, what: str) -> None:
        """Note that no foreign code runs; it takes as long as it takes."""


class Session(Protocol):
    """What a worker keeps open from one task to the next."""

    def run(self, task: Any, tick: Ticker) -> Any:
        """Return the outcome of `task`, ticking before every call of foreign code."""


Opener = Callable[[], Session]
"""Opens a session, in the worker that will use it."""

OnDeath = Callable[[Any, str], None]
"""Called with a task whose workers died, and how; the other tasks go on unless it raises."""


def give_up(task: Any, reason: str) -> None:
    """End a `map` when the workers of a task died."""
    raise AuditError(reason)


@dataclass(frozen=True)
class Limits:
    """How long foreign code may take, in seconds."""

    call_seconds: float = 10.0
    """For one report; a call for many may take as long as its predecessors let expect, and this."""
    total_seconds: float = 600.0
    """For everything."""
    open_seconds: float = 60.0
    """For being imported and made ready, and for the first call, which may import or compile."""

    def __post_init__(self) -> None:
        for name in ("call_seconds", "total_seconds", "open_seconds"):
            seconds = number(name, getattr(self, name))
            must(seconds > 0, "be positive", **{name: f"{seconds:g}"})
            object.__setattr__(self, name, seconds)


@dataclass(frozen=True)
class Job:
    """The arguments of a `map`, and the cores of each session."""

    open_session: Opener
    tasks: Iterator[Any]
    limits: Limits | None
    cores: int
    on_death: OnDeath

    def check_total(self, began: float) -> None:
        """Raise if foreign code that began then has taken too long in all."""
        most = math.inf if self.limits is None else self.limits.total_seconds
        require(
            time.monotonic() - began <= most,
            f"the target was not done after {most:g} seconds in all; allow more, or ask for fewer "
            "trials",
        )


@dataclass
class Stay:
    """A block of `Engine.staying`: the sessions that stay open in it."""

    began: float
    """Since when the limit for everything counts."""

    def end(self) -> None:
        """Close the sessions."""


@dataclass(frozen=True)
class Engine(ABC):
    """Workers that carry out tasks, somewhere."""

    most: int | None = None
    """Cores to use at most; None for all that there are."""
    stay: Stay | None = field(default=None, kw_only=True)
    """The block of `staying` that this engine belongs to."""

    isolates: ClassVar[bool]
    """Whether sessions run in processes of their own, which may hang, crash and be stopped."""
    stays: ClassVar[type[Stay]] = Stay
    """What the engine keeps of its sessions in a block of `staying`."""

    @property
    def workers(self) -> int:
        """Cores that can be used now."""
        return worker_count(self.most)

    def cores_each(self, sessions: int) -> int:
        """Cores that each of `sessions` sessions side by side can have."""
        return max(1, self.workers // sessions)

    def map(
        self,
        open_session: Opener,
        tasks: Iterable[Task],
        *,
        limits: Limits | None = None,
        cores: int = 1,
        on_death: OnDeath = give_up,
    ) -> Generator[tuple[Task, Any], None, None]:
        """Yield every task with its outcome once, in the order of completion.

        Few tasks are taken ahead. A worker opens a session before its first task; a session uses
        `cores`. Foreign code has `limits`, and passing one raises. A task whose worker is killed is
        begun again, `TRIES` times in all; then, or if the worker died of the task, `on_death` hears
        of it. What a session raises ends the map; so does the caller who stops listening, and no
        task goes on after that in an engine that isolates.
        """
        job = Job(open_session, iter(tasks), limits, cores, on_death)
        if self.stay is not None:
            yield from self.outcomes(job, self.stay)
            return
        with self.staying() as engine:
            yield from engine.outcomes(job, engine.stay)

    @contextlib.contextmanager
    def staying(self) -> Iterator[Self]:
        """Open an engine with sessions of its own, which stay from one `map` to the next.

        They do so as long as `open_session` is the same object; foreign code is in processes of
        its own. The limit for everything counts from the start of the outermost block.
        """
        stay = self.stays(time.monotonic() if self.stay is None else self.stay.began)
        try:
            yield replace(self, stay=stay)
        finally:
            stay.end()

    @abstractmethod
    def outcomes(self, job: Job, stay: Any) -> Iterator[tuple[Any, Any]]:
        """Carry out a `map` with the sessions of `stay`."""


MOST_WORKERS = 1024


def worker_count(workers: int | None) -> int:
    """Return the number of workers: `workers` if given, else the cores this process may use."""
    if workers is not None:
        return whole_number("workers", workers, 1, MOST_WORKERS)
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return min(cores, MOST_WORKERS)


class Packed(bytes):
    """A task or an opener as bytes, which nobody reads but the worker that needs it."""


def pack(thing: Any) -> Packed:
    """Return `thing` as bytes, or raise if it cannot be sent to a worker process."""
    if isinstance(thing, Packed):
        return thing
    try:
        return Packed(pickle.dumps(thing))
    except Exception as error:
        raise AuditError(
            f"values must be what can be sent to a worker process: {describe(error)}"
        ) from None
