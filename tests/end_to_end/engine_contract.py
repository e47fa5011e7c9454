"""What every engine promises, tried with one: python engine_contract.py threads|processes|ray.

Prints a line of JSON: what came of each promise. Two workers; the sessions tell where they are.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

from ldp_auditor.errors import AuditError
from ldp_auditor.execution.contract import TRIES, Engine, Limits, Ticker
from ldp_auditor.execution.engines import open_engine


class Session:
    """Squares numbers; a word is what it shall suffer."""

    def __init__(self, folder: str) -> None:
        self.name = uuid.uuid4().hex
        self.folder = Path(folder)

    def run(self, task: Any, tick: Ticker) -> Any:
        tick("in a task of a test")
        if task == "where":
            return self.name, os.getpid()
        if task == "killed":
            with (self.folder / "tries").open("a") as tries:
                tries.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        if task == "crashes":
            os._exit(3)
        if task == "hangs":
            threading.Event().wait(1000)
        if task == "raises":
            raise AuditError("it raises")
        return task**2


class Opener:
    """Opens sessions."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self) -> Session:
        return Session(self.folder)


def sessions(engine: Engine, opener: Opener) -> set[str]:
    """Names of the sessions that answer."""
    return {name for _, (name, _) in engine.map(opener, ["where"] * 8)}


def processes(engine: Engine, opener: Opener) -> set[int]:
    """Processes in which foreign code runs."""
    return {pid for _, (_, pid) in engine.map(opener, ["where"] * 8, limits=Limits())}


def told(engine: Engine, opener: Opener, task: str, limits: Limits | None = None) -> str:
    """What is raised for a task."""
    try:
        list(engine.map(opener, [task], limits=limits))
    except AuditError as error:
        return str(error)
    return "nothing"


def promises(engine: Engine, folder: str) -> dict[str, Any]:
    """Try them one by one."""
    opener = Opener(folder)
    squares = Counter(engine.map(opener, iter(range(300))))
    found: dict[str, Any] = {
        "once": squares == Counter({(n, n * n): 1 for n in range(300)}),
        "most": len(sessions(engine, opener)) <= engine.workers,
        "raises": told(engine, opener, "raises"),
        "after that": [outcome for _, outcome in engine.map(opener, [7])],
    }
    if not engine.isolates:
        return {**found, "limits": told(engine, opener, "hangs", Limits(call_seconds=1))}
    with engine.staying() as kept:
        first = {pid for _ in range(5) for pid in processes(kept, opener)}
        found["stays"] = len(first) <= 2 * engine.workers  # Ray may choose others of its workers
        with kept.staying() as another:
            found["another"] = not processes(another, opener) & first
        found["another opener"] = not processes(kept, Opener(folder)) & first
    for task, limits in (("killed", None), ("crashes", Limits())):
        dead: list[tuple[str, str]] = []
        tasks: list[Any] = [1, task, 2, 3]
        outcomes = engine.map(
            opener, tasks, limits=limits, on_death=lambda *died, dead=dead: dead.append(died)
        )
        others = sorted(outcome for _, outcome in outcomes)
        found[task] = [others, *(of for of, _ in dead)]
    found["died"] = dead[0][1]
    found["tries"] = len((Path(folder) / "tries").read_text()) == TRIES
    found["limits"] = told(engine, opener, "hangs", Limits(call_seconds=1))
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place, open_engine(sys.argv[1], 2) as opened:
        print(json.dumps(promises(opened, place)))
