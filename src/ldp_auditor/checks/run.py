"""Check anybody's mechanism: find an event on pilot reports, prove it on fresh ones.

The target runs in worker processes only. The pilot looks at many events and pairs of inputs; the
few strongest are counted on fresh reports, and alpha is shared out over them, so that the verdict
on a correct mechanism is wrong with probability alpha at most, however hard the pilot looked.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ldp_auditor.checks.evidence import findings_of, result_of
from ldp_auditor.checks.plan import CheckPlan
from ldp_auditor.checks.sampling import ChosenEvent, OpenTarget, Sampled, Sampling, Searching
from ldp_auditor.errors import require
from ldp_auditor.execution.contract import Engine
from ldp_auditor.execution.engines import open_engine
from ldp_auditor.results.check_result import CheckResult, Finding
from ldp_auditor.seeding import stream_key

PILOT_BYTES = 2**28
"""Largest size of all pilot reports together."""

CHUNK = 5_000
"""Reports of all inputs that a worker makes in one task."""

CHUNK_BYTES = 2**25
"""Largest size of these reports together."""

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
        """Tasks that together make `n` reports of each of these inputs."""
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

    def prove(self, found: bytes, chosen: Sequence[ChosenEvent]) -> tuple[Finding, ...]:
        """Count the chosen events on fresh reports."""
        needed = sorted({i for event in chosen for i in (event.first, event.second)})
        trials = max(50, (self.plan.trials - self.reports) // len(needed))
        counts = np.zeros((len(self.plan.values), len(chosen)), np.int64)
        for _, outcome in self.sample(self.tasks(PROOF, needed, trials, found)):
            counts[needed] += np.array(outcome.counts)
        return findings_of(self.plan, chosen, counts, trials)


def run_check(
    plan: CheckPlan,
    engine: Engine | None = None,
    progress: Callable[[int], None] | None = None,
) -> CheckResult:
    """Carry out a check; `progress` is called with the number of reports made since its last call.

    Without an `engine` the target runs in processes of this machine.
    """
    started = time.perf_counter()
    opener = OpenTarget(plan.target, plan.score, plan.learn)
    stream = stream_key({"check": plan.plain_values, "claim": repr(plan.claim)})
    with open_engine(engine, isolated=True) as opened, opened.staying() as kept:
        run = _Run(plan, kept, opener, stream, progress)
        run.compare_workers()
        pilot_trials, reports = run.pilot()
        searching = Searching(reports, plan.claim, plan.values, plan.prove, plan.seed)
        # To its end, or its worker would end.
        [(_, (found, chosen, learned))] = kept.map(opener, [searching], limits=plan.limits)
        findings = run.prove(found, chosen) if chosen else ()
    return result_of(plan, findings, pilot_trials, run.reports, started, learned)
