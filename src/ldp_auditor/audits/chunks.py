"""Algorithm 1 of the paper in pieces: privatize both inputs, attack the reports, count.

An audit is cut into chunks of reports of one input. A chunk yields a number of hits, numbers add
up, and a chunk's randomness depends on its position alone, so that chunks may run anywhere.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.core import Attack, Counts
from ldp_auditor.errors import AuditError, describe
from ldp_auditor.execution.contract import Engine, Ticker
from ldp_auditor.seeding import chunk_generator

CHUNK_BATCHES = 4
"""Batches that share a random generator."""

LONGEST_PIECE = 512
"""Chunks of a piece at most."""

Progress = Callable[[int], None]
"""Called with the number of trials carried out since the last call."""

Hits = NDArray[np.int64]


@dataclass(frozen=True)
class Piece:
    """Consecutive chunks of one side: 0 for reports of the pair's first value, 1 of its second."""

    side: int
    first_chunk: int
    last_chunk: int


@dataclass(frozen=True)
class Chunks:
    """A plan, with an attack for every look at its reports, cut into chunks.

    Workers have it as their session, which runs pieces.
    """

    plan: AuditPlan
    attacks: tuple[Attack, ...]

    @property
    def chunk_trials(self) -> int:
        """Trials of a full chunk."""
        return CHUNK_BATCHES * self.plan.batch_trials

    @property
    def chunks(self) -> int:
        """Chunks of a side, the last one perhaps not full."""
        return -(-self.plan.most_trials // self.chunk_trials)

    def trials_of(self, first_chunk: int, last_chunk: int) -> int:
        """Trials of a range of chunks of a side."""
        return (
            min(last_chunk * self.chunk_trials, self.plan.most_trials)
            - first_chunk * self.chunk_trials
        )

    def pieces(self, first_chunk: int, last_chunk: int) -> Iterator[Piece]:
        """Cut a range of chunks of both sides into pieces, alternating between the sides.

        Pieces of the square root of the number of chunks leave enough of them to balance cores
        and to show progress, and few enough that dispatching costs nothing.
        """
        length = min(math.isqrt(last_chunk - first_chunk), LONGEST_PIECE)
        for first in range(first_chunk, last_chunk, length):
            for side in (0, 1):
                yield Piece(side, first, min(first + length, last_chunk))

    def count(
        self, engine: Engine, progress: Progress, first_chunk: int, last_chunk: int
    ) -> tuple[Counts, ...]:
        """Run a range of chunks and add up their outcomes at each look."""
        hits: list[Any] = [0, 0]
        trials = [0, 0]
        for piece, piece_hits in engine.map(self, self.pieces(first_chunk, last_chunk)):
            done = self.trials_of(piece.first_chunk, piece.last_chunk)
            hits[piece.side] += piece_hits
            trials[piece.side] += done
            progress(done)
        looks = zip(hits[0].tolist(), hits[1].tolist(), strict=True)
        return tuple(Counts(trials[0], first, second) for first, second in looks)

    def __call__(self) -> Self:
        """Return itself as the session of a worker, which keeps nothing open."""
        return self

    def run(self, task: Piece, tick: Ticker) -> Hits:
        """Return how many trials of a piece the attack attributes to the first value, at each look.

        They are carried out batch by batch.
        """
        tick.own_work("in a piece of an audit")
        hits: Any = 0
        batch, stream = self.plan.batch_trials, self.plan.stream
        value = self.plan.value(task.side)
        for chunk in range(task.first_chunk, task.last_chunk):
            n = self.trials_of(chunk, chunk + 1)
            rng = chunk_generator(self.plan.seed, stream, task.side, chunk)
            for start in range(0, n, batch):
                hits += self._hits(value, min(batch, n - start), rng)
        return cast(Hits, hits)

    def _hits(self, value: Any, trials: int, rng: Generator) -> Hits:
        """Carry out a batch; an error of the mechanism names the value."""
        try:
            accused = self._accused(value, trials, rng)
            return np.array([np.count_nonzero(reports) for reports in accused])
        except (AuditError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            name = self.plan.mechanism.name
            raise AuditError(f"{name} raised {describe(error)} with value {value!r}") from error

    def _accused(self, value: Any, trials: int, rng: Generator) -> Iterator[Any]:
        """Yield, at each look, which of `trials` reports or users are taken for the first value.

        Users are followed, and looked at by their totals, after each number of reports.
        """
        if not self.plan.is_over_time:
            yield self.attacks[0].accuse(self.plan.privatize(value, trials, rng), rng)
            return
        tally = self.plan.tally
        users = tally.protocol.enroll(value, trials, rng)
        totals = tally.start(users)
        steps = pairwise((0, *self.plan.reports))
        for (before, now), attack in zip(steps, self.attacks, strict=True):
            tally.add(users, now - before, rng, totals)
            yield attack.accuse(totals, rng)
