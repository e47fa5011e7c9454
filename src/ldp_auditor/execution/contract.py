"""The one contract of all engines: a `map` over tasks, with a session on the worker's side.

Threads, processes and Ray implement `Engine`, and `open_engine` opens one by its name; code that
has an engine does not know which one.
"""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from ldp_auditor.errors import AuditError, describe, number, require

Task = TypeVar("Task")

TRIES = 4
"""How often a task is begun whose workers are killed from outside, or for their memory."""


class Ticker(Protocol):
    """Tells the engine what a worker is about to do."""

    def __call__(self, what: str, more: float = 0.0) -> None:
        """Note that a call of foreign code begins; `what` names it if it never ends.

        It may take `more` seconds than a call is allowed.
        """
        ...

    def own_work(self, what: str) -> None:
        """Note that no foreign code runs; it takes as long as it takes."""
        ...


class SilentTicker:
    """A ticker of a worker that nobody has to stop."""

    def __call__(self, what: str, more: float = 0.0) -> None:
        """Nobody waits for it."""

    def own_work(self, what: str) -> None:
        """Nobody waits for it."""


class Session(Protocol):
    """What a worker keeps open from one task to the next."""

    def run(self, task: Any, tick: Ticker) -> Any:
        """Return the outcome of `task`, ticking before every call of foreign code."""
        ...


Opener = Callable[[], Session]
"""Opens a session, in the worker that will use it."""

OnDeath = Callable[[Any, str], None]
"""Called with a task whose workers died, and how; the other tasks go on unless it raises."""


def give_up(task: Any, reason: str) -> None:
    """End a `map` when the workers of a task died."""
    raise AuditError(reason)


@dataclass(frozen=True)
class Limits:
    """How long foreign code may take, in seconds."""

    call_seconds: float = 10.0
    """For one report; a call for many may take as long as its predecessors let expect, and this."""
    total_seconds: float = 600.0
    """For everything."""
    open_seconds: float = 60.0
    """For being imported and made ready."""

    def __post_init__(self) -> None:
        for name in ("call_seconds", "total_seconds", "open_seconds"):
            seconds = number(name, getattr(self, name))
            require(seconds > 0, f"{name} must be positive, got {name}={seconds:g}")
            object.__setattr__(self, name, seconds)

    def check_total(self, started: float) -> None:
        """Raise if what was started then has taken too long."""
        require(
            time.monotonic() - started <= self.total_seconds,
            f"the target was not done after {self.total_seconds:g} seconds in all; allow more, or "
            "ask for fewer trials",
        )


FOREVER = Limits(math.inf, math.inf, math.inf)
"""Our own code takes as long as it takes."""


class Engine(Protocol):
    """Workers that carry out tasks, somewhere."""

    @property
    def workers(self) -> int:
        """Cores that can be used now."""
        ...

    @property
    def isolates(self) -> bool:
        """Whether sessions run in processes of their own, which may hang, crash and be stopped."""
        ...

    @property
    def separates(self) -> bool:
        """Whether the first two tasks of a `map` are sure to have a worker each."""
        ...

    def cores_each(self, sessions: int) -> int:
        """Cores that each of so many sessions side by side can have."""
        ...

    def map(
        self,
        open_session: Opener,
        tasks: Iterable[Task],
        *,
        limits: Limits | None = None,
        cores: int = 1,
        on_death: OnDeath = give_up,
    ) -> Iterator[tuple[Task, Any]]:
        """Yield every task with its outcome once, in the order of completion.

        Few tasks are taken ahead. A worker opens a session before its first task; a session uses
        `cores`. Foreign code has `limits`, and passing one raises. A task whose worker is killed is
        begun again, `TRIES` times in all; then, or if the worker died of the task, `on_death` hears
        of it. What a session raises ends the map; so does the caller who stops listening, and no
        task goes on after that in an engine that isolates.
        """
        ...

    def staying(self) -> AbstractContextManager[Engine]:
        """Open an engine with sessions of its own, which stay from one `map` to the next.

        They do so as long as `open_session` is the same object; foreign code is in processes of
        its own. The limit for everything counts from the start of the block.
        """
        ...


class Packed(bytes):
    """A task or an opener as bytes, which nobody reads but the worker that needs it."""


def pack(thing: Any) -> Packed:
    """Return `thing` as bytes, or raise if it cannot be sent to a worker process."""
    if isinstance(thing, Packed):
        return thing
    try:
        return Packed(pickle.dumps(thing))
    except Exception as error:
        raise AuditError(
            f"values must be what can be sent to a worker process: {describe(error)}"
        ) from None
