"""Exact privacy of random sampling plus fake data, from the kinds of outcomes of each attribute.

With fake data F, the protocol M of the drawn attribute and records v, a report y has probability
P(y | v) = (product of F(y_i)) (1/d) (sum of R_j), R_j = M(y_j | v_j) / F(y_j). Of every attribute
only the ratios R under both records matter; outcomes with the same ratios are one kind.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldp_auditor.core import Floats
from ldp_auditor.theory.enumeration import compositions, log_ways, number_of_compositions
from ldp_auditor.theory.loss_law import DiscreteLaw

MOST_OUTCOMES = 500_000
"""Combinations of kinds that are enumerated at most."""


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
        chosen = [int(np.argmax(first - ratio * second)) for first, second in columns]
        better = sum(f[c] for (f, _), c in zip(columns, chosen, strict=True)) / sum(
            s[c] for (_, s), c in zip(columns, chosen, strict=True)
        )
        if better <= ratio * (1 + 1e-15):
            return math.log(ratio)
        ratio = float(better)


def law_of_loss(attributes: Sequence[Kinds]) -> DiscreteLaw | None:
    """Law of the loss by enumerating combinations of kinds, if there are not too many."""
    from scipy.special import xlogy

    groups = Counter(attributes)
    sizes = [number_of_compositions(n, len(kinds.fake)) for kinds, n in groups.items()]
    if math.prod(sizes) > MOST_OUTCOMES:
        return None
    first, second, chance = np.zeros(1), np.zeros(1), np.ones(1)
    for kinds, n in groups.items():
        counts = compositions(n, len(kinds.fake))
        log_chance = log_ways(counts) + xlogy(counts, np.array(kinds.fake)).sum(axis=1)
        first = _all_sums(first, counts @ np.array(kinds.first))
        second = _all_sums(second, counts @ np.array(kinds.second))
        chance = (chance[:, None] * np.exp(log_chance)[None, :]).reshape(-1)
    d = len(attributes)
    possible = chance > 0
    first, second, chance = first[possible], second[possible], chance[possible]
    return DiscreteLaw.of(np.log(first / second), chance * first / d, chance * second / d)


def _all_sums(a: Floats, b: Floats) -> Floats:
    return (a[:, None] + b[None, :]).reshape(-1)
