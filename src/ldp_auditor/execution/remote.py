"""What a worker of a Ray cluster runs; it answers with values, never with exceptions."""

from __future__ import annotations

import contextlib
import math
import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ldp_auditor.errors import AuditError
from ldp_auditor.execution.processes import Limits, ProcessEngine, Session, Ticker
from ldp_auditor.execution.serving import told
from ldp_auditor.execution.threads import ThreadEngine


@dataclass(frozen=True)
class Answer:
    """The outcome of a task, or why there is none."""

    outcome: Any = None
    failed: str | None = None
    seconds: float = 0.0


def answered(work: Callable[[], Any]) -> Answer:
    """Do some work and tell how it went."""
    started = time.perf_counter()
    try:
        return Answer(work(), seconds=time.perf_counter() - started)
    except AuditError as error:
        return Answer(failed=str(error))
    except Exception as error:
        return Answer(failed=f"a worker raised {told(error)}")


def run_pieces(function: bytes, pieces: Sequence[Any]) -> Answer:
    """Apply a function to pieces of work."""
    return answered(lambda: list(ThreadEngine(1).map(_loaded(function), pieces)))


def run_session(opener: bytes, task: bytes) -> Answer:
    """Open a session of our own code and carry out one task."""
    return answered(lambda: _loaded(opener)().run(pickle.loads(task), _Silent()))


def run_guarded(key: str, opener: bytes, limits: Limits, task: bytes) -> Answer:
    """Carry out a task of foreign code in a process that this worker watches over.

    The process stays for the next task with the same key.
    """
    return answered(lambda: _guard(key, opener, limits).run(task))


@dataclass(frozen=True)
class _Silent:
    """A ticker that nobody hears."""

    def __call__(self, what: str, more: float = 0.0) -> None:
        """Nobody waits for it."""

    def own_work(self, what: str) -> None:
        """Nobody waits for it."""


@dataclass(frozen=True)
class OpenSent:
    """Opens, in the process that is watched, a session that was sent as bytes."""

    sent: bytes

    def __call__(self) -> SentSession:
        """Open it."""
        return SentSession(pickle.loads(self.sent)())


@dataclass(frozen=True)
class SentSession:
    """Carries out tasks that were sent as bytes."""

    session: Session

    def run(self, task: bytes, tick: Ticker) -> Any:
        """Carry out a task."""
        return self.session.run(pickle.loads(task), tick)


class _Guard:
    """A process for foreign code, and what ends it."""

    def __init__(self, opener: bytes, limits: Limits) -> None:
        fresh = ProcessEngine(OpenSent(opener), 1, replace(limits, total_seconds=math.inf))
        self.stack = contextlib.ExitStack()
        self.engine = self.stack.enter_context(fresh.staying())

    def run(self, task: bytes) -> Any:
        ((_, outcome),) = self.engine.map([task])
        return outcome


_GUARDS: dict[str, _Guard] = {}
"""At most one: the process of the session that this worker serves."""


def _guard(key: str, opener: bytes, limits: Limits) -> _Guard:
    if key not in _GUARDS:
        for old in list(_GUARDS):
            _GUARDS.pop(old).stack.close()
        _GUARDS[key] = _Guard(opener, limits)
    return _GUARDS[key]


_LOADED: dict[bytes, Any] = {}
"""At most one: what was sent last."""


def _loaded(sent: bytes) -> Any:
    if sent not in _LOADED:
        _LOADED.clear()
        _LOADED[bytes(sent)] = pickle.loads(sent)
    return _LOADED[sent]
