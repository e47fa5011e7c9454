"""Integrals of smooth functions by composite Gauss-Legendre quadrature."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ldp_auditor.core import Floats

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


def integrate(function: Callable[[Floats], Floats], edges: Floats) -> float:
    """Integrate a vectorized function over the panels between consecutive edges."""
    centers = (edges[1:] + edges[:-1]) / 2
    radii = (edges[1:] - edges[:-1]) / 2
    points = centers[:, None] + radii[:, None] * _NODES
    return float(np.sum(function(points) * _WEIGHTS * radii[:, None]))
