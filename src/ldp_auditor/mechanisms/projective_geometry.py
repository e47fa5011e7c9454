"""Projective geometry response: report a point, most likely one orthogonal to that of the value.

Values are points of a projective space over a prime field with q elements, vectors of t coordinates
up to a factor. Point number i has its leading 1 at coordinate j if (q^j - 1) / (q - 1) <= i, and
what is left of i are the digits of the coordinates below.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Floats, InputPair, Rates, Reports, Values
from ldp_auditor.errors import must, whole_number
from ldp_auditor.mechanisms.estimation import FrequencyEstimator
from ldp_auditor.mechanisms.frequency_oracle import TellingOracle
from ldp_auditor.mechanisms.kernels.hadamard import checked_columns
from ldp_auditor.mechanisms.kernels.projective import (
    add_orthogonal,
    draw_points,
    guess_points,
    vectors_of,
)
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream, threshold
from ldp_auditor.mechanisms.local_mechanism import CHOSEN
from ldp_auditor.mechanisms.pairwise_rappor import is_prime
from ldp_auditor.portable_math import exp, log2
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.estimation import ScoreLaw

MOST_ELEMENTS = 2**31 - 1
"""Elements of a field at most: sums of products of two of them fit a word."""

MOST_VECTORS = 2**24
"""Vectors up to which frequencies are estimated from counted points by a Fourier transform."""

MOST_RATED = 2**21
"""Vectors up to which the rates of the guess are worked out in the same way."""

MOST_SEARCHED = 2**16
"""Points of each of which the most frequent supported value is searched."""


@lru_cache(maxsize=256)
def nearest_prime(target: float) -> int:
    """Return the prime nearest to a target, the smaller one of two."""
    center = max(2, round(min(target, float(MOST_ELEMENTS))))
    near = (center + sign * step for step in range(center) for sign in (-1, 1))
    found = next(number for number in near if is_prime(number))
    rivals = [n for n in range(found + 1, 2 * center - found + 2) if is_prime(n)]
    return min([found, *rivals], key=lambda prime: (abs(prime - target), prime))


@dataclass(frozen=True, kw_only=True)
class PGR(TellingOracle, FrequencyEstimator):
    """Projective geometry response [Feldman22]; a report is the number of a point.

    The points orthogonal to that of the value are e^epsilon times as likely as all others. The
    `field` has about e^epsilon + 1 elements, but no more than make a line of all values.
    """

    name = "PGR"
    summary = "projective geometry response"
    family = "sketches"

    field: int = CHOSEN

    def __post_init__(self) -> None:
        super().__post_init__()
        field = whole_number("field", self.field, CHOSEN, MOST_ELEMENTS)
        must(field == CHOSEN or is_prime(field), "be a prime number", field=field)
        self._set("field", field)

    @property
    def elements(self) -> int:
        """Number q of elements of the field."""
        if self.field != CHOSEN:
            return self.field
        return nearest_prime(min(exp(self.epsilon) + 1, max(2.0, self.domain_size - 1.0)))

    def points(self, coordinates: int) -> int:
        """Number of points of a projective space: (q^t - 1) / (q - 1)."""
        return (int(self.elements**coordinates) - 1) // (self.elements - 1)

    @property
    def coordinates(self) -> int:
        """Number t of coordinates: as few as give every value a point, two at least."""
        count = 2
        while self.points(count) < self.domain_size:
            count += 1
        return count

    @property
    def every(self) -> int:
        """Number of all points."""
        return self.points(self.coordinates)

    @property
    def own(self) -> int:
        """Number of points that are orthogonal to a given one."""
        return self.points(self.coordinates - 1)

    @property
    def shared(self) -> int:
        """Number of points that are orthogonal to two given ones."""
        return self.points(self.coordinates - 2)

    @property
    def likely(self) -> float:
        """Probability of each point that is orthogonal to the value's."""
        return 1 / (self.own + (self.every - self.own) * exp(-self.epsilon))

    @property
    def unlikely(self) -> float:
        """Probability of each other point."""
        return self.likely * exp(-self.epsilon)

    @property
    def report_bytes(self) -> int:
        return 32

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        reports = np.empty(n, np.int64)
        truth = threshold(self.own * self.likely)
        shape = self.elements, self.coordinates
        draw_points(fresh_stream(rng), self.check_value(value), *shape, truth, reports)
        return reports

    def guess(self, reports: Reports, rng: Generator) -> Values:
        chosen = np.empty(len(reports), np.int64)
        shape = self.elements, self.coordinates, self.domain_size
        guess_points(fresh_stream(rng), reports, *shape, chosen)
        return chosen

    def supports(self, reports: Reports, value: int) -> NDArray[np.bool_]:
        scores = np.zeros((len(reports), 1))
        add_orthogonal(reports, self.elements, self.coordinates, value, scores)
        return scores[:, 0] > 0

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        add_orthogonal(reports, self.elements, self.coordinates, 0, totals)

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        only_first = self.own - self.shared
        return OneLevelLaw(only_first * self.likely, only_first * self.unlikely)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        """Return the rates by the number of values that each point supports."""
        if reports > 1:
            return None
        if self.domain_size == self.every:
            return Rates(*(mean / self.own for mean in self._supports))
        if self.coordinates == 2:  # every value has a point that supports it alone
            blind = (self.every - self.domain_size) * self.unlikely / self.domain_size
            return Rates(self.likely + blind, self.unlikely + blind)
        if self.elements**self.coordinates > MOST_RATED:
            return None
        vectors = self.vectors(self.every)
        values = (np.arange(self.every) < self.domain_size).astype(float)
        supported = np.rint(self._orthogonal_sums(values, vectors))
        for_first, for_second = (
            vectors @ vectors[value] % self.elements == 0 for value in (pair.first, pair.second)
        )
        share = np.where(supported > 0, for_first, 1 / self.domain_size)
        share = share / np.maximum(supported, 1)
        chances = (np.where(own, self.likely, self.unlikely) for own in (for_first, for_second))
        return Rates(*(float(share @ chance) for chance in chances))

    def attack_success(self, prior: Floats | None = None) -> float | None:
        """Return how often the best guess is right: the most frequent of the supported values."""
        if prior is None:
            # With three coordinates and more, the first values are all points of a subspace, and
            # the points orthogonal to any other one meet it.
            blind = self.every - self.domain_size if self.coordinates == 2 else 0
            said = (self.every - blind) * self.likely + blind * self.unlikely
            return said / self.domain_size
        if self.every > MOST_SEARCHED:
            return None
        vectors, top = self.vectors(self.every), float(prior.max())
        best, without = np.full(self.every, self.unlikely * top), np.arange(self.every)
        for value in np.argsort(-prior, kind="stable"):
            if self.likely * prior[value] <= self.unlikely * top or not without.size:
                break
            own = vectors[without] @ vectors[value] % self.elements == 0
            best[without[own]] = self.likely * prior[value]
            without = without[~own]
        return float(best.sum())

    def vectors(self, count: int) -> NDArray[np.int64]:
        """Vectors of the first points, a row each, the lowest coordinate first."""
        found = np.empty((count, self.coordinates), np.int64)
        vectors_of(self.elements, found)
        return found

    @property
    def _supports(self) -> tuple[float, float]:
        """Probabilities that the report of a value supports it, and another one."""
        other = self.shared * self.likely + (self.own - self.shared) * self.unlikely
        return self.own * self.likely, other

    @property
    def score_law(self) -> ScoreLaw:
        held, other = self._supports
        return ScoreLaw.of_bits(held, (self.every - self.own) * self.unlikely, other)

    # The server counts points and adds up those orthogonal to each value's at once.

    @property
    def counts_points(self) -> bool:
        """Whether a tally has the number of reports of every point, or of those for every value."""
        return int(self.elements**self.coordinates) <= MOST_VECTORS

    @property
    def tally_size(self) -> int:
        return self.every if self.counts_points else self.domain_size

    def add_to_tally(self, reports: Reports, tally: Floats) -> None:
        must(int(reports.min()) >= 0, "name points", reports=int(reports.min()))
        points = checked_columns(reports, self.every)
        if self.counts_points:
            tally[0] += np.bincount(points, minlength=self.every)
        else:
            self.add_scores(points, tally)

    def frequencies_from(self, tally: Floats, reports: int) -> Floats:
        reports = self.check_tally(tally, reports)
        if not self.counts_points:
            return super().frequencies_from(tally, reports)
        sums = self._orthogonal_sums(np.asarray(tally), self.vectors(self.every))
        return self.score_law.frequencies(sums[: self.domain_size] / reports)

    def _orthogonal_sums(self, counts: Floats, vectors: NDArray[np.int64]) -> Floats:
        """Return for every point the sum of the counts of all points orthogonal to it.

        If every vector but 0 has the count of its point, the sum over the vectors z with
        <z, x> = 0 is 1 / q of that of the Fourier transform over all multiples of x; there it is
        the same but at 0, where it is the sum of all.
        """
        q, t = self.elements, self.coordinates
        weights, spread = q ** np.arange(t)[::-1], np.zeros(q**t)
        for factor in range(1, q):
            spread[factor * vectors % q @ weights] = counts
        transform = np.fft.fftn(spread.reshape((q,) * t)).real.reshape(-1)
        sums: Floats = (np.sum(counts) + transform[vectors @ weights]) / q
        return sums

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        bits = log2(self.every)
        return math.ceil(bits), bits if self.domain_size == self.every else None
