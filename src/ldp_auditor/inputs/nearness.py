"""Guesses that are points: which of two inputs is nearer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.inputs.kind import Accused

ROUNDED = 1e-12
"""How much nearer a guess may seem by rounding, for the size of the inputs."""


def nearer(
    guesses: Any, first: Sequence[float], second: Sequence[float], rng: Generator
) -> Accused:
    """Tell which guesses are nearer to the first of two points than to the second, ties at random.

    Coordinate by coordinate, so that the sums have the same bits on every machine. What is left of
    a tie by rounding, such as that of a third, is one too.
    """
    lead, rounded = np.zeros(len(guesses)), 0.0
    for column, (a, b) in enumerate(zip(first, second, strict=True)):
        if a != b:
            lead += (guesses[:, column] - (a + b) / 2) * (a - b)
            rounded += ROUNDED * abs(a - b) * max(abs(a), abs(b))
    accused: Accused = lead > rounded
    (ties,) = np.nonzero(np.abs(lead) <= rounded)
    if ties.size:
        accused[ties] = (rng.bit_generator.random_raw(ties.size) >> np.uint64(63)).astype(bool)
    return accused
