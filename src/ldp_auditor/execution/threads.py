"""The engine threads: for our own code, whose compiled kernels release the GIL."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from ldp_auditor.errors import require
from ldp_auditor.execution.contract import Engine, Job, Ticker


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


class ThreadEngine(Engine):
    """Carries out tasks on threads of this process."""

    isolates = False

    def outcomes(self, job: Job, stay: Any) -> Iterator[tuple[Any, Any]]:
        """Carry out tasks; every thread opens a session of its own."""
        require(job.limits is None, "threads keep no limits; foreign code needs processes or ray")
        keep_freed_memory()
        own = threading.local()

        def run(task: Any) -> tuple[Any, Any]:
            if not hasattr(own, "session"):
                own.session = job.open_session()
            return task, own.session.run(task, Ticker())

        threads = max(1, self.workers // job.cores)
        if threads == 1:
            yield from map(run, job.tasks)
            return
        pool = _pool(threads)
        running: set[Future[tuple[Any, Any]]] = set()
        try:
            while True:
                for task in islice(job.tasks, 2 * threads - len(running)):
                    running.add(pool.submit(run, task))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            for future in running:
                future.cancel()
