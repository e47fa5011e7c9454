"""Engines by their names: what runs the pieces of an audit."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from ldp_auditor.errors import require
from ldp_auditor.execution.processes import Limits, ProcessEngine, Ticker
from ldp_auditor.execution.threads import ThreadEngine, usable_cores

Work = TypeVar("Work")
Outcome = TypeVar("Outcome")

ENGINES = ("threads", "processes", "ray")

FOREVER = Limits(call_seconds=math.inf, total_seconds=math.inf)
"""Our own code takes as long as it takes."""


class Engine(Protocol):
    """Runs pieces of work, somewhere."""

    def map(self, function: Callable[[Work], Outcome], pieces: Iterable[Work]) -> Iterator[Outcome]:
        """Yield the outcomes in the order of completion, with few pieces in flight at a time."""
        ...


@dataclass(frozen=True)
class PieceEngine:
    """Maps a function over pieces of work in `workers` processes; a killed one is replaced."""

    workers: int = field(default_factory=usable_cores)

    def map(self, function: Callable[[Work], Outcome], pieces: Iterable[Work]) -> Iterator[Outcome]:
        """Yield the outcomes in the order of completion."""
        engine = ProcessEngine(OpenFunction(function), self.workers, FOREVER)
        for _, outcome in engine.map(pieces):
            yield outcome


@dataclass(frozen=True)
class OpenFunction:
    """Opens a worker's side of a `PieceEngine`."""

    function: Callable[[Any], Any]

    def __call__(self) -> FunctionSession:
        """Open it."""
        return FunctionSession(self.function)


@dataclass(frozen=True)
class FunctionSession:
    """Applies a function to pieces."""

    function: Callable[[Any], Any]

    def run(self, task: Any, tick: Ticker) -> Any:
        """Carry out a piece."""
        tick.own_work("in a piece of an audit")
        (outcome,) = ThreadEngine(1).map(self.function, [task])
        return outcome


@contextlib.contextmanager
def open_engine(
    engine: str | Engine | None = None,
    workers: int | None = None,
    address: str | None = None,
    needs: Any = None,
) -> Iterator[Engine]:
    """Open an engine by its name, threads by default; an engine that is open already is taken.

    `needs` is what will be sent to the workers of a cluster: modules that it is made of are sent
    along.
    """
    if not isinstance(engine, str | None):
        require(
            workers is None and address is None,
            "an engine has its workers and its address already; drop them",
        )
        yield engine
        return
    name = "threads" if engine is None else engine
    require(
        name in ENGINES,
        f"engine must be one of {', '.join(ENGINES)}, got {name!r}",
        argument="engine",
    )
    require(name == "ray" or address is None, f"an address is for the engine ray, not for {name}")
    if name == "threads":
        yield ThreadEngine.of(workers)
    elif name == "processes":
        yield PieceEngine() if workers is None else PieceEngine(workers)
    else:
        from ldp_auditor.execution.ray_cluster import ray_engine

        with ray_engine(address, workers=workers, needs=needs) as opened:
            yield opened
