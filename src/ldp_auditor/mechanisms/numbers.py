"""What protocols for a number of [-1, 1] share: natural attack, estimated mean, many reports.

A report is a number. The natural attack takes it for the input that it is nearest to; the server
takes the mean of all reports. Most protocols tell their density in pieces (`DensityMechanism`),
from which the exact rates, the law of the loss and the variance follow.

Reports lie on a lattice (`kernels/numbers.py`). Exact numbers are those before rounding to it.
Random words resolve the probability of a place of the lattice to a share of about 2^-30 at epsilon
1, and 2^-12 at epsilon 20 of SW, whose window is the narrowest.
"""

from abc import abstractmethod
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import require
from ldp_auditor.inputs import Numbers
from ldp_auditor.mechanisms.estimation import check_collection, check_form, like
from ldp_auditor.mechanisms.kernels.sums import add_rows
from ldp_auditor.mechanisms.local_mechanism import LocalMechanism
from ldp_auditor.theory.loss_law import LossLaw
from ldp_auditor.theory.piecewise import PiecewiseDensity
from ldp_auditor.theory.piecewise_loss import PiecewiseLaw, RatioOfDensities, law_between

UNIT = Numbers(-1.0, 1.0)


class NumberMechanism(LocalMechanism):
    """A protocol by which a user reports a number of [-1, 1]; a report is a number."""

    takes = Numbers

    @property
    def inputs(self) -> Numbers:
        return UNIT

    @property
    def report_bytes(self) -> int:
        return 32

    def place(self, value: float) -> float:
        """Return where reports of a value lie: the value, unless reports have another scale."""
        return value

    def located(self, reports: Reports) -> Floats:
        """Return the value at whose place each report lies."""
        return reports

    def guess(self, reports: Reports, rng: Generator) -> Floats:
        """Return the number that each report stands for."""
        return self.located(reports)

    @abstractmethod
    def below(self, value: float, place: float) -> float:
        """Return the probability that a report of `value` is below a place."""

    def above(self, value: float, place: float) -> float:
        """Return the probability that a report of `value` is above a place."""
        return self.below(-value, 2 * self.place(0.0) - place)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        if reports > 1:
            return None
        middle = self.place((pair.first + pair.second) / 2)
        near = self.below if pair.first < pair.second else self.above
        return Rates(near(pair.first, middle), near(pair.second, middle))

    @abstractmethod
    def loss_law(self, pair: InputPair) -> LossLaw:
        """Return the exact law of the log-likelihood ratio of a report."""

    @abstractmethod
    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return ln P(report | first) - ln P(report | second) for every report."""

    def worst_case(self, pair: InputPair) -> float:
        """Return the exact smallest epsilon over all pairs of inputs: that of -1 and 1."""
        return self.loss_law(UNIT.default_pair).epsilon(self.delta)

    def worst_case_over(self, pair: InputPair, reports: int) -> float | None:
        return super().worst_case_over(UNIT.default_pair, reports)

    # The natural attack on many reports: the number that they stand for on average.

    @property
    def score_columns(self) -> int:
        """Columns of the totals: the sum of the guesses."""
        return 1

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        add_rows(self.located(reports)[:, None], totals)

    def guess_by_totals(self, totals: Floats, reports: int, rng: Generator) -> Floats:
        """Return the mean of the guesses of every user."""
        mean: Floats = totals[:, 0] / reports
        return mean

    # The server: the mean of the users' numbers.

    @property
    def gain(self) -> float:
        """By how much the mean of a report grows with the value."""
        return 1.0

    @abstractmethod
    def report_variance(self, value: float) -> float:
        """Return the exact variance of a report of `value`."""

    def estimate(self, reports: Reports) -> float:
        """Estimate the mean of the users' numbers, without bias: it may lie outside [-1, 1]."""
        check_form(self, reports, 0.0)
        require(len(reports) > 0, "reports must not be empty", argument="reports")
        return (float(np.mean(reports)) - self.place(0.0)) / self.gain

    def mean_variance(self, users: int, value: Any, reports: int = 1) -> Any:
        """Return the exact variance of the estimated mean of so many `users`.

        `value` is the number that all of them hold, or an array of such numbers; the estimate is
        made of `reports` reports of each of them. For users who hold different numbers the
        variance is the mean of theirs.
        """
        users, reports = check_collection(users, reports)
        values = [self.check_value(v) for v in np.ravel(value).tolist()]
        each = np.array([self.report_variance(v) for v in values]).reshape(np.shape(value))
        return like(value, each / (self.gain * self.gain * users * reports))


class DensityMechanism(NumberMechanism):
    """A protocol that tells the density of a report in pieces."""

    @abstractmethod
    def density(self, value: float) -> PiecewiseDensity:
        """Return the exact law of a report of `value`."""

    def below(self, value: float, place: float) -> float:
        return self.density(value).below(place)

    def report_variance(self, value: float) -> float:
        return self.density(value).variance

    def loss_law(self, pair: InputPair) -> LossLaw:
        return law_between(self.density(pair.first), self.density(pair.second))

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        return _ratio(self, pair)(reports)


@lru_cache(maxsize=4096)
def _ratio(mechanism: DensityMechanism, pair: InputPair) -> RatioOfDensities:
    """What a protocol makes of many batches of reports."""
    first, second = mechanism.density(pair.first), mechanism.density(pair.second)
    return RatioOfDensities(PiecewiseLaw(first, second))
