"""How kernels are compiled: once, to disk, without the GIL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(function: Kernel) -> Kernel:
    """Compile `function` with numba on first use and keep the machine code on disk.

    numba looks for changes in the function's own file only; `make demo` and `make test` drop the
    stale code of a changed kernel's callers, and so does `make clean`.
    """
    return cast(Kernel, numba.njit(cache=True, nogil=True)(function))
