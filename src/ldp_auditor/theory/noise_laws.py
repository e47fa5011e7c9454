"""Laws of losses of normal and of Laplace noise, and of their sums."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np

from ldp_auditor.core import Floats, Rates
from ldp_auditor.theory.discrete_laws import DiscreteLaw
from ldp_auditor.theory.gaussian import gaussian_log_delta
from ldp_auditor.theory.loss_law import MOST_COMPOSED, LossLaw
from ldp_auditor.theory.noise_sums import CELLS, sum_of_clipped_noise


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

    def composed(self, reports: int) -> Self:
        return type(self)(self.scale / math.sqrt(reports), self.shift)


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

    def composed(self, reports: int) -> LossLaw | None:
        if reports == 1:
            return self
        return _sum_of_clipped(self.claimed, reports) if reports <= MOST_COMPOSED else None


@dataclass(frozen=True)
class LaplaceLaw(LossLaw):
    """Loss of Laplace noise against a shift: level (1 - 2 W), level = shift / scale, W in [0, 1].

    W is the noise in units of the shift, clipped.
    """

    level: float

    @property
    def supremum(self) -> float:
        return self.level

    def rates(self, threshold: float) -> Rates:
        if threshold > self.level * (1 + 1e-12):
            return Rates(0.0, 0.0)
        if threshold <= -self.level:
            return Rates(1.0, 1.0)
        near, far = (self.level - threshold) / 2, (self.level + threshold) / 2
        return Rates(1 - math.exp(-near) / 2, math.exp(-far) / 2)

    def thresholds(self) -> Sequence[float]:
        return [self.level * float(t) for t in np.linspace(0, 1, 201)[1:]]

    def delta(self, epsilon: float) -> float:
        return max(0.0, -math.expm1((epsilon - self.level) / 2))

    def composed(self, reports: int) -> LossLaw | None:
        if reports == 1:
            return self
        return _sum_of_laplace(self.level, reports) if reports <= MOST_COMPOSED else None


@lru_cache(maxsize=16)
def _sum_of_clipped(claimed: float, reports: int) -> DiscreteLaw:
    """Sum of the losses of histograms with Laplace noise, on a grid.

    The loss of one is epsilon (1 - W - W') with noise W of rate epsilon / 2, clipped to [0, 1].
    """
    total = sum_of_clipped_noise(claimed / 2, 2 * reports)
    return on_grid(claimed * (np.arange(len(total)) / CELLS - reports), total, reports * claimed)


@lru_cache(maxsize=16)
def _sum_of_laplace(level: float, reports: int) -> DiscreteLaw:
    """Sum of the losses of Laplace noise against a shift, on a grid."""
    total = sum_of_clipped_noise(level, reports)
    losses = level * (2 * np.arange(len(total)) / CELLS - reports)
    return on_grid(losses, total, reports * level)


def on_grid(losses: Floats, total: Floats, largest: float) -> DiscreteLaw:
    """The law of losses that are as likely as clipped noise is, from the largest loss downwards."""
    likely = total[::-1].copy()
    # Under v2 a loss is e^loss times less likely, which keeps the digits that mirroring would lose.
    unlikely = np.where(losses > 0, likely * np.exp(-np.maximum(losses, 0.0)), total)
    return DiscreteLaw(losses, likely, unlikely, largest)
