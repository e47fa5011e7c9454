"""What a worker process does for a check: sample the target, count events, search the pilot.

Reports, and events that were found in them, leave the worker as bytes which only another worker
reads: they may be objects of foreign classes, and foreign code runs in workers only.
"""

import hashlib
import os
import pickle
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

import numpy as np

from ldp_auditor.adapters.callables import Function, find_object
from ldp_auditor.adapters.randomizer import Randomizer
from ldp_auditor.adapters.reports import require_reports, sent
from ldp_auditor.checks.search.finder import Candidate, Pilot, find_events
from ldp_auditor.checks.search.scores import can_learn
from ldp_auditor.core import Claim
from ldp_auditor.errors import require
from ldp_auditor.execution.contract import Ticker
from ldp_auditor.seeding import chunk_generator

AT_ONCE = 1000
"""Largest number of reports asked for in one call, of a target that makes many at once."""

PATIENCE = 10.0
"""A call for many reports may take this many times what earlier calls took per report."""


class Target(Protocol):
    """Something to check, as a value that can be sent to a worker process."""

    def open(self) -> Randomizer:
        """Make it ready to be sampled, in the process that will run it."""


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


@dataclass
class Sampled:
    """The outcome of a `Sampling`, an entry for every input."""

    states: list[tuple[str, ...]] = field(default_factory=list)
    """Digests of the states in which the global generators were left."""
    reports: list[bytes] = field(default_factory=list)
    counts: list[list[int]] = field(default_factory=list)
    """How often every event held."""
    digests: list[bytes] = field(default_factory=list)
    """Digests of all reports that were compared."""
    size: float = 0.0
    """Mean size of these in bytes."""


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
    claim: Claim
    values: tuple[Any, ...]
    most: int
    """Events that are chosen at most."""
    seed: int


@dataclass(frozen=True)
class ChosenEvent:
    """An event that is to be counted on fresh reports of two inputs."""

    words: str
    first: int
    second: int


@dataclass
class SamplingSession:
    """A target that is open in a worker."""

    randomizer: Any
    learns: bool
    """Whether a classifier proposes events; what this worker has decides, also on a cluster."""
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
        reports = [[r for chunk in chunks for r in pickle.loads(chunk)] for chunks in task.reports]
        supports = opened_supports if hasattr(self.randomizer, "supports") else None
        score = None if _OPEN["score"] is None else opened_score
        pilot = Pilot(reports, task.claim, task.values, supports, score)
        layout, candidates = find_events(pilot, task.most, self.learns, task.seed)
        found = pickle.dumps((layout, [c.event for c in candidates]))
        return found, chosen_events(candidates), self.learns

    def _time(self, task: Timing, tick: Ticker) -> float:
        started = time.perf_counter()
        made = 0
        while time.perf_counter() - started < task.seconds:
            made += len(list(self._reports(task.value, AT_ONCE, np.random.default_rng(made), tick)))
        tick.own_work("after it was timed")
        return made / (time.perf_counter() - started)

    def _sample(self, task: Sampling, tick: Ticker) -> Sampled:
        made = Sampled()
        for index, value in task.inputs:
            reports = self._reports(value, task.n, self._seeded(task, index), tick)
            if task.compare:
                self._compare(reports, value, tick, made)
            else:
                self._keep_or_count(list(reports), value, task, tick, made)
        made.size /= task.n * len(task.inputs)
        return made

    def _seeded(self, task: Sampling, index: int) -> np.random.Generator:
        """The generator of a task for an input, by which the global ones are seeded too."""
        rng = chunk_generator(task.seed, task.stream, index, task.chunk)
        random.seed(int(rng.integers(2**63)))
        np.random.seed(rng.integers(2**32, size=4))  # noqa: NPY002 (foreign code may draw from it)
        if hasattr(self.randomizer, "reseed"):
            self.randomizer.reseed(int(rng.integers(2**31)))
        return rng

    def _keep_or_count(
        self, reports: Sequence[Any], value: Any, task: Sampling, tick: Ticker, made: Sampled
    ) -> None:
        """Add the reports of an input, or the counts of the events that are asked for."""
        made.states.append(_states())
        tick.own_work(f"after {task.n} calls with value {value!r}")
        require_reports(reports, value)
        if task.found is None:
            made.reports.append(sent(reports, value))
            return
        if task.found not in self._found:
            self._found = {task.found: pickle.loads(task.found)}
        layout, events = self._found[task.found]
        table = layout.table(reports)
        made.counts.append([int(event.holds(reports, table).sum()) for event in events])

    def _compare(self, reports: Iterator[Any], value: Any, tick: Ticker, made: Sampled) -> None:
        """Look at reports one by one, and keep none: they may be large."""
        for i, report in enumerate(reports):
            tick.own_work(f"after call {i + 1} with value {value!r}")
            require_reports([report], value, i)
            packed = sent([report], value, i)
            made.size += len(packed)
            made.digests.append(hashlib.blake2b(packed, digest_size=12).digest())
        made.states.append(_states())

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
            expected = 0.0 if count == 1 else PATIENCE * self.pace * count
            tick(f"in {calls} with value {shown}", expected)
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


@dataclass(frozen=True)
class OpenTarget:
    """Opens a session for a target, in a worker."""

    target: Target | None
    score: Callable[[Any, Any, Any], float] | None = None
    learn: bool | None = None

    def __call__(self) -> SamplingSession:
        """Open it; raise before any report is made if this worker cannot learn as asked."""
        learns = can_learn(self.learn)
        assert self.target is not None  # recorded reports are not sampled
        opened = self.target.open()
        _OPEN.update(target=opened, score=self.score)
        return SamplingSession(opened, learns)


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
    if "sklearn" in sys.modules:
        _limit_threads()


@cache
def _limit_threads() -> Any:
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, user_api="openmp")


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
        return float(_score(self.name)(report, first, second))


_score = cache(find_object)
