"""Check anybody's mechanism: find an event on pilot reports, prove it on fresh ones.

The target runs in worker processes only. The pilot looks at many events and pairs of inputs; the
few strongest are counted on fresh reports, and alpha is shared out over them, so that the verdict
on a correct mechanism is wrong with probability alpha at most, however hard the pilot looked.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ldp_auditor.adapters import named_target
from ldp_auditor.adapters.callables import ObjectTarget
from ldp_auditor.adapters.randomizer import Randomizer
from ldp_auditor.core import Claim
from ldp_auditor.errors import AuditError, describe, number, require, whole_number
from ldp_auditor.execution.contract import Engine, Limits
from ldp_auditor.execution.engines import open_engine
from ldp_auditor.proving import MOST_PILOT, TRIALS, CheckPlan, findings_of, result_of
from ldp_auditor.results.check_result import CheckResult, Finding
from ldp_auditor.sampling import (
    OpenTarget,
    Proposed,
    Sampled,
    Sampling,
    Searching,
    Target,
    Timing,
    proposals,
)
from ldp_auditor.search.finder import Pilot, find_events
from ldp_auditor.search.scores import can_learn
from ldp_auditor.seeding import chunk_generator, random_order, stream_key

__all__ = [
    "AuditError",
    "CheckPlan",
    "CheckResult",
    "Finding",
    "check",
    "check_recorded",
    "run_check",
]

PILOT_BYTES = 2**28
"""Size of all pilot reports at most."""

CHUNK = 5_000
"""Reports of all inputs that a worker makes in one task."""

CHUNK_BYTES = 2**25
"""Size of these at most."""

LADDER = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
"""Numbers of trials that a budget in seconds can come to."""

PILOT, PROOF, GREETING = range(3)
"""Streams of random numbers for pilot reports, counted ones, and the comparison of workers."""


@dataclass
class _Run:
    """A check that is under way."""

    plan: CheckPlan
    engine: Engine
    opener: OpenTarget
    stream: int
    progress: Callable[[int], None] | None
    states: set[str] = field(default_factory=set)
    """Digests of the states in which chunks left the global generators."""
    reports: int = 0
    """Reports that were made so far."""
    size: float = 1.0
    """Mean size of a report in bytes."""

    def sample(
        self, tasks: Iterator[Sampling], engine: Engine | None = None
    ) -> Iterator[tuple[Sampling, Sampled]]:
        """Carry out tasks; raise if two chunks leave a global generator in the same state."""
        engine = engine or self.engine
        for task, outcome in engine.map(self.opener, tasks, limits=self.plan.limits):
            for (_, value), states in zip(task.inputs, outcome.states, strict=True):
                require(
                    not self.states.intersection(states),
                    f"the target reseeds the global random state with a constant (seen with value "
                    f"{value!r}), so that reports repeat; take that call out",
                )
                self.states.update(states)
            made = task.n * len(task.inputs)
            self.reports += made
            if self.progress is not None:
                self.progress(made)
            yield task, outcome

    def compare_workers(self) -> None:
        """Raise if two workers make the same reports though they have different seeds."""
        plan = self.plan
        first = ((0, plan.values[0]),)
        tasks = [
            Sampling(first, plan.handshake, plan.seed, self.stream + GREETING, i, compare=True)
            for i in range(2)
        ]
        outcomes = []
        if not self.engine.separates:  # two processes, one after the other
            with self.engine.staying() as another:
                outcomes = [o for _, o in self.sample(iter([tasks.pop()]), another)]
        outcomes += [outcome for _, outcome in self.sample(iter(tasks))]
        self.size = max(outcome.size for outcome in outcomes)
        seen = [outcome.digests for outcome in outcomes]
        shares = [count / plan.handshake for count in Counter(seen[0]).values()]
        coincidence = sum(share**2 for share in shares) ** plan.handshake
        require(
            not (seen[0] == seen[1] and coincidence < 1e-9),
            "two worker processes made exactly the same reports: the target's generator is seeded "
            "with a constant or copied, so that reports would repeat; give it a parameter rng or "
            "seed, or let it draw its seed from the system",
        )

    def tasks(
        self, stream: int, indices: Sequence[int], n: int, found: bytes | None = None
    ) -> Iterator[Sampling]:
        """Share out `n` reports of each of these inputs."""
        inputs = tuple((index, self.plan.values[index]) for index in indices)
        at_once = max(50, CHUNK // len(inputs))
        at_once = max(1, min(at_once, int(CHUNK_BYTES / (self.size * len(inputs)))))
        for chunk, start in enumerate(range(0, n, at_once)):
            count = min(at_once, n - start)
            yield Sampling(inputs, count, self.plan.seed, self.stream + stream, chunk, found)

    def pilot(self) -> tuple[int, tuple[tuple[bytes, ...], ...]]:
        """Draw pilot reports of every input, in chunks."""
        indices = range(len(self.plan.values))
        fitting = int(PILOT_BYTES / (self.size * len(indices)))
        trials = min(self.plan.pilot_trials, max(50, fitting))
        chunks = {
            task.chunk: outcome.reports
            for task, outcome in self.sample(self.tasks(PILOT, indices, trials))
        }
        in_order = [chunks[chunk] for chunk in sorted(chunks)]
        return trials, tuple(zip(*in_order, strict=True))

    def prove(self, found: bytes, proposed: Sequence[Proposed]) -> tuple[Finding, ...]:
        """Count the chosen events on fresh reports."""
        needed = sorted({i for event in proposed for i in (event.first, event.second)})
        trials = max(50, (self.plan.trials - self.reports) // len(needed))
        counts = np.zeros((len(self.plan.values), len(proposed)), np.int64)
        for _, outcome in self.sample(self.tasks(PROOF, needed, trials, found)):
            counts[needed] += np.array(outcome.counts)
        return findings_of(self.plan, proposed, counts, trials)


def run_check(
    plan: CheckPlan,
    engine: Engine | None = None,
    progress: Callable[[int], None] | None = None,
) -> CheckResult:
    """Carry out a check; `progress` hears how many reports were made since the last call."""
    started = time.perf_counter()
    opener = OpenTarget(plan.target, plan.score, plan.learn)
    stream = stream_key({"check": _named(plan.values), "claim": repr(plan.claim)})
    with open_engine(engine, isolated=True) as opened, opened.staying() as kept:
        run = _Run(plan, kept, opener, stream, progress)
        run.compare_workers()
        pilot_trials, reports = run.pilot()
        pilot = Pilot((), plan.claim, plan.values)
        searching = Searching(reports, pilot, plan.prove, plan.learn, plan.seed)
        # To its end, or its worker would end.
        [(_, (found, proposed, learned))] = kept.map(opener, [searching], limits=plan.limits)
        findings = run.prove(found, proposed) if proposed else ()
    return result_of(plan, findings, pilot_trials, run.reports, started, learned)


def check_recorded(
    name: str,
    reports: Mapping[Any, Sequence[Any]] | Sequence[tuple[Any, Sequence[Any]]],
    *,
    supports: Callable[[Any, Any], bool] | None = None,
    **settings: Any,
) -> CheckResult:
    """Check reports that were collected elsewhere: half of them find events, half prove them.

    Which half a report is in is drawn at random, because files may be sorted. An input with more
    reports than another is proven on as many as the other has.
    """
    started = time.perf_counter()
    pairs = list(reports.items() if isinstance(reports, Mapping) else reports)
    values = tuple(value for value, _ in pairs)
    plan = CheckPlan(
        target=Recorded(), name=name, values=values, **{"trials": 100 * len(values), **settings}
    )
    rng = chunk_generator(plan.seed, stream_key({"recorded": _named(values)}), 0, 0)
    learned = can_learn(plan.learn)
    halves: list[tuple[list[Any], list[Any]]] = []
    for value, made in pairs:
        require(
            len(made) >= 50,
            f"every value needs 50 recorded reports at least, got {len(made)} of {value!r}",
        )
        shuffled = [made[i] for i in random_order(rng, len(made))]
        middle = len(made) // 2
        halves.append((shuffled[:middle][:MOST_PILOT], shuffled[middle:]))
    pilot = Pilot([a for a, _ in halves], plan.claim, values, supports, plan.score)
    trials = min(len(b) for _, b in halves)
    try:
        layout, candidates = find_events(pilot, plan.prove, learned, plan.seed)
        counts = np.zeros((len(values), len(candidates)), np.int64)
        for i, (_, fresh) in enumerate(halves if candidates else []):
            matrix = layout.matrix(fresh[:trials])
            counts[i] = [c.event.holds(fresh[:trials], matrix).sum() for c in candidates]
    except AuditError:
        raise
    except Exception as error:  # they may be anything
        raise AuditError(
            f"the reports of {name} cannot be looked into: {describe(error)}"
        ) from error
    findings = findings_of(plan, proposals(candidates), counts, trials)
    total = sum(len(made) for _, made in pairs)
    return result_of(plan, findings, min(len(a) for a, _ in halves), total, started, learned)


def _named(values: Sequence[Any]) -> list[Any]:
    """What a random stream is named by: the inputs, not how the target or a file was spelled."""
    return [value.item() if isinstance(value, np.generic) else value for value in values]


@dataclass(frozen=True)
class Recorded:
    """Stands where a target would, for reports that have none."""

    def open(self) -> Randomizer:
        """Raise: there is nothing to sample."""
        raise AuditError("recorded reports have no mechanism to sample")


def check(
    target: Any,
    values: Sequence[Any],
    *,
    epsilon: float,
    delta: float = 0.0,
    trials: int | None = None,
    seconds: float | None = None,
    batch: bool | None = None,
    domain_size: int | None = None,
    options: Mapping[str, Any] | None = None,
    workers: int | None = None,
    engine: str | Engine | None = None,
    address: str | None = None,
    call_seconds: float = 10.0,
    total_seconds: float = 600.0,
    open_seconds: float = 60.0,
    **settings: Any,
) -> CheckResult:
    """Check a function, an object or a name such as `package.module:function` against a claim.

    A name may be that of an adapter, such as "pure-ldp:OUE": then `options` are its own, and
    `domain_size` is the number of its values, if `values` are not all of them.
    The budget is a number of reports (`trials`, 200,000 by default) or about so many `seconds`.
    `engine` is "processes", "ray" (with the `address` of a cluster, or a local one), or what
    `open_engine` opened; it does not change the counts.
    """
    values = tuple(values)
    claim = Claim(epsilon, delta)
    size = len(values) if domain_size is None else whole_number("domain_size", domain_size, 2)
    found: Target
    if isinstance(target, str):
        found, name = named_target(target, claim, size, options or {}, batch), target
    else:
        require(not options, "options are for adapters, such as pure-ldp:OUE")
        found, name = _target_of(target, batch)
    limits = Limits(call_seconds, total_seconds, open_seconds)
    require(trials is None or seconds is None, "give a budget in trials or in seconds, not both")
    if seconds is not None:
        require(
            number("seconds", seconds) > 0, f"seconds must be positive, got seconds={seconds:g}"
        )
    plan = CheckPlan(
        target=found,
        name=name,
        values=values,
        claim=claim,
        trials=TRIALS if trials is None else trials,
        limits=limits,
        **settings,
    )
    named = [target.partition(":")[0]] if isinstance(target, str) else []
    with open_engine(engine, workers, address, isolated=True, modules=named, needs=found) as opened:
        if seconds is not None:
            plan = replace(plan, trials=trials_within(seconds, plan, opened))
        result = run_check(plan, opened)
    given = {
        "epsilon": epsilon,
        "delta": delta,
        "batch": batch,
        "trials": plan.trials,
        "alpha": plan.alpha,
        "seed": plan.seed,
        "learn": result.learned,
        **settings,
        "domain_size": domain_size,
        "options": options,
    }
    shown = [name if not isinstance(target, str) else repr(target), repr(list(values))]
    shown += [
        f"{key}={getattr(value, '__qualname__', repr(value))}"  # a score is a function
        for key, value in given.items()
        if value is not None
    ]
    return replace(result, repeat=f"check({', '.join(shown)})")


def _target_of(target: Any, batch: bool | None) -> tuple[Target, str]:
    """The target as something that can be opened, and what reports call it."""
    if hasattr(target, "open"):
        name = getattr(target, "name", None) or repr(target)
        return target, re.sub(r" at 0x[0-9a-f]+", "", str(name))  # the same in every run
    name = getattr(target, "__qualname__", None) or type(target).__qualname__
    return ObjectTarget(target, batch), name


def trials_within(seconds: float, plan: CheckPlan, engine: Engine) -> int:
    """Return the number of reports that fit into so many seconds, as a power of ten.

    The speed is measured; the ladder is that coarse so that the same machine comes to the same
    number again.
    """
    timing = Timing(plan.values[0], min(1.0, seconds / 20))
    [(_, speed)] = engine.map(OpenTarget(plan.target), [timing], limits=plan.limits)
    fitting = [trials for trials in LADDER if trials <= speed * engine.workers * seconds / 2]
    return max(LADDER[0], 100 * len(plan.values), *fitting)
