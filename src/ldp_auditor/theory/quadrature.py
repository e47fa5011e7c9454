"""Integrals of smooth functions by composite Gauss-Legendre quadrature."""

from collections.abc import Callable

import numpy as np

from ldp_auditor.core import Floats

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)

UNIT_NODES: Floats = (_NODES + 1) / 2
UNIT_WEIGHTS: Floats = _WEIGHTS / 2
"""The rule for the interval (0, 1)."""


def integrate(function: Callable[[Floats], Floats], edges: Floats) -> float:
    """Integrate a vectorized function over the panels between consecutive edges."""
    widths = np.diff(edges)
    points = edges[:-1, None] + widths[:, None] * UNIT_NODES
    return float(np.sum(function(points) * UNIT_WEIGHTS * widths[:, None]))
