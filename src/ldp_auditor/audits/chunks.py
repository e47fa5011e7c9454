"""Algorithm 1 of the paper in pieces: privatize both inputs, attack the reports, count.

An audit is cut into chunks of reports of one input. A chunk yields a number of hits, numbers add
up, and a chunk's randomness depends on its position alone, so that chunks may run anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.audits.many_reports import Tally
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.core import Attack, Counts
from ldp_auditor.errors import AuditError
from ldp_auditor.execution.engines import Engine
from ldp_auditor.execution.serving import told
from ldp_auditor.seeding import chunk_generator

CHUNK_BATCHES = 4
"""Batches that share a random generator."""

LONGEST_PIECE = 64
"""Chunks of a piece at most."""

Progress = Callable[[int], None]
"""Called with the number of trials carried out since the last call."""

Hits = NDArray[np.int64]


class Experiment(Protocol):
    """What an audit repeats: reports of one input and the attack on them."""

    @property
    def batch_trials(self) -> int:
        """Trials that are carried out at once; counts depend on it."""
        ...

    def hits(self, value: Any, trials: int, rng: Generator) -> Hits:
        """Return how many of that many trials the attack attributes to the pair's first value.

        The outcome is an array: one number for every look at the same reports.
        """
        ...


@dataclass(frozen=True)
class OneReport:
    """A trial is one report, looked at once."""

    plan: AuditPlan
    attack: Attack
    batch_trials: int

    def hits(self, value: Any, trials: int, rng: Generator) -> Hits:
        """Privatize and attack one batch."""
        reports = self.plan.privatize(value, trials, rng)
        return np.array([np.count_nonzero(self.attack.accuse(reports, rng))])


@dataclass(frozen=True)
class ManyReports:
    """A trial is a user, whose totals are looked at after each of several numbers of reports."""

    tally: Tally
    steps: tuple[int, ...]
    """Reports between one look and the next."""
    attacks: tuple[Attack, ...]

    @property
    def batch_trials(self) -> int:
        """Users that are followed at once."""
        return self.tally.batch_trials

    def hits(self, value: int, trials: int, rng: Generator) -> Hits:
        """Follow one batch of users."""
        users = self.tally.protocol.enroll(value, trials, rng)
        totals = self.tally.start(users)
        hits = np.zeros(len(self.steps), np.int64)
        for look, (step, attack) in enumerate(zip(self.steps, self.attacks, strict=True)):
            self.tally.add(users, step, rng, totals)
            hits[look] = np.count_nonzero(attack.accuse(totals, rng))
        return hits


@dataclass(frozen=True)
class Piece:
    """Consecutive chunks of one side: 0 for reports of the pair's first value, 1 of its second."""

    side: int
    first_chunk: int
    last_chunk: int


@dataclass(frozen=True)
class PieceOutcome:
    """How many trials of a piece the attack attributed to the pair's first value, at each look."""

    side: int
    trials: int
    hits: Hits


@dataclass(frozen=True)
class Chunks:
    """A plan cut into chunks, with the experiment that is repeated in each of them."""

    plan: AuditPlan
    experiment: Experiment
    stream: int

    @classmethod
    def of(cls, plan: AuditPlan, attacks: tuple[Attack, ...]) -> Chunks:
        """Cut a plan with an attack for every look into chunks."""
        experiment: Experiment
        if plan.is_over_time:
            steps = tuple(b - a for a, b in pairwise((0, *plan.reports)))
            experiment = ManyReports(plan.tally, steps, attacks)
        else:
            experiment = OneReport(plan, attacks[0], plan.batch_trials)
        return cls(plan, experiment, plan.stream)

    @property
    def chunk_trials(self) -> int:
        """Trials of a full chunk."""
        return CHUNK_BATCHES * self.experiment.batch_trials

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
        self,
        engine: Engine,
        progress: Progress | None,
        first_chunk: int = 0,
        last_chunk: int | None = None,
    ) -> tuple[Counts, ...]:
        """Run a range of chunks, all of them by default, and add up their outcomes at each look."""
        last_chunk = self.chunks if last_chunk is None else last_chunk
        hits: list[Any] = [0, 0]
        trials = [0, 0]
        for outcome in engine.map(self.run_piece, self.pieces(first_chunk, last_chunk)):
            hits[outcome.side] += outcome.hits
            trials[outcome.side] += outcome.trials
            if progress is not None:
                progress(outcome.trials)
        looks = zip(hits[0].tolist(), hits[1].tolist(), strict=True)
        return tuple(Counts(trials[0], first, second) for first, second in looks)

    def run_piece(self, piece: Piece) -> PieceOutcome:
        """Carry out the trials of a piece, batch by batch."""
        trials = 0
        hits: Any = 0
        batch = self.experiment.batch_trials
        value = self.plan.value(piece.side)
        for chunk in range(piece.first_chunk, piece.last_chunk):
            n = min(self.chunk_trials, self.plan.most_trials - chunk * self.chunk_trials)
            rng = chunk_generator(self.plan.seed, self.stream, piece.side, chunk)
            for start in range(0, n, batch):
                hits += self._hits(value, min(batch, n - start), rng)
            trials += n
        return PieceOutcome(piece.side, trials, hits)

    def _hits(self, value: Any, trials: int, rng: Generator) -> Hits:
        """Carry out a batch; an error of the mechanism names the value."""
        try:
            return self.experiment.hits(value, trials, rng)
        except (AuditError, MemoryError):
            raise
        except Exception as error:
            name = self.plan.mechanism.name
            raise AuditError(f"{name} raised {told(error)} with value {value!r}") from error
