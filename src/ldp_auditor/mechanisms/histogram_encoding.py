"""Histogram encoding: report the one-hot histogram of the value plus noise on every entry.

Thresholding with histogram encoding (THE) sends bits and lives with unary encoding.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import require
from ldp_auditor.mechanisms.estimation import FrequencyEstimator
from ldp_auditor.mechanisms.frequency_oracle import ScoreOracle
from ldp_auditor.mechanisms.kernels.noise import (
    LAPLACE,
    NORMAL,
    NoiseShape,
    draw_laplace_sums,
    draw_noise,
)
from ldp_auditor.mechanisms.local_mechanism import Users
from ldp_auditor.portable_math import log
from ldp_auditor.theory.attack_success import gaussian_success, laplace_success, uniform
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.gaussian import analytic_gaussian_scale
from ldp_auditor.theory.guessing import gaussian_guess_rates, laplace_guess_rates
from ldp_auditor.theory.noise_laws import ClippedLaplaceLaw, GaussianLaw

L2_SENSITIVITY = math.sqrt(2)
"""Distance of two one-hot histograms."""


class HistogramEncoding(ScoreOracle, FrequencyEstimator):
    """A report is k floats: noise of a fixed scale, plus 1 at the true value."""

    noise: ClassVar[NoiseShape]

    @property
    @abstractmethod
    def scale(self) -> float:
        """Scale of the noise."""

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        """Return bits of k floats; noise that is continuous has no least number of them."""
        return 64 * self.domain_size, None

    @property
    @abstractmethod
    def noise_variance(self) -> float:
        """Variance of the noise."""

    @property
    def score_law(self) -> ScoreLaw:
        return ScoreLaw(1.0, 0.0, self.noise_variance, self.noise_variance)

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        value = self.check_value(value)
        return draw_noise(self.noise, self.scale, (n, self.domain_size), rng, one=value)


class SHE(HistogramEncoding):
    """Summation with histogram encoding [Dwork06]: Laplace noise."""

    name = "SHE"
    summary = "summation with histogram encoding (Laplace noise)"
    noise = LAPLACE
    score_range = (0.0, 1.0)  # the log-likelihood of a value is |y| - |y - 1| up to constants

    @property
    def scale(self) -> float:
        return 2 / self.epsilon

    @property
    def noise_variance(self) -> float:
        return 2 * self.scale * self.scale

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        return laplace_guess_rates(self.domain_size, self.scale, reports)

    def add_sums(self, users: Users, reports: int, rng: Generator, totals: Floats) -> None:
        totals += draw_laplace_sums(self.scale, reports, totals.shape, rng)
        totals[:, users.value] += reports

    def attack_success(self, prior: Floats | None = None) -> float | None:
        prior = uniform(self.domain_size) if prior is None else prior
        return laplace_success(prior, self.epsilon)

    def loss_law(self, pair: InputPair) -> ClippedLaplaceLaw:
        return ClippedLaplaceLaw(self.epsilon)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        first, second = (np.clip(reports[:, v], 0.0, 1.0) for v in (pair.first, pair.second))
        ratio: Floats = self.epsilon * (first - second)
        return ratio


@dataclass(frozen=True, kw_only=True)
class GaussianHistogram(HistogramEncoding):
    """Normal noise; the likelihood of a value grows with its entry."""

    noise = NORMAL
    approximate = True

    delta: float = 1e-5

    @property
    def noise_variance(self) -> float:
        return self.scale * self.scale

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        # The mean of the reports is a histogram with less noise.
        return gaussian_guess_rates(self.domain_size, self.scale / math.sqrt(reports))

    def add_sums(self, users: Users, reports: int, rng: Generator, totals: Floats) -> None:
        totals += draw_noise(self.noise, math.sqrt(reports) * self.scale, totals.shape, rng)
        totals[:, users.value] += reports

    def ratio_of_sums(self, totals: Floats, pair: InputPair, reports: int) -> Floats:
        return self.log_likelihood_ratio(totals, pair)

    def attack_success(self, prior: Floats | None = None) -> float | None:
        prior = uniform(self.domain_size) if prior is None else prior
        return gaussian_success(prior, self.scale)

    def attack_success_over(self, reports: int, prior: Floats | None = None) -> float | None:
        prior = uniform(self.domain_size) if prior is None else prior
        return gaussian_success(prior, self.scale / math.sqrt(reports))

    def loss_law(self, pair: InputPair) -> GaussianLaw:
        return GaussianLaw(self.scale, L2_SENSITIVITY)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        lead: Floats = reports[:, pair.first] - reports[:, pair.second]
        return lead / (self.scale * self.scale)


class GM(GaussianHistogram):
    """Gaussian mechanism [Dwork14], proven for epsilon up to 1 only."""

    name = "GM"
    summary = "Gaussian mechanism on the histogram (epsilon <= 1)"

    def check_epsilon(self) -> None:
        super().check_epsilon()
        require(
            self.epsilon <= 1,
            f"GM is defined for epsilon <= 1 only, got epsilon={self.epsilon}; "
            "use AGM, which holds for every epsilon",
            argument="epsilon",
        )

    @cached_property
    def scale(self) -> float:
        return L2_SENSITIVITY / self.epsilon * math.sqrt(2 * log(1.25 / self.delta))


class AGM(GaussianHistogram):
    """Analytic Gaussian mechanism [Balle18]."""

    name = "AGM"
    summary = "analytic Gaussian mechanism on the histogram"

    @property
    def scale(self) -> float:
        return analytic_gaussian_scale(self.epsilon, self.delta, L2_SENSITIVITY)
