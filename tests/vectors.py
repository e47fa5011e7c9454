"""Protocols for vectors, and inputs of theirs, that tests share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import default_rng

from ldp_auditor import mechanisms
from ldp_auditor.inputs import Ball, UnitVectors

NAMES = (*mechanisms.available(UnitVectors), *mechanisms.available(Ball))


def made(name: str, epsilon: float, dimension: int, **options: Any) -> Any:
    return mechanisms.make(name, epsilon=epsilon, dimension=dimension, **options)


def some_inputs(protocol: Any, seed: int = 3) -> list[tuple[float, ...]]:
    """Inputs in several directions, of several lengths where these may differ."""
    rng, found = default_rng(seed), []
    for share in (1.0, 0.6, 0.2):
        point = rng.normal(size=protocol.dimension)
        length = float(np.linalg.norm(point))
        if isinstance(protocol.inputs, Ball):
            length = protocol.inputs.length(point.tolist()) / share
        found.append(protocol.check_value((point / length).tolist()))
    return found
