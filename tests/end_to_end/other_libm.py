"""Makes this process compute like one on another machine: last bits of functions differ.

A mathematical library is a function: the same argument gives the same result, but which of the two
or three nearest floats that is, differs from library to library and from processor to processor.
`install` gives `math`, NumPy and SciPy such other last bits, which depend on the argument alone.
"""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

SCALARS = ("exp", "expm1", "log", "log1p", "log2", "log10", "pow", "lgamma", "erf", "erfc")
ARRAYS = ("exp", "expm1", "log", "log1p", "log2", "log10", "power", "logaddexp", "convolve", "dot")
SPECIAL = (
    *("gammaln", "xlogy", "xlog1py", "ndtr", "log_ndtr", "gammaincc", "betaln"),
    *("betainc", "betaincc", "betaincinv", "betainccinv"),
)


def nudge(results: Any, arguments: Any) -> Any:
    """Move results by one unit in the last place up, down or not at all; 0, 1, inf stay."""
    floats = np.asarray(results, dtype=np.float64)
    seeds = np.empty(floats.shape)
    seeds[...] = arguments
    mixed = seeds.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    direction = (mixed >> np.uint64(40)) % np.uint64(3)
    limits = np.array([-np.inf, np.nan, np.inf])[direction.astype(np.int64)]
    exact = (floats == 0) | (floats == 1) | ~np.isfinite(floats) | np.isnan(limits)
    return np.where(exact, floats, np.nextafter(floats, np.where(np.isnan(limits), 0.0, limits)))


def nudge_one(result: float, argument: float) -> float:
    """Do the same to one float, without the price of arrays."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", argument))
    direction = ((bits * 0x9E3779B97F4A7C15 & (2**64 - 1)) >> 40) % 3
    if direction == 1 or result in (0.0, 1.0) or not math.isfinite(result):
        return result
    return math.nextafter(result, -math.inf if direction == 0 else math.inf)


def install() -> None:
    """Replace the functions of all three libraries, before anything else imports them.

    numba looks at NumPy's functions when it compiles for the first time, and wants the real ones.
    Kernels are found in numba's cache or compiled; one that calls a replaced function fails.
    """
    import numba
    import scipy.special

    numba.njit(lambda x: x + 1.0)(1.0)

    for name in SCALARS:
        setattr(math, name, _scalar(getattr(math, name)))
    for name in ARRAYS:
        setattr(np, name, _array(getattr(np, name)))
    for name in SPECIAL:
        setattr(scipy.special, name, _array(getattr(scipy.special, name)))


def _scalar(function: Callable[..., float]) -> Callable[..., float]:
    @functools.wraps(function)
    def other(*arguments: float) -> float:
        result = function(*arguments)
        return nudge_one(result, arguments[-1]) if isinstance(result, float) else result

    return other


def _array(function: Any) -> Any:
    @functools.wraps(function)
    def other(*arguments: Any, **options: Any) -> Any:
        results = function(*arguments, **options)
        if np.asarray(results).dtype != np.float64 or options.get("out") is not None:
            return results
        seeds = arguments[0] if np.shape(arguments[0]) == np.shape(results) else results
        return nudge(results, seeds) if np.ndim(results) else np.float64(nudge_one(results, seeds))

    return other
