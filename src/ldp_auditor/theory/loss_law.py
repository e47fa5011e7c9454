"""The exact law of the privacy loss: the log-likelihood ratio of a report, under both inputs.

For inputs v1 and v2 the loss of a report y is ln P(y | v1) - ln P(y | v2). By the lemma of Neyman
and Pearson [Neyman33] the most powerful test accuses v1 when the loss is large. All laws here are
symmetric: the loss under v2 is distributed as minus the loss under v1, so that one direction of the
pair says everything. The losses of independent reports add up; `composed` gives the law of the sum.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ldp_auditor.core import Rates
from ldp_auditor.theory.roots import find_root

MOST_COMPOSED = 10_000
"""Reports up to which sums of losses are carried out."""


class LossLaw(ABC):
    """Distribution of the privacy loss under v1 and under v2."""

    @property
    @abstractmethod
    def supremum(self) -> float:
        """Largest loss of any output: the smallest epsilon of pure LDP."""

    @abstractmethod
    def rates(self, threshold: float) -> Rates:
        """Probabilities of a loss of at least `threshold` under v1 and under v2."""

    @abstractmethod
    def thresholds(self) -> Sequence[float]:
        """Thresholds worth trying, all of them positive."""

    def composed(self, reports: int) -> "LossLaw | None":
        """Law of the loss of `reports` independent reports, where it can be computed."""
        return self if reports == 1 else None

    def delta(self, epsilon: float) -> float:
        """Smallest delta of (epsilon, delta)-LDP: the hockey-stick divergence."""
        rates = self.rates(epsilon)
        return max(0.0, rates.true_positive - math.exp(epsilon) * rates.false_positive)

    def epsilon(self, delta: float) -> float:
        """Smallest epsilon of (epsilon, delta)-LDP."""
        if delta == 0:
            return self.supremum
        if self.delta(0.0) <= delta:
            return 0.0
        high = 1.0
        while high < self.supremum and self.delta(high) > delta:
            high *= 2
        high = min(high, self.supremum)
        if high == math.inf or self.delta(high) > delta:
            return math.inf
        return find_root(lambda e: self.delta(e) - delta, 0.0, high)


def privacy_profile(law: LossLaw, largest: float, points: int) -> list[tuple[float, float]]:
    """Return the smallest delta at evenly spaced epsilons from 0 to `largest`."""
    return [(float(e), law.delta(float(e))) for e in np.linspace(0.0, largest, points)]
