"""Protocols that send a number of [-1, 1] with noise added to it."""

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import must, number, one_of, require
from ldp_auditor.mechanisms.kernels.noise import LAPLACE, NORMAL, draw_laplace_sums, draw_noise
from ldp_auditor.mechanisms.kernels.numbers import fill_staircase, grain_of, on_lattice
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream, threshold
from ldp_auditor.mechanisms.local_mechanism import Users
from ldp_auditor.mechanisms.numbers import DensityMechanism, NumberMechanism
from ldp_auditor.portable_math import exp, expm1, log
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.gaussian import analytic_gaussian_scale
from ldp_auditor.theory.noise_laws import GaussianLaw, LaplaceLaw
from ldp_auditor.theory.noise_sums import laplace_sum_tail
from ldp_auditor.theory.piecewise import Piece, PiecewiseDensity

SENSITIVITY = 2.0
"""Distance of -1 and 1."""


class AdditiveNoise(NumberMechanism):
    """The report is the value plus noise that is as often positive as negative."""

    @abstractmethod
    def tail(self, size: float) -> float:
        """Return the probability of noise above a `size`, which is not negative."""

    def below(self, value: float, place: float) -> float:
        away = value - place
        return self.tail(away) if away >= 0 else 1 - self.tail(-away)


class Laplace(AdditiveNoise, DensityMechanism):
    """The Laplace mechanism [Dwork06]."""

    name = "Laplace"
    summary = "Laplace noise added to the number"

    @property
    def scale(self) -> float:
        """Scale of the noise."""
        return SENSITIVITY / self.epsilon

    def tail(self, size: float) -> float:
        return exp(-size / self.scale) / 2

    def density(self, value: float) -> PiecewiseDensity:
        rate, height = 1 / self.scale, -log(2 * self.scale)
        return PiecewiseDensity(
            (Piece(-math.inf, value, height, rate), Piece(value, math.inf, height, -rate))
        )

    def privatize(self, value: float, n: int, rng: Generator) -> Reports:
        value = self.check_value(value)
        reports = draw_noise(LAPLACE, self.scale, (n, 1), rng)[:, 0] + value
        return on_lattice(reports, grain_of(self.scale))

    def loss_law(self, pair: InputPair) -> LaplaceLaw:
        return LaplaceLaw(abs(pair.first - pair.second) / self.scale)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        half = abs(pair.first - pair.second) / 2
        wrong = laplace_sum_tail(reports * half / self.scale, reports)
        return None if wrong is None else Rates(1 - wrong, wrong)

    def add_sums(self, users: Users, reports: int, rng: Generator, totals: Floats) -> None:
        totals += draw_laplace_sums(self.scale, reports, totals.shape, rng)
        totals += reports * users.value


@dataclass(frozen=True, kw_only=True)
class Staircase(AdditiveNoise):
    """The staircase mechanism [Geng15]: noise of a density that falls in steps.

    `gamma` is the share of a stair that its higher step takes; 0 stands for that of the smallest
    mean absolute noise, 1 / (1 + e^(epsilon / 2)).
    """

    name = "Staircase"
    summary = "noise whose density falls in steps"

    gamma: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        share = number("gamma", self.gamma) or 1 / (1 + exp(self.epsilon / 2))
        must(0 < share < 1, "lie in (0, 1)", gamma=share)
        self._set("gamma", share)

    @property
    def height(self) -> float:
        """The density at its highest."""
        fall = exp(-self.epsilon)
        stair = self.gamma + fall * (1 - self.gamma)
        return -expm1(-self.epsilon) / (2 * SENSITIVITY * stair)

    def tail(self, size: float) -> float:
        stairs = math.floor(size / SENSITIVITY)
        rest = size - stairs * SENSITIVITY
        high = min(rest, self.gamma * SENSITIVITY)
        passed = self.height * (high + exp(-self.epsilon) * (rest - high))
        return exp(-stairs * self.epsilon) * (0.5 - passed)

    def report_variance(self, value: float) -> float:
        # Stairs k = 0, 1, ... of weight e^(-k epsilon): squares of k + t over both steps.
        fall, rest = exp(-self.epsilon), -expm1(-self.epsilon)
        power = [self.gamma**k + fall * (1 - self.gamma**k) for k in (1, 2, 3)]
        sums = (fall * (1 + fall) / rest**3, fall / rest**2, 1 / (3 * rest))
        mean = math.fsum(a * b for a, b in zip(power, sums, strict=True))
        return 2 * self.height * SENSITIVITY**3 * mean

    def privatize(self, value: float, n: int, rng: Generator) -> Reports:
        reports = np.full(n, self.check_value(value))
        fall = exp(-self.epsilon)
        step = threshold(self.gamma / (self.gamma + (1 - self.gamma) * fall))
        fill_staircase(fresh_stream(rng), self.epsilon, self.gamma, step, SENSITIVITY, reports)
        finest = SENSITIVITY * min(self.gamma, 1 - self.gamma)
        return on_lattice(reports, grain_of(finest))

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        # Inputs at most a stair apart are at most one step apart. The first is likelier beyond it,
        # in the last part of every stair, and between the two where it alone is on its top step.
        apart, top = abs(pair.first - pair.second), self.gamma * SENSITIVITY
        beyond = min(apart, top) + apart / expm1(self.epsilon)
        likely = self.height * (beyond + max(0.0, min(top, apart - top)))
        return OneLevelLaw(likely, likely * exp(-self.epsilon))

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        # Steps that lie between the middle of the stairs and a report.
        first, second = (
            np.floor(np.abs(reports - value) / SENSITIVITY + (1 - self.gamma))
            for value in (pair.first, pair.second)
        )
        steps: Floats = self.epsilon * np.sign(second - first)
        return steps


CALIBRATIONS = ("analytic", "classic")


@dataclass(frozen=True, kw_only=True)
class Gaussian(AdditiveNoise):
    """The Gaussian mechanism, calibrated as in [Balle18] or, up to epsilon 1, as in [Dwork14]."""

    name = "Gaussian"
    summary = "normal noise added to the number"
    approximate = True

    delta: float = 1e-5
    calibration: str = "analytic"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("calibration", self.calibration, CALIBRATIONS)
        require(
            self.calibration == "analytic" or self.epsilon <= 1,
            f"the classic calibration is proven for epsilon <= 1 only, got epsilon={self.epsilon}; "
            "the analytic one holds for every epsilon",
            argument="epsilon",
        )

    @property
    def scale(self) -> float:
        """Standard deviation of the noise."""
        if self.calibration == "classic":
            return SENSITIVITY / self.epsilon * math.sqrt(2 * log(1.25 / self.delta))
        return analytic_gaussian_scale(self.epsilon, self.delta, SENSITIVITY)

    def tail(self, size: float) -> float:
        from scipy.special import ndtr

        return float(ndtr(-size / self.scale))

    def report_variance(self, value: float) -> float:
        return self.scale * self.scale

    def privatize(self, value: float, n: int, rng: Generator) -> Reports:
        value = self.check_value(value)
        reports = draw_noise(NORMAL, self.scale, (n, 1), rng)[:, 0] + value
        return on_lattice(reports, grain_of(self.scale))

    def loss_law(self, pair: InputPair) -> GaussianLaw:
        return GaussianLaw(self.scale, abs(pair.first - pair.second))

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        return self.ratio_of_sums(reports[:, None], pair, 1)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        wrong = self.tail(math.sqrt(reports) * abs(pair.first - pair.second) / 2)
        return Rates(1 - wrong, wrong)

    def add_sums(self, users: Users, reports: int, rng: Generator, totals: Floats) -> None:
        totals += draw_noise(NORMAL, math.sqrt(reports) * self.scale, totals.shape, rng)
        totals += reports * users.value

    def ratio_of_sums(self, totals: Floats, pair: InputPair, reports: int) -> Floats:
        lead = (pair.first - pair.second) / (self.scale * self.scale)
        ratio: Floats = (totals[:, 0] - reports * (pair.first + pair.second) / 2) * lead
        return ratio
