"""How often the best guess of a value from all reports of a user is right: exact, for any prior.

Where the counts of different values are independent, given the true one, the guess with the largest
prior(v) P(counts | v) is right with the mean of the largest prior(v) ratio(count of v), where no
value is the true one and ratio is how much likelier a count is for the true value. The mean is
summed over all values that the largest one can have.
"""

import numpy as np

from ldp_auditor.core import Floats

MOST_LEVELS = 2_000_000
"""Different numbers of a prior times counts up to which the sum is carried out."""

LEAST = 1e-300
"""Stands for probabilities that are 0 up to rounding, whose logarithms are needed."""


def counts_success(
    prior: Floats, log_ratios: Floats, true_count: Floats, other_count: Floats
) -> float | None:
    """Success where every value has a count of its own: laws of the true one's and of others'.

    `log_ratios` of the counts must not fall as the count grows. None for a prior with too many
    different numbers.
    """
    shares, numbers = np.unique(prior[prior > 0], return_counts=True)
    if len(shares) * len(log_ratios) > MOST_LEVELS:
        return None
    log_below = np.log(np.maximum(np.cumsum(other_count), LEAST))
    before = np.append(0.0, log_below[:-1])  # with count 0 a value has no part in a product yet
    share = np.minimum(other_count / np.maximum(np.cumsum(other_count), LEAST), 1.0)
    # The largest of n counts is c with probability F(c)^n - F(c - 1)^n. Times the
    # ratio, that is the law of the true count times a sum of n products of F(c) and F(c - 1).
    n = numbers[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        some = -np.expm1(n * np.log1p(-share)) / share
    products = np.exp((n - 1) * log_below) * np.where(share > 0, some, n)
    gain = shares[:, None] * true_count * products

    levels = np.log(shares)[:, None] + log_ratios
    order = np.argsort(levels, axis=None, kind="stable")
    steps = (n * np.diff(log_below, prepend=0.0)).reshape(-1)[order]
    all_before = np.cumsum(steps) - steps
    others = np.exp(all_before - (n * before).reshape(-1)[order])
    # The largest is never below what the most frequent values have with the count 0.
    start = int(np.flatnonzero(order == (len(shares) - 1) * len(log_ratios))[0])
    return float(gain.reshape(-1)[order][start:] @ others[start:])


def ratios_of_bits(reports: int, p: float, absence: float, q: float) -> Floats:
    """Log-ratios of how many of `reports` independent bits are 1: p if true, q if not."""
    ones = np.arange(reports + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        zeros = np.where(ones < reports, (reports - ones) * np.log(absence / (1 - q)), 0.0)
    ratios: Floats = ones * np.log(p / q) + zeros
    return ratios
