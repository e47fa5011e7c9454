"""What makes the tests cheaper: to collect, to compile for, and side by side."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from filelock import FileLock

gc.disable()

# More processes than cores run side by side. NumPy's threads, of which one waits for another by
# spinning, then take fifty times as long for a convolution as one alone.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples in the files that have some, not in every object of every file."""
    found = yield
    if file_path.suffix == ".py" and b">>> " not in file_path.read_bytes():
        return [one for one in found if not isinstance(one, DoctestModule)]
    return found


def pytest_collection_finish() -> None:
    """What is collected stays to the end: the garbage collector need not look through it."""
    gc.freeze()
    gc.enable()
    if "PYTEST_XDIST_WORKER" in os.environ:
        compile_once()


def compile_once() -> None:
    """Let the first of several workers compile most kernels, which takes it twenty seconds.

    At once, each would do all of it. The others find them in the cache.
    """
    from ldp_auditor import compare
    from ldp_auditor.mechanisms.kernels.caching import kernel_folder

    folder = kernel_folder()
    if folder is None or (folder / "compiled").exists():
        return
    with FileLock(folder / "compiling"):
        if not (folder / "compiled").exists():
            compare(epsilon=1, domain_size=5, trials=10, attack="both", workers=1)
            (folder / "compiled").touch()
