"""Densities made of constant and exponential pieces and of atoms, and the exact loss between two.

On every piece the log of a density is linear, so that probabilities, moments and the rates of any
threshold on the ratio of two such densities have closed forms.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.core import Floats, Rates, Reports
from ldp_auditor.portable_math import log
from ldp_auditor.theory.loss_law import DISTINCT, MOST_SUMS, DiscreteLaw, LossLaw, OneLevelLaw

SAME = 1e-12
"""Losses that differ by this share count as equal."""

MIRRORED = 1e-7
"""Probabilities that differ by this share count as equal: edges of narrow pieces are rounded."""

SERIES_TERMS = 24
"""Terms of the series of a moment, enough to the last bit up to an exponent of 1."""


Levels = tuple[Floats, Floats, Floats]
"""Losses in ascending order, and their probabilities under both inputs."""


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


@dataclass(frozen=True)
class Cell:
    """Where both densities are one piece: the loss goes evenly from one end to the other."""

    first: Piece
    second: Piece

    def loss(self, y: float) -> float:
        """The loss at a place."""
        return self.first.log_density(y) - self.second.log_density(y)

    @property
    def slope(self) -> float:
        """By how much the loss grows with the report."""
        return self.first.slope - self.second.slope

    @property
    def ends(self) -> tuple[float, float]:
        """The loss at both ends."""
        if self.slope == 0:
            at = self.first.low if math.isfinite(self.first.low) else self.first.high
            return self.loss(at), self.loss(at)
        return self.loss(self.first.low), self.loss(self.first.high)

    def reaching(self, least: float) -> Rates:
        """Probabilities of a loss of at least `least` in this cell."""
        low, high = self.ends
        first, last = self.first.low, self.first.high
        if max(low, high) < least:
            return Rates(0.0, 0.0)
        if min(low, high) < least:  # the loss crosses it
            crossing = first + (last - first) * (least - low) / (high - low)
            first, last = (crossing, last) if high > low else (first, crossing)
        return Rates(self.first.part(first, last).mass, self.second.part(first, last).mass)


@dataclass(frozen=True)
class PiecewiseLaw(LossLaw):
    """The loss of a report of one density against another, which may be lopsided.

    `rates` are about the first density; the privacy profile is of the pair, in both directions.
    """

    first: PiecewiseDensity
    second: PiecewiseDensity

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Both densities, cut at the edges of either."""
        found = []
        for p in self.first.pieces:
            for q in self.second.pieces:
                low, high = max(p.low, q.low), min(p.high, q.high)
                if low < high:
                    found.append(Cell(p.part(low, high), q.part(low, high)))
        return tuple(found)

    @cached_property
    def atoms(self) -> tuple[tuple[float, float, float, float], ...]:
        """Places of atoms, their losses and probabilities under both."""
        both = zip(self.first.atoms, self.second.atoms, strict=True)
        return tuple((place, log(p) - log(q), p, q) for (place, p), (_, q) in both)

    @cached_property
    def levels(self) -> Levels | None:
        """Losses with their probabilities under both, if there are finitely many."""
        if any(cell.slope for cell in self.cells):
            return None
        found = [(cell.ends[0], cell.first.mass, cell.second.mass) for cell in self.cells]
        return merged_levels(*np.array([*found, *(atom[1:] for atom in self.atoms)]).T)

    @property
    def supremum(self) -> float:
        losses = [abs(loss) for cell in self.cells for loss in cell.ends]
        return max([*losses, *(abs(loss) for _, loss, _, _ in self.atoms)])

    def rates(self, threshold: float) -> Rates:
        least = threshold - SAME * max(1.0, abs(threshold))
        found = [cell.reaching(least) for cell in self.cells]
        found += [Rates(p, q) for _, loss, p, q in self.atoms if loss >= least]
        return Rates(
            min(1.0, math.fsum(rates.true_positive for rates in found)),
            min(1.0, math.fsum(rates.false_positive for rates in found)),
        )

    def thresholds(self) -> Sequence[float]:
        """Every level, and 200 places where the loss has a density."""
        levels = {loss for _, loss, _, _ in self.atoms}
        for cell in self.cells:
            low, high = sorted(cell.ends)
            levels |= {low} if low == high else set(np.linspace(low, high, 201).tolist())
        return sorted(level for level in levels if level > 0) or [math.inf]

    @cached_property
    def reverse(self) -> "PiecewiseLaw":
        """The loss of the second against the first."""
        return PiecewiseLaw(self.second, self.first)

    def delta(self, epsilon: float) -> float:
        return max(super().delta(epsilon), LossLaw.delta(self.reverse, epsilon))

    def composed(self, reports: int) -> LossLaw | None:
        if reports == 1:
            return self
        return None if self.levels is None else LopsidedLaw.of_sums(*self.levels, reports)


@dataclass(frozen=True, eq=False)
class LopsidedLaw(DiscreteLaw):
    """A loss with finitely many values that is not symmetric: profiles look at both directions."""

    @classmethod
    def of_sums(cls, losses: Floats, likely: Floats, unlikely: Floats, reports: int) -> Self | None:
        """Return the law of the sum of `reports` losses, unless it has too many values."""
        from scipy.special import gammaln

        if math.comb(reports + len(losses) - 1, reports) > MOST_SUMS:
            return None
        counts = _counts(reports, len(losses))
        ways = gammaln(reports + 1) - gammaln(counts + 1.0).sum(axis=1)
        chances = (np.exp(ways + counts @ np.log(p)) for p in (likely, unlikely))
        return cls.of(counts @ losses, *chances)

    @property
    def supremum(self) -> float:
        return float(max(self.losses[-1], -self.losses[0]))

    def composed(self, reports: int) -> LossLaw | None:
        if reports == 1:
            return self
        return self.of_sums(self.losses, self.likely, self.unlikely, reports)

    def delta(self, epsilon: float) -> float:
        below = -self.losses > epsilon
        excess = self.unlikely[below] * -np.expm1(epsilon + self.losses[below])
        return max(super().delta(epsilon), float(np.sum(excess)))


def _counts(total: int, kinds: int) -> NDArray[np.int64]:
    """Return every way to share out a total over so many kinds, a row each."""
    if kinds == 1:
        return np.array([[total]])
    if kinds == 2:
        ones = np.arange(total + 1)
        return np.stack([ones, total - ones], axis=1)
    rows = [(n, _counts(total - n, kinds - 1)) for n in range(total + 1)]
    return np.concatenate([np.insert(rest, 0, n, axis=1) for n, rest in rows])


def merged_levels(losses: Floats, likely: Floats, unlikely: Floats) -> Levels:
    """Return losses in ascending order, equal ones as one, with their probabilities under both."""
    merged: list[list[float]] = []
    for loss, p, q in sorted(zip(losses.tolist(), likely.tolist(), unlikely.tolist(), strict=True)):
        if merged and loss - merged[-1][0] <= DISTINCT * max(1.0, abs(loss)):
            merged[-1][1:] = merged[-1][1] + p, merged[-1][2] + q
        else:
            merged.append([loss, p, q])
    return tuple(np.array(merged).T)


def law_of_levels(losses: Floats, likely: Floats, unlikely: Floats) -> LossLaw:
    """Return the law of a loss with finitely many values, as one of one level if it is one."""
    losses, likely, unlikely = merged_levels(losses, likely, unlikely)
    level = float(losses[-1])
    known = np.abs(np.abs(losses) - level) <= SAME * level
    if level > 0 and bool((known | (np.abs(losses) <= SAME * level)).all()):
        mirrored = float(unlikely[0]) if losses[0] < 0 else 0.0
        if abs(mirrored - likely[-1]) <= MIRRORED * likely[-1]:
            return OneLevelLaw(float(likely[-1]), float(unlikely[-1]))
    return LopsidedLaw.of(losses, likely, unlikely)


def law_between(first: PiecewiseDensity, second: PiecewiseDensity) -> LossLaw:
    """Return the law of the loss, as a law of one level if it is one."""
    law = PiecewiseLaw(first, second)
    if law.levels is None:
        return law
    found = law_of_levels(*law.levels)
    return found if isinstance(found, OneLevelLaw) else law


@dataclass(frozen=True)
class RatioOfDensities:
    """Log-likelihood ratios of many reports at once, from the cells of a law."""

    law: PiecewiseLaw

    @cached_property
    def _table(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Edges between cells, and for each cell a place, the loss there and its slope."""
        cells = self.law.cells
        places = [c.first.low if math.isfinite(c.first.low) else c.first.high for c in cells]
        losses = [c.loss(place) for c, place in zip(cells, places, strict=True)]
        edges = [cell.first.low for cell in cells[1:]]
        return tuple(map(np.array, (edges, places, losses, [c.slope for c in cells])))  # type: ignore[return-value]

    def __call__(self, reports: Reports) -> Floats:
        """Return ln P(report | first) - ln P(report | second) for every report."""
        ratio = np.zeros(len(reports))
        if self.law.cells:
            edges, places, losses, slopes = self._table
            cell = np.searchsorted(edges, reports, side="right")
            ratio = losses[cell]
            if slopes.any():
                ratio += slopes[cell] * (reports - places[cell])
        for place, loss, _, _ in self.law.atoms:
            ratio[reports == place] = loss
        return ratio
