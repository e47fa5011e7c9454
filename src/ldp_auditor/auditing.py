"""Algorithm 1 of the paper: privatize both inputs, attack the reports, bound epsilon.

An audit is cut into chunks of reports of one input. A chunk yields a number of hits, numbers add
up, and a chunk's randomness depends on its position alone, so that chunks may run anywhere.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor import mechanisms
from ldp_auditor.attacks import find_attack
from ldp_auditor.bounds import find_bound
from ldp_auditor.core import (
    FIRST_TWO_VALUES,
    Attack,
    AuditResult,
    Claim,
    Counts,
    Goal,
    InputPair,
    Mechanism,
    Reports,
)
from ldp_auditor.errors import number, require, whole_number
from ldp_auditor.execution.threads import ThreadEngine
from ldp_auditor.seeding import chunk_generator, stream_key
from ldp_auditor.theory.loss_law import LossLaw

BATCH_BYTES = 2**21
"""Memory of a batch of reports: small enough for the cache, large enough to hide Python."""

BATCH_TRIALS = 2**16
"""Reports of a batch at most."""

CHUNK_BATCHES = 4
"""Batches that share a random generator."""

LONGEST_PIECE = 64
"""Chunks of a piece at most."""

MOST_TRIALS = 10**15
"""More would take years."""

SMALLEST_ALPHA = 1e-100
"""Smaller ones are beyond the arithmetic of the bounds."""

PILOT_SIDES = (2, 3)
"""Sides whose streams are for pilot samples of the first and the second value."""

Progress = Callable[[int], None]
"""Called with the number of reports attacked since the last call."""


@dataclass(frozen=True, kw_only=True)
class AuditPlan:
    """Everything that decides the outcome of an audit."""

    mechanism: Mechanism
    pair: InputPair = FIRST_TWO_VALUES
    attack: str = "paper"
    bound: str = "clopper-pearson"
    alpha: float = 0.01
    trials: int = 1_000_000
    seed: int = 42

    def __post_init__(self) -> None:
        for attribute in ("name", "claim", "domain_size", "privatize"):
            require(
                hasattr(self.mechanism, attribute),
                f"a mechanism needs {attribute}, which {self.mechanism!r} lacks",
            )
        require(
            isinstance(self.mechanism.claim, Claim),
            f"the claim of {self.mechanism.name} must be a Claim, got {self.mechanism.claim!r}",
        )
        whole_number("domain_size", self.mechanism.domain_size, at_least=2)
        self.pair.check(self.mechanism.domain_size)
        find_attack(self.attack, self.mechanism)
        find_bound(self.bound)
        object.__setattr__(self, "alpha", number("alpha", self.alpha))
        require(
            SMALLEST_ALPHA <= self.alpha < 1,
            f"alpha must lie in (0, 1), at {SMALLEST_ALPHA} or above, got alpha={self.alpha}",
        )
        trials = whole_number("trials", self.trials, at_least=1, at_most=MOST_TRIALS)
        object.__setattr__(self, "trials", trials)
        object.__setattr__(self, "seed", whole_number("seed", self.seed, at_least=0))

    @property
    def options(self) -> dict[str, Any]:
        """Options of the mechanism beyond its claim and domain."""
        return dict(getattr(self.mechanism, "options", {}))

    @property
    def stream(self) -> int:
        """Key of the random stream: what is sampled, not how much of it nor how it is bounded."""
        claim = self.mechanism.claim
        return stream_key(
            {
                "mechanism": self.mechanism.name,
                "epsilon": claim.epsilon,
                "delta": claim.delta,
                "domain_size": self.mechanism.domain_size,
                "options": self.options,
                "pair": [self.pair.first, self.pair.second],
                "attack": self.attack,
            }
        )

    @property
    def loss_law(self) -> LossLaw | None:
        """Exact law of the privacy loss, where the mechanism knows it."""
        law: Callable[[InputPair], LossLaw] | None = getattr(self.mechanism, "loss_law", None)
        return None if law is None else law(self.pair)

    @property
    def worst_case_epsilon(self) -> float | None:
        """Exact smallest epsilon that the mechanism keeps at its delta, where the law is known."""
        law = self.loss_law
        return None if law is None else law.epsilon(self.mechanism.claim.delta)

    def value(self, side: int) -> int:
        """Input of a side: 0 for the pair's first value, 1 for its second."""
        return self.pair.first if side == 0 else self.pair.second

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        """Return `n` reports of the mechanism, or raise if it returned something else."""
        reports = np.asarray(self.mechanism.privatize(value, n, rng))
        require(
            reports.ndim > 0 and len(reports) == n,
            f"{self.mechanism.name}.privatize must return an array of {n} reports, "
            f"got shape {reports.shape}",
        )
        return reports

    def bound_of(self, counts: Counts) -> float:
        """Epsilon that counts prove."""
        return find_bound(self.bound)(counts, self.alpha, self.mechanism.claim.delta)

    @property
    def batch_trials(self) -> int:
        """Reports that are privatized at once; a property of the mechanism, not of the machine."""
        # A mechanism that does not tell may report one float a value.
        unknown = max(256, 8 * self.mechanism.domain_size)
        report_bytes = max(1, getattr(self.mechanism, "report_bytes", unknown))
        return max(1, min(BATCH_TRIALS, BATCH_BYTES // report_bytes))


@dataclass(frozen=True)
class Piece:
    """Consecutive chunks of one side: 0 for reports of the pair's first value, 1 of its second."""

    side: int
    first_chunk: int
    last_chunk: int


@dataclass(frozen=True)
class PieceOutcome:
    """How many of a piece's reports the attack attributed to the pair's first value."""

    side: int
    trials: int
    hits: int


@dataclass(frozen=True)
class Audit:
    """A plan with what is worked out once from it."""

    plan: AuditPlan
    attack: Attack
    stream: int
    batch_trials: int

    @classmethod
    def of(cls, plan: AuditPlan) -> Audit:
        """Prepare the plan for running: fit the attack, on pilot samples if it needs them."""
        stream = plan.stream

        def pilot(side: int, n: int) -> Reports:
            rng = chunk_generator(plan.seed, stream, PILOT_SIDES[side], 0)
            return plan.privatize(plan.value(side), n, rng)

        goal = Goal(plan.trials, plan.bound_of, pilot)
        attack = find_attack(plan.attack, plan.mechanism).prepare(plan.mechanism, plan.pair, goal)
        return cls(plan, attack, stream, plan.batch_trials)

    @property
    def chunk_trials(self) -> int:
        """Reports of a full chunk."""
        return CHUNK_BATCHES * self.batch_trials

    @property
    def chunks(self) -> int:
        """Chunks of a side, the last one perhaps not full."""
        return -(-self.plan.trials // self.chunk_trials)

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
        engine: ThreadEngine,
        progress: Progress | None,
        first_chunk: int = 0,
        last_chunk: int | None = None,
    ) -> Counts:
        """Run a range of chunks, all of them by default, and add up their outcomes."""
        last_chunk = self.chunks if last_chunk is None else last_chunk
        hits, trials = [0, 0], [0, 0]
        for outcome in engine.map(self.run_piece, self.pieces(first_chunk, last_chunk)):
            hits[outcome.side] += outcome.hits
            trials[outcome.side] += outcome.trials
            if progress is not None:
                progress(outcome.trials)
        return Counts(trials[0], true_positives=hits[0], false_positives=hits[1])

    def run_piece(self, piece: Piece) -> PieceOutcome:
        """Privatize and attack the reports of a piece."""
        trials = hits = 0
        for chunk in range(piece.first_chunk, piece.last_chunk):
            n = min(self.chunk_trials, self.plan.trials - chunk * self.chunk_trials)
            rng = chunk_generator(self.plan.seed, self.stream, piece.side, chunk)
            hits += self.count_hits(piece.side, n, rng)
            trials += n
        return PieceOutcome(piece.side, trials, hits)

    def count_hits(self, side: int, trials: int, rng: Generator) -> int:
        """Return how many of that many reports of one input the attack attributes to the first."""
        value = self.plan.value(side)
        hits = 0
        for start in range(0, trials, self.batch_trials):
            n = min(self.batch_trials, trials - start)
            reports = self.plan.privatize(value, n, rng)
            hits += int(np.count_nonzero(self.attack.accuse(reports, rng)))
        return hits


def run(
    plan: AuditPlan, engine: ThreadEngine | None = None, progress: Progress | None = None
) -> AuditResult:
    """Carry out a plan; the counts are the same on any engine with any number of workers."""
    started = time.perf_counter()
    prepared = Audit.of(plan)
    counts = prepared.count(engine or ThreadEngine(), progress)
    perfect = plan.bound_of(Counts(counts.trials, counts.trials, 0))
    return result_of(prepared, counts, plan.bound_of(counts), perfect, started)


def result_of(
    prepared: Audit,
    counts: Counts,
    empirical_epsilon: float,
    monte_carlo_limit: float,
    started: float,
    **options: Any,
) -> AuditResult:
    """Put together what an audit found."""
    plan = prepared.plan
    exact = prepared.attack.rates()
    return AuditResult(
        mechanism=plan.mechanism.name,
        claim=plan.mechanism.claim,
        domain_size=plan.mechanism.domain_size,
        pair=plan.pair,
        attack=plan.attack,
        bound=plan.bound,
        alpha=plan.alpha,
        counts=counts,
        empirical_epsilon=empirical_epsilon,
        attack_epsilon=None if exact is None else exact.epsilon(plan.mechanism.claim.delta),
        worst_case_epsilon=plan.worst_case_epsilon,
        monte_carlo_limit=monte_carlo_limit,
        seed=plan.seed,
        seconds=time.perf_counter() - started,
        options={**plan.options, **options},
        pilot_trials=prepared.attack.pilot_trials,
    )


def audit(
    mechanism: str | Mechanism,
    *,
    epsilon: float | None = None,
    domain_size: int | None = None,
    delta: float | None = None,
    pair: InputPair | tuple[int, int] = FIRST_TWO_VALUES,
    attack: str = "paper",
    bound: str = "clopper-pearson",
    alpha: float = 0.01,
    trials: int = 1_000_000,
    seed: int = 42,
    workers: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> AuditResult:
    """Audit a protocol by its name, or any mechanism with `privatize`, `guess` and a `claim`.

    >>> result = audit("GRR", epsilon=1.0, domain_size=25, trials=100_000, seed=1)
    >>> 0.8 < result.empirical_epsilon < 1.0
    True
    >>> result.verdict
    'no-violation-found'
    """
    if isinstance(mechanism, str):
        made: Mechanism = mechanisms.make(
            mechanism, epsilon=epsilon, domain_size=domain_size, delta=delta, **options
        )
    else:
        given = {"epsilon": epsilon, "domain_size": domain_size, "delta": delta, **options}
        extra = [name for name, value in given.items() if value is not None]
        require(not extra, f"a mechanism brings its own parameters; drop {', '.join(extra)}")
        made = mechanism
    plan = AuditPlan(
        mechanism=made,
        pair=InputPair.of(pair),
        attack=attack,
        bound=bound,
        alpha=alpha,
        trials=trials,
        seed=seed,
    )
    return run(plan, ThreadEngine.of(workers), progress)
