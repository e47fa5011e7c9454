"""Exact privacy of random sampling plus fake data, from the kinds of outcomes of each attribute.

With fake data F, the protocol M of the drawn attribute and records v, a report y has probability
P(y | v) = (product of F(y_i)) (1/d) (sum of R_j), R_j = M(y_j | v_j) / F(y_j). Of every attribute
only the ratios R under both records matter; outcomes with the same ratios are one kind.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldp_auditor.core import Floats
from ldp_auditor.theory.discrete_laws import DiscreteLaw
from ldp_auditor.theory.enumeration import choices, compositions, log_ways, number_of_compositions

MOST_OUTCOMES = 500_000
"""Combinations of kinds that are enumerated at most."""

MOST_ENTRIES = 5_000_000
"""Kinds or counts in all of them at most."""


@dataclass(frozen=True)
class Kinds:
    """Kinds of outcomes of one attribute, a column each."""

    first: tuple[float, ...]
    """Ratio R under the first record."""
    second: tuple[float, ...]
    """Ratio R under the second record."""
    fake: tuple[float, ...]
    """Probability of the kind as fake data."""


def largest_loss(attributes: Sequence[Kinds]) -> float:
    """Largest loss of any report: the largest ratio of two sums.

    A ratio of sums exceeds t if and only if the sum of (first - t second) does 0; the latter is
    maximized attribute by attribute. Starting from any t, the ratio of the maximizer is a better
    one, and after a few steps the best [Dinkelbach67].
    """
    ratio = 1.0
    columns = [(np.array(kinds.first), np.array(kinds.second)) for kinds in attributes]
    while True:
        with np.errstate(over="ignore"):
            chosen = [int(np.argmax(first - ratio * second)) for first, second in columns]
        above = [float(f[c]) for (f, _), c in zip(columns, chosen, strict=True)]
        below = [float(s[c]) for (_, s), c in zip(columns, chosen, strict=True)]
        better = math.fsum(above) / math.fsum(below)
        if better <= ratio * (1 + 1e-15):
            # The log of a ratio near 1, without losing the digits of their difference.
            return math.log1p(math.fsum([*above, *(-x for x in below)]) / math.fsum(below))
        ratio = better


def law_of_loss(attributes: Sequence[Kinds]) -> DiscreteLaw | None:
    """Law of the loss by enumerating combinations of kinds, if there are not too many."""
    groups = Counter(attributes)
    sizes = [number_of_compositions(n, len(kinds.fake)) for kinds, n in groups.items()]
    widths = [min(n, len(kinds.fake)) for kinds, n in groups.items()]
    entries = sum(size * width for size, width in zip(sizes, widths, strict=True))
    if math.prod(sizes) > MOST_OUTCOMES or entries > MOST_ENTRIES:
        return None
    first, second, chance = np.zeros(1), np.zeros(1), np.ones(1)
    for kinds, n in groups.items():
        above, below, likely = _sums_of_group(kinds, n)
        first = np.add.outer(first, above).ravel()
        second = np.add.outer(second, below).ravel()
        chance = np.multiply.outer(chance, likely).ravel()
    d = len(attributes)
    possible = chance > 0
    first, second, chance = first[possible], second[possible], chance[possible]
    return DiscreteLaw.of(np.log(first / second), chance * first / d, chance * second / d)


def _sums_of_group(kinds: Kinds, n: int) -> tuple[Floats, Floats, Floats]:
    """Both sums of ratios of n attributes alike, and their probabilities as fake data."""
    from scipy.special import xlogy

    first, second, fake = (np.array(x) for x in (kinds.first, kinds.second, kinds.fake))
    if n < len(fake):  # few attributes of many kinds: name the kinds
        rows, orders = choices(n, len(fake))
        return first[rows].sum(axis=1), second[rows].sum(axis=1), orders * fake[rows].prod(axis=1)
    counts = compositions(n, len(fake))  # many attributes of few kinds: count them
    log_chance = log_ways(counts) + xlogy(counts, fake).sum(axis=1)
    return counts @ first, counts @ second, np.exp(log_chance)
