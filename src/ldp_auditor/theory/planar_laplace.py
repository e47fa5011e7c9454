"""The loss of planar Laplace noise [Andres13] against another place.

With the two places as foci, a report at distances r and r' from them has elliptic coordinates
a = (r + r') / 2 and b = (r' - r) / 2 = c cos(nu), c half the distance of the places. The loss is
2 epsilon b, and the density of the angle follows by integrating over a, which gives Bessel
functions of z = epsilon c:

    f(nu) = z^2 / (2 pi) e^(z cos nu) (K0(z) sin^2 nu + K1(z) / z)

under the first place, and e^(-2 z cos nu) times that under the second. What is left is one integral
of a smooth function over an angle. It has no closed form (it is an incomplete Bessel function), so
it is taken by quadrature, to about 14 digits.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ldp_auditor.core import Floats, Rates
from ldp_auditor.theory.loss_law import MOST_COMPOSED, LossLaw
from ldp_auditor.theory.noise_laws import on_grid
from ldp_auditor.theory.noise_sums import CELLS, sum_of_cells
from ldp_auditor.theory.quadrature import UNIT_NODES, UNIT_WEIGHTS, integrate

PANELS = 48


@dataclass(frozen=True)
class PlanarLaplaceLaw(LossLaw):
    """Loss of planar Laplace noise; `level` is epsilon times the distance of the two places."""

    level: float

    @property
    def supremum(self) -> float:
        return self.level

    @cached_property
    def _bessel(self) -> tuple[float, float]:
        """z^2 K0(z) and z K1(z), both times e^z so that they stay in range."""
        from scipy.special import k0e, k1e

        z = self.level / 2
        return float(z * z * k0e(z)), float(z * k1e(z))

    def _below(self, angle: float, sign: int) -> float:
        """Probability of an angle from -`angle` to `angle` under the first place (1) or other."""
        z = self.level / 2
        # Under either place the density falls like a normal one of this width.
        width = min(angle, 10 / math.sqrt(1 + z))
        peak = 0.0 if sign > 0 else angle
        near = np.linspace(0.0, width, PANELS)
        edges = np.union1d(np.abs(peak - near), np.linspace(0.0, angle, PANELS))

        def density(nu: Floats) -> Floats:
            return self.density(nu, sign)

        return min(1.0, integrate(density, edges) / math.pi)

    def density(self, nu: Floats, sign: int) -> Floats:
        """Density of angles, times pi, under the first place (1) or the other (-1)."""
        z, (square, line) = self.level / 2, self._bessel
        fall = np.exp(z * (sign * np.cos(nu) - 1))
        found: Floats = fall * (square * np.sin(nu) ** 2 + line)
        return found

    def rates(self, threshold: float) -> Rates:
        share = threshold / self.level
        if share > 1 + 1e-12:
            return Rates(0.0, 0.0)
        if share <= -1:
            return Rates(1.0, 1.0)
        angle = math.acos(min(1.0, share))
        return Rates(self._below(angle, 1), self._below(angle, -1))

    def composed(self, reports: int) -> LossLaw | None:
        if reports == 1:
            return self
        fine = self.level <= MOST_LEVEL and reports <= MOST_COMPOSED
        return _sum_of_planar(self.level, reports) if fine else None

    def thresholds(self) -> Sequence[float]:
        # Not the largest loss itself, which has probability 0.
        return [self.level * step / STEPS for step in range(1, STEPS)]


STEPS = 200

MOST_LEVEL = 16.0
"""Loss of one report up to which the cells of a grid are fine enough."""


@lru_cache(maxsize=16)
def _sum_of_planar(level: float, reports: int) -> LossLaw:
    """Sum of the losses of planar noise, on a grid: w = (1 - cos nu) / 2 is 0 at the largest."""
    total = sum_of_cells(_cells(level), level, reports)
    losses = level * (2 * np.arange(len(total)) / CELLS - reports)
    return on_grid(losses, total, reports * level)


def _cells(level: float) -> Floats:
    """Return the law of w, every cell shared out to its ends with its mass and its mean."""
    one = PlanarLaplaceLaw(level)
    ends = np.arange(CELLS + 1) / CELLS
    angles = 2 * np.arcsin(np.sqrt(ends))
    nodes = angles[:-1, None] + np.diff(angles)[:, None] * UNIT_NODES
    masses = one.density(nodes, 1) * UNIT_WEIGHTS * np.diff(angles)[:, None] / math.pi
    place = CELLS * (np.sin(nodes / 2) ** 2 - ends[:-1, None])
    cells = np.zeros(CELLS + 1)
    cells[:-1] += (masses * (1 - place)).sum(axis=1)
    cells[1:] += (masses * place).sum(axis=1)
    return cells


def nearer_mean(level: float, reports: int) -> Rates:
    """Rates at which the mean of some reports is nearer to the first of two places.

    The part of the noise along the line through both has the characteristic function
    (1 + t^2)^(-3/2) in units of 1 / epsilon. The sum of n is normal with variance 2 G, where G is a
    Gamma variable of shape 3 n / 2. The integral over ln G is that of a smooth function which falls
    off at both ends, so that the trapezoidal rule has all digits.
    """
    from scipy.special import log_ndtr

    shape, edge = 1.5 * reports, reports * level / 2
    last = math.log(shape + edge + 40 * math.sqrt(shape + edge) + 800)
    t, step = np.linspace(math.log(shape) - 60 / math.sqrt(shape) - 1, last, 40_001, retstep=True)
    growth = shape * t - np.exp(t) - math.lgamma(shape)
    place = edge * np.exp(-t / 2) / math.sqrt(2)
    inside, outside = (
        float(np.exp(growth + log_ndtr(sign * place)).sum() * step) for sign in (1, -1)
    )
    return Rates(min(1.0, inside), outside)
