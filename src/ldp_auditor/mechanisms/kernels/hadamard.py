"""Rows and columns of Hadamard matrices, whose entry is 1 or -1 by the bits that both share.

Entry (row, column) is -1 where the two numbers have an odd number of ones in common [Sylvester67].
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.core import Floats
from ldp_auditor.errors import must
from ldp_auditor.mechanisms.kernels.bits import popcount
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import next_word, scale_down

MOST_COLUMNS = 2**22
"""Columns up to which exact rates of the guess are summed over all of them."""

TRIES = np.uint64(32)
"""Candidates that are drawn at random before all are looked at."""


@compiled
def is_odd(row: Any, column: Any) -> Any:
    """Return 1 where the entry of the matrix is -1, else 0."""
    return popcount(row & column) & np.uint64(1)


@compiled
def choose_row(stream: Any, first: Any, end: Any, column: Any, odd: Any) -> Any:
    """Return any row of first..end-1 whose entry in `column` has that sign, or `end` if none has.

    A row that is tried at random is as good as any other; few columns have so few rows of a sign
    that all must be looked at.
    """
    size = end - first
    for _ in range(TRIES):
        row = first + scale_down(next_word(stream), size)
        if is_odd(row, column) == odd:
            return row
    found = np.uint64(0)
    for row in range(first, end):
        found += np.uint64(is_odd(row, column) == odd)
    if found == np.uint64(0):
        return end
    rank = scale_down(next_word(stream), found)
    row = first
    while True:
        if is_odd(row, column) == odd:
            if rank == np.uint64(0):
                return row
            rank -= np.uint64(1)
        row += np.uint64(1)


def transformed(rows: Floats) -> Floats:
    """Return the product with the Hadamard matrix along the last axis, in K log K additions."""
    size = rows.shape[-1]
    out = rows.astype(np.float64)
    half = 1
    while half < size:
        pairs = out.reshape(*rows.shape[:-1], -1, 2, half)
        total, difference = pairs[..., 0, :] + pairs[..., 1, :], pairs[..., 0, :] - pairs[..., 1, :]
        out = np.stack([total, difference], axis=-2).reshape(rows.shape)
        half *= 2
    return out


def column_sums(first: int, end: int, size: int) -> Floats:
    """Return the sum of the entries of rows first..end-1 in every one of `size` columns."""
    indicator = np.zeros(size)
    indicator[first:end] = 1
    return transformed(indicator)


def signs(rows: Any, columns: Any) -> Floats:
    """Entries of the matrix."""
    entries: Floats = 1.0 - 2.0 * (np.bitwise_count(rows & columns) & 1)
    return entries


def checked_columns(columns: Any, size: int) -> NDArray[np.int64]:
    """Return columns as indices, or raise unless there are such."""
    wrong = int(columns.max())
    must(wrong < size, f"name columns below {size}", reports=wrong)
    indices: NDArray[np.int64] = columns.astype(np.int64)
    return indices
