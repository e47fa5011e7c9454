"""A process that has imported what commands need, and runs every command in a fork of itself.

python forking.py EXECUTABLE, with a socket as its standard input. A message is a command in JSON,
with the files for its two outputs; the answers are the number of its process and its exit code.

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
import signal
import socket
import sys
import threading
import warnings

LARGEST = 2**17
"""Bytes of a message at most: the arguments and the environment."""

HEAVY = ("matplotlib.pyplot", "plotly", "pyarrow.parquet", "scipy.stats", "sklearn.ensemble")
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
    """Answer one command after the other, until the other end of the socket is closed."""
    with socket.socket(fileno=0) as asked:
        while True:
            message, files, _, _ = socket.recv_fds(asked, LARGEST, 2)
            if not message:
                return
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside idle threads
                child = os.fork()
            if child == 0:
                break
            for file in files:
                os.close(file)
            asked.send(json.dumps(child).encode())
            asked.send(json.dumps(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
    become(executable, files, **json.loads(message))


def become(
    executable: str, files: list[int], arguments: list[str], cwd: str, environment: dict[str, str]
) -> None:
    """Turn this fork into the command."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for given, number in zip((nothing, *files), (0, 1, 2), strict=True):
        os.dup2(given, number)
        if given != number:
            os.close(given)
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [executable, *arguments]
    sys.path[0] = os.path.dirname(executable)
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
