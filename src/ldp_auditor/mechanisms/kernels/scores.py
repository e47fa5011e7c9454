"""Guess the value with the best score, ties broken at random."""

from typing import Any

import numpy as np

from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import advance, scale_down

GUESSES = 8
"""Columns that are tried at random, by the digits of random words, before all are looked at."""

ONE_REACHED = np.uint64(1) << np.uint64(32)
"""A one above the digits of a column."""

SIZE_BITS = np.int64(2**63 - 1)
"""All bits of a float but its sign."""


@compiled
def choose_best(stream: Any, scores: Any, low: float, high: float) -> Any:
    """Return the column of every row's best entry, clipped to [low, high], ties at random."""
    n, values = np.uint64(scores.shape[0]), np.uint64(scores.shape[1])
    chosen = np.empty(n, np.int64)
    digits, at_once = _tries(values)
    a, b, c, d = stream
    for i in range(n):
        found = values
        if high < np.inf:
            # Where many entries reach the top, one of them is found sooner than all are looked at.
            for _ in range(np.uint64(GUESSES) // at_once):
                random, a, b, c, d = advance(a, b, c, d)
                for _ in range(at_once):
                    column = random & ((np.uint64(1) << digits) - np.uint64(1))
                    random >>= digits
                    reaches = scores[i, min(column, values - np.uint64(1))] >= high
                    hit = np.uint64(0) - (np.uint64(reaches) & np.uint64(column < values))
                    found = (column & hit) | (found & ~hit)
        if found < values:
            chosen[i] = np.int64(found)
            continue
        threshold = _largest(scores, i)
        if threshold >= high:
            threshold = high
        elif threshold <= low:
            threshold = -np.inf
        reached = _reached(scores, i, threshold)
        position = np.int64(reached & ~-ONE_REACHED)
        if reached >= ONE_REACHED << np.uint64(1):
            random, a, b, c, d = advance(a, b, c, d)
            position = _one_of_many(scores, i, threshold, random)
        chosen[i] = position
    return chosen


@compiled
def _largest(scores: Any, row: Any) -> Any:
    """Return the largest entry of a row, found among whole numbers of the same order.

    The compiler compares many whole numbers side by side, but not floats, whose order has
    exceptions. The bits of a float are such a number once those after a minus are turned around.
    """
    largest = np.int64(-(2**63))
    for v in range(np.uint64(scores.shape[1])):
        bits = np.float64(scores[row, v]).view(np.int64)
        number = bits ^ ((bits >> 63) & SIZE_BITS)
        largest = number if number > largest else largest
    return np.int64(largest ^ ((largest >> 63) & SIZE_BITS)).view(np.float64)


@compiled
def _reached(scores: Any, row: Any, threshold: Any) -> Any:
    """Return how many entries reach a threshold, in the upper half, and the sum of their columns.

    That is the column of a single one, found without branches, which data this random would
    mislead.
    """
    reached = np.uint64(0)
    for v in range(np.uint64(scores.shape[1])):
        reached += (ONE_REACHED | v) if scores[row, v] >= threshold else np.uint64(0)
    return reached


@compiled
def _one_of_many(scores: Any, row: Any, threshold: Any, random: Any) -> Any:
    """Return one of the columns that reach a threshold, chosen by a random word."""
    ties = np.uint64(0)
    for v in range(np.uint64(scores.shape[1])):
        ties += np.uint64(scores[row, v] >= threshold)
    rank = np.int64(scale_down(random, ties))
    position = np.int64(-1)
    while rank >= 0:
        position += 1
        rank -= np.int64(scores[row, position] >= threshold)
    return position


@compiled
def _tries(size: Any) -> Any:
    """Return the binary digits of a column and how many columns are tried with one word."""
    digits = np.uint64(1)
    while size > np.uint64(1) << digits:
        digits += np.uint64(1)
    at_once = np.uint64(GUESSES)
    while at_once * digits > np.uint64(64):
        at_once >>= np.uint64(1)
    return digits, at_once
