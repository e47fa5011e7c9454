"""`portable_math` for whole arrays: the same operations in the same order, so the same bits."""

from typing import Any

import numpy as np

from ldp_auditor.core import Floats
from ldp_auditor.portable_math import (
    EXPONENTIAL,
    INVERSE_LN2,
    LN2_HIGH,
    LN2_LOW,
    LOGARITHM,
    ROOT_HALF,
)


def exps(x: Any) -> Floats:
    """Return e^x of every entry, each between -700 and 700."""
    x = np.asarray(x, dtype=np.float64)
    n = np.floor(x * INVERSE_LN2 + 0.5)
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    series = np.zeros_like(r)
    for coefficient in EXPONENTIAL:
        series = series * r + coefficient
    found: Floats = np.ldexp(1.0 + (r + r * r * series), n.astype(np.int32))
    return found


def logs(x: Any) -> Floats:
    """Return ln x of every entry, each positive and finite."""
    fraction, exponents = np.frexp(np.asarray(x, dtype=np.float64))
    is_small = fraction < ROOT_HALF
    fraction = np.where(is_small, fraction * 2.0, fraction)
    exponent = exponents - is_small.astype(np.float64)
    f = fraction - 1.0
    s = f / (2.0 + f)
    square = s * s
    series = np.zeros_like(f)
    for coefficient in LOGARITHM:
        series = series * square + coefficient
    low = s * (f - square * series) - exponent * LN2_LOW
    found: Floats = exponent * LN2_HIGH - (low - f)
    return found
