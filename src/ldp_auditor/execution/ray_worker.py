"""What a worker of a Ray cluster runs; it answers with values, never with exceptions."""

from __future__ import annotations

import contextlib
import math
import pickle
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ldp_auditor.errors import AuditError, describe
from ldp_auditor.execution.contract import Limits, Packed
from ldp_auditor.execution.processes import ProcessEngine
from ldp_auditor.execution.threads import SILENT, keep_freed_memory


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
        outcomes = _opened(key, opener, limits).run(tasks)
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


class _Own:
    """A session of our own code, in this process."""

    def __init__(self, opener: bytes) -> None:
        keep_freed_memory()
        self.session = pickle.loads(opener)()

    def run(self, tasks: Sequence[Packed]) -> list[Any]:
        return [self.session.run(pickle.loads(task), SILENT) for task in tasks]

    def close(self) -> None:
        """Nothing is left."""


class _Watched:
    """A session of foreign code, in a process of its own: this one does not read what is sent."""

    def __init__(self, opener: bytes, limits: Limits) -> None:
        self.opener: Any = Packed(opener)
        self.limits = replace(limits, total_seconds=math.inf)
        self.stack = contextlib.ExitStack()
        self.engine = self.stack.enter_context(ProcessEngine(1).staying())

    def run(self, tasks: Sequence[Packed]) -> list[Any]:
        done = self.engine.map(self.opener, tasks, limits=self.limits, on_death=_raise_died)
        return [outcome for _, outcome in done]

    def close(self) -> None:
        self.stack.close()


_OPEN: dict[str, _Own | _Watched] = {}
"""At most one: the session that this worker serves."""


def _opened(key: str, opener: bytes, limits: Limits | None) -> _Own | _Watched:
    if key not in _OPEN:
        for old in list(_OPEN):
            _OPEN.pop(old).close()
        _OPEN[key] = _Own(opener) if limits is None else _Watched(opener, limits)
    return _OPEN[key]
