"""Guess the value with the best score, ties broken at random."""

from typing import Any

import numpy as np

from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.eights import EIGHT, largest_of_row, reached_in_row
from ldp_auditor.mechanisms.kernels.xoshiro import advance, scale_down

GUESSES = 8
"""Columns that are tried at random, by the digits of random words, before all are looked at."""

ONE_REACHED = np.uint64(1) << np.uint64(32)
"""A one above the digits of a column."""


@compiled
def choose_best(stream: Any, scores: Any, low: float, high: float) -> Any:
    """Return the column of every row's best entry, clipped to [low, high], ties at random."""
    n, values = np.uint64(scores.shape[0]), np.uint64(scores.shape[1])
    chosen = np.empty(n, np.int64)
    digits, at_once = _tries(values)
    wide = values >= np.uint64(EIGHT) and scores.strides[1] == scores.itemsize
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
        if wide:
            threshold = _clipped(largest_of_row(scores, i), low, high)
            reached = reached_in_row(scores, i, threshold)
        else:
            threshold, reached = _best_of_any_row(scores, i, low, high)
        position = np.int64(reached & ~-ONE_REACHED)
        if reached >= ONE_REACHED << np.uint64(1):
            random, a, b, c, d = advance(a, b, c, d)
            position = _one_of_many(scores, i, threshold, random)
        chosen[i] = position
    return chosen


@compiled
def _clipped(largest: Any, low: float, high: float) -> Any:
    """Return from where on entries are the best ones: at or below `low` all of them are."""
    if largest >= high:
        return high
    return -np.inf if largest <= low else largest


@compiled
def _best_of_any_row(scores: Any, row: Any, low: float, high: float) -> Any:
    """Return a threshold, how many entries of a row reach it, times 2^32, plus their columns.

    As `largest_of_row` and `reached_in_row`, for rows that are short or lie in pieces.
    """
    largest, reached = scores[row, 0], np.uint64(0)
    for v in range(np.uint64(scores.shape[1])):
        largest = max(largest, scores[row, v])
    threshold = _clipped(largest, low, high)
    for v in range(np.uint64(scores.shape[1])):
        reached += (ONE_REACHED | v) if scores[row, v] >= threshold else np.uint64(0)
    return threshold, reached


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
