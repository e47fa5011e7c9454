"""How often the best guess of a value from one report of a sketch is right, for any prior."""

import math

import numpy as np

from ldp_auditor.core import Floats, Values
from ldp_auditor.theory.attack_success import blind_success, independent_success, is_uniform
from ldp_auditor.theory.bloom_filters import DIGITS, SELDOM, BitRates, occupancy
from ldp_auditor.theory.guessing import binomial

MOST_NATS = 45.0
"""What is e^-45 times as likely is left out."""

LEAST_LOG = -1e5
"""Stands for the logarithm of 0, and may be multiplied by 0."""

MOST_PRODUCTS = 2**22
"""Numbers that the success from one number of ones is summed over at most."""


def filter_success(prior: Floats, width: int, hashes: int, rates: BitRates) -> float | None:
    """A report is a filter of `width` bits; ideal functions say which are set for a value.

    Against a filter of nobody, the likelihood of a value is a factor for each of its bits. Given
    the number of ones, the values' likelihoods are independent of each other and of the same law,
    and the mean of the largest prior times likelihood is summed over all that it may be. None for
    a prior with too many different numbers.
    """
    p, absence, q = rates
    ones_law = binomial(width, q, 1 - q)
    sizes = occupancy(width, hashes)
    bits, ones = np.nonzero(np.tril(np.ones((hashes + 1, hashes + 1))) * (sizes > 0)[:, None])
    logs = ones * math.log(p / q) + (bits - ones) * math.log(absence / (1 - q))
    _, firsts, places = np.unique(np.round(logs, DIGITS), return_index=True, return_inverse=True)
    levels, numbers = np.exp(logs[firsts]), np.flatnonzero(ones_law > SELDOM)
    merge = (places[:, None] == np.arange(len(levels))).astype(float)
    chances = (sizes[bits] * _set_chances(width, numbers[:, None], bits, ones)) @ merge
    if is_uniform(prior):
        at_most = np.minimum(1.0, np.cumsum(chances, axis=1)) ** len(prior)
        means = np.diff(at_most, axis=1, prepend=0.0) @ levels
        return float(ones_law[numbers] @ means) * float(prior[0])
    ranked, total = np.sort(prior[prior > 0])[::-1], 0.0
    for number, row in zip(numbers, chances, strict=True):
        best = float(row[-1])
        # Others than the first few are never the best of those with the largest likelihood.
        few = math.ceil(MOST_NATS / -math.log1p(-best)) if 0 < best < 1 else len(ranked)
        values, counts = np.unique(ranked[:few], return_counts=True)
        if len(values) * len(levels) ** 2 > MOST_PRODUCTS:
            return None
        total += float(ones_law[number]) * _mean_of_best(values, counts, levels, row)
    return total


def _set_chances(width: int, numbers: Values, bits: Values, ones: Values) -> Floats:
    """Probabilities that so many `ones` of so many `bits` are among `numbers` of `width`."""
    from scipy.special import comb

    found: Floats = comb(numbers, ones) * comb(width - numbers, bits - ones) / comb(width, bits)
    return found


def _mean_of_best(values: Floats, counts: Values, levels: Floats, chances: Floats) -> float:
    """Mean of the largest prior times level; `counts` priors have each of the ascending `values`.

    The levels of all priors are independent, with the same `chances`.
    """
    products = np.unique(np.multiply.outer(values, levels))
    below = np.append(0, np.cumsum(counts))
    reached = products[:, None] / levels * (1 + 1e-12)
    allowed = below[np.searchsorted(values, reached, side="right")]  # priors that keep a level
    exactly = -np.diff(np.column_stack([np.full(len(products), below[-1]), allowed]), axis=1)
    exactly = np.column_stack([exactly, allowed[:, -1]])  # by the highest level that they may have
    with np.errstate(divide="ignore"):
        logs = np.append(-np.inf, np.log(np.minimum(1.0, np.cumsum(chances))))
    at_most = np.exp(exactly @ np.maximum(logs, LEAST_LOG))
    return float(products @ np.diff(at_most, prepend=0.0))


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
