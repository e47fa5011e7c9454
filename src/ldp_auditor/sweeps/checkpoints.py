"""Long audits: counts are written down as they grow, so that a killed one goes on.

Chunks of an audit may be counted in any portions; their counts add up. A portion is a line of the
journal under the audit's plan and the range of its chunks, and a run counts the ranges that the
journal lacks.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ldp_auditor.auditing import Audit, Progress
from ldp_auditor.core import Counts
from ldp_auditor.errors import AuditError
from ldp_auditor.execution.engines import Engine
from ldp_auditor.sweeps.cells import PORTION
from ldp_auditor.sweeps.journal import Journal

CHECKPOINT_SECONDS = 5.0
"""What a kill may cost, about."""

FIRST_PORTION = 8
"""Chunks of the first portion; the next ones double until they take long enough."""


@dataclass(frozen=True)
class Checkpoints:
    """Counts an audit portion by portion into a journal."""

    journal: Journal
    plan: Mapping[str, Any]
    """The content of the audit's plan."""
    looks: int = 1
    """Counts that a portion has: one for every number of reports."""

    def __call__(
        self, audit: Audit, engine: Engine, progress: Progress | None
    ) -> tuple[Counts, ...]:
        """Count the chunks that the journal lacks; return the counts of all of them."""
        done = sorted(self._done(audit), key=lambda portion: portion[0])
        total: tuple[Counts, ...] | None = None
        for _, _, counts in done:
            total = add(total, counts)
            if progress is not None:
                progress(2 * counts[0].trials)
        length = FIRST_PORTION
        for first, last in gaps([(first, last) for first, last, _ in done], audit.chunks):
            at = first
            while at < last:
                until = min(at + length, last)
                started = time.perf_counter()
                counts = audit.count(engine, progress, at, until)
                seconds = time.perf_counter() - started
                plain = [
                    {
                        "trials": c.trials,
                        "true_positives": c.true_positives,
                        "false_positives": c.false_positives,
                    }
                    for c in counts
                ]
                self.journal.add({**self.plan, PORTION: [at, until]}, plain, seconds)
                total = add(total, counts)
                length = 2 * length if seconds < CHECKPOINT_SECONDS else length
                at = until
        assert total is not None
        return total

    def _done(self, audit: Audit) -> Iterator[tuple[int, int, tuple[Counts, ...]]]:
        """Yield the portions of this audit that are in the journal and fit together."""
        until = 0
        found = []
        for entry in self.journal.entries.values():
            plan = dict(entry["plan"])
            match plan.pop(PORTION, None):
                case [int(first), int(last)] if plan == self.plan:
                    found.append((first, last, entry["results"]))
        for first, last, results in sorted(found, key=lambda portion: portion[:2]):
            if until <= first < last <= audit.chunks:
                counts = _counts_of(results)
                expected = [audit.trials_of(first, last)] * self.looks
                if [c.trials for c in counts] == expected:
                    until = last
                    yield first, last, counts


def _counts_of(results: Any) -> tuple[Counts, ...]:
    """Read the counts of a portion; none if that is not what they are."""
    if any(type(value) is not int for result in results for value in result.values()):
        return ()
    try:
        return tuple(Counts(**result) for result in results)
    except (AuditError, TypeError):
        return ()


def add(total: tuple[Counts, ...] | None, more: tuple[Counts, ...]) -> tuple[Counts, ...]:
    """Add up the counts of every look."""
    if total is None:
        return more
    return tuple(a + b for a, b in zip(total, more, strict=True))


def gaps(done: list[tuple[int, int]], chunks: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges between those that are done.

    >>> list(gaps([(0, 8), (16, 24)], 40))
    [(8, 16), (24, 40)]
    """
    at = 0
    for first, last in done:
        if first > at:
            yield at, first
        at = last
    if at < chunks:
        yield at, chunks
