"""Several objects of one target, side by side: what one said may bind what it says next.

A client that keeps its answer gives reports that look independent within one object; only other
objects tell. Each lives in a copy of the worker's process, in which nothing was called yet, so
that what a function or a class keeps is told as well.
"""

import contextlib
import os
import pickle
import select
import signal
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ldp_auditor.adapters.callables import ObjectTarget
from ldp_auditor.adapters.randomizer import Randomizer
from ldp_auditor.adapters.renewal import Fresh, Renewal, renewal_of
from ldp_auditor.adapters.reports import has_nan
from ldp_auditor.checks.dependence import Flips, Leaves, compare_objects, leaves_of
from ldp_auditor.execution.contract import Ticker
from ldp_auditor.seeding import chunk_generator, seed_globals

EACH = 16
"""Reports of every object and input."""

FRESH = 4
"""Fresh objects that are compared to see whether they are seeded with a constant."""

COPY_SECONDS = 5.0
"""How long a copy of the process may take; one that hangs ends the copying."""

ALL_SECONDS = 5.0
"""How long all objects may take together; then it is left at those that there are."""

MOST_BYTES = 2**22
"""Size up to which the reports of a copy are read."""


@dataclass(frozen=True)
class Probing:
    """A task: reports of several objects."""

    inputs: tuple[Any, ...]
    """Values of some inputs."""
    objects: int
    most: int
    """As many objects if each said the same all the time."""
    seed: int
    stream: int


@dataclass
class Probed:
    """The outcome of a `Probing`."""

    can_renew: bool
    """Whether fresh objects can be made."""
    flips: Flips = field(default_factory=Counter)
    reports: int = 0
    is_copied: bool = False
    """Whether objects repeat each other though an object does not repeat itself."""


def probe(task: Probing, target: Any, opened: Randomizer, tick: Ticker) -> Probed:
    """Compare objects of a target, two and two; `opened` was not called yet."""
    renew = renewal_of(target)
    outcome = Probed(renew is not None)
    if not isinstance(target, ObjectTarget):
        return outcome  # an adapter's objects hold public parameters, which may differ
    made: list[list[list[Leaves]]] = []
    one_answer = True
    for answers in _answers(task, renew, opened, tick):
        if any(has_nan(report) for reports in answers for report in reports):
            break  # it is not equal to itself; the calls that count will tell
        made.append([[leaves_of(report) for report in reports] for reports in answers])
        outcome.reports += sum(map(len, answers))
        one_answer &= all(reports[0] == r for reports in made[-1] for r in reports)
        if len(made) >= task.objects and not one_answer:
            break
    for first, second in zip(made[::2], made[1::2], strict=False):
        for one, other in zip(first, second, strict=True):
            compare_objects(one, other, outcome.flips)
    if renew is not None and isinstance(opened, Fresh):
        outcome.is_copied = _are_copies(renew, task, tick)
    return outcome


def _answers(
    task: Probing, renew: Renewal | None, opened: Randomizer, tick: Ticker
) -> Iterator[list[Sequence[Any]]]:
    """Reports of one object after the other, of every input."""
    began = time.monotonic()
    by_copies = hasattr(os, "fork")
    anew = None if isinstance(opened, Fresh) else renew
    for number in range(task.most):
        if time.monotonic() - began > ALL_SECONDS:
            return
        rng = chunk_generator(task.seed, task.stream, 0, number)
        seed_globals(rng)
        if by_copies:
            tick.own_work("while its process was copied")
            copied = _in_a_copy(opened, anew, task.inputs, rng)
            if copied is not None:
                yield copied
                continue
            by_copies = False
        if anew is None:
            return
        yield _made_here(anew, task.inputs, rng, number, tick)


def _made_here(
    renew: Renewal, values: Sequence[Any], rng: np.random.Generator, number: int, tick: Ticker
) -> list[Sequence[Any]]:
    """Answers of a fresh object in this process."""
    tick.first_call(f"in a call of object {number + 1}")
    one = renew(rng)
    answers = [one.sample(value, EACH, rng) for value in values]
    tick.own_work("while objects were compared")
    return answers


def _are_copies(renew: Renewal, task: Probing, tick: Ticker) -> bool:
    """Whether fresh objects repeat each other though an object does not repeat itself."""
    made = []
    for number in range(FRESH):
        rng = chunk_generator(task.seed, task.stream, 1, number)
        seed_globals(rng)
        answers = _made_here(renew, task.inputs, rng, number, tick)
        made.append([[leaves_of(report) for report in reports] for reports in answers])
    varies = any(reports[0] != r for reports in made[0] for r in reports)
    return varies and all(one == made[0] for one in made)


def _end() -> None:
    """End this process, whatever it is about to do."""
    os._exit(1)


def _one_report(one: Randomizer, value: Any, rng: np.random.Generator) -> Any:
    """A report that a copy asks for; a copy of the copy ends here, if it came about unseen."""
    process = os.getpid()
    (report,) = one.sample(value, 1, rng)
    if os.getpid() != process:
        _end()
    return report


def _in_a_copy(
    opened: Randomizer, renew: Renewal | None, values: Sequence[Any], rng: np.random.Generator
) -> list[Sequence[Any]] | None:
    """Answers of a copy of this process, which ends then; None if it cannot be had."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads
        child = os.fork()
    if child == 0:
        try:
            # A target that forks with every call would double with every call.
            os.register_at_fork(after_in_parent=_end, after_in_child=_end)
            one = opened if renew is None else renew(rng)
            answers = [[_one_report(one, value, rng) for _ in range(EACH)] for value in values]
            with open(writing, "wb") as pipe:
                pipe.write(pickle.dumps(answers))
        finally:
            os._exit(0)
    os.close(writing)
    try:
        data = b""
        while select.select([reading], [], [], COPY_SECONDS)[0]:
            part = os.read(reading, 2**16)
            data += part
            if not part or len(data) > MOST_BYTES:
                break
        return pickle.loads(data)  # type: ignore[no-any-return]
    except Exception:  # it hung, raised or ended: the calls that count will tell
        return None
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
