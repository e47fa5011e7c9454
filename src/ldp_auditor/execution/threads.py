"""The engine threads: for our own code, whose compiled kernels release the GIL."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from ldp_auditor.errors import require, whole_number
from ldp_auditor.execution.contract import Limits, OnDeath, Opener, SilentTicker, Task, give_up

MOST_WORKERS = 1024

SILENT = SilentTicker()


def usable_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worker_count(workers: int | None) -> int:
    """Return `workers` if that many can be had, or one for every core if it is None."""
    if workers is None:
        return min(usable_cores(), MOST_WORKERS)
    return whole_number("workers", workers, 1, MOST_WORKERS)


@cache
def keep_freed_memory() -> None:
    """Make the C library keep the memory of a freed batch of reports for the next one.

    glibc returns freed memory to the system, which then hands it out again page by page, at up to
    half of a kernel's time. It stops doing so for sizes below the largest block that was ever
    freed: free one, untouched, that is larger than any batch.
    """
    np.empty(2**24, np.uint8)


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """Threads that outlive an audit, and their memory with them."""
    return ThreadPoolExecutor(workers, thread_name_prefix="ldp-auditor")


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_pool.cache_clear)


@dataclass(frozen=True)
class ThreadEngine:
    """Carries out tasks on `workers` threads."""

    workers: int = field(default_factory=usable_cores)
    isolates: ClassVar[bool] = False
    separates: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "workers", worker_count(self.workers))

    def cores_each(self, sessions: int) -> int:
        """Cores that each of so many sessions side by side can have."""
        return max(1, self.workers // sessions)

    def map(
        self,
        open_session: Opener,
        tasks: Iterable[Task],
        *,
        limits: Limits | None = None,
        cores: int = 1,
        on_death: OnDeath = give_up,
    ) -> Iterator[tuple[Task, Any]]:
        """Yield every task with its outcome, in the order of completion."""
        require(limits is None, "threads keep no limits; foreign code needs processes or ray")
        keep_freed_memory()
        own = threading.local()

        def run(task: Task) -> tuple[Task, Any]:
            if not hasattr(own, "session"):
                own.session = open_session()
            return task, own.session.run(task, SILENT)

        threads = max(1, self.workers // cores)
        if threads == 1:
            yield from map(run, tasks)
            return
        pool = _pool(threads)
        queue = iter(tasks)
        running: set[Future[tuple[Task, Any]]] = set()
        try:
            while True:
                for task in islice(queue, 2 * threads - len(running)):
                    running.add(pool.submit(run, task))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            for future in running:
                future.cancel()

    @contextlib.contextmanager
    def staying(self) -> Iterator[ThreadEngine]:
        """Yield this engine: its threads stay anyway."""
        yield self
