"""Sums of clipped Laplace noise: a law on a grid whose small probabilities keep their digits."""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np

from ldp_auditor.core import Floats

CELLS = 1024
"""Cells per unit in which noise is counted."""

APART = 7.0
"""Standard deviations from the centre of one weighted law to that of the next."""

MOST_SUMMED = 1000
"""Reports up to which sums over multinomial counts and Laplace variables are carried out."""

SEEN = 12.0
"""Standard deviations around its centre in which a weighted law is worked out."""

SMALLEST = -750.0
"""Logarithm of a probability that is 0 as a number."""


def sum_of_clipped_noise(rate: float, times: int) -> Floats:
    """Return the probabilities that `times` clipped noises add up to 0, 1, ... cells."""
    return sum_of_cells(clipped_noise(rate), rate, times)


def sum_of_cells(cells: Floats, rate: float, times: int) -> Floats:
    """Return the probabilities that `times` numbers of [0, 1] add up to 0, 1, ... cells.

    `cells` are the probabilities of one. A convolution by Fourier transforms keeps digits relative
    to its largest value. Weighted by e^(tilt w), other sums are the likely ones, so every sum is
    taken from the weighted law whose centre is near. Tilts go from 0 to the rate, where sums around
    `times` / 2 are the likely ones.
    """
    laws = [Weighted.of(cells, times, 0.0)]
    while laws[-1].tilt < rate and laws[-1].log_peak > SMALLEST:
        laws.append(_next(laws[-1], cells, rate))
    total = np.zeros(times * CELLS + 1)
    halves = [(a.centre + b.centre) / 2 for a, b in pairwise(laws)]
    edges = [0, *(round(CELLS * half) for half in halves), len(total)]
    for law, (first, end) in zip(laws, pairwise(edges), strict=True):
        total[first:end] = law.probabilities(first, end)
    return total


def event_weights(terms: int) -> tuple[Floats, Floats]:
    """Return weights that give tail and density of a sum of `terms` Laplace variables at x >= 0.

    The sum is a difference of two Gamma(terms) variables. It exceeds x when less than `terms`
    events of a Poisson process happen up to x and up to the second variable after it; the latter
    number j is negative binomial. So both are sums over the number i of events up to x, whose
    chances are `chances_of_events`: the tail of P(j < terms - i), the density of P(j = terms-1-i).
    """
    j = range(terms)
    logs = [
        math.lgamma(terms + each) - math.lgamma(each + 1) - (terms + each) * math.log(2)
        for each in j
    ]
    chances = np.exp(np.array(logs) - math.lgamma(terms))
    return np.cumsum(chances)[::-1], chances[::-1]


def chances_of_events(x: Floats, terms: int) -> Floats:
    """Return the chances of 0, 1, ..., `terms` - 1 events of a Poisson process up to x >= 0."""
    counts = np.arange(terms)
    log_factorials = np.array([math.lgamma(count + 1) for count in range(terms)])
    with np.errstate(divide="ignore", invalid="ignore"):
        log_powers: Floats = np.where(counts == 0, 0.0, counts * np.log(x[..., None]))
    chances: Floats = np.exp(log_powers - log_factorials - x[..., None])
    return chances


def laplace_sum_tail(x: float, terms: int) -> float | None:
    """Return the probability that `terms` Laplace variables of scale 1 add up to more than x >= 0.

    None where there are too many of them.
    """
    if terms > MOST_SUMMED:
        return None
    return float(chances_of_events(np.array(x), terms) @ event_weights(terms)[0])


@dataclass(frozen=True)
class Weighted:
    """The sum of `times` noises, each weighted by e^(tilt w) and made a law again."""

    tilt: float
    times: int
    cells: Floats
    """Probabilities of one noise."""
    log_scale: float
    """Logarithm of what the weights added up to, for one noise."""

    @classmethod
    def of(cls, cells: Floats, times: int, tilt: float) -> Self:
        """Weight the law of one number."""
        weighted = cells * np.exp(tilt * (_PLACES - 1))
        scale = float(weighted.sum())
        return cls(tilt, times, weighted / scale, math.log(scale) + tilt)

    @cached_property
    def centre(self) -> float:
        """Mean of the sum."""
        return self.times * float(self.cells @ _PLACES)

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of the sum."""
        mean = self.centre / self.times
        return math.sqrt(self.times * float(self.cells @ (_PLACES - mean) ** 2))

    @property
    def log_peak(self) -> float:
        """Logarithm of the probability, without weights, of the sum at the centre, about."""
        height = -math.log(CELLS * self.deviation * math.sqrt(2 * math.pi))
        return height + self.times * self.log_scale - self.tilt * self.centre

    def probabilities(self, first: int, end: int) -> Floats:
        """Return the probabilities, without weights, of sums of `first` to `end` - 1 cells."""
        from scipy.fft import irfft, next_fast_len, rfft

        # The transform wraps around: it needs to be as long as what is likely, no longer.
        size = min(self.times * CELLS, 2 * math.ceil(SEEN * self.deviation * CELLS)) + 1
        size = max(size, CELLS + 1)
        length = next_fast_len(size, real=True)
        around = irfft(rfft(self.cells, length) ** self.times, length)
        start = max(0, min(round(self.centre * CELLS) - size // 2, self.times * CELLS + 1 - size))
        sums = np.arange(max(first, start), min(end, start + size))
        found = np.zeros(end - first)
        with np.errstate(divide="ignore"):  # noise of rounding may be negative
            log = np.log(np.maximum(around[sums % length], 0.0))
        log += self.times * self.log_scale - self.tilt * sums / CELLS
        found[sums - first] = np.exp(log)
        return found


def _next(law: Weighted, cells: Floats, rate: float) -> Weighted:
    """Return a weighted law whose centre is not too far to take over from another one."""
    step = APART / law.deviation  # a centre moves by the variance times the step, at first
    while True:
        found = Weighted.of(cells, law.times, min(rate, law.tilt + step))
        if found.centre - law.centre <= APART * law.deviation:
            return found
        step /= 2


_PLACES = np.arange(CELLS + 1) / CELLS


def clipped_noise(rate: float) -> Floats:
    """Return the law of Laplace noise that is clipped to [0, 1], on the grid.

    It is 0 with probability 1/2, 1 with probability e^-rate / 2, else of density rate e^(-rate w)
    / 2. The density is shared out to the ends of its cells so that every cell keeps its mass and
    its mean; the error of the law between grid points is then of second order in the width of a
    cell.
    """
    x = rate / CELLS
    masses = 0.5 * np.exp(-x * np.arange(CELLS)) * -math.expm1(-x)
    # Mean place within a cell, from its left end, in cells: 1/x - 1/(e^x - 1).
    place = 0.5 - x / 12 if x < 1e-3 else 1 / x - 1 / math.expm1(x)
    cells = np.zeros(CELLS + 1)
    cells[:-1] += masses * (1 - place)
    cells[1:] += masses * place
    cells[0] += 0.5
    cells[-1] += 0.5 * math.exp(-rate)
    return cells
