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
from functools import cached_property

import numpy as np

from ldp_auditor.core import Floats, Rates
from ldp_auditor.theory.loss_law import LossLaw
from ldp_auditor.theory.quadrature import integrate

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
        z, (square, line) = self.level / 2, self._bessel
        # Under either place the density falls like a normal one of this width.
        width = min(angle, 10 / math.sqrt(1 + z))
        peak = 0.0 if sign > 0 else angle
        near = np.linspace(0.0, width, PANELS)
        edges = np.union1d(np.abs(peak - near), np.linspace(0.0, angle, PANELS))

        def density(nu: Floats) -> Floats:
            fall = np.exp(z * (sign * np.cos(nu) - 1))
            found: Floats = fall * (square * np.sin(nu) ** 2 + line)
            return found

        return min(1.0, integrate(density, edges) / math.pi)

    def rates(self, threshold: float) -> Rates:
        share = threshold / self.level
        if share > 1 + 1e-12:
            return Rates(0.0, 0.0)
        if share <= -1:
            return Rates(1.0, 1.0)
        angle = math.acos(min(1.0, share))
        return Rates(self._below(angle, 1), self._below(angle, -1))

    def thresholds(self) -> Sequence[float]:
        # Not the largest loss itself, which has probability 0.
        return [self.level * step / STEPS for step in range(1, STEPS)]


STEPS = 200
