"""Modules that the workers of a cluster need and may not have: this package and the user's own."""

import contextlib
import importlib.util
import io
import os
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ldp_auditor.errors import require
from ldp_auditor.execution.worker_start import NamedModules

PACKAGE = Path(__file__).parents[1]


def runtime_environment(
    modules: Iterable[str] = (), working_dir: Path | str | None = None
) -> dict[str, Any]:
    """Return the runtime environment that brings modules to the workers of a Ray cluster.

    A module that is installed here is not sent: it has to be installed there. Of any other the
    whole package, or the file, is sent. `working_dir` is a folder that is sent with all its files;
    the workers look for modules there first.
    """
    found = {PACKAGE, *filter(None, (_own_source(name) for name in modules))}
    environment: dict[str, Any] = {
        "py_modules": sorted(str(path) for path in found),
        "excludes": ["__pycache__", "*.nbi", "*.nbc"],
    }
    if working_dir is not None:
        folder = Path(working_dir)
        require(folder.is_dir(), f"working_dir must be a folder, got {str(working_dir)!r}")
        environment["working_dir"] = str(folder.resolve())
    return environment


def modules_of(thing: Any) -> Sequence[str]:
    """Name the modules in which a worker will look for the classes and functions of a thing."""
    named = NamedModules(io.BytesIO())
    with contextlib.suppress(Exception):  # what plain pickling cannot send, cloudpickle may
        named.dump(thing)
    return sorted(named.modules)


def _own_source(name: str) -> Path | None:
    """Folder of the package, or file of the module, unless it is installed or part of Python."""
    top = name.partition(".")[0]
    if top in {"", "__main__", "builtins", PACKAGE.name} or top in sys.stdlib_module_names:
        return None
    before = list(sys.path)
    sys.path.insert(0, os.getcwd())  # where a target is looked for, too
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    finally:
        sys.path[:] = before
    if spec is None:
        return None
    places = list(spec.submodule_search_locations or [])
    source = places[0] if places else spec.origin
    if source is None:
        return None
    path = Path(source).resolve()
    installed = {Path(sysconfig.get_path(kind)).resolve() for kind in ("purelib", "platlib")}
    if any(path.is_relative_to(folder) for folder in installed):
        return None
    return path if path.is_dir() or path.suffix == ".py" else None
