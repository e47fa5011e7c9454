"""Protocols for a number of [-1, 1] whose reports lie in an interval of their own."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import must
from ldp_auditor.mechanisms.kernels.numbers import fill_signs, fill_window, grain_of, on_lattice
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream, threshold, thresholds
from ldp_auditor.mechanisms.numbers import DensityMechanism
from ldp_auditor.portable_math import exp, expm1, log
from ldp_auditor.theory.piecewise import PiecewiseDensity
from ldp_auditor.theory.roots import bisected


@dataclass(frozen=True)
class TwoEnds:
    """Minus or plus a size, with such probabilities that the mean is the value: [Duchi18]."""

    epsilon: float

    @property
    def size(self) -> float:
        """What is sent: (e^epsilon + 1) / (e^epsilon - 1), with a sign."""
        return 1 + 2 / expm1(self.epsilon)

    def chances(self, value: Any) -> tuple[Any, Any]:
        """Probabilities of minus and of plus; the smaller one keeps its digits."""
        shift = value / (exp(self.epsilon) + 1)
        return (1 - value) / 2 + shift, (1 + value) / 2 - shift

    def density(self, value: float) -> PiecewiseDensity:
        """Two atoms."""
        minus, plus = self.chances(value)
        return PiecewiseDensity((), ((-self.size, minus), (self.size, plus)))

    def fill(self, value: float | Floats, rng: Generator, out: Floats) -> None:
        """Write reports of a value, or each of a value of its own."""
        limits = np.broadcast_to(thresholds(self.chances(value)[1]), out.shape)
        fill_signs(fresh_stream(rng), limits, self.size, out)


@dataclass(frozen=True)
class Window:
    """A number of a window around a place, or with less density of what is around."""

    start: float
    end: float
    width: float
    inside: float
    """Probability of the window."""
    epsilon: float
    """By how much the window is denser, as a logarithm."""

    @property
    def around(self) -> float:
        """Length of what is around the window."""
        return self.end - self.start - self.width

    def low(self, share: Any) -> Any:
        """Where the window begins with that share of what is around before it."""
        return self.start + share * self.around

    def density(self, share: float) -> PiecewiseDensity:
        """Three steps."""
        low, height = self.low(share), log(self.inside / self.width)
        edges = (self.start, low, min(low + self.width, self.end), self.end)
        return PiecewiseDensity.steps(edges, (height - self.epsilon, height, height - self.epsilon))

    def fill(self, share: float | Floats, rng: Generator, out: Floats) -> None:
        """Write numbers on a lattice, of a share or each of one of its own."""
        limit, lows = threshold(self.inside), np.broadcast_to(self.low(share), out.shape)
        fill_window(fresh_stream(rng), limit, lows, self.width, self.start, self.around, out)
        on_lattice(out, grain_of(self.width))


def piecewise_window(epsilon: float) -> Window:
    """The window of [Wang19], Algorithm 2: reports lie in [-C, C], the window is C - 1 wide."""
    half = expm1(epsilon / 2)
    end = 1 + 2 / half
    return Window(-end, end, 2 / half, 1 / (1 + exp(-epsilon / 2)), epsilon)


@lru_cache(maxsize=256)
def best_window(epsilon: float) -> Window:
    """The window whose reports vary least where they vary most, at -1 and 1: [Zhao21].

    With A = e^epsilon - 1 and the share r of all reports that the window takes, the mean is the
    value if they lie in [-C, C], C = (1 + r A) / (A r (1 - r)). The variance is then
    C (1 - r) - 1 + C (1 / (A r (1 - r)) + r^2 / (1 - r)) / 3 there. [Wang19] has r = 1 / (1 +
    e^(epsilon / 2)).
    """
    more = expm1(epsilon)

    def slope(r: float) -> float:
        """Three times the derivative of the variance by r, times A."""
        rest, height = 1 - r, 1 + r * more
        around = (more - 2 * height * (1 - 2 * r) / (r * rest)) / (more * r * r * rest * rest)
        return (height + r * more + 2 * height * r / rest) / (rest * rest) - 3 / (r * r) + around

    r = bisected(slope, 0.0, 0.5)
    end = (1 + r * more) / (more * r * (1 - r))
    return Window(-end, end, 2 * end * r, r / (r + (1 - r) * exp(-epsilon)), epsilon)


class BoundedMechanism(DensityMechanism):
    """A protocol whose reports are filled in."""

    @abstractmethod
    def fill(self, value: float | Floats, rng: Generator, out: Floats) -> None:
        """Write reports of a value, or each of a value of its own."""

    def privatize(self, value: float, n: int, rng: Generator) -> Reports:
        reports = np.empty(n)
        self.fill(self.check_value(value), rng, reports)
        return reports


class Duchi(BoundedMechanism):
    """The one-bit mechanism [Duchi18]: one of two numbers."""

    name = "Duchi"
    summary = "one of two numbers, with the value as their mean"

    @property
    def ends(self) -> TwoEnds:
        """The two numbers."""
        return TwoEnds(self.epsilon)

    def density(self, value: float) -> PiecewiseDensity:
        return self.ends.density(value)

    def fill(self, value: float | Floats, rng: Generator, out: Floats) -> None:
        self.ends.fill(value, rng, out)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        """Return the rates of the mean of the reports, by the number of positive ones."""
        from scipy.stats import binom

        middle = (pair.first + pair.second) / 2
        means = self.ends.size * (2 * np.arange(reports + 1) / reports - 1)
        lead = (means - middle) * (pair.first - pair.second)
        chosen = np.where(lead > 0, 1.0, np.where(lead == 0, 0.5, 0.0))
        counts = (
            binom.pmf(np.arange(reports + 1), reports, self.ends.chances(value)[1])
            for value in (pair.first, pair.second)
        )
        return Rates(*(min(1.0, float(count @ chosen)) for count in counts))


class WindowMechanism(BoundedMechanism):
    """A protocol whose reports are resolved on a lattice, which limits how narrow a window is."""

    def check_epsilon(self) -> None:
        super().check_epsilon()
        rule = f"be at most {MOST_WINDOW_EPSILON:g}, beyond which floats do not resolve the window"
        must(self.epsilon <= MOST_WINDOW_EPSILON, rule, epsilon=self.epsilon)


MOST_WINDOW_EPSILON = 20.0


class PM(WindowMechanism):
    """The piecewise mechanism [Wang19]."""

    name = "PM"
    summary = "piecewise mechanism: a window of likelier numbers"

    @property
    def window(self) -> Window:
        """Where the likelier numbers are."""
        return piecewise_window(self.epsilon)

    def density(self, value: float) -> PiecewiseDensity:
        return self.window.density((1 + value) / 2)

    def fill(self, value: float | Floats, rng: Generator, out: Floats) -> None:
        self.window.fill((1 + value) / 2, rng, out)


class PMOPT(PM):
    """The piecewise mechanism with the window of the smallest largest variance [Zhao21]."""

    name = "PM-OPT"
    summary = "piecewise mechanism with its best window"

    @property
    def window(self) -> Window:
        return best_window(self.epsilon)


_ROOT = math.sqrt(241.0)
HYBRID_FROM = log((-5 + 2 * math.cbrt(6353 - 405 * _ROOT) + 2 * math.cbrt(6353 + 405 * _ROOT)) / 27)
"""Epsilon from which on the hybrid mechanism is one, about 0.61: [Wang19] Eq. 8."""


class HM(WindowMechanism):
    """The hybrid mechanism [Wang19]: the piecewise mechanism or the one-bit one, by a coin."""

    name = "HM"
    summary = "hybrid mechanism: PM or Duchi, by a coin"

    @property
    def share(self) -> float:
        """Probability of the piecewise mechanism."""
        return -expm1(-self.epsilon / 2) if self.epsilon > HYBRID_FROM else 0.0

    def density(self, value: float) -> PiecewiseDensity:
        ends = TwoEnds(self.epsilon).density(value)
        if self.share == 0:
            return ends
        window = piecewise_window(self.epsilon).density((1 + value) / 2)
        return PiecewiseDensity(window.scaled(self.share).pieces, ends.scaled(1 - self.share).atoms)

    def fill(self, value: float | Floats, rng: Generator, out: Floats) -> None:
        TwoEnds(self.epsilon).fill(value, rng, out)
        if self.share:
            coins, continuous = np.empty(out.size), np.empty(out.size)
            limits = np.broadcast_to(threshold(self.share), out.shape)
            fill_signs(fresh_stream(rng), limits, 1.0, coins)
            piecewise_window(self.epsilon).fill((1 + value) / 2, rng, continuous)
            np.copyto(out, continuous, where=coins > 0)


class SW(WindowMechanism):
    """The square wave mechanism [Li20]: reports of the share (1 + value) / 2, which is in [0, 1].

    The paper estimates the whole distribution; the mean has an estimator without bias too, because
    the mean of a report grows evenly with the value.
    """

    name = "SW"
    summary = "square wave: a window of likelier numbers, all as wide"

    @property
    def half_width(self) -> float:
        """B = (epsilon e^epsilon - e^epsilon + 1) / (2 e^epsilon (e^epsilon - 1 - epsilon))."""
        e = self.epsilon
        if e < 1:  # both differences by their series, sums of (k - 1) e^k / k! and of e^k / k!
            terms = [1.0]
            for k in range(3, 25):
                terms.append(terms[-1] * e / k)
            above = sum((k - 1) * term for k, term in enumerate(terms, start=2))
            return above * exp(-e) / (2 * sum(terms))
        return (e - 1 + exp(-e)) / (2 * (exp(e) - 1 - e))

    @property
    def window(self) -> Window:
        """Where the likelier numbers are; what is around is 1 long."""
        width = 2 * self.half_width
        inside = width / (width + exp(-self.epsilon))
        return Window(-width / 2, 1 + width / 2, width, inside, self.epsilon)

    def place(self, value: float) -> float:
        return (1 + value) / 2

    @property
    def gain(self) -> float:
        width = 2 * self.half_width
        return -width * expm1(-self.epsilon) / (2 * (width + exp(-self.epsilon)))

    def density(self, value: float) -> PiecewiseDensity:
        return self.window.density(self.place(value))

    def located(self, reports: Reports) -> Floats:
        return 2 * reports - 1

    def fill(self, value: float | Floats, rng: Generator, out: Floats) -> None:
        self.window.fill((1 + value) / 2, rng, out)
