"""What a worker does around calls of a target: time limits, and objects that are compared."""

from __future__ import annotations

import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ldp_auditor.adapters.callables import ObjectTarget
from ldp_auditor.checks import probing
from ldp_auditor.checks.dependence import Coin
from ldp_auditor.checks.probing import Probing, probe
from ldp_auditor.checks.sampling import OpenTarget, Sampling
from ldp_auditor.errors import AuditError
from ldp_auditor.execution import processes
from ldp_auditor.execution.contract import Job, Limits, Ticker, give_up
from ldp_auditor.execution.worker import Pulse, Writer


class Noted(Ticker):
    """Notes what is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def __call__(self, what: str, more: float = 0.0) -> None:
        """Note a call."""
        self.notes.append(f"call: {what}")

    def first_call(self, what: str) -> None:
        """Note the first call."""
        self.notes.append(f"first: {what}")

    def take(self, calls: Iterator[Any], first: int, count: int, where: str) -> list[Any]:
        """Note calls with their numbers."""
        self.notes += [f"call: in call {first + i} {where}" for i in range(count)]
        return super().take(calls, first, count, where)


def one_at_a_time(value: int) -> int:
    """A report."""
    return value


def many(value: int, n: int) -> list[int]:
    """Several reports."""
    return [value] * n


@pytest.mark.parametrize("target", [one_at_a_time, many])
def test_the_first_call_of_a_worker_alone_is_a_warm_up(target: Any) -> None:
    session = OpenTarget(ObjectTarget(target), learn=False)()
    tick = Noted()
    for chunk in range(2):
        session.run(Sampling(((0, 7), (1, 8)), 3, 1, 0, chunk), tick)
    calls = [note for note in tick.notes if "own" not in note]
    assert calls[0] == "first: in call 1 with value 7"
    assert len(calls) > 4
    assert all(note.startswith("call: in call") for note in calls[1:])


@pytest.mark.parametrize(
    ("is_first", "seconds", "ends"),
    [(True, 50, False), (True, 70, True), (False, 9, False), (False, 11, True)],
)
def test_a_warm_up_has_the_time_limit_of_opening(
    is_first: bool, seconds: float, ends: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulse = Pulse()
    tick = Writer(pulse)
    limits = Limits(call_seconds=10, open_seconds=60)
    opener: Any = None
    mapping = processes._Mapping(Job(opener, iter(()), limits, 1, give_up), processes._Stay(0.0))
    worker = processes._Worker(None, opener, pulse, opener)
    now = [1000.0]
    monkeypatch.setattr(processes, "time", SimpleNamespace(monotonic=lambda: now[0]))
    (tick.first_call if is_first else tick)("in call 1 with value 0")
    mapping._check_time(worker)
    now[0] += seconds
    if ends:
        with pytest.raises(AuditError, match=r"did not come back within .* in call 1 with value 0"):
            mapping._check_time(worker)
    else:
        mapping._check_time(worker)


class Keeping:
    """A client that keeps its answer."""

    def __init__(self) -> None:
        self.kept = random.random()

    def privatize(self, value: int) -> float:
        """The same as ever."""
        return self.kept


@pytest.mark.parametrize(("target", "compared"), [(Keeping, 4), (random.gauss, 0)])
def test_one_slow_copy_leaves_nothing_of_the_copies(
    target: Any, compared: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it does not matter when the clock stopped them; objects in turn need no clock."""
    copies: Iterator[Any] = iter([[[0.5] * 16] * 2] * 5 + [None])
    monkeypatch.setattr(probing, "_in_a_copy", lambda *_: next(copies))
    opened = ObjectTarget(target).open()
    task = Probing((0, 1), 24, 64, 0.01, 1, 2)
    outcome = probe(task, ObjectTarget(target), opened, Ticker())
    assert next(copies, "all were asked for") == "all were asked for"
    falls = sum(n for (coin, _), n in outcome.flips.items() if coin == Coin("objects"))
    assert falls == compared  # pairs of objects, of two inputs, until it is sure
    assert bool(outcome.note) == (compared == 0)


def drawing(value: int) -> Any:
    """What the global generators say."""
    return value, random.random(), float(np.random.random())  # noqa: NPY002


def test_copies_draw_what_the_seed_says() -> None:
    """Python seeds `random` from the system in every fork; which doubt comes up hung on that."""
    opened = ObjectTarget(drawing).open()
    made = [
        probing._in_a_copy(opened, None, (0, 1), np.random.default_rng(seed)) for seed in (1, 1, 2)
    ]
    assert made[0] is not None
    assert made[0] == made[1]
    assert made[0] != made[2]


def test_a_later_copy_may_take_longer_than_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one shows that calls do not hang; a machine that stands still is no answer."""
    seconds: list[float] = []

    def copied(*given: Any) -> Any:
        seconds.append(given[-1])
        return [[0.5] * 16]

    monkeypatch.setattr(probing, "_in_a_copy", copied)
    target = ObjectTarget(random.gauss)
    probe(Probing((0,), 4, 4, 0.01, 1, 2), target, target.open(), Ticker())
    assert seconds == [probing.COPY_SECONDS, *[probing.LATER_COPY_SECONDS] * (len(seconds) - 1)]
    assert len(seconds) > 2
    assert probing.LATER_COPY_SECONDS > 5 * probing.COPY_SECONDS


SHARED = random.Random(5)


class Sharing:
    def privatize(self, value: float) -> float:
        return value + SHARED.random()


@pytest.mark.parametrize("target", [Sharing, Sharing().privatize])
def test_a_generator_of_the_module_is_no_constant_seed(target: Any) -> None:
    """Copies of a process go on with the same state and say the same; calls are independent."""
    made = ObjectTarget(target)
    outcome = probe(Probing((0, 1), 24, 64, 0.01, 1, 2), made, made.open(), Ticker())
    assert not outcome.is_copied
    assert not outcome.flips
    assert not outcome.note
