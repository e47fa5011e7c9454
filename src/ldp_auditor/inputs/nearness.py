"""Guesses that are points: which of two inputs is nearer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.inputs.kind import Accused


def nearer(
    guesses: Any, first: Sequence[float], second: Sequence[float], rng: Generator
) -> Accused:
    """Tell which guesses are nearer to the first of two points than to the second, ties at random.

    Coordinate by coordinate, so that the sums have the same bits on every machine.
    """
    lead = np.zeros(len(guesses))
    for column, (a, b) in enumerate(zip(first, second, strict=True)):
        if a != b:
            lead += (guesses[:, column] - (a + b) / 2) * (a - b)
    accused: Accused = lead > 0
    (ties,) = np.nonzero(lead == 0)
    if ties.size:
        accused[ties] = (rng.bit_generator.random_raw(ties.size) >> np.uint64(63)).astype(bool)
    return accused
