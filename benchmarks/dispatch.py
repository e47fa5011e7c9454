"""What an engine costs the process that leads it, and how many cores it could keep busy.

    python benchmarks/dispatch.py [--engines processes ray] [--tasks 2000] [--scaling]

Tasks that wait for some milliseconds stand for pieces of an audit; the processor time of the
leading process is divided by their number. A piece of an audit has at most 512 chunks of 4 batches;
trials a second before the leader is the limit follow. With --scaling: twice the trials on two cores
beside once on one, which should take the same time.
"""

import argparse
import os
import time
from dataclasses import dataclass
from typing import Self

from ldp_auditor import audit
from ldp_auditor.audits.chunks import CHUNK_BATCHES, LONGEST_PIECE, Chunks, Piece
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.audits.run import fit_attack
from ldp_auditor.execution.contract import Engine, Ticker
from ldp_auditor.execution.engines import open_engine
from ldp_auditor.mechanisms import make


@dataclass(frozen=True)
class Waiting:
    """A session as large as that of an audit, whose tasks wait instead of counting."""

    chunks: Chunks
    seconds: float

    def __call__(self) -> Self:
        """Open it: nothing is needed."""
        return self

    def run(self, task: Piece, tick: Ticker) -> int:
        """Wait as long as a piece would take."""
        time.sleep(self.seconds)
        return task.side


def leader_seconds(engine: Engine, tasks: int, seconds: float) -> float:
    """Processor seconds of this process for a task, less what one map costs."""
    plan = AuditPlan(mechanism=make("GRR", epsilon=1.0, domain_size=25), trials=10**9)
    waiting = Waiting(Chunks(plan, (fit_attack(plan),)), seconds)

    def taken(number: int) -> float:
        began = time.process_time()
        pieces = (Piece(i % 2, i, i + 1) for i in range(number))
        assert sum(1 for _ in engine.map(waiting, pieces)) == number
        return time.process_time() - began

    taken(20)
    few = taken(20)
    return (taken(20 + tasks) - few) / tasks


def print_dispatch(engine: Engine, name: str, tasks: int) -> None:
    """Print the cost of a task and what follows for an audit of GRR."""
    for seconds in (0.001, 0.02):
        cost = leader_seconds(engine, tasks if seconds < 0.01 else tasks // 10, seconds)
        batch = AuditPlan(mechanism=make("GRR", epsilon=1.0, domain_size=25)).batch_trials
        trials = LONGEST_PIECE * CHUNK_BATCHES * batch / 2  # a trial has a report of each side
        print(
            f"| {name} | {1e3 * seconds:g} ms | {1e6 * cost:.0f} microseconds | "
            f"{trials / cost:.1e} trials/s |",
            flush=True,
        )


def processor_seconds(name: str) -> float:
    """Processor seconds of this process, and with processes of the children that have ended."""
    used = os.times()
    return used.user + used.system + (used.children_user if name == "processes" else 0.0)


def print_scaling(name: str) -> None:
    """Print the time of OUE with as many trials for each core, on one core and on two."""
    for workers in (1, 2):
        with open_engine(name, workers) as engine:
            audit("OUE", epsilon=1.0, domain_size=25, trials=10**6, engine=engine)
            began, used = time.perf_counter(), processor_seconds(name)
            audit("OUE", epsilon=1.0, domain_size=25, trials=workers * 2 * 10**8, engine=engine)
            seconds = time.perf_counter() - began
        each = (processor_seconds(name) - used) / workers
        told = f"{each:.2f} s of each processor" if name != "ray" else "processor time not seen"
        print(f"{name}, {workers} cores: {seconds:.2f} s on the clock, {told}", flush=True)


def main() -> None:
    """Print a line for every engine and length of tasks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", nargs="+", default=["threads", "processes"])
    parser.add_argument("--tasks", type=int, default=2000)
    parser.add_argument("--scaling", action="store_true")
    asked = parser.parse_args()
    print("| engine | a task takes | the leader, a task | GRR before it is the limit |")
    print("| --- | --- | --- | --- |")
    for name in asked.engines:
        with open_engine(name) as engine:
            print_dispatch(engine, name, asked.tasks)
    for name in asked.engines if asked.scaling else ():
        print_scaling(name)


if __name__ == "__main__":
    main()
