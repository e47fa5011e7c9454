"""How kernels are compiled: once, to disk if there is room, without the GIL."""

import contextlib
import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from ldp_auditor.mechanisms.kernels.caching import kernel_folder, settings

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_setting = threading.Lock()


def compiled(function: Kernel) -> Kernel:
    """Compile `function` with numba on first use and keep the machine code on disk."""
    kernel: Any = numba.njit(nogil=True)(function)
    folder = kernel_folder()
    if folder is not None:
        with _setting:  # numba asks its settings where to, and asks for no longer than this
            before, settings.CACHE_DIR = settings.CACHE_DIR, str(folder)
            try:
                kernel.enable_caching()
                kernel._cache = Forgiving(kernel._cache)
            except (RuntimeError, OSError):  # the folder is gone again
                pass
            finally:
                settings.CACHE_DIR = before
    return cast(Kernel, kernel)


class Forgiving:
    """A cache of numba's for which a full disk or a damaged file costs time and nothing else."""

    def __init__(self, cache: Any) -> None:
        self.cache = cache

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the compiled code, or None if it is not there or cannot be read."""
        try:
            return self.cache.load_overload(signature, target)
        except Exception:  # whatever reading a torn file raises
            with contextlib.suppress(OSError):
                self.cache.flush()
            return None

    def save_overload(self, signature: Any, code: Any) -> None:
        """Keep compiled code for the next run, if there is room."""
        with contextlib.suppress(Exception):
            self.cache.save_overload(signature, code)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.cache, name)
