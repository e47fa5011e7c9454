"""Engines by their names: `open_engine` is the only way to get one."""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ldp_auditor.errors import one_of, require
from ldp_auditor.execution.contract import Engine, worker_count
from ldp_auditor.execution.threads import ThreadEngine

ENGINES = ("threads", "processes", "ray")

NO_THREADS = "what may hang or crash needs processes of its own, which threads are not"


@contextlib.contextmanager
def open_engine(
    engine: str | Engine | None = None,
    workers: int | None = None,
    address: str | None = None,
    *,
    isolated: bool = False,
    needs: Any = None,
    modules: Iterable[str] = (),
    working_dir: Path | str | None = None,
) -> Iterator[Engine]:
    """Open an engine by its name; an `engine` that is open already is taken as it is.

    The default is threads, or processes for work that must be `isolated`, because it may hang or
    crash. Ray runs at an `address`, "auto" for the cluster on this host, or in a cluster that ends
    with the block. The source of `modules`, of the modules that `needs` is made of and the folder
    `working_dir` are sent to the workers of a cluster.
    """
    if isinstance(engine, Engine):
        require(
            workers is None and address is None,
            "an engine has its workers and its address already; drop them",
        )
        require(engine.isolates or not isolated, f"engine must be processes or ray: {NO_THREADS}")
        yield engine
        return
    name = ("processes" if isolated else "threads") if engine is None else engine
    one_of("engine", name, ENGINES)
    require(
        name != "threads" or not isolated,
        f"engine must be processes or ray here, got 'threads': {NO_THREADS}",
        argument="engine",
    )
    require(name == "ray" or address is None, f"an address is for the engine ray, not for {name}")
    if name == "threads":
        yield ThreadEngine(worker_count(workers))
    elif name == "processes":
        from ldp_auditor.execution.processes import ProcessEngine

        yield ProcessEngine(worker_count(workers))
    else:
        from ldp_auditor.execution.ray_cluster import ray_engine

        with ray_engine(address, workers, modules, needs, working_dir) as opened:
            yield opened
