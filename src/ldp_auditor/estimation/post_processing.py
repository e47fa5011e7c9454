"""What people do with estimated frequencies: put them where frequencies can be.

An estimate without bias may be negative, and estimates seldom add up to 1. Both repairs give up
being unbiased for a smaller error; how small depends on all frequencies, so it is measured
(`measured.py`), not told.
"""

from collections.abc import Callable, Mapping

import numpy as np

from ldp_auditor.core import Floats
from ldp_auditor.errors import must


def clip(frequencies: Floats) -> Floats:
    """Return `frequencies` with those below 0 put to 0 and those above 1 put to 1.

    >>> clip([-0.25, 0.5, 1.5]).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.clip(_checked(frequencies), 0.0, 1.0)


def norm_sub(frequencies: Floats) -> Floats:
    """Return the frequencies nearest to `frequencies` that are at least 0 and add up to 1.

    The same number is added to all, and what is then negative is put to 0: "Norm-Sub" of
    [Wang20], which is the projection on the simplex. The number is found by sorting [Duchi08].

    >>> norm_sub([-0.25, 0.5, 1.0]).tolist()
    [0.0, 0.25, 0.75]
    """
    given = _checked(frequencies)
    falling = np.sort(given)[::-1]
    # If the j largest stay positive, each of them is lowered by their excess over 1, shared.
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(falling) + 1)
    positive = np.flatnonzero(falling > excess)[-1]
    lowered: Floats = given - excess[positive]
    return np.maximum(lowered, 0.0)


def _checked(frequencies: Floats) -> Floats:
    """Return `frequencies` as a row of finite numbers, or raise unless they are one."""
    given = np.asarray(frequencies, dtype=np.float64)
    must(given.ndim == 1 and given.size > 0, "be a row of numbers", frequencies=given.shape)
    wrong = given[~np.isfinite(given)]
    must(wrong.size == 0, "be finite numbers", frequencies=wrong[:1])
    return given


PROCESSINGS: Mapping[str, Callable[[Floats], Floats]] = {
    "none": _checked,
    "clip": clip,
    "norm-sub": norm_sub,
}
"""Every kind of post-processing, by its name."""
