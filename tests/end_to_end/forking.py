"""A process that has imported what commands need, and runs every command in a fork of itself.

python forking.py EXECUTABLE, with a listening socket as its standard input, to which all processes
of a test run connect. A message is a command in JSON, with its three standard files and a socket of
its own, where it is told the number of the process and at last its exit code. Several commands may
run at a time. When the last connection is closed, it ends.

It is the console script that runs, in a process of its own: what it prints, how it ends and what it
leaves are those of the installed command. Only the second of imports is paid once. It imports
nothing of the tests, which a command would not find in a fresh process either.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import threading
import warnings

LARGEST = 2**17
"""Bytes of a message at most: the arguments and the environment."""

HEAVY = (
    *("matplotlib.pyplot", "plotly", "pyarrow.parquet", "scipy.stats", "sklearn.ensemble"),
    *("numba", "pandas"),  # pyarrow looks for pandas whenever it makes a table
)
"""What commands import when they need it, apart from our own modules."""


def import_everything() -> None:
    import ldp_auditor

    for module in pkgutil.walk_packages(ldp_auditor.__path__, "ldp_auditor."):
        if module.name not in {"ldp_auditor.__main__", "ldp_auditor.pytest_plugin"}:
            importlib.import_module(module.name)
    for name in HEAVY:
        importlib.import_module(name)


def load_kernels() -> None:
    """Run a comparison by both attacks, which needs most of the compiled kernels."""
    from ldp_auditor.cli import app

    setting = "--epsilon 1 --domain-size 5 --trials 10 --workers 1 --attack both --json"
    with contextlib.redirect_stdout(io.StringIO()):
        app(["compare", *setting.split()], standalone_mode=False)


def serve(executable: str) -> None:
    """Start a command for every message, until the last of the connections is closed."""
    door = socket.socket(fileno=0)
    news = select.poll()
    news.register(door, select.POLLIN)
    asking: dict[int, socket.socket] = {}
    running: dict[int, tuple[int, socket.socket]] = {}  # by the descriptor that tells the end
    while True:
        for ready, _ in news.poll():
            if ready == door.fileno():
                connection, _ = door.accept()
                asking[connection.fileno()] = connection
                news.register(connection, select.POLLIN)
                continue
            if ready in running:
                news.unregister(ready)
                tell_the_end(ready, *running.pop(ready))
                continue
            message, files, _, _ = socket.recv_fds(asking[ready], LARGEST, 4)
            if not message:
                news.unregister(ready)
                asking.pop(ready).close()
                if not asking:
                    return
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside idle threads
                child = os.fork()
            if child == 0:
                for descriptor in (door.detach(), *asking, *running):
                    os.close(descriptor)
                become(executable, files, **json.loads(message))
            told = socket.socket(fileno=files.pop())
            for file in files:
                os.close(file)
            told.send(json.dumps(child).encode())
            end = os.pidfd_open(child)
            news.register(end, select.POLLIN)
            running[end] = (child, told)


def tell_the_end(descriptor: int, child: int, told: socket.socket) -> None:
    """Send the exit code of a command that has ended, if anybody still listens."""
    os.close(descriptor)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with told, contextlib.suppress(OSError):
        told.send(json.dumps(code).encode())


def become(
    executable: str, files: list[int], arguments: list[str], cwd: str, environment: dict[str, str]
) -> None:
    """Turn this fork into the command."""
    os.close(files.pop())
    for number, given in enumerate(files):
        os.dup2(given, number)
        if given != number:
            os.close(given)
    sys.stdout.reconfigure(line_buffering=os.isatty(1))  # type: ignore[union-attr]
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [executable, *arguments]
    sys.path[0] = os.path.dirname(executable)
    asked = environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[1:1] = [place for place in asked if place and place not in sys.path]
    code: object = 0
    try:
        runpy.run_path(executable, run_name="__main__")
    except SystemExit as ended:
        code = ended.code
    end(code if isinstance(code, int) else 0 if code is None else 1)


def end(code: int) -> None:
    """End as an interpreter does, but leave its memory to the system.

    To take all modules apart would copy the memory that this process shares with its parent.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


if __name__ == "__main__":
    import_everything()
    load_kernels()
    gc.freeze()
    serve(sys.argv[1])
