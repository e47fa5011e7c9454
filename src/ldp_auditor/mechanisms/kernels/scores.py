"""Guess the value with the best score, ties broken at random."""

from typing import Any

import numpy as np

from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import advance, scale_down

GUESSES = 8
"""Columns that are tried at random, by the digits of random words, before all are looked at."""


@compiled
def choose_best(stream: Any, scores: Any, low: float, high: float) -> Any:
    """Return the column of every row's best entry, clipped to [low, high], ties at random."""
    n, values = scores.shape
    chosen = np.empty(n, np.int64)
    size = np.uint64(values)
    digits, at_once = _tries(size)
    a, b, c, d = stream
    for i in range(n):
        found = size
        if high < np.inf:
            # Where many entries reach the top, one of them is found sooner than all are looked at.
            for _ in range(np.uint64(GUESSES) // at_once):
                random, a, b, c, d = advance(a, b, c, d)
                for _ in range(at_once):
                    column = random & ((np.uint64(1) << digits) - np.uint64(1))
                    random >>= digits
                    reaches = scores[i, min(column, size - np.uint64(1))] >= high
                    hit = np.uint64(0) - (np.uint64(reaches) & np.uint64(column < size))
                    found = (column & hit) | (found & ~hit)
        if found < size:
            chosen[i] = np.int64(found)
            continue
        threshold = _largest(scores, np.uint64(i))
        if threshold >= high:
            threshold = high
        elif threshold <= low:
            threshold = -np.inf
        # Without branches, which data this random would mislead: where one entry alone reaches
        # the threshold, the sum of the positions that do is its position.
        ties = np.int64(0)
        position = np.int64(0)
        for v in range(values):
            reaches = np.int64(scores[i, v] >= threshold)
            ties += reaches
            position += v * reaches
        if ties > 1:
            random, a, b, c, d = advance(a, b, c, d)
            rank = np.int64(scale_down(random, np.uint64(ties)))
            position = np.int64(-1)
            while rank >= 0:
                position += 1
                rank -= np.int64(scores[i, position] >= threshold)
        chosen[i] = position
    return chosen


@compiled
def _largest(scores: Any, row: Any) -> Any:
    """Return the largest entry of a row, by four maxima that need not wait for each other."""
    a = b = c = d = scores[row, 0]
    size = np.uint64(scores.shape[1])
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    whole = size - size % four
    for v in range(np.uint64(0), whole, four):
        a = scores[row, v] if scores[row, v] > a else a
        b = scores[row, v + one] if scores[row, v + one] > b else b
        c = scores[row, v + two] if scores[row, v + two] > c else c
        d = scores[row, v + three] if scores[row, v + three] > d else d
    for v in range(whole, size):
        a = scores[row, v] if scores[row, v] > a else a
    a = b if b > a else a
    c = d if d > c else c
    return c if c > a else a


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
