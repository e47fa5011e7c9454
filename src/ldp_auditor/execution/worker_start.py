"""How a worker process is started, apart from the script and the terminal of its parent."""

import contextlib
import io
import multiprocessing
import os
import pickle
import signal
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from typing import Any

from ldp_auditor.errors import AuditError
from ldp_auditor.execution.interrupts import environment_with, interrupt_later

HASH_SEED = "0"
"""Seed of the hashes of strings in every fresh worker: the order of a set must depend on what is in
it, and not on the worker that made it."""


def start_method(open_session: Callable[[], Any]) -> str:
    """Prefer a fresh interpreter; a target that cannot be sent to one is inherited by a fork.

    That is one that cannot be pickled, or that is defined where a fresh interpreter would not find
    it: in the user's script, or in a test that was imported from its path.
    """
    named = NamedModules(io.BytesIO())
    try:
        named.dump(open_session)
        if all(_is_importable(name) for name in named.modules):
            return "spawn"
    except Exception:  # whatever foreign objects raise when they are pickled
        pass
    if "fork" in multiprocessing.get_all_start_methods():
        return "fork"
    raise AuditError(
        "the target cannot be sent to a worker process; define it at the top of a module"
    )


class NamedModules(pickle.Pickler):
    """Notes the modules in which a fresh interpreter would look for functions and classes."""

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self.modules: set[str] = set()

    def reducer_override(self, thing: Any) -> Any:
        """Note the module of a thing that is sent by its name."""
        if isinstance(thing, type | types.FunctionType | types.BuiltinFunctionType):
            self.modules.add(thing.__module__ or "builtins")
        return NotImplemented


def _is_importable(name: str) -> bool:
    """Tell whether a fresh interpreter with our path would import the module that we have."""
    module = sys.modules.get(name)
    if module is None or name in sys.builtin_module_names:
        return True
    ours = getattr(module, "__file__", None)
    if name == "__main__" or (ours is None and getattr(module, "__spec__", None) is None):
        return False
    path = spec = None
    parts = name.split(".")
    for depth in range(len(parts)):
        spec = _find(".".join(parts[: depth + 1]), path)
        if spec is None:
            return False
        path = spec.submodule_search_locations
    theirs = None if spec is None else spec.origin
    return ours is None or theirs is None or os.path.realpath(ours) == os.path.realpath(theirs)


def _find(name: str, path: Any) -> Any:
    """Look a module up as an import would, without the modules that are there already."""
    for finder in sys.meta_path:
        with contextlib.suppress(Exception):
            spec = finder.find_spec(name, path, None)
            if spec is not None:
                return spec
    return None


@contextlib.contextmanager
def start_apart(method: str) -> Iterator[None]:
    """Start processes that do not run the user's script again and that Ctrl-C does not reach."""
    script = _no_main_module() if method == "spawn" else contextlib.nullcontext()
    with (
        script,
        _no_interrupt(),
        environment_with(PYTHONHASHSEED=HASH_SEED),
        warnings.catch_warnings(),
    ):
        # A fork beside threads is warned of; ours runs nothing but the worker's own code.
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


@contextlib.contextmanager
def _no_main_module() -> Iterator[None]:
    """Keep fresh interpreters from running the user's script again; they do not need it."""
    main = sys.modules["__main__"]
    path = getattr(main, "__file__", None)
    spec = getattr(main, "__spec__", None)
    try:
        if path is not None:
            del main.__file__
        main.__spec__ = None
        yield
    finally:
        if path is not None:
            main.__file__ = path
        main.__spec__ = spec


@contextlib.contextmanager
def _no_interrupt() -> Iterator[None]:
    """Start a process that Ctrl-C does not reach, not even while it imports.

    An interrupt that arrives meanwhile is heard afterwards; half a start would leave a worker that
    complains on the terminal.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # when it starts it lets interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # the worker inherits it
    try:
        with interrupt_later():
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
