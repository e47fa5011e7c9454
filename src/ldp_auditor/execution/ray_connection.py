"""How a Ray cluster is started or found, and left.

The only file that uses private parts of Ray, because it has no public way to these ends:
- `ray_constants.ENABLE_RAY_CLUSTER`, `_node_ip_address`: to listen on loopback only; the
  environment variable behind the first is read when Ray is imported, perhaps by the caller;
- `worker.listen_error_messages`: to keep it from printing on standard output, where `log_to_driver`
  and `logging_level` do not reach;
- `utils.read_ray_address`: to know what "auto" is before `ray.init` waits for it;
- `_raylet.GcsClient`: to ask whether a head is at an address before `ray.init` waits for it; the
  command `ray health-check` does the same, and calls itself not public.
Tried with Ray 2.60.0; pyproject.toml allows no later minor version.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ldp_auditor.errors import AuditError, describe, require
from ldp_auditor.execution.contract import worker_count
from ldp_auditor.execution.interrupts import environment_with, interrupt_later
from ldp_auditor.execution.module_shipping import runtime_environment
from ldp_auditor.execution.ray_watch import why_unreachable

LOOPBACK = "127.0.0.1"
STORE_BYTES = 2**29
"""Shared memory of a local cluster: what a check keeps of its pilot has to fit."""

QUIET = {"log_to_driver": False, "logging_level": "critical"}


@contextlib.contextmanager
def connected(
    address: str | None,
    workers: int | None,
    modules: Iterable[str],
    working_dir: Path | str | None,
) -> Iterator[Any]:
    """Yield the module ray, connected; at the end leave the cluster, or end it if it is ours.

    A connection that the caller has already is used as it is, and kept.
    """
    ray = _import_ray()
    if ray.is_initialized():
        connected_to = ray.get_runtime_context().gcs_address
        require(
            address in (None, "auto", connected_to),
            f"this process is connected to the Ray cluster {connected_to} already, so that "
            f"{address} cannot be used; call ray.shutdown() first, or drop the address",
        )
        yield ray
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        if address is None:
            with _silent_listener(), interrupt_later():
                _start(ray, worker_count(workers))
        else:
            found = _find(address)
            _require_head_at(found)
            environment = runtime_environment(modules, working_dir)
            with _silent_listener():
                ray.init(address=found, runtime_env=environment, **QUIET)
    except AuditError:
        raise
    except KeyboardInterrupt:
        with interrupt_later(), contextlib.suppress(Exception):
            ray.shutdown()
        raise
    except Exception as error:
        where = "here" if address is None else f"at {address}"
        raise AuditError(f"cannot use Ray {where}: {describe(error)}") from None
    with _terminable(before):
        try:
            yield ray
        finally:
            with interrupt_later():
                ray.shutdown()


def _import_ray() -> Any:
    try:
        import ray
    except ImportError:
        raise AuditError(
            "the engine ray needs the package ray: pip install 'ldp-auditor[ray]'"
        ) from None
    import ray.cloudpickle  # so that they are attributes of the module
    import ray.exceptions

    return ray


def _start(ray: Any, cores: int) -> None:
    """Start a cluster on the loopback interface, without a dashboard and without reports of usage.

    Ray takes 127.0.0.1 for the address by which others reach this host, unless it is told that
    there are no clusters; then it listens there.
    """
    from ray._private import ray_constants

    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        with environment_with(RAY_USAGE_STATS_ENABLED="0", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0"):
            ray.init(
                address="local",
                num_cpus=cores,
                num_gpus=0,
                include_dashboard=False,
                object_store_memory=STORE_BYTES,
                _node_ip_address=LOOPBACK,
                **QUIET,
            )
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def _find(address: str) -> str:
    """Return the address that "auto" stands for, or the address itself."""
    if address != "auto":
        return address
    found: str | None = os.environ.get("RAY_ADDRESS")
    if not found or found == "auto":
        from ray._private.utils import read_ray_address

        found = read_ray_address()
    if not found:
        raise AuditError("no Ray runs on this host; start one with 'ray start --head'")
    return found


def _require_head_at(address: str) -> None:
    """Raise unless the head of a Ray cluster is at the address; Ray itself would wait on."""
    if "://" in address:
        raise AuditError(
            f"Ray Client addresses such as {address} are not supported; run the command on a host "
            "of the cluster, with the address host:port of its head (port 6379 by default) or auto"
        )
    missing = why_unreachable(address)
    if missing is not None:
        raise AuditError(f"no Ray cluster can be reached at {address}: {missing}")
    import ray

    try:
        with _silent_errors():
            ray._raylet.GcsClient(address=address)
    except Exception:
        raise AuditError(
            f"what answers at {address} is not the head of a Ray cluster; give the port that "
            "'ray start --head' has, 6379 by default"
        ) from None


@contextlib.contextmanager
def _silent_listener() -> Iterator[None]:
    """Connect without the thread that prints on standard output what happens to workers.

    Ray starts it even if its logging is off. What matters of it, our own answers tell.
    """
    from ray._private import worker

    before = worker.listen_error_messages
    worker.listen_error_messages = lambda *_, **__: None
    try:
        yield
    finally:
        worker.listen_error_messages = before


@contextlib.contextmanager
def _silent_errors() -> Iterator[None]:
    """Keep compiled code from writing on standard error."""
    kept, silence = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(silence, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(silence)


@contextlib.contextmanager
def _terminable(before: Any) -> Iterator[None]:
    """Let SIGTERM, which schedulers send to what takes too long, end all as Ctrl-C does.

    With Ray's own handler the process would print its inner state and abort. `before` is what the
    signal did before Ray.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)
