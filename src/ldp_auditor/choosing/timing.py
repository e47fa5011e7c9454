"""How long a client and a server need for a report, measured on this machine."""

import time
from typing import Any

from ldp_auditor.mechanisms.capabilities import Estimates, bytes_of_report, default_pair, needed
from ldp_auditor.seeding import chunk_generator

BYTES = 2**22
"""Reports of that size are made and counted at once."""

MOST_REPORTS = 20_000


def time_per_report(mechanism: Any) -> tuple[float, float]:
    """Return seconds of processor time to make a report, and to count it, in a batch of many.

    Those of this thread: another one may be importing what draws the figure.
    """
    server: Estimates = needed(mechanism, Estimates, "the time of the server")
    count = max(1, min(MOST_REPORTS, BYTES // bytes_of_report(mechanism)))
    value = default_pair(mechanism).first
    server.tally(mechanism.privatize(value, count, chunk_generator(0, 0, 0, 0)))  # compiles
    start = time.thread_time()
    reports = mechanism.privatize(value, count, chunk_generator(0, 0, 0, 1))
    made = time.thread_time()
    server.tally(reports)
    counted = time.thread_time()
    return (made - start) / count, (counted - made) / count
