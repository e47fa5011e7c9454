"""Guesses that are points: which of two inputs is nearer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.inputs.kind import Accused

ROUNDED = 1e-12
"""How much nearer a guess may seem by rounding, for the size of the inputs."""


def rounding(first: Sequence[float], second: Sequence[float]) -> float:
    """Return how far a guess may be from the middle of two points by rounding, as `nearer` counts.

    A guess is as far from it as the inner product with the difference of the points tells.
    """
    rounded = 0.0  # in order: the same bits on every machine
    for a, b in zip(first, second, strict=True):
        rounded += ROUNDED * abs(a - b) * max(abs(a), abs(b))
    return rounded


def nearer(
    guesses: Any, first: Sequence[float], second: Sequence[float], rng: Generator
) -> Accused:
    """Tell which guesses are nearer to the first of two points than to the second, ties at random.

    Coordinate by coordinate, so that the sums have the same bits on every machine. What is left of
    a tie by rounding, such as that of a third, is one too.
    """
    lead, rounded = np.zeros(len(guesses)), rounding(first, second)
    for column, (a, b) in enumerate(zip(first, second, strict=True)):
        if a != b:
            lead += (guesses[:, column] - (a + b) / 2) * (a - b)
    accused: Accused = lead > rounded
    (ties,) = np.nonzero(np.abs(lead) <= rounded)
    if ties.size:
        accused[ties] = (rng.bit_generator.random_raw(ties.size) >> np.uint64(63)).astype(bool)
    return accused
