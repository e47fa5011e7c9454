"""What a worker process does for a check: sample the target, count events, search the pilot.

Reports, and events that were found in them, leave the worker as bytes which only another worker
reads: they may be objects of foreign classes, and foreign code runs in workers only.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from ldp_auditor.adapters.callables import Function, find_object
from ldp_auditor.adapters.randomizer import Randomizer
from ldp_auditor.adapters.reports import require_reports, sent
from ldp_auditor.checks.search.finder import Candidate, Pilot, find_events
from ldp_auditor.checks.search.scores import can_learn
from ldp_auditor.errors import require
from ldp_auditor.execution.serving import Ticker
from ldp_auditor.seeding import chunk_generator

AT_ONCE = 1000
"""Largest number of reports asked for in one call, of a target that makes many at once."""

PATIENCE = 10.0
"""A call for many reports may take this many times what earlier calls took per report."""


class Target(Protocol):
    """Something to check, as a value that can be sent to a worker process."""

    def open(self) -> Randomizer:
        """Make it ready to be sampled, in the process that will run it."""
        ...


@dataclass(frozen=True)
class Sampling:
    """A task: `n` reports of each of some inputs.

    One worker makes the reports of all inputs, so that nothing that differs between workers can
    look like a difference between inputs.
    """

    inputs: tuple[tuple[int, Any], ...]
    """Numbers of the inputs, and their values."""
    n: int
    seed: int
    stream: int
    chunk: int
    found: bytes | None = None
    """Events to count, with their layout; without any, the reports are returned."""
    compare: bool = False
    """Whether only digests of the reports are returned, to compare workers."""


@dataclass(frozen=True)
class Sampled:
    """The outcome of a `Sampling`, a row for every input."""

    states: tuple[tuple[str, ...], ...]
    """Digests of the states in which the global generators were left."""
    reports: tuple[bytes, ...] = ()
    counts: tuple[tuple[int, ...], ...] = ()
    digests: tuple[bytes, ...] = ()
    """Digests of all reports of all inputs."""
    size: float = 0.0
    """Mean size of a report that was compared, in bytes."""


@dataclass(frozen=True)
class Timing:
    """A task: how many reports are made in a second."""

    value: Any
    seconds: float
    """How long reports are made."""


@dataclass(frozen=True)
class Searching:
    """A task: find events in pilot reports."""

    reports: tuple[tuple[bytes, ...], ...]
    """Chunks of every input."""
    pilot: Pilot
    """Claim, values and score; the reports are filled in by the worker."""
    most: int
    learn: bool | None
    seed: int


@dataclass(frozen=True)
class ChosenEvent:
    """An event that is to be counted on fresh reports of two inputs."""

    words: str
    first: int
    second: int


@dataclass(frozen=True)
class OpenTarget:
    """Opens a session for a target, in a worker."""

    target: Target
    score: Callable[[Any, Any, Any], float] | None = None

    def __call__(self) -> SamplingSession:
        """Open the target in this process."""
        opened = self.target.open()
        _OPEN.update(target=opened, score=self.score)
        return SamplingSession(opened)


@dataclass
class SamplingSession:
    """A target that is open in a worker."""

    randomizer: Any
    pace: float = 0.0
    """Seconds that a report took in the last call."""
    _found: dict[bytes, Any] = field(default_factory=dict)

    def run(self, task: Any, tick: Ticker) -> Any:
        """Carry out a task: sample and count, measure the speed, or search the pilot."""
        _use_one_thread()
        if isinstance(task, Searching):
            tick.own_work("while the pilot was searched")
            return self._search(task)
        if isinstance(task, Timing):
            return self._time(task, tick)
        return self._sample(task, tick)

    def _search(self, task: Searching) -> tuple[bytes, tuple[ChosenEvent, ...], bool]:
        learn = can_learn(task.learn)  # what this worker has decides, also on a cluster
        reports = [[r for chunk in chunks for r in pickle.loads(chunk)] for chunks in task.reports]
        pilot = replace(task.pilot, reports=reports)
        if hasattr(self.randomizer, "supports"):
            pilot = replace(pilot, supports=opened_supports)
        if _OPEN["score"] is not None:
            pilot = replace(pilot, score=opened_score)
        layout, candidates = find_events(pilot, task.most, learn, task.seed)
        return (
            pickle.dumps((layout, [c.event for c in candidates])),
            chosen_events(candidates),
            learn,
        )

    def _time(self, task: Timing, tick: Ticker) -> float:
        started = time.perf_counter()
        made = 0
        while time.perf_counter() - started < task.seconds:
            made += len(list(self._reports(task.value, AT_ONCE, np.random.default_rng(made), tick)))
        tick.own_work("after it was timed")
        return made / (time.perf_counter() - started)

    def _sample(self, task: Sampling, tick: Ticker) -> Sampled:
        outcomes = [self._sample_one(task, index, value, tick) for index, value in task.inputs]
        digests = tuple(digest for outcome in outcomes for digest in outcome.digests)
        return Sampled(
            states=tuple(state for outcome in outcomes for state in outcome.states),
            reports=tuple(packed for outcome in outcomes for packed in outcome.reports),
            counts=tuple(row for outcome in outcomes for row in outcome.counts),
            digests=digests,
            size=sum(outcome.size for outcome in outcomes) / len(outcomes),
        )

    def _sample_one(self, task: Sampling, index: int, value: Any, tick: Ticker) -> Sampled:
        """Sample one input."""
        rng = chunk_generator(task.seed, task.stream, index, task.chunk)
        random.seed(int(rng.integers(2**63)))
        np.random.seed(rng.integers(2**32, size=4))  # noqa: NPY002 (foreign code may draw from it)
        if hasattr(self.randomizer, "reseed"):
            self.randomizer.reseed(int(rng.integers(2**31)))
        if task.compare:
            return self._compare(task, value, rng, tick)
        reports = list(self._reports(value, task.n, rng, tick))
        states = (_states(),)
        tick.own_work(f"after {task.n} calls with value {value!r}")
        require_reports(reports, value)
        if task.found is None:
            return Sampled(states, reports=(sent(reports, value),))
        if task.found not in self._found:
            self._found = {task.found: pickle.loads(task.found)}
        layout, events = self._found[task.found]
        table = layout.table(reports)
        held = tuple(int(event.holds(reports, table).sum()) for event in events)
        return Sampled(states, counts=(held,))

    def _compare(
        self, task: Sampling, value: Any, rng: np.random.Generator, tick: Ticker
    ) -> Sampled:
        """Look at reports one by one, and keep none: they may be large."""
        digests = []
        size = 0
        for i, report in enumerate(self._reports(value, task.n, rng, tick)):
            tick.own_work(f"after call {i + 1} with value {value!r}")
            require_reports([report], value, i)
            packed = sent([report], value, i)
            size += len(packed)
            digests.append(hashlib.blake2b(packed, digest_size=12).digest())
        return Sampled((_states(),), digests=tuple(digests), size=size / task.n)

    def _reports(self, value: Any, n: int, rng: np.random.Generator, tick: Ticker) -> Iterator[Any]:
        """Call the target, telling the parent before every call.

        Targets that make many reports at once are asked for 1, 10, 100 and 1000: the sizes are
        fixed, because they can change what is drawn, and the time that is allowed grows instead.
        """
        alone = isinstance(self.randomizer, Function) and not self.randomizer.batch
        shown = repr(value)
        made, at_once = 0, 1
        while made < n:
            count = min(at_once, n - made)
            calls = f"call {made + 1}" if count == 1 else f"calls {made + 1} to {made + count}"
            tick(f"in {calls} with value {shown}", 0.0 if alone else self._expected(count))
            started = time.perf_counter()
            reports = self.randomizer.sample(value, count, rng)
            self.pace = (time.perf_counter() - started) / count
            require(
                len(reports) == count,
                f"asked for {count} reports of {value!r}, the target returned {len(reports)}",
            )
            yield from reports
            made += count
            at_once = 1 if alone else min(10 * at_once, AT_ONCE)

    def _expected(self, count: int) -> float:
        return 0.0 if count == 1 else PATIENCE * self.pace * count


def chosen_events(candidates: Sequence[Candidate]) -> tuple[ChosenEvent, ...]:
    """The candidates in words, with their inputs, for processes that must not run foreign code."""
    return tuple(ChosenEvent(c.event.words, c.first, c.second) for c in candidates)


def _states() -> tuple[str, ...]:
    """Digests of the states of the global generators."""
    states = (random.getstate(), np.random.get_state())  # noqa: NPY002
    return tuple(hashlib.sha256(pickle.dumps(state)).hexdigest() for state in states)


def _use_one_thread() -> None:
    """Keep scikit-learn from starting threads: there is a worker for every core already.

    A worker that was forked from a process which used them would wait for ever.
    """
    os.environ["OMP_NUM_THREADS"] = "1"
    if "sklearn" in sys.modules and not _ONE_THREAD:
        from threadpoolctl import threadpool_limits

        _ONE_THREAD.append(threadpool_limits(1, user_api="openmp"))


_ONE_THREAD: list[Any] = []


_OPEN: dict[str, Any] = {}
"""The target and the user's score that this process has opened: events that come from another
process use these."""


def opened_supports(report: Any, value: Any) -> bool:
    """Whether a report supports a value, by the target that this process has opened."""
    return bool(_OPEN["target"].supports(report, value))


def opened_score(report: Any, first: Any, second: Any) -> float:
    """The user's score of a report, from the function that this process has opened."""
    return float(_OPEN["score"](report, first, second))


@dataclass(frozen=True)
class NamedScore:
    """A user's score, `package.module:function` of (report, first, second)."""

    name: str

    def __call__(self, report: Any, first: Any, second: Any) -> float:
        """Score a report."""
        if self.name not in _SCORES:
            _SCORES[self.name] = find_object(self.name)
        return float(_SCORES[self.name](report, first, second))


_SCORES: dict[str, Any] = {}
