"""The exact loss between two densities in pieces.

Between two edges of either density the loss goes evenly from one end to the other, so that the
rates of any threshold on it have closed forms.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ldp_auditor.core import Floats, Rates, Reports
from ldp_auditor.portable_math import log
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.levels import SAME, Levels, LopsidedLaw, law_of_levels, merged_levels
from ldp_auditor.theory.loss_law import LossLaw
from ldp_auditor.theory.piecewise import Piece, PiecewiseDensity


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
