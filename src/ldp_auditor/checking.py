"""Check anybody's mechanism: find an event on pilot reports, prove it on fresh ones.

The target runs in worker processes only. The pilot looks at many events and pairs of inputs; the
few strongest are counted on fresh reports, and alpha is shared out over them, so that the verdict
on a correct mechanism is wrong with probability alpha at most, however hard the pilot looked.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ldp_auditor.adapters.randomizer import Randomizer
from ldp_auditor.bounds import find_bound
from ldp_auditor.core import Claim, Counts, Verdict
from ldp_auditor.errors import AuditError, number, require, whole_number
from ldp_auditor.execution.processes import Limits, ProcessEngine
from ldp_auditor.execution.threads import usable_cores
from ldp_auditor.sampling import OpenTarget, Sampling, Searching, Target
from ldp_auditor.search.finder import Candidate, Pilot, find_events
from ldp_auditor.search.layout import Layout, whole
from ldp_auditor.seeding import chunk_generator, stream_key

PILOT_SHARE = 0.3
"""Share of all reports that the pilot may spend."""

MOST_PILOT = 40_000
"""Pilot reports of an input at most."""

CHUNK = 5_000
"""Reports that a worker makes with one seed."""

HANDSHAKE = 500
"""Reports by which workers are compared before anything is counted."""

POWER_RATES = (0.5, 0.1, 0.01, 0.001)
"""Probabilities of an event for which the power is told."""

PILOT, PROOF, GREETING = range(3)
"""Streams of random numbers for pilot reports, counted ones, and the comparison of workers."""


@dataclass(frozen=True, kw_only=True)
class CheckPlan:
    """Everything that decides the outcome of a check."""

    target: Target
    name: str
    values: tuple[Any, ...]
    claim: Claim
    trials: int = 200_000
    """Reports in all."""
    alpha: float = 0.01
    bound: str = "clopper-pearson-one-sided"
    seed: int = 42
    prove: int = 3
    """Events that are counted on fresh reports, and share alpha."""
    learn: bool = True
    """Whether a classifier may propose events, where scikit-learn is installed."""
    score: Callable[[Any, Any, Any], float] | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        require(len(self.values) >= 2, f"a check needs two values at least, got {self.values!r}")
        trials = whole_number("trials", self.trials, 100 * len(self.values), 10**12)
        object.__setattr__(self, "trials", trials)
        object.__setattr__(self, "alpha", number("alpha", self.alpha))
        require(0 < self.alpha < 1, f"alpha must lie in (0, 1), got alpha={self.alpha}")
        find_bound(self.bound)

    @property
    def pilot_trials(self) -> int:
        """Pilot reports of each input."""
        return max(50, min(MOST_PILOT, int(PILOT_SHARE * self.trials / len(self.values))))


@dataclass(frozen=True)
class Finding:
    """An event that was counted on fresh reports."""

    first: Any
    second: Any
    event: str
    counts: Counts
    empirical_epsilon: float
    p_value: float
    """Probability of counts like these under the claim, times the number of events counted."""


@dataclass(frozen=True)
class CheckResult:
    """What a check found, and what it could have found."""

    name: str
    claim: Claim
    values: tuple[Any, ...]
    alpha: float
    seed: int
    trials: int
    pilot_trials: int
    findings: tuple[Finding, ...]
    power: tuple[tuple[float, float], ...]
    """For events of these probabilities, the smallest excess over the claim that was likely to be
    proven (90%)."""
    seconds: float

    @property
    def best(self) -> Finding:
        """The finding that proves the most."""
        return max(self.findings, key=lambda f: (f.empirical_epsilon, -f.p_value))

    @property
    def verdict(self) -> Verdict:
        """`violation` if a proven lower bound exceeds the claim; never "pass"."""
        broken = self.best.empirical_epsilon > self.claim.epsilon
        return "violation" if broken else "no-violation-found"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""

        def plain(value: float) -> float | str:
            return "inf" if value == math.inf else value

        return {
            "target": self.name,
            "epsilon": plain(self.claim.epsilon),
            "delta": self.claim.delta,
            "values": list(self.values),
            "alpha": self.alpha,
            "seed": self.seed,
            "trials": self.trials,
            "pilot_trials": self.pilot_trials,
            "verdict": self.verdict,
            "findings": [
                {
                    "first": f.first,
                    "second": f.second,
                    "event": f.event,
                    "trials": f.counts.trials,
                    "true_positives": f.counts.true_positives,
                    "false_positives": f.counts.false_positives,
                    "empirical_epsilon": plain(f.empirical_epsilon),
                    "p_value": f.p_value,
                }
                for f in self.findings
            ],
            "power": [
                {"event_probability": rate, "excess": plain(excess)} for rate, excess in self.power
            ],
            "seconds": self.seconds,
        }


def run_check(
    plan: CheckPlan,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> CheckResult:
    """Carry out a check; `progress` hears how many reports were made since the last call."""
    started = time.perf_counter()
    engine = ProcessEngine(OpenTarget(plan.target), workers or usable_cores(), plan.limits)
    stream = stream_key(
        {"check": plan.name, "values": list(plan.values), "claim": repr(plan.claim)}
    )
    heard = Heard(progress)
    _compare_workers(engine, plan, stream)
    pilot = _pilot(engine, plan, stream, heard)
    layout, candidates = next(
        outcome for _, outcome in engine.map([Searching(pilot, plan.prove, plan.learn, plan.seed)])
    )
    require(bool(candidates), NOTHING_VARIES)
    findings = _prove(engine, plan, stream, heard, layout, candidates)
    return _result(plan, findings, plan.pilot_trials, started)


def check_recorded(
    name: str,
    reports: Mapping[Any, Sequence[Any]],
    *,
    supports: Callable[[Any, Any], bool] | None = None,
    **settings: Any,
) -> CheckResult:
    """Check reports that were collected elsewhere: half of them find events, half prove them.

    Which half a report is in is drawn at random, because files may be sorted.
    """
    started = time.perf_counter()
    values = tuple(reports)
    plan = CheckPlan(target=Recorded(), name=name, values=values, **settings)
    rng = chunk_generator(plan.seed, stream_key({"recorded": name}), 0, 0)
    halves: list[tuple[list[Any], list[Any]]] = []
    for made in reports.values():
        shuffled = [made[i] for i in rng.permutation(len(made))]
        middle = len(made) // 2
        halves.append((shuffled[:middle][:MOST_PILOT], shuffled[middle:]))
    fewest = min(len(half) for both in halves for half in both)
    require(fewest >= 25, f"every value needs 50 recorded reports at least, got {2 * fewest}")
    pilot = Pilot([a for a, _ in halves], plan.claim, values, supports, plan.score)
    layout, candidates = find_events(pilot, plan.prove, plan.learn, plan.seed)
    require(bool(candidates), NOTHING_VARIES)
    trials = min(len(b) for _, b in halves)
    counts = np.zeros((len(values), len(candidates)), np.int64)
    for i, (_, fresh) in enumerate(halves):
        matrix = layout.matrix(fresh[:trials])
        counts[i] = [c.event.holds(fresh[:trials], matrix).sum() for c in candidates]
    findings = _findings(plan, candidates, counts, trials)
    return _result(plan, findings, min(len(a) for a, _ in halves), started)


@dataclass(frozen=True)
class Recorded:
    """Stands where a target would, for reports that have none."""

    def open(self) -> Randomizer:
        """Raise: there is nothing to sample."""
        raise AuditError("recorded reports have no mechanism to sample")


NOTHING_VARIES = "every report says the same; there is nothing to tell inputs apart by"


def _result(
    plan: CheckPlan, findings: tuple[Finding, ...], pilot_trials: int, started: float
) -> CheckResult:
    trials = findings[0].counts.trials
    return CheckResult(
        name=plan.name,
        claim=plan.claim,
        values=plan.values,
        alpha=plan.alpha,
        seed=plan.seed,
        trials=trials,
        pilot_trials=pilot_trials,
        findings=findings,
        power=power_of(plan, trials),
        seconds=time.perf_counter() - started,
    )


def _compare_workers(engine: ProcessEngine, plan: CheckPlan, stream: int) -> None:
    """Raise if two workers make the same reports though they have different seeds."""
    if engine.workers == 1:
        return
    tasks = [
        Sampling(0, plan.values[0], HANDSHAKE, plan.seed + worker, stream + GREETING, worker)
        for worker in range(engine.workers)
    ]
    seen = [[whole(r) for r in outcome[0]] for _, outcome in engine.map(tasks)]
    shares = [seen[0].count(report) / HANDSHAKE for report in set(seen[0])]
    coincidence = sum(share**2 for share in shares) ** HANDSHAKE
    repeated = any(a == b for i, a in enumerate(seen) for b in seen[i + 1 :])
    require(
        not (repeated and coincidence < 1e-9),
        "two worker processes made exactly the same reports: the target's generator is seeded with "
        "a constant or copied; give it a parameter rng or seed, or use one worker",
    )


def _tasks(plan: CheckPlan, stream: int, index: int, n: int, **more: Any) -> Iterator[Sampling]:
    for chunk, start in enumerate(range(0, n, CHUNK)):
        count = min(CHUNK, n - start)
        yield Sampling(index, plan.values[index], count, plan.seed, stream, chunk, **more)


@dataclass
class Heard:
    """What was heard of the workers so far."""

    progress: Callable[[int], None] | None
    states: set[str] = field(default_factory=set)
    """Digests of the states in which chunks left the global generators."""

    def of(self, task: Sampling, digest: tuple[str, ...]) -> None:
        """Raise if two chunks with different seeds leave a global generator in the same state."""
        require(
            not self.states.intersection(digest),
            f"the target reseeds the global random state with a constant (seen with value "
            f"{task.value!r}), so that reports repeat; take that call out",
        )
        self.states.update(digest)
        if self.progress is not None:
            self.progress(task.n)


def _pilot(engine: ProcessEngine, plan: CheckPlan, stream: int, heard: Heard) -> Pilot:
    """Draw pilot reports of every input."""
    reports: list[dict[int, list[Any]]] = [{} for _ in plan.values]
    tasks = (
        task
        for index in range(len(plan.values))
        for task in _tasks(plan, stream + PILOT, index, plan.pilot_trials)
    )
    for task, (made, digest) in engine.map(tasks):
        heard.of(task, digest)
        reports[task.index][task.chunk] = made
    in_order = [[r for chunk in sorted(chunks) for r in chunks[chunk]] for chunks in reports]
    return Pilot(in_order, plan.claim, plan.values, score=plan.score)


def _prove(
    engine: ProcessEngine,
    plan: CheckPlan,
    stream: int,
    heard: Heard,
    layout: Layout,
    candidates: Sequence[Candidate],
) -> tuple[Finding, ...]:
    """Count the chosen events on fresh reports."""
    events = tuple(candidate.event for candidate in candidates)
    needed = sorted({i for c in candidates for i in (c.first, c.second)})
    left = plan.trials - plan.pilot_trials * len(plan.values)
    trials = max(50, left // len(needed))
    counts = np.zeros((len(plan.values), len(events)), np.int64)
    tasks = (
        task
        for index in needed
        for task in _tasks(plan, stream + PROOF, index, trials, layout=layout, events=events)
    )
    for task, (held, digest) in engine.map(tasks):
        heard.of(task, digest)
        counts[task.index] += held
    return _findings(plan, candidates, counts, trials)


def _findings(
    plan: CheckPlan, candidates: Sequence[Candidate], counts: Any, trials: int
) -> tuple[Finding, ...]:
    """What the counts prove; alpha is shared out over all events."""
    share = plan.alpha / len(candidates)
    bound = find_bound(plan.bound)
    findings = []
    for i, candidate in enumerate(candidates):
        seen = Counts(trials, int(counts[candidate.first, i]), int(counts[candidate.second, i]))
        findings.append(
            Finding(
                plan.values[candidate.first],
                plan.values[candidate.second],
                candidate.event.words,
                seen,
                bound(seen, share, plan.claim.delta),
                min(1.0, len(candidates) * p_value(plan, seen)),
            )
        )
    return tuple(findings)


def p_value(plan: CheckPlan, counts: Counts) -> float:
    """Smallest alpha at which the bound exceeds the claim."""
    bound = find_bound(plan.bound)
    low, high = math.log(1e-99), 0.0
    if bound(counts, 1 - 1e-12, plan.claim.delta) <= plan.claim.epsilon:
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2
        proves = bound(counts, math.exp(middle), plan.claim.delta) > plan.claim.epsilon
        low, high = (low, middle) if proves else (middle, high)
    return math.exp(high)


def power_of(plan: CheckPlan, trials: int) -> tuple[tuple[float, float], ...]:
    """Smallest excess over the claim that was likely (90%) to be proven, by the event's rate.

    An event of probability q for the second input and q e^(claim + excess) + delta for the first is
    proven if its counts, 1.64 standard errors to the worse side each, still prove the claim false.
    """
    bound = find_bound(plan.bound)
    share = plan.alpha / plan.prove
    rows = []
    for rate in POWER_RATES:
        low, high = 0.0, 20.0

        def proves(excess: float, p: float = rate) -> bool:
            q = (p - plan.claim.delta) * math.exp(-plan.claim.epsilon - excess)
            if q <= 0:
                return False
            hits = trials * p - 1.64 * math.sqrt(trials * p * (1 - p))
            alarms = trials * q + 1.64 * math.sqrt(trials * q * (1 - q))
            seen = Counts(trials, max(0, int(hits)), min(trials, math.ceil(alarms)))
            return bound(seen, share, plan.claim.delta) > plan.claim.epsilon

        if not proves(high):
            rows.append((rate, math.inf))
            continue
        while high - low > 1e-3:
            middle = (low + high) / 2
            low, high = (low, middle) if proves(middle) else (middle, high)
        rows.append((rate, high))
    return tuple(rows)


def check(
    target: Any,
    values: Sequence[Any],
    *,
    epsilon: float,
    delta: float = 0.0,
    batch: bool | None = None,
    workers: int | None = None,
    call_seconds: float = 10.0,
    total_seconds: float = 600.0,
    **settings: Any,
) -> CheckResult:
    """Check a function, an object or a name such as `package.module:function` against a claim."""
    from ldp_auditor.adapters.callables import NamedTarget, ObjectTarget

    found: Target
    if isinstance(target, str):
        found, name = NamedTarget(target, batch), target
    elif hasattr(target, "open"):
        found, name = target, getattr(target, "name", repr(target))
    else:
        found = ObjectTarget(target, batch)
        name = getattr(target, "__qualname__", None) or type(target).__qualname__
    plan = CheckPlan(
        target=found,
        name=name,
        values=tuple(values),
        claim=Claim(epsilon, delta),
        limits=Limits(call_seconds, total_seconds),
        **settings,
    )
    require(workers is None or workers >= 1, f"workers must be at least 1, got workers={workers}")
    return run_check(plan, workers)


__all__ = ["AuditError", "CheckPlan", "CheckResult", "Finding", "check", "run_check"]
