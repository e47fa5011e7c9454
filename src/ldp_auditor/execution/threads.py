"""Run independent pieces of work on threads; compiled kernels release the GIL."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import TypeVar

import numpy as np

from ldp_auditor.errors import whole_number

Work = TypeVar("Work")
Outcome = TypeVar("Outcome")


MOST_WORKERS = 1024


def usable_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worker_count(workers: int | None) -> int:
    """Return `workers` if that many can be had, or one for every core if it is None."""
    if workers is None:
        return min(usable_cores(), MOST_WORKERS)
    return whole_number("workers", workers, 1, MOST_WORKERS)


@cache
def _keep_freed_memory() -> None:
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
    """Maps a function over pieces of work on `workers` threads."""

    workers: int = field(default_factory=usable_cores)

    def __post_init__(self) -> None:
        object.__setattr__(self, "workers", worker_count(self.workers))

    @classmethod
    def of(cls, workers: int | None) -> ThreadEngine:
        """An engine with so many workers, or one for every core."""
        return cls() if workers is None else cls(workers)

    def map(self, function: Callable[[Work], Outcome], pieces: Iterable[Work]) -> Iterator[Outcome]:
        """Yield the outcomes in the order of completion, with few pieces in flight at a time."""
        _keep_freed_memory()
        if self.workers == 1:
            yield from map(function, pieces)
            return
        pool = _pool(self.workers)
        queue = iter(pieces)
        running: set[Future[Outcome]] = set()
        try:
            while True:
                for piece in islice(queue, 2 * self.workers - len(running)):
                    running.add(pool.submit(function, piece))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            for future in running:
                future.cancel()
