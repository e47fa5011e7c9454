"""All ways to share out whole numbers, for sums over counts."""

import math
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray


def compositions(total: int, parts: int) -> NDArray[np.int64]:
    """Return all rows of `parts` whole numbers that add up to `total`."""
    rows = np.zeros((1, 0), np.int64)
    left = np.array([total])
    for _ in range(parts - 1):
        choices = left + 1
        index = np.repeat(np.arange(len(rows)), choices)
        starts = np.repeat(np.cumsum(choices) - choices, choices)
        taken = np.arange(len(index)) - starts
        rows = np.column_stack([rows[index], taken])
        left = left[index] - taken
    return np.column_stack([rows, left])


def choices(number: int, kinds: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return all ways to choose `number` things of `kinds` kinds, and how often each comes up.

    A row names the kinds that were chosen, in ascending order; its weight is the number of orders.
    """
    rows = np.array(list(combinations_with_replacement(range(kinds), number)), dtype=np.int64)
    running = np.ones_like(rows)
    for j in range(1, number):
        running[:, j] = np.where(rows[:, j] == rows[:, j - 1], running[:, j - 1] + 1, 1)
    orders: NDArray[np.float64] = math.factorial(number) / running.prod(axis=1, dtype=np.float64)
    return rows, orders


def number_of_compositions(total: int, parts: int) -> int:
    """Return how many rows `compositions` has."""
    return math.comb(total + parts - 1, parts - 1)


def log_ways(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the log of the multinomial coefficient of every row."""
    from scipy.special import gammaln

    orders = gammaln(counts.astype(np.float64) + 1).sum(axis=1)
    ways: NDArray[np.float64] = gammaln(counts.sum(axis=1) + 1.0) - orders
    return ways
