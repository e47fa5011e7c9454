"""The exact law of the privacy loss: the log-likelihood ratio of a report, under both inputs.

For inputs v1 and v2 the loss of a report y is ln P(y | v1) - ln P(y | v2). By the lemma of Neyman
and Pearson [Neyman33] the most powerful test accuses v1 when the loss is large. All laws here are
symmetric: the loss under v2 is distributed as minus the loss under v1, so that one direction of the
pair says everything.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldp_auditor.core import Rates
from ldp_auditor.theory.gaussian import gaussian_log_delta


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

    def delta(self, epsilon: float) -> float:
        """Smallest delta of (epsilon, delta)-LDP: the hockey-stick divergence."""
        rates = self.rates(epsilon)
        return max(0.0, rates.true_positive - math.exp(epsilon) * rates.false_positive)

    def epsilon(self, delta: float) -> float:
        """Smallest epsilon of (epsilon, delta)-LDP."""
        from scipy.optimize import brentq

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
        return float(brentq(lambda e: self.delta(e) - delta, 0.0, high, xtol=1e-14, rtol=1e-14))


def privacy_profile(law: LossLaw, largest: float, points: int) -> list[tuple[float, float]]:
    """Return the smallest delta at evenly spaced epsilons from 0 to `largest`."""
    return [(float(e), law.delta(float(e))) for e in np.linspace(0.0, largest, points)]


@dataclass(frozen=True)
class OneLevelLaw(LossLaw):
    """A loss that is plus or minus one level, or 0.

    `likely` is the probability of the positive level under v1, `unlikely` that under v2.
    """

    likely: float
    unlikely: float

    @property
    def supremum(self) -> float:
        return math.inf if self.unlikely == 0 else math.log(self.likely / self.unlikely)

    def rates(self, threshold: float) -> Rates:
        # A threshold that equals the level up to rounding includes it.
        if threshold > self.supremum * (1 + 1e-12):
            return Rates(0.0, 0.0)
        if threshold > 0:
            return Rates(self.likely, self.unlikely)
        return Rates(1 - self.unlikely, 1 - self.likely)

    def thresholds(self) -> Sequence[float]:
        return [self.supremum]

    def epsilon(self, delta: float) -> float:
        """Smallest epsilon at which `likely` exceeds e^epsilon `unlikely` by delta at most."""
        return Rates(self.likely, self.unlikely).epsilon(delta)


@dataclass(frozen=True)
class GaussianLaw(LossLaw):
    """Loss of normal noise of a scale against a shift: N(mu^2 / 2, mu^2), mu = shift / scale."""

    scale: float
    shift: float

    @property
    def mu(self) -> float:
        """Shift in units of the noise."""
        return self.shift / self.scale

    @property
    def supremum(self) -> float:
        return math.inf

    def rates(self, threshold: float) -> Rates:
        from scipy.special import ndtr

        center = threshold / self.mu
        return Rates(float(ndtr(self.mu / 2 - center)), float(ndtr(-self.mu / 2 - center)))

    def thresholds(self) -> Sequence[float]:
        mean, spread = self.mu**2 / 2, self.mu
        return [float(t) for t in np.linspace(0, mean + 8 * spread, 801)[1:]]

    def delta(self, epsilon: float) -> float:
        return math.exp(gaussian_log_delta(epsilon, self.scale, self.shift))


@dataclass(frozen=True)
class ClippedLaplaceLaw(LossLaw):
    """Loss of a histogram with Laplace noise: epsilon (1 - S), S in [0, 2].

    Entries matter only clipped to [0, 1]. With W, W' the clipped noise of scale 2 / epsilon of the
    two entries that differ (mirrored at the true one), S = W + W'; its survival function follows by
    adding atoms and densities.
    """

    claimed: float

    @property
    def supremum(self) -> float:
        return self.claimed

    def _survival(self, s: float) -> tuple[float, float]:
        """P(S > s) and P(S >= s); atoms are at 0, 1 and 2."""
        rate = self.claimed / 2
        if s < 0:
            return 1.0, 1.0
        if s > 2:
            return 0.0, 0.0
        beyond_one = math.exp(-s * rate) * (0.25 + (2 - s) * rate / 4)
        below_one = math.exp(-s * rate) * (0.75 + s * rate / 4)
        if s == 0:
            return below_one, 1.0
        if s == 1:
            return beyond_one, below_one
        if s == 2:
            return 0.0, beyond_one
        inside = below_one if s < 1 else beyond_one
        return inside, inside

    def rates(self, threshold: float) -> Rates:
        s = 1 - threshold / self.claimed
        s = round(s) if abs(s - round(s)) < 1e-12 else s
        return Rates(1 - self._survival(s)[0], self._survival(2 - s)[1])

    def thresholds(self) -> Sequence[float]:
        return [self.claimed * float(t) for t in np.linspace(0, 1, 201)[1:]]
