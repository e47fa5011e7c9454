"""How kernels are compiled: once, to disk if there is room, without the GIL.

numba is imported by the first kernel that is called, and a kernel that is on the disk is read
without the parts of numba that only compiling needs: together most of the time of a small audit.
"""

import contextlib
import functools
import threading
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, TypeVar, cast

from ldp_auditor.mechanisms.kernels.caching import kernel_folder, settings

Function = TypeVar("Function", bound=Callable[..., Any])

_making = threading.RLock()


def compiled(function: Function) -> Function:
    """Compile `function` with numba on first use and keep the machine code on disk."""
    return cast(Function, Kernel(function))


class Kernel:
    """A function that numba gets when it is first called, by Python or by another kernel."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._dispatcher or self.dispatcher)(*arguments)

    @property
    def dispatcher(self) -> Any:
        """What numba makes of the function."""
        with _making:
            if self._dispatcher is None:
                self._dispatcher = _dispatcher(self._function)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """What numba takes a kernel for that is called by another one."""
        return self.dispatcher._numba_type_


def lowered(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Make a function for kernels, of a type such as "uint64(uint64)", of one that writes its code.

    The latter gets numba's context, builder and signature and the values of the arguments.
    """
    return lambda generate: Lowered(signature, generate)


class Lowered:
    """A function that numba gets when a kernel that calls it is compiled."""

    def __init__(self, signature: str, generate: Callable[..., Any]) -> None:
        self.__doc__ = generate.__doc__
        self._signature, self._generate = signature, generate

    @functools.cached_property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target
        from numba.core.sigutils import normalize_signature
        from numba.extending import intrinsic

        taken, returned = normalize_signature(self._signature)

        def typing(context: Any, *arguments: Any) -> Any:
            return returned(*taken), self._generate

        names = ("context", *(f"argument_{place}" for place in range(len(taken))))
        parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
        typing.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        made = intrinsic(typing)
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(made)


def _dispatcher(function: Callable[..., Any]) -> Any:
    import numba

    made: Any = numba.njit(nogil=True)(function)
    folder, asked = kernel_folder(), settings()
    if folder is not None:  # numba asks its settings where to, and asks for no longer than this
        before, asked.CACHE_DIR = asked.CACHE_DIR, str(folder)
        try:
            made.enable_caching()
            made._cache = Forgiving(made._cache)
        except (RuntimeError, OSError):  # the folder is gone again
            pass
        finally:
            asked.CACHE_DIR = before
    return made


class Forgiving:
    """A cache of numba's for which a full disk or a damaged file costs time and nothing else."""

    def __init__(self, cache: Any) -> None:
        self.cache = cache

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the compiled code, or None if it is not there or cannot be read."""
        try:
            return self.cache.load_overload(signature, Reading(target))
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


class Reading:
    """A target of numba's that is made ready to run code, but not to compile any.

    Before it compiles, numba makes its target ready itself (`CompilerBase` in core/compiler.py).
    """

    def __init__(self, target: Any) -> None:
        self.target = target

    def refresh(self) -> None:
        """Start what kernels call to make arrays."""
        from numba.core.runtime.nrt import rtsys

        rtsys.initialize(self.target)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.target, name)
