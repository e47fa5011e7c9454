"""What a worker process does for a check: sample the target, count events, search reports.

Reports, and events that were found in them, leave the worker as bytes which only another worker
reads: they may be objects of foreign classes, and foreign code runs in workers only.
"""

import hashlib
import os
import pickle
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

import numpy as np

from ldp_auditor.adapters.callables import Function
from ldp_auditor.adapters.randomizer import Randomizer
from ldp_auditor.adapters.renewal import Fresh, renewal_of
from ldp_auditor.adapters.reports import gathered, require_reports, sent
from ldp_auditor.checks.bets import ChosenEvent
from ldp_auditor.checks.dependence import WATCHED_INPUTS, Flips
from ldp_auditor.checks.opened_functions import keep_open, opened_functions
from ldp_auditor.checks.probing import Probing, probe
from ldp_auditor.checks.search.events import Event
from ldp_auditor.checks.search.finder import Pilot
from ldp_auditor.checks.search.layout import Layout, tables
from ldp_auditor.checks.search.scores import can_learn
from ldp_auditor.checks.searching import search
from ldp_auditor.checks.watching import EVERY, SPARSE, Watch
from ldp_auditor.core import Claim, Floats
from ldp_auditor.errors import require
from ldp_auditor.execution.contract import Ticker
from ldp_auditor.seeding import chunk_generator, seed_globals

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
    found: tuple["Found", ...] = ()
    """Events to count."""
    keep: bool = False
    """Whether the reports are returned."""
    compare: bool = False
    """Whether digests of the reports are returned, to compare workers."""


@dataclass(frozen=True)
class Found:
    """Events that one search found, to be counted."""

    packed: bytes
    """All events of the search, with their layout."""
    places: tuple[int, ...]
    """Those to count."""

    def opened(self) -> tuple[Layout, tuple[Event, ...]]:
        """The events to count, and a layout of the columns that they read."""
        layout, events = pickle.loads(self.packed)
        counted = tuple(events[place] for place in self.places)
        return layout.only(column for event in counted for column in event.columns), counted


@dataclass
class Sampled:
    """The outcome of a `Sampling`, an entry for every input."""

    states: list[tuple[bytes, ...]] = field(default_factory=list)
    """What the global generators would have drawn next."""
    reports: list[bytes] = field(default_factory=list)
    counts: list[list[int]] = field(default_factory=list)
    """How often every event held."""
    digests: list[list[bytes]] = field(default_factory=list)
    """Digests of all reports that are compared."""
    size: float = 0.0
    """Mean size of a report in bytes, where they are returned or compared."""
    flips: Flips = field(default_factory=Counter)
    """How coins fell that are fair if calls are independent."""


@dataclass(frozen=True)
class Timing:
    """A task: how many reports are made in a second."""

    value: Any
    seconds: float
    """How long reports are made."""


@dataclass(frozen=True)
class Searching:
    """A task: find events in reports."""

    reports: tuple[tuple[bytes, ...], ...]
    """Chunks of every input."""
    claim: Claim
    values: tuple[Any, ...]
    seed: int
    distances: Floats | None = None
    """Of all pairs of values, if the claim is counted in them."""


@dataclass
class SamplingSession:
    """A target that is open in a worker."""

    target: Target
    randomizer: Any
    learns: bool
    """Whether a classifier proposes events; what this worker has decides, also on a cluster."""
    pace: float = 0.0
    """Seconds that a report took in the last call."""
    was_called: bool = False
    """Whether the target has returned from a call; the first one may import and compile."""
    _opened: dict["Found", Any] = field(default_factory=dict)
    """Events to count, with the columns that they read."""
    calls: int = 0
    """Reports that the target has made."""
    _watches: dict[int, Watch] = field(default_factory=dict)
    """The first calls with some inputs, in their order."""

    def run(self, task: Any, tick: Ticker) -> Any:
        """Carry out a task: sample and count, measure the speed, or search reports."""
        _use_one_thread()
        if isinstance(task, Searching):
            tick.own_work("while reports were searched")
            return self._search(task)
        if isinstance(task, Timing):
            return self._time(task, tick)
        if isinstance(task, Probing):
            return probe(task, self.target, self.randomizer, tick)
        return self._sample(task, tick)

    def _search(
        self, task: Searching
    ) -> tuple[bytes, tuple[ChosenEvent, ...], bool, tuple[str, ...]]:
        reports = [gathered(map(pickle.loads, chunks)) for chunks in task.reports]
        pilot = Pilot(reports, task.claim, task.values, *opened_functions(), task.distances)
        layout, events, chosen = search(pilot, self.learns, task.seed)
        return pickle.dumps((layout, events)), chosen, self.learns, layout.notes

    def _time(self, task: Timing, tick: Ticker) -> float:
        started = time.perf_counter()
        made = 0
        while time.perf_counter() - started < task.seconds:
            batches = self._batches(task.value, AT_ONCE, np.random.default_rng(made), tick)
            made += sum(map(len, batches))
        tick.own_work("after it was timed")
        return made / (time.perf_counter() - started)

    def _sample(self, task: Sampling, tick: Ticker) -> Sampled:
        made = Sampled()
        for index, value in task.inputs:
            batches = self._batches(value, task.n, self._seeded(task, index), tick)
            if task.compare:
                batches = self._digested(batches, value, tick, made)
            reports = gathered(batches)
            made.states.append(_states())
            tick.own_work(f"after {task.n} calls with value {value!r}")
            require_reports(reports, value)
            self._watch(task, index, reports, made.flips)
            self.calls += task.n
            if task.keep:
                made.reports.append(sent(reports, value))
            made.counts.append(self._counts(reports, task.found))
        total = sum(map(len, made.reports)) or made.size
        made.size = total / (task.n * len(task.inputs))
        return made

    def _watch(self, task: Sampling, index: int, reports: Sequence[Any], flips: Flips) -> None:
        """Watch the order of the first reports, and later of some in some tasks."""
        if index < WATCHED_INPUTS:
            if task.compare:  # by a worker that makes all of them, so they are in order
                watch = self._watches.setdefault(index, Watch(index))
                watch.add(reports, flips, self.calls)
            elif task.chunk % EVERY == 0:
                Watch(index).add(reports[:SPARSE], flips)

    def _seeded(self, task: Sampling, index: int) -> np.random.Generator:
        """The generator of a task for an input, by which the global ones are seeded too."""
        rng = chunk_generator(task.seed, task.stream, index, task.chunk)
        seed_globals(rng)
        if hasattr(self.randomizer, "reseed"):
            self.randomizer.reseed(int(rng.integers(2**31)))
        return rng

    def _counts(self, reports: Sequence[Any], found: Sequence[Found]) -> list[int]:
        """How often the events hold for these reports."""
        if self._opened.keys() != set(found):
            self._opened = {search: self._opened.get(search) or search.opened() for search in found}
        counts: list[int] = []
        opened = [self._opened[search] for search in found]
        made = tables([layout for layout, _ in opened], reports)
        for table, (_, events) in zip(made, opened, strict=True):
            holds = (event.holds(reports, table) for event in events)
            counts += [int(np.count_nonzero(held)) for held in holds]
        return counts

    def _digested(
        self, batches: Iterator[Sequence[Any]], value: Any, tick: Ticker, made: Sampled
    ) -> Iterator[Sequence[Any]]:
        """Look at reports one by one, before there are many: they may be large."""
        digests: list[bytes] = []
        made.digests.append(digests)
        for batch in batches:
            for report in batch:
                i = len(digests)
                tick.own_work(f"after call {i + 1} with value {value!r}")
                require_reports([report], value, i)
                packed = sent([report], value, i)
                made.size += len(packed)
                digests.append(hashlib.blake2b(packed, digest_size=12).digest())
            yield batch

    def _batches(
        self, value: Any, n: int, rng: np.random.Generator, tick: Ticker
    ) -> Iterator[Sequence[Any]]:
        """Call the target, telling the parent before every call.

        There are 1, 10, 100 and 1000 reports at once: the sizes are fixed, because they can change
        what is drawn, and the time that is allowed for a call that makes so many grows instead.
        """
        one_by_one = isinstance(self.randomizer, Function) and not self.randomizer.batch
        calls = self.randomizer.calls(value, rng) if one_by_one else None
        where = f"with value {value!r}"
        made, at_once = 0, 1
        while made < n:
            count = min(at_once, n - made)
            if calls is not None:
                yield self._called(calls, made, count, where, tick)
            else:
                yield self._made_at_once(value, made, count, rng, tick)
            made += count
            at_once = 1 if isinstance(self.randomizer, Fresh) else min(10 * at_once, AT_ONCE)

    def _called(
        self, calls: Iterator[Any], made: int, count: int, where: str, tick: Ticker
    ) -> list[Any]:
        """Reports of a target that makes one at a time; `made` of them came before."""
        reports = []
        if not self.was_called:
            tick.first_call(f"in call {made + 1} {where}")
            reports.append(next(calls))
            self.was_called = True
        done = len(reports)
        return reports + tick.take(calls, made + 1 + done, count - done, where)

    def _made_at_once(
        self, value: Any, made: int, count: int, rng: np.random.Generator, tick: Ticker
    ) -> Sequence[Any]:
        """Reports of a target that makes many in one call."""
        calls = f"call {made + 1}" if count == 1 else f"calls {made + 1} to {made + count}"
        where = f"in {calls} with value {value!r}"
        if self.was_called:
            tick(where, 0.0 if count == 1 else PATIENCE * self.pace * count)
        else:
            tick.first_call(where)
        started = time.perf_counter()
        batch: Sequence[Any] = self.randomizer.sample(value, count, rng)
        self.pace = (time.perf_counter() - started) / count
        self.was_called = True
        require(
            len(batch) == count,
            f"asked for {count} reports of {value!r}, the target returned {len(batch)}",
        )
        return batch


@dataclass(frozen=True)
class OpenTarget:
    """Opens a session for a target, in a worker."""

    target: Target | None
    score: Callable[[Any, Any, Any], float] | None = None
    learn: bool | None = None
    reports: int | None = None
    """Reports of each fresh object; None for one object that makes all reports."""

    def __call__(self) -> SamplingSession:
        """Open it; raise before any report is made if this worker cannot learn as asked."""
        learns = can_learn(self.learn)
        assert self.target is not None  # recorded reports are not sampled
        opened: Randomizer = self.target.open()
        if self.reports is not None:
            opened = Fresh(opened, renewal_of(self.target), self.reports)
        keep_open(opened, self.score)
        return SamplingSession(self.target, opened, learns)


def _states() -> tuple[bytes, ...]:
    """What the global generators would draw next, in place of their states."""
    return random.randbytes(16), np.random.bytes(16)  # noqa: NPY002


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
