"""How often the best guess of a value from one report of a sketch is right, for any prior."""

import math

import numpy as np

from ldp_auditor.core import Floats, Values
from ldp_auditor.theory.attack_success import blind_success, independent_success, is_uniform
from ldp_auditor.theory.bloom_filters import SELDOM
from ldp_auditor.theory.guessing import binomial

MOST_NATS = 45.0
"""What is e^-45 times as likely is left out."""


def count_mean_success(prior: Floats, width: int, flip: float) -> float:
    """A report is a filter of `width` bits, each flipped; an ideal function sets the value's one.

    Against a filter of flipped zeros, the likelihood of a value is (1 - flip) / flip if its bit is
    1, the inverse if it is 0. Given the number of ones, each value has a 1 independently.
    """
    law = binomial(width, flip, 1 - flip)
    odds, ranked = (1 - flip) / flip, np.sort(prior)[::-1]
    total = 0.0
    for ones in np.flatnonzero(law > SELDOM):
        q = ones / width
        if ones in (0, width):
            mean = ranked[0] * (odds if ones else 1 / odds)
        else:  # others than the first few are never the most frequent one with a 1
            few = ranked[: math.ceil(MOST_NATS / -math.log1p(-q))]
            mean = independent_success(few, odds, 1 / odds, q)
        total += float(law[ones] * mean)
    return total


def hadamard_sketch_success(prior: Floats, width: int, flip: float) -> float:
    """A report is an entry at the value's hash in a column, one of which says nothing at all.

    In any other column each value has either entry, independently.
    """
    told = independent_success(prior, 2 * (1 - flip), 2 * flip, 0.5)
    return blind_success(prior) / width + (1 - 1 / width) * told


def hadamard_entry_success(prior: Floats, columns: int, flip: float) -> float:
    """A report is the entry of the value's row in one of `columns` columns, flipped or not."""
    rows, top = np.arange(len(prior)), blind_success(prior)
    if is_uniform(prior):  # one report of all, a -1 in column 0, speaks for nobody
        return top * ((2 * columns - 1) * (1 - flip) + flip) / columns
    found = sum(
        np.maximum((1 - flip) * best_in_columns(rows, prior, columns, sign), flip * top).sum()
        for sign in (1, -1)
    )
    return float(found) / columns


def best_in_columns(rows: Values, prior: Floats, columns: int, sign: int) -> Floats:
    """The largest prior among the rows of a Hadamard matrix with that sign in every column."""
    best = np.zeros(columns)
    best[0] = prior.max() if sign > 0 else 0.0  # all entries of column 0 are 1
    open_ = np.arange(1, columns)
    for place in np.argsort(-prior, kind="stable"):
        odd = np.bitwise_count(open_ & rows[place]) & 1
        found = odd == (sign < 0)
        best[open_[found]] = prior[place]
        open_ = open_[~found]
        if not open_.size:
            break
    return best
