"""What a worker process does for a check: sample the target, count events, search the pilot."""

from __future__ import annotations

import hashlib
import math
import pickle
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ldp_auditor.adapters.callables import Function, find_object
from ldp_auditor.adapters.randomizer import Randomizer
from ldp_auditor.errors import require
from ldp_auditor.execution.processes import Ticker
from ldp_auditor.search.events import Event
from ldp_auditor.search.finder import Pilot, find_events
from ldp_auditor.search.layout import Layout
from ldp_auditor.seeding import chunk_generator


class Target(Protocol):
    """Something to check, as a value that can be sent to a worker process."""

    def open(self) -> Randomizer:
        """Make it ready to be sampled, in the process that will run it."""
        ...


@dataclass(frozen=True)
class Sampling:
    """A task: so many reports of a value, to be returned, or counted."""

    index: int
    value: Any
    n: int
    seed: int
    stream: int
    chunk: int
    layout: Layout | None = None
    events: tuple[Event, ...] = ()


@dataclass(frozen=True)
class Searching:
    """A task: find events in pilot reports."""

    pilot: Pilot
    most: int
    learn: bool
    seed: int
    seconds: float = 600.0
    """Time that it may take."""


@dataclass(frozen=True)
class OpenTarget:
    """Opens a session for a target, in a worker."""

    target: Target

    def __call__(self) -> SamplingSession:
        """Open it."""
        return SamplingSession(self.target, self.target.open())


@dataclass
class SamplingSession:
    """A target that is open in a worker."""

    target: Target
    randomizer: Any

    def run(self, task: Any, tick: Ticker) -> Any:
        """Sample, count or search."""
        if isinstance(task, Searching):
            pilot = task.pilot
            if hasattr(self.randomizer, "supports"):
                pilot = replace(pilot, supports=SupportsOf(self.target))
            return find_events(pilot, task.most, task.learn, task.seed)
        rng = chunk_generator(task.seed, task.stream, task.index, task.chunk)
        random.seed(int(rng.integers(2**63)))
        np.random.seed(rng.integers(2**32, size=4))  # noqa: NPY002 (foreign code may draw from it)
        if hasattr(self.randomizer, "reseed"):
            self.randomizer.reseed(int(rng.integers(2**31)))
        reports = list(self._sample(task, rng, tick))
        for i, report in enumerate(reports):
            require(
                report is not None and not (isinstance(report, float) and math.isnan(report)),
                f"the target returned {report!r} for value {task.value!r} (report {i + 1})",
            )
        states = (random.getstate(), np.random.get_state())  # noqa: NPY002
        digest = tuple(hashlib.sha256(pickle.dumps(state)).hexdigest() for state in states)
        if task.layout is None:
            return reports, digest
        matrix = task.layout.matrix(reports)
        return [int(event.holds(reports, matrix).sum()) for event in task.events], digest

    def _sample(self, task: Sampling, rng: np.random.Generator, tick: Ticker) -> Iterator[Any]:
        """Call the target, telling the parent before every call."""
        at_once = 1 if isinstance(self.randomizer, Function) and not self.randomizer.batch else 1000
        for start in range(0, task.n, at_once):
            count = min(at_once, task.n - start)
            calls = f"call {start + 1}" if count == 1 else f"calls {start + 1} to {start + count}"
            tick(f"in {calls} with value {task.value!r}")
            made = self.randomizer.sample(task.value, count, rng)
            require(
                len(made) == count,
                f"asked for {count} reports of {task.value!r}, the target returned {len(made)}",
            )
            yield from made


@dataclass(frozen=True)
class SupportsOf:
    """The target's own `supports`, found in whichever process asks."""

    target: Target

    def __call__(self, report: Any, value: Any) -> bool:
        """Ask it."""
        if "opened" not in _OPEN:
            _OPEN["opened"] = self.target.open()
        return bool(_OPEN["opened"].supports(report, value))


_OPEN: dict[str, Any] = {}
"""The target of this process, opened a second time for its `supports`."""


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
