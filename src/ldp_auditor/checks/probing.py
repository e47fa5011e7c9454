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
from ldp_auditor.checks.dependence import Doubts, Flips, Leaves, compare_objects, leaves_of
from ldp_auditor.execution.contract import Ticker
from ldp_auditor.seeding import chunk_generator, seed_globals

EACH = 16
"""Reports of every object and input."""

FRESH = 4
"""Fresh objects that are compared to see whether they are seeded with a constant."""

PROMISING = 0.6
"""Share of a coin's flips on one side with which more objects are compared, to be sure."""

MOST_PROMISING = 192
"""Objects that are compared at most while a coin promises something."""

COPY_SECONDS = 2.0
"""How long the first copy of the process may take. If it is slower, or hangs, copies tell nothing
at all, and the result says so."""

LATER_COPY_SECONDS = 20.0
"""How long each later one may take: it does what the first one did, so only a machine that stands
still makes it slower, and that must not decide what is found. If one is slower even so, what all
said is dropped."""

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
    alpha: float
    seed: int
    stream: int


@dataclass
class Probed:
    """The outcome of a `Probing`."""

    can_renew: bool
    """Whether fresh objects can be made."""
    flips: Flips = field(default_factory=Counter)
    is_copied: bool = False
    """Whether objects repeat each other though an object does not repeat itself."""
    note: str = ""
    """Why objects were not compared, if they were not."""


def probe(task: Probing, target: Any, opened: Randomizer, tick: Ticker) -> Probed:
    """Compare objects of a target, two and two; `opened` was not called yet."""
    renew = renewal_of(target)
    outcome = Probed(renew is not None)
    if not isinstance(target, ObjectTarget):
        return outcome  # an adapter's objects hold public parameters, which may differ
    anew = None if isinstance(opened, Fresh) else renew
    told = hasattr(os, "fork") and _compare(task, _copied(task, anew, opened, tick), outcome)
    if not told and anew is not None:
        told = _compare(task, _made_in_turn(task, anew, tick), outcome)
    if not told:
        outcome.note = "Objects were not compared: their calls fail or take long in a copy."
    if renew is not None and isinstance(opened, Fresh):
        outcome.is_copied = _are_copies(renew, task, tick)
    return outcome


def _compare(
    task: Probing, answers_of_objects: Iterator[list[Sequence[Any]] | None], outcome: Probed
) -> bool:
    """Compare as many objects as are needed, two and two; False if one gave no answers."""
    flips: Flips = Counter()
    doubts = Doubts(task.alpha, len(task.inputs))
    before: list[list[Leaves]] = []
    one_answer = True
    for number, answers in enumerate(answers_of_objects, 1):
        if answers is None:
            return False
        if any(has_nan(report) for reports in answers for report in reports):
            return True  # it is not equal to itself; the calls that count will tell
        made = [[leaves_of(report) for report in reports] for reports in answers]
        one_answer &= all(reports[0] == r for reports in made for r in reports)
        if number % 2:
            before = made
            continue
        fell: Flips = Counter()
        for one, other in zip(before, made, strict=True):
            compare_objects(one, other, fell)
        flips.update(fell)
        if doubts.add(fell):
            break
        if number >= (task.most if one_answer else task.objects) and not _is_promising(flips):
            break
    outcome.flips.update(flips)
    return True


def _is_promising(flips: Flips) -> bool:
    """Whether some coin may turn out to be unfair, if it is thrown more often."""
    return any(
        flips[coin, True] >= PROMISING * (flips[coin, True] + flips[coin, False])
        for coin in {coin for coin, _ in flips}
    )


def _copied(
    task: Probing, renew: Renewal | None, opened: Randomizer, tick: Ticker
) -> Iterator[list[Sequence[Any]] | None]:
    """Reports of every input, by one copy of this process after the other."""
    for number in range(max(task.most, MOST_PROMISING)):
        rng = chunk_generator(task.seed, task.stream, 0, number)
        seconds = LATER_COPY_SECONDS if number else COPY_SECONDS
        tick.own_work("while its process was copied")
        yield _in_a_copy(opened, renew, task.inputs, rng, seconds)


def _made_in_turn(task: Probing, renew: Renewal, tick: Ticker) -> Iterator[list[Sequence[Any]]]:
    """Reports of every input, by one fresh object of this process after the other."""
    for number in range(max(task.most, MOST_PROMISING)):
        rng = chunk_generator(task.seed, task.stream, 0, number)
        seed_globals(rng)
        yield _made_here(renew, task.inputs, rng, number, tick)


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
    opened: Randomizer,
    renew: Renewal | None,
    values: Sequence[Any],
    rng: np.random.Generator,
    seconds: float = COPY_SECONDS,
) -> list[Sequence[Any]] | None:
    """Answers of a copy of this process, which ends then; None if they are not there in time."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads
        child = os.fork()
    if child == 0:
        try:
            # A target that forks with every call would double with every call.
            os.register_at_fork(after_in_parent=_end, after_in_child=_end)
            seed_globals(rng)  # here: Python seeds `random` anew in every copy, from the system
            one = opened if renew is None else renew(rng)
            answers = [[_one_report(one, value, rng) for _ in range(EACH)] for value in values]
            with open(writing, "wb") as pipe:
                pipe.write(pickle.dumps(answers))
        finally:
            os._exit(0)
    os.close(writing)
    try:
        data, ends = b"", time.monotonic() + seconds
        while select.select([reading], [], [], max(0.0, ends - time.monotonic()))[0]:
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
