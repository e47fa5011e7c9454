"""Exact laws of memoized randomized response: counts of the reported values over many reports.

The memo is the value with probability p1, each of the others with q1; a report is the memo with
probability p2, each of the others with q2. With r = p2 / q2 and counts z of the reports,
P(z | value) is proportional to q1 S + (p1 - q1) r^z[value], S the sum of r^z over all values.
Everything here enumerates the counts, as long as there are not too many of them.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.core import Floats
from ldp_auditor.theory.discrete_laws import DiscreteLaw
from ldp_auditor.theory.enumeration import compositions, log_ways, number_of_compositions

MOST_COUNTS = 2_000_000
"""Counts in all vectors of counts that are enumerated at most."""


@dataclass(frozen=True, eq=False)
class Enumeration:
    """All vectors of counts of the reported values, a row each, with their probabilities."""

    counts: NDArray[np.int64]
    likely: Floats
    """Their probability if value 0 is the truth."""
    unlikely: Floats
    """Their probability if value 1 is the truth."""
    losses: Floats

    @cached_property
    def loss_law(self) -> DiscreteLaw:
        """Law of the loss of telling values 0 and 1 apart."""
        return DiscreteLaw.of(self.losses, self.likely, self.unlikely)

    def hashed_hit(self, domain_size: int) -> float:
        """Probability of guessing the true value among those that share the largest count.

        Every one of `domain_size` values is hashed to one of the counted ones, independently; the
        true value to number 0. Of the others each has a smaller count, or the same, with the share
        of such numbers; the chance to be drawn is the mean of (smaller + u same)^(k - 1) over u.
        """
        own = self.counts[:, :1]
        size = self.counts.shape[1]
        smaller = (self.counts < own).sum(axis=1) / size
        same = (self.counts == own).sum(axis=1) / size
        powers = (smaller + same) ** domain_size - smaller**domain_size
        return float(self.likely @ (powers / (domain_size * same)))


@dataclass(frozen=True)
class MemoizedResponse:
    """Two rounds of randomized response over `size` values."""

    size: int
    p1: float
    q1: float
    p2: float
    q2: float

    @property
    def p(self) -> float:
        """Probability that one report is the true value."""
        return self.p1 * self.p2 + (self.size - 1) * self.q1 * self.q2

    @property
    def q(self) -> float:
        """Probability that one report is one given other value."""
        return self.q1 * self.p2 + self.p1 * self.q2 + (self.size - 2) * self.q1 * self.q2

    @property
    def log_step(self) -> float:
        """What one more report of a value adds to the log-likelihood of its being the memo."""
        return math.log(self.p2) - math.log(self.q2)

    def log_likelihood(self, own: Floats, log_sum: Floats) -> Floats:
        """Log of P(z | value) / S up to a constant, from z[value] and ln S."""
        share = np.exp(self.log_step * own - log_sum)
        return np.log(self.q1 + (self.p1 - self.q1) * share)

    def log_sum(self, counts: Floats) -> Floats:
        """Log of S for every row of counts."""
        logs = self.log_step * counts
        top = logs.max(axis=1)
        total: Floats = top + np.log(np.exp(logs - top[:, None]).sum(axis=1))
        return total

    def worst_case(self, reports: int) -> float:
        """Largest loss of `reports` reports: all of them name the first value."""
        log_sum = np.logaddexp(reports * self.log_step, math.log(self.size - 1))
        first, second = self.log_likelihood(np.array([reports, 0.0]), log_sum)
        return float(first - second)

    def enumerated(self, reports: int) -> Enumeration | None:
        """All counts of `reports` reports with their probabilities, if there are not too many."""
        if number_of_compositions(reports, self.size) * self.size > MOST_COUNTS:
            return None
        return _enumerate(self, reports)


@lru_cache(maxsize=16)
def _enumerate(response: MemoizedResponse, reports: int) -> Enumeration:
    counts = compositions(reports, response.size)
    as_floats = counts.astype(np.float64)
    log_sum = response.log_sum(as_floats)
    log_known = log_ways(counts) + log_sum + reports * math.log(response.q2)
    first, second = (response.log_likelihood(as_floats[:, v], log_sum) for v in (0, 1))
    return Enumeration(
        counts, np.exp(log_known + first), np.exp(log_known + second), first - second
    )
