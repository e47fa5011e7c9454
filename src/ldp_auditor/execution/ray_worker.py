"""What a worker of a Ray cluster runs; it answers with values, never with exceptions."""

import contextlib
import math
import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ldp_auditor.errors import AuditError, describe
from ldp_auditor.execution.contract import Limits, Packed, Ticker
from ldp_auditor.execution.processes import ProcessEngine
from ldp_auditor.execution.threads import keep_freed_memory


@dataclass(frozen=True)
class Answer:
    """The outcomes of a bundle of tasks, or why there are none."""

    outcomes: Sequence[Any] = ()
    failed: str | None = None
    died: str | None = None
    """How the worker died, or its process for foreign code."""
    again: bool = False
    """Whether that may have been bad luck."""
    seconds: float = 0.0


def run_tasks(key: str, opener: bytes, limits: Limits | None, tasks: Sequence[Packed]) -> Answer:
    """Carry out tasks one by one in a session, which stays for the next tasks with the same `key`.

    With limits it is that of foreign code, in a process that this worker watches over.
    """
    started = time.perf_counter()
    try:
        outcomes = _opened(key, opener, limits)(tasks)
        return Answer(outcomes, seconds=time.perf_counter() - started)
    except _DiedError as error:
        return Answer(died=str(error))
    except AuditError as error:
        return Answer(failed=str(error))
    except Exception as error:
        return Answer(failed=f"a worker raised {describe(error)}")


class _DiedError(Exception):
    """The process of foreign code died of a task."""


def _raise_died(task: Any, reason: str) -> None:
    raise _DiedError(reason)


Run = Callable[[Sequence[Packed]], list[Any]]

_OPEN: dict[str, Run] = {}
"""At most one: what carries out tasks in the session that this worker serves."""

_PROCESS = contextlib.ExitStack()
"""Ends the process of that session, if foreign code has one."""


def _opened(key: str, opener: bytes, limits: Limits | None) -> Run:
    """Return what carries out tasks in the session `key`, which is opened if it is new."""
    if key not in _OPEN:
        _OPEN.clear()
        _PROCESS.close()
        _OPEN[key] = _own(opener) if limits is None else _watched(opener, limits)
    return _OPEN[key]


def _own(opener: bytes) -> Run:
    """Open a session of our own code, in this process."""
    keep_freed_memory()
    session = pickle.loads(opener)()
    return lambda tasks: [session.run(pickle.loads(task), Ticker()) for task in tasks]


def _watched(opener: bytes, limits: Limits) -> Run:
    """Open a session of foreign code, in a process of its own; this one reads nothing of it."""
    packed: Any = Packed(opener)
    per_call = replace(limits, total_seconds=math.inf)
    engine = _PROCESS.enter_context(ProcessEngine(1).staying())

    def run(tasks: Sequence[Packed]) -> list[Any]:
        done = engine.map(packed, tasks, limits=per_call, on_death=_raise_died)
        return [outcome for _, outcome in done]

    return run
