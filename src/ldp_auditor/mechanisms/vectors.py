"""What protocols for vectors share: natural attack, estimated mean, many reports; Laplace noise.

A report is a vector whose mean is the input. The natural attack takes it for the input that it is
nearest to; the server takes the mean of all reports. Reports lie on a lattice or are corners of a
cube, whatever the input (`kernels/numbers.py`); exact numbers are those before rounding.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import require
from ldp_auditor.inputs import Ball, Points
from ldp_auditor.mechanisms.estimation import check_collection, check_form
from ldp_auditor.mechanisms.kernels.noise import LAPLACE, draw_laplace_sums, draw_noise
from ldp_auditor.mechanisms.kernels.numbers import grain_of, on_lattice
from ldp_auditor.mechanisms.kernels.sums import add_rows
from ldp_auditor.mechanisms.local_mechanism import LocalMechanism, Users
from ldp_auditor.theory.loss_law import LossLaw
from ldp_auditor.theory.noise_laws import LaplaceLaw
from ldp_auditor.theory.noise_sums import laplace_sum_tail

Vector = tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class VectorMechanism(LocalMechanism):
    """A protocol by which a user reports a vector."""

    dimension: int

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("dimension", self.inputs.dimension)

    @property
    @abstractmethod
    def inputs(self) -> Points:
        """What is reported."""

    @property
    def report_bytes(self) -> int:
        return 32 * self.dimension + 64

    def located(self, reports: Reports) -> Floats:
        """Return the vector that each report stands for."""
        return reports

    def guess(self, reports: Reports, rng: Generator) -> Floats:
        """Return the vector that each report stands for."""
        return self.located(reports)

    @abstractmethod
    def loss_law(self, pair: InputPair) -> LossLaw | None:
        """Return the exact law of the log-likelihood ratio of a report, where it is known."""

    @abstractmethod
    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return ln P(report | first) - ln P(report | second) for every report."""

    def worst_case(self, pair: InputPair) -> float | None:
        """Return the exact smallest epsilon over all pairs of inputs: that of the default pair."""
        law = self.loss_law(self.inputs.default_pair)
        return None if law is None else law.epsilon(self.delta)

    def worst_case_over(self, pair: InputPair, reports: int) -> float | None:
        return super().worst_case_over(self.inputs.default_pair, reports)

    # The natural attack on many reports: the vector that they stand for on average.

    @property
    def score_columns(self) -> int:
        """Columns of the totals: the sum of the guesses."""
        return self.dimension

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        add_rows(self.located(reports), totals)

    def guess_by_totals(self, totals: Floats, reports: int, rng: Generator) -> Floats:
        """Return the mean of the guesses of every user."""
        return totals / reports

    # The server: the mean of the users' vectors.

    @abstractmethod
    def report_variance(self, value: Vector) -> float:
        """Return the exact mean squared distance of a report from its `value`."""

    def estimate(self, reports: Reports) -> Floats:
        """Estimate the mean of the users' vectors, without bias."""
        check_form(self, reports, self.inputs.default_pair.first)
        require(len(reports) > 0, "reports must not be empty", argument="reports")
        mean: Floats = self.located(reports).mean(axis=0)
        return mean

    def mean_variance(self, users: int, value: Any, reports: int = 1) -> float:
        """Return the exact mean squared distance of the estimated mean of so many `users`.

        `value` is the vector that all of them hold; the estimate is made of `reports` reports of
        each of them. For users who hold different vectors it is the mean of theirs.
        """
        users, reports = check_collection(users, reports)
        return self.report_variance(self.check_value(value)) / (users * reports)


def differences(pair: InputPair) -> Floats:
    """Return by how much the first vector of a pair exceeds the second, in every coordinate."""
    apart: Floats = np.array(pair.first) - np.array(pair.second)
    return apart


def same_in_all(pair: InputPair) -> tuple[float, int] | None:
    """Return how far the coordinates that differ are apart and how many, if all are alike."""
    apart = np.abs(differences(pair))
    apart = apart[apart > 0]
    alike = bool((np.abs(apart - apart[0]) <= 1e-12 * apart[0]).all())
    return (float(apart[0]), len(apart)) if alike else None


RADIUS = 1.0
"""Of the balls from which inputs come."""


class LaplaceL1(VectorMechanism):
    """The Laplace mechanism for the l1 ball [Dwork06]: noise for the l1 distance of two inputs."""

    name = "Laplace-l1"
    summary = "Laplace noise added to every coordinate"
    takes = Ball

    @property
    def inputs(self) -> Ball:
        return Ball(self.dimension, "l1", RADIUS)

    @property
    def scale(self) -> float:
        """Scale of the noise."""
        return 2 * RADIUS / self.epsilon

    def privatize(self, value: Vector, n: int, rng: Generator) -> Reports:
        point = np.array(self.check_value(value))
        reports = draw_noise(LAPLACE, self.scale, (n, self.dimension), rng)
        reports += point
        return on_lattice(reports, grain_of(self.scale))

    def loss_law(self, pair: InputPair) -> LossLaw | None:
        return self.loss_law_over(pair, 1)

    def loss_law_over(self, pair: InputPair, reports: int) -> LossLaw | None:
        """Return the law of a sum of losses of single coordinates, if these are all alike."""
        alike = same_in_all(pair)
        if alike is None:
            return None
        apart, count = alike
        return LaplaceLaw(apart / self.scale).composed(count * reports)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        ratio = np.zeros(len(reports))
        for column, (a, b) in enumerate(zip(pair.first, pair.second, strict=True)):
            if a != b:
                ratio += np.abs(reports[:, column] - b) - np.abs(reports[:, column] - a)
        return ratio / self.scale

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        """Return the rates of the sum of the noises, where the coordinates are alike."""
        alike = same_in_all(pair)
        if alike is None:
            return None
        apart, count = alike
        terms = count * reports
        wrong = laplace_sum_tail(terms * apart / (2 * self.scale), terms)
        return None if wrong is None else Rates(1 - wrong, wrong)

    def add_sums(self, users: Users, reports: int, rng: Generator, totals: Floats) -> None:
        totals += draw_laplace_sums(self.scale, reports, totals.shape, rng)
        totals += reports * np.array(users.value)

    def report_variance(self, value: Vector) -> float:
        return 2 * self.dimension * self.scale * self.scale


def length_of(vector: Vector) -> float:
    """Return the Euclidean length of a vector; the squares are added in order."""
    square = 0.0
    for entry in vector:
        square += entry * entry
    return math.sqrt(square)
