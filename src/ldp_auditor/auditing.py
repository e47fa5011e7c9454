"""Algorithm 1 of the paper: privatize both inputs, attack the reports, bound epsilon.

An audit is cut into chunks of reports of one input. A chunk yields a number of hits, numbers add
up, and a chunk's randomness depends on its position alone, so that chunks may run anywhere.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

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
    Rates,
    Reports,
)
from ldp_auditor.errors import AuditError, error_probability, require, seed_number, whole_number
from ldp_auditor.execution.engines import Engine
from ldp_auditor.execution.serving import told
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

PILOT_SIDES = (2, 3)
"""Sides whose streams are for pilot samples of the first and the second value."""

Progress = Callable[[int], None]
"""Called with the number of trials carried out since the last call."""

Hits = NDArray[np.int64]


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
        self.pair.check(self.mechanism)
        find_attack(self.attack, self.mechanism)
        find_bound(self.bound)
        object.__setattr__(self, "alpha", error_probability(self.alpha))
        trials = whole_number("trials", self.trials, at_least=1, at_most=MOST_TRIALS)
        object.__setattr__(self, "trials", trials)
        object.__setattr__(self, "seed", seed_number(self.seed))

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
        law: Callable[[InputPair], LossLaw | None] | None = getattr(
            self.mechanism, "loss_law", None
        )
        return None if law is None else law(self.pair)

    @property
    def worst_case_epsilon(self) -> float | None:
        """Exact smallest epsilon that the mechanism keeps at its delta, where it is known."""
        if hasattr(self.mechanism, "worst_case"):
            known: float | None = self.mechanism.worst_case(self.pair)
            return known
        law = self.loss_law
        return None if law is None else law.epsilon(self.mechanism.claim.delta)

    def value(self, side: int) -> Any:
        """Input of a side: 0 for the pair's first value, 1 for its second."""
        return self.pair.first if side == 0 else self.pair.second

    def privatize(self, value: Any, n: int, rng: Generator) -> Reports:
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
class Audit:
    """A plan with the experiment that carries it out."""

    plan: AuditPlan
    experiment: Experiment
    stream: int

    @property
    def chunk_trials(self) -> int:
        """Trials of a full chunk."""
        return CHUNK_BATCHES * self.experiment.batch_trials

    @property
    def chunks(self) -> int:
        """Chunks of a side, the last one perhaps not full."""
        return -(-self.plan.trials // self.chunk_trials)

    def trials_of(self, first_chunk: int, last_chunk: int) -> int:
        """Trials of a range of chunks of a side."""
        return (
            min(last_chunk * self.chunk_trials, self.plan.trials) - first_chunk * self.chunk_trials
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
            n = min(self.chunk_trials, self.plan.trials - chunk * self.chunk_trials)
            rng = chunk_generator(self.plan.seed, self.stream, piece.side, chunk)
            for start in range(0, n, batch):
                hits += self._hits(value, min(batch, n - start), rng)
            trials += n
        return PieceOutcome(piece.side, trials, hits)

    def _hits(self, value: Any, trials: int, rng: Generator) -> Hits:
        """Carry out a batch; what a mechanism raises is told with its value."""
        try:
            return self.experiment.hits(value, trials, rng)
        except (AuditError, MemoryError):
            raise
        except Exception as error:
            name = self.plan.mechanism.name
            raise AuditError(f"{name} raised {told(error)} with value {value!r}") from error


Counting = Callable[[Audit, Engine, Progress | None], tuple[Counts, ...]]
"""How the chunks of an audit are counted: all at once, or with checkpoints on the way."""


def fit_attack(plan: AuditPlan) -> Attack:
    """Fit the plan's attack to its mechanism, on pilot samples if it needs them."""

    def pilot(side: int, n: int) -> Iterator[Reports]:
        rng = chunk_generator(plan.seed, plan.stream, PILOT_SIDES[side], 0)
        for start in range(0, n, plan.batch_trials):
            yield plan.privatize(plan.value(side), min(plan.batch_trials, n - start), rng)

    goal = Goal(plan.trials, plan.bound_of, pilot)
    return find_attack(plan.attack, plan.mechanism).prepare(plan.mechanism, plan.pair, goal)


def prepare(plan: AuditPlan) -> tuple[Audit, Attack]:
    """Make an audit of single reports and its attack."""
    attack = fit_attack(plan)
    return Audit(plan, OneReport(plan, attack, plan.batch_trials), plan.stream), attack


def run(
    plan: AuditPlan,
    engine: Engine | None = None,
    progress: Progress | None = None,
    count: Counting = Audit.count,
) -> AuditResult:
    """Carry out a plan; the counts are the same on any engine with any number of workers."""
    started = time.perf_counter()
    prepared, attack = prepare(plan)
    (counts,) = count(prepared, engine or ThreadEngine(), progress)
    perfect = plan.bound_of(Counts(counts.trials, counts.trials, 0))
    return result_of(plan, attack, counts, plan.bound_of(counts), perfect, started)


def _about(plan: AuditPlan) -> dict[str, Any]:
    """What the mechanism has to say about the pair, if anything."""
    about: Callable[[InputPair], dict[str, Any]] | None
    about = getattr(plan.mechanism, "about", None)
    return {} if about is None else about(plan.pair)


def attack_epsilon(exact: Rates | None, delta: float, worst: float | None) -> float | None:
    """Epsilon that an attack of these exact rates shows with unlimited trials, where known."""
    if exact is None:
        return None
    shown = exact.epsilon(delta)
    return shown if worst is None else min(shown, worst)  # a rate below 1e-308 is 0, its ratio inf


def result_of(
    plan: AuditPlan,
    attack: Attack,
    counts: Counts,
    empirical_epsilon: float,
    monte_carlo_limit: float,
    started: float,
    **options: Any,
) -> AuditResult:
    """Put together what an audit found."""
    exact = attack.rates()
    worst = plan.worst_case_epsilon
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
        attack_epsilon=attack_epsilon(exact, plan.mechanism.claim.delta, worst),
        worst_case_epsilon=worst,
        monte_carlo_limit=monte_carlo_limit,
        seed=plan.seed,
        seconds=time.perf_counter() - started,
        options={**plan.options, **_about(plan), **options},
        pilot_trials=attack.pilot_trials,
        exact_rates=exact,
    )
