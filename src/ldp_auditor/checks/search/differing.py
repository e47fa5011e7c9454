"""Which parts of a report differ the most between inputs, where it has too many for a column each.

A part is asked a few yes-or-no questions, and the inputs' answers are compared. A leak in a part
alone is among the largest differences as soon as there are some hundred reports; what only a
relation of several parts tells is not.
"""

import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.checks.search.strength import largest
from ldp_auditor.core import Floats

Ints = NDArray[np.int64]

MOST_LOOKED_UP = 4_000_000
"""Entries of Python's objects by which parts are chosen, in the first reports of every input."""

MOST_OF_ARRAYS = 100_000_000
"""The same for entries of arrays."""

AT_ONCE = 2_000_000
"""Entries that are looked at together."""

SHARES = (0.25, 0.5, 0.75)
"""Shares of the entries below the thresholds about which a number is asked."""

FIRST = 400
"""Reports by which these thresholds are chosen."""

HASHED = 0xFF
"""What is no number is asked about its checksum, modulo this plus one."""


def first_of_each(owners: Ints, parts: int, most: int) -> Ints:
    """Rows of the first reports of every input: as many as together have `most` parts.

    `owners` has the input of every row, in rising order.
    """
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    each = max(FIRST // 4, most // max(1, parts * len(starts)))
    ends = np.append(starts[1:], len(owners))
    chosen = [np.arange(a, min(a + each, b)) for a, b in zip(starts, ends, strict=True)]
    return np.concatenate(chosen) if chosen else np.empty(0, dtype=np.int64)


def most_different(differences: Floats, most: int) -> list[int]:
    """Numbers of the columns with the largest differences, in rising order."""
    return sorted(largest(np.round(differences, 6), most).tolist())


def apart(yes: Floats, trials: Floats) -> Floats:
    """Largest square of the standard errors by which an input differs from all, by column.

    `yes` has a row of counts for every input, of as many reports as `trials` says.
    """
    rate = yes.sum(axis=0) / trials.sum()
    variance = trials[:, None] * rate * (1 - rate)
    squares = (yes - trials[:, None] * rate) ** 2
    found: Floats = (squares / np.where(variance > 0, variance, np.inf)).max(axis=0)
    return found


def differences(rows: NDArray[Any], owners: Ints) -> Floats:
    """How much every column differs between inputs, in units of what chance does."""
    found = np.zeros(rows.shape[1])
    step = max(1, AT_ONCE // max(1, len(rows)))
    for start in range(0, len(found), step):
        some = slice(start, start + step)
        for answers in _questions(rows[:, some]):
            np.maximum(found[some], _answered_apart(answers, owners), out=found[some])
    return found


def differences_of_bytes(octets: NDArray[np.uint8], owners: Ints) -> Floats:
    """How much every column of bytes differs between inputs: the most that one of its bits does."""
    found = np.zeros(octets.shape[1])
    step = max(1, AT_ONCE // max(1, 8 * len(octets)))
    for start in range(0, len(found), step):
        bits = np.unpackbits(octets[:, start : start + step], axis=1).astype(np.bool_)
        found[start : start + step] = _answered_apart(bits, owners).reshape(-1, 8).max(axis=1)
    return found


def codes_of(parts: Sequence[Any]) -> NDArray[Any]:
    """Numbers for parts of any kind: those that they are, or checksums of what is shown of them."""
    try:
        found = np.array(parts)
        if found.dtype.kind in "bif" and found.ndim == 1:
            return found
    except (ValueError, OverflowError):
        pass
    return np.array([zlib.crc32(repr(part).encode("utf-8", "replace")) & HASHED for part in parts])


def _questions(rows: NDArray[Any]) -> Iterator[NDArray[np.bool_]]:
    """Answers of all reports to a few questions about every column."""
    if rows.dtype.kind == "b" or (rows.dtype.kind in "ui" and rows.min() >= 0 and rows.max() <= 1):
        yield rows.astype(np.bool_)
        return
    if rows.dtype.kind == "f":
        yield np.isnan(rows)
    else:
        yield (rows & 1).astype(np.bool_)
    ordered = np.sort(rows[:: max(1, len(rows) // FIRST)], axis=0)  # what is missing comes last
    for share in SHARES:
        yield rows > ordered[round(share * (len(ordered) - 1))]


def _answered_apart(answers: NDArray[np.bool_], owners: Ints) -> Floats:
    """How much the share of true answers differs between inputs, by column."""
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    trials = np.diff(np.append(starts, len(owners))).astype(np.float64)
    yes = np.add.reduceat(answers, starts, axis=0, dtype=np.int64)
    return apart(yes.astype(np.float64), trials)
