"""How a Ray cluster is started or found, and left."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ldp_auditor.errors import AuditError
from ldp_auditor.execution.shipping import runtime_environment
from ldp_auditor.execution.threads import usable_cores

LOOPBACK = "127.0.0.1"
REACH_SECONDS = 3.0
"""How long to wait for an address."""

STORE_BYTES = 2**29
"""Shared memory of a local cluster: what a check keeps of its pilot has to fit."""

GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5)
"""By which a client of gRPC, which Ray speaks, opens a connection: preface and empty settings."""

SETTINGS = 4
"""Kind of the frame by which a server answers that."""

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
        yield ray
        return
    try:
        if address is None:
            with _silent_listener(), _uninterrupted():
                _start(ray, usable_cores() if workers is None else workers)
        else:
            found = _find(address)
            _require_ray_at(found)
            environment = runtime_environment(modules, working_dir)
            with _silent_listener():
                ray.init(address=found, runtime_env=environment, **QUIET)
    except AuditError:
        raise
    except KeyboardInterrupt:
        with _uninterrupted(), contextlib.suppress(Exception):
            ray.shutdown()
        raise
    except Exception as error:
        where = "here" if address is None else f"at {address}"
        raise AuditError(
            f"cannot use Ray {where}: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
        ) from None
    try:
        yield ray
    finally:
        with _uninterrupted():
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
        with _environment(RAY_USAGE_STATS_ENABLED="0", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0"):
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


def _require_ray_at(address: str) -> None:
    """Raise unless something at the address answers as Ray does; Ray itself would wait on."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise AuditError(f"an address is written host:port, or auto, got {address!r}")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), REACH_SECONDS) as link:
            link.settimeout(REACH_SECONDS)
            link.sendall(GREETING)
            answer = link.recv(9)
    except OSError as error:
        raise AuditError(f"no Ray cluster can be reached at {address}: {error}") from None
    if len(answer) < 4 or answer[3] != SETTINGS:
        raise AuditError(f"what answers at {address} is not a Ray cluster")


@contextlib.contextmanager
def _silent_listener() -> Iterator[None]:
    """Connect without the thread that prints on standard output what befalls workers.

    Ray starts it whatever its logging is set to; here it is said in the answer, or not worth it.
    """
    from ray._private import worker

    before = worker.listen_error_messages
    worker.listen_error_messages = lambda *_, **__: None
    try:
        yield
    finally:
        worker.listen_error_messages = before


@contextlib.contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait until a cluster is up or down; in between, parts of it would be left."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard:
        raise KeyboardInterrupt
