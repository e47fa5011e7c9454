"""Confidence bounds by name: counts of an attack to a lower bound on epsilon."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ldp_auditor.bounds.clopper_pearson import one_sided_bound, two_sided_bound
from ldp_auditor.core import Counts
from ldp_auditor.errors import require

Bound = Callable[[Counts, float, float], float]
"""Takes counts, alpha and delta; returns an epsilon that is 0 or proven with confidence 1-alpha."""

BOUNDS: Mapping[str, Bound] = {
    "clopper-pearson": two_sided_bound,
    "clopper-pearson-one-sided": one_sided_bound,
}


def find_bound(name: str) -> Bound:
    """Return the named bound."""
    require(name in BOUNDS, f"unknown bound {name!r}; the bounds are: {', '.join(BOUNDS)}")
    return BOUNDS[name]
