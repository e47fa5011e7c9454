"""Long audits: counts are written down as they grow, so that a killed one goes on.

Chunks of an audit may be counted in any portions; their counts add up. A portion is a line of the
journal under the audit's plan and the range of its chunks, and a run counts the ranges that the
journal lacks.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ldp_auditor.audits.chunks import Chunks, Progress
from ldp_auditor.core import Counts
from ldp_auditor.errors import AuditError
from ldp_auditor.execution.contract import Engine
from ldp_auditor.results.journal import PORTION, Journal

CHECKPOINT_SECONDS = 5.0
"""Seconds of work that a kill costs, about."""

FIRST_PORTION = 8
"""Chunks of the first portion; the next ones double until they take long enough."""


@dataclass(frozen=True)
class Checkpoints:
    """Counts chunks portion by portion into a journal; those that it has are not run again."""

    chunks: Chunks
    journal: Journal

    def count(
        self, engine: Engine, progress: Progress, first_chunk: int, last_chunk: int
    ) -> tuple[Counts, ...]:
        """Return the counts of a range of chunks at each look, as `Chunks.count` does."""
        total: tuple[Counts, ...] | None = None
        within = [p for p in self._portions if first_chunk <= p[0] and p[1] <= last_chunk]
        for _, _, counts in within:
            total = add(total, counts)
            progress(2 * counts[0].trials)
        length = FIRST_PORTION
        for first, last in gaps([p[:2] for p in within], first_chunk, last_chunk):
            at = first
            while at < last:
                until = min(at + length, last)
                started = time.perf_counter()
                counts = self.chunks.count(engine, progress, at, until)
                seconds = time.perf_counter() - started
                content = {**self.chunks.plan.content, PORTION: [at, until]}
                self.journal.add(content, [dict(vars(c)) for c in counts], seconds)
                total = add(total, counts)
                length = 2 * length if seconds < CHECKPOINT_SECONDS else length
                at = until
        assert total is not None
        return total

    @cached_property
    def _portions(self) -> list[tuple[int, int, tuple[Counts, ...]]]:
        """Portions of this audit that the journal has, in order and without overlap."""
        content = self.chunks.plan.content
        found = []
        for entry in self.journal.entries.values():
            plan = dict(entry["plan"])
            match plan.pop(PORTION, None):
                case [int(first), int(last)] if plan == content:
                    found.append((first, last, entry["results"]))
        sound, until = [], 0
        for first, last, results in sorted(found, key=lambda portion: portion[:2]):
            if until <= first < last <= self.chunks.chunks:
                counts = _counts_of(results)
                expected = [self.chunks.trials_of(first, last)] * len(self.chunks.plan.reports)
                if [c.trials for c in counts] == expected:
                    until = last
                    sound.append((first, last, counts))
        return sound


def _counts_of(results: Any) -> tuple[Counts, ...]:
    """Return the counts that a portion stored; none if it stored something else."""
    if any(type(value) is not int for result in results for value in result.values()):
        return ()
    try:
        return tuple(Counts(**result) for result in results)
    except (AuditError, TypeError):
        return ()


def add(total: tuple[Counts, ...] | None, more: tuple[Counts, ...]) -> tuple[Counts, ...]:
    """Return the sums of `total` and `more`, look by look."""
    if total is None:
        return more
    return tuple(a + b for a, b in zip(total, more, strict=True))


def gaps(done: list[tuple[int, int]], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges between `start` and `end` that are not done.

    >>> list(gaps([(0, 8), (16, 24)], 0, 40))
    [(8, 16), (24, 40)]
    """
    at = start
    for first, last in done:
        if first > at:
            yield at, first
        at = last
    if at < end:
        yield at, end
