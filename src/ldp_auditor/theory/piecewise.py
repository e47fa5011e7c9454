"""Densities made of constant and exponential pieces and of atoms.

On every piece the log of a density is linear, so that probabilities and moments have closed forms.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from ldp_auditor.portable_math import log

SERIES_TERMS = 24
"""Terms of the series of a moment, enough to the last bit up to an exponent of 1."""


@dataclass(frozen=True)
class Piece:
    """The density e^(height - decay u) at u from 0 to `length`, measured from its highest end."""

    low: float
    high: float
    height: float
    """Logarithm of the largest value."""
    slope: float = 0.0
    """Derivative of the logarithm; an end at infinity needs one that leads to 0."""

    @property
    def top(self) -> float:
        """The end where the density is largest."""
        return self.high if self.slope > 0 else self.low

    @property
    def length(self) -> float:
        """Distance of the ends."""
        return self.high - self.low

    def log_density(self, y: float) -> float:
        """Logarithm of the density at a place of the piece, or beyond it as if it went on."""
        return self.height + self.slope * (y - self.top) if self.slope else self.height

    def part(self, low: float, high: float) -> Self:
        """Return the piece between two places of it."""
        top = high if self.slope > 0 else low
        return type(self)(low, high, self.log_density(top), self.slope)

    def moment(self, k: int) -> float:
        """Integral of u^k times the density over the piece, u the distance from its top."""
        decay = abs(self.slope)
        if self.length == math.inf:
            return math.exp(self.height) * math.factorial(k) / decay ** (k + 1)
        if self.length == 0:
            return 0.0
        share = _share(k, -decay * self.length)
        return math.exp(self.height + (k + 1) * math.log(self.length)) * share

    @property
    def mass(self) -> float:
        """Probability of the piece."""
        return self.moment(0)

    def about(self, place: float) -> tuple[float, float]:
        """Integrals of the distance from a place, with its sign, and of its square."""
        side = -1 if self.slope > 0 else 1
        away = self.top - place
        zero, one, two = (self.moment(k) for k in range(3))
        return away * zero + side * one, away * away * zero + 2 * away * side * one + two


def _share(k: int, x: float) -> float:
    """Integral of t^k e^(x t) over t from 0 to 1, for x <= 0."""
    if x >= -1:
        terms = (x**n / (math.factorial(n) * (n + k + 1)) for n in range(SERIES_TERMS))
        return math.fsum(terms)
    return math.expm1(x) / x if k == 0 else (math.exp(x) - k * _share(k - 1, x)) / x


@dataclass(frozen=True)
class PiecewiseDensity:
    """Pieces side by side, in ascending order, and atoms: places with their probabilities."""

    pieces: tuple[Piece, ...]
    atoms: tuple[tuple[float, float], ...] = ()

    @classmethod
    def steps(cls, edges: Sequence[float], heights: Sequence[float]) -> Self:
        """Make the density with these logarithms between edges, without pieces of no length."""
        spans = zip(pairwise(edges), heights, strict=True)
        return cls(tuple(Piece(low, high, height) for (low, high), height in spans if low < high))

    def scaled(self, share: float) -> Self:
        """Return the density times a probability."""
        by = log(share)
        return type(self)(
            tuple(Piece(p.low, p.high, p.height + by, p.slope) for p in self.pieces),
            tuple((place, share * mass) for place, mass in self.atoms),
        )

    @property
    def total(self) -> float:
        """Probability of everything."""
        return math.fsum([*(p.mass for p in self.pieces), *(mass for _, mass in self.atoms)])

    def below(self, place: float) -> float:
        """Probability of a smaller number, and half of that of the place itself."""
        parts = [p.part(p.low, min(p.high, place)).mass for p in self.pieces if p.low < place]
        atoms = [mass * (1.0 if at < place else 0.5) for at, mass in self.atoms if at <= place]
        return math.fsum([*parts, *atoms])

    @property
    def mean(self) -> float:
        """The mean."""
        return math.fsum(
            [*(p.about(0.0)[0] for p in self.pieces), *(at * mass for at, mass in self.atoms)]
        )

    @property
    def variance(self) -> float:
        """The variance."""
        mean = self.mean
        return math.fsum(
            [
                *(p.about(mean)[1] for p in self.pieces),
                *((at - mean) ** 2 * mass for at, mass in self.atoms),
            ]
        )
