"""CPU time that a check adds to its target, per report of 100 bits, as a Markdown table.

    python benchmarks/check_overhead.py [--reports 320000] [--rounds 5]

The target is called as a worker calls it; then a worker's session makes, sends and counts as many
reports, in this process. Both in turn, in the same run, so that a busy machine slows both down;
the ratio is that of the fastest rounds. The events to count are those that a search of 4,000
reports proposes. "kept" are reports that are sent to be searched, as the first 40,000 of an input.
"""

from __future__ import annotations

import argparse
import math
import pickle
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ldp_auditor.adapters.callables import ObjectTarget
from ldp_auditor.checks.sampling import Found, OpenTarget, Sampling, SamplingSession, Searching
from ldp_auditor.core import Claim
from ldp_auditor.execution.threads import keep_freed_memory
from ldp_auditor.execution.worker import Pulse, Writer

BITS = 100
CHUNK = 20_000
"""Reports of an input in a task of two inputs."""

TRUE, FALSE = 0.75, 0.25
"""Rates of ones at the value's bit and elsewhere: a claim of 1 is broken."""


def batch_array(value: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Reports as rows of one array."""
    bits = rng.random((n, BITS), dtype=np.float32) < FALSE
    bits[:, value] = rng.random(n) < TRUE
    return bits


def single_array(value: int, rng: np.random.Generator) -> np.ndarray:
    """One report, an array."""
    rates = np.full(BITS, FALSE)
    rates[value] = TRUE
    return (rng.random(BITS) < rates).astype(np.int64)


def single_list(value: int, rng: np.random.Generator) -> list[int]:
    """One report, a list of Python's integers."""
    draws = rng.random(BITS).tolist()
    return [int(u < (TRUE if i == value else FALSE)) for i, u in enumerate(draws)]


def batch_number(value: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers as one array: randomized response over ten values."""
    return np.where(rng.random(n) < 0.5, value, rng.integers(10, size=n))


TARGETS = (batch_array, single_array, single_list, batch_number)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reports", type=int, default=320_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    keep_freed_memory()  # as every worker does
    print("| target | events | us a report | counted | added | kept and counted | added |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for target in TARGETS:
        print(row(target, given.reports, given.rounds), flush=True)


def row(target: Callable[..., Any], reports: int, rounds: int) -> str:
    """Measure one target."""
    session = OpenTarget(ObjectTarget(target), None, learn=False)()
    pulse = Pulse()
    tick = Writer(pulse)
    inputs = ((0, 0), (1, 1))
    first = session.run(Sampling(inputs, 4000, 1, 0, 0, keep=True), tick)
    searching = Searching(tuple((packed,) for packed in first.reports), Claim(1.0), (0, 1), 1)
    packed, chosen, _, _ = session.run(searching, tick)
    found = (Found(packed, tuple(range(len(chosen)))),)
    tasks = [Sampling(inputs, CHUNK, 1, 0, i, found) for i in range(reports // (2 * CHUNK))]
    kept = [Sampling(inputs, CHUNK, 1, 0, i, found, True) for i in range(len(tasks))]
    ways: dict[str, Callable[[], Any]] = {
        "alone": lambda: [called(session, task) for task in tasks],
        "counted": lambda: [session.run(task, tick) for task in tasks],
        "kept": lambda: [session.run(task, tick) for task in kept],
    }
    best = dict.fromkeys(ways, math.inf)
    for _ in range(rounds):
        for name, work in ways.items():
            started = time.process_time()
            work()
            spent = (time.process_time() - started) / (len(tasks) * CHUNK * 2)
            best[name] = min(best[name], spent)
    alone, counted, sent = (1e6 * best[name] for name in ways)
    _, events = pickle.loads(packed)
    words = " / ".join(type(event).__name__ for event in events)
    return (
        f"| {target.__name__} | {words} | {alone:.2f} | {counted:.2f} | {counted / alone - 1:.0%} "
        f"| {sent:.2f} | {sent / alone - 1:.0%} |"
    )


def called(session: SamplingSession, task: Sampling) -> list[Any]:
    """The calls of a task, with nothing around them."""
    made = []
    sample = session.randomizer.sample
    for index, value in task.inputs:
        rng = np.random.default_rng((index, task.chunk))
        left, at_once = task.n, 1
        while left:
            count = min(at_once, left)
            made.append(sample(value, count, rng))
            left -= count
            at_once = min(10 * at_once, 1000)
    return made


if __name__ == "__main__":
    main()
