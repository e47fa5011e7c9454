"""What protocols over a finite metric space share, and the geometric mechanism.

Their claim is epsilon times the distance of two inputs [Chatzikokolakis13]. A report is an input,
by its number. Everything exact follows from the logs of the probabilities of all reports, which a
protocol tells for an input (`log_row`).
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports, Values
from ldp_auditor.errors import must, require, whole_number
from ldp_auditor.inputs import Cells, Steps
from ldp_auditor.mechanisms.estimation import check_collection, check_form, checked_frequency
from ldp_auditor.mechanisms.kernels.places import fill_drawn, fill_geometric
from ldp_auditor.mechanisms.kernels.sums import Lottery, add_rows
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream
from ldp_auditor.mechanisms.local_mechanism import LocalMechanism
from ldp_auditor.portable_math import exp, expm1, log, log1p
from ldp_auditor.theory.discrete_laws import power
from ldp_auditor.theory.lattice_sums import MOST_PLACES, FiniteLaw
from ldp_auditor.theory.loss_law import LossLaw

MOST_SOLVED = 1024
"""Inputs of a space whose frequencies are estimated."""

MOST_STEPS = 10**6
"""Whole numbers of the geometric mechanism."""


class MetricMechanism(LocalMechanism):
    """A protocol whose claim is epsilon times a distance."""

    family = "distances"

    @property
    def options(self) -> dict[str, Any]:
        """Options but the metric, which results show on their own."""
        return {name: value for name, value in super().options.items() if name != "metric"}

    @property
    @abstractmethod
    def default_pair(self) -> InputPair:
        """The inputs with the largest loss for each unit of distance."""

    @abstractmethod
    def worst_case(self, pair: InputPair) -> float:
        """Return the largest exact loss for each unit of distance, over all pairs."""

    def worst_case_over(self, pair: InputPair, reports: int) -> float | None:
        return reports * self.worst_case(pair) if self.delta == 0 else None


class FiniteSpace(MetricMechanism):
    """A protocol over finitely many inputs; a report is the number of one of them."""

    @property
    @abstractmethod
    def inputs(self) -> Steps | Cells:
        """What is reported."""

    @abstractmethod
    def log_row(self, value: Any) -> Floats:
        """Return the logs of the probabilities of all reports of `value`."""

    @property
    def places(self) -> Floats:
        """Where each input lies: a row of coordinates."""
        inputs = self.inputs
        if isinstance(inputs, Cells):
            return inputs.every
        return np.arange(float(inputs.domain_size))[:, None]

    @property
    def count(self) -> int:
        """Number of inputs, and of reports."""
        return len(self.places)

    @property
    def report_bytes(self) -> int:
        return 48

    def privatize(self, value: Any, n: int, rng: Generator) -> Reports:
        table = _lottery(self, self.check_value(value))
        reports = np.empty(n, np.int64)
        digits = np.uint64(table.digits)
        fill_drawn(fresh_stream(rng), digits, table.thresholds, table.aliases, reports)
        return reports

    # The natural attack: the input that is nearest to the report.

    def guess(self, reports: Reports, rng: Generator) -> Any:
        """Return the input that each report is."""
        if isinstance(self.inputs, Cells):
            return self.places[reports]
        return reports

    @property
    def score_columns(self) -> int:
        """Columns of the totals: the sums of the coordinates."""
        return self.places.shape[1] if isinstance(self.inputs, Cells) else 1

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        add_rows(self.places[reports], totals)

    def guess_by_totals(self, totals: Floats, reports: int, rng: Generator) -> Any:
        """Return the mean of the places of every user, or the whole number next to it."""
        mean = totals / reports
        return mean if isinstance(self.inputs, Cells) else np.rint(mean[:, 0]).astype(np.int64)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        # Only the coordinate along the line through both counts, a whole number in its own units.
        first, second = np.atleast_1d(pair.first), np.atleast_1d(pair.second)
        unit = (first - second) / math.gcd(*(first - second).astype(int).tolist())
        along = self.places @ unit
        lowest, spread = along.min(), int(np.ptp(along))
        if reports > 1 and spread * reports >= MOST_PLACES:
            return None
        steps = np.zeros((2, spread + 1))
        for side, value in zip(steps, (pair.first, pair.second), strict=True):
            np.add.at(side, (along - lowest).astype(int), np.exp(_log_row(self, value)))
        mean = lowest + np.arange(spread * reports + 1) / reports
        if not isinstance(self.inputs, Cells):  # the guess is a whole number
            mean = np.rint(mean)
        lead = mean - (first + second) @ unit / 2
        won = (lead > 0) + 0.5 * (lead == 0)
        both = (power(side, reports) for side in steps)
        return Rates(*(min(1.0, math.fsum(won * side)) for side in both))

    # The loss.

    def _losses(self, pair: InputPair) -> Floats:
        losses: Floats = _log_row(self, pair.first) - _log_row(self, pair.second)
        return losses

    def loss_law(self, pair: InputPair) -> FiniteLaw:
        first, second = (np.exp(_log_row(self, value)) for value in (pair.first, pair.second))
        return FiniteLaw.of(self._losses(pair), first, second)

    def loss_law_over(self, pair: InputPair, reports: int) -> LossLaw | None:
        return _law_over(self, pair, reports)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        return self._losses(pair)[reports]

    # The server: the frequencies of all inputs, by the inverse of the table of probabilities.

    @property
    def tally_size(self) -> int:
        """How many numbers a tally has."""
        return self.count

    def tally(self, reports: Reports) -> Floats:
        """Count the reports of every kind; tallies of several batches add up."""
        check_form(self, reports, self.default_pair.first)
        right = not reports.size or 0 <= int(reports.min()) <= int(reports.max()) < self.count
        require(right, "reports must be numbers of inputs", argument="reports")
        counts: Floats = np.bincount(reports, minlength=self.count).astype(np.float64)
        return counts

    def frequencies_from(self, tally: Floats, reports: int) -> Floats:
        """Estimate the frequency of every input from the tally of so many `reports`."""
        reports = whole_number("reports", reports, 1)
        must(np.shape(tally) == (self.count,), f"have {self.count} numbers", tally=np.shape(tally))
        found: Floats = (np.asarray(tally) / reports) @ _inverse(self)
        return found

    def estimate(self, reports: Reports) -> Floats:
        """Estimate the frequency of every input, without bias: it may lie outside [0, 1]."""
        return self.frequencies_from(self.tally(reports), len(reports))

    def frequency_variance(self, users: int, frequency: Any, reports: int = 1) -> Floats:
        """Return the exact variance of every estimated frequency, given those of all inputs."""
        users, reports = check_collection(users, reports)
        shares = checked_frequency(frequency)
        require(
            shares.shape == (self.count,),
            f"frequency must be the frequencies of all {self.count} inputs: the variance of "
            f"{self.name} depends on them",
            argument="frequency",
        )
        seen = shares @ np.exp(_log_matrix(self))
        variance: Floats = (seen @ _inverse(self) ** 2 - shares) / (users * reports)
        return variance


@lru_cache(maxsize=16)
def _law_over(mechanism: FiniteSpace, pair: InputPair, reports: int) -> LossLaw | None:
    return mechanism.loss_law(pair).composed(reports)


@lru_cache(maxsize=64)
def _log_row(mechanism: FiniteSpace, value: Any) -> Floats:
    return mechanism.log_row(value)


@lru_cache(maxsize=16)
def _lottery(mechanism: FiniteSpace, value: Any) -> Lottery:
    return Lottery.of(np.array([exp(each) for each in mechanism.log_row(value).tolist()]))


def inputs_in_order(mechanism: FiniteSpace) -> list[Any]:
    """All inputs, as they are given to the protocol."""
    if isinstance(mechanism.inputs, Cells):
        return [tuple(place) for place in mechanism.places.tolist()]
    return list(range(mechanism.count))


@lru_cache(maxsize=4)
def _log_matrix(mechanism: FiniteSpace) -> Floats:
    most = f"{mechanism.name} estimates frequencies of {MOST_SOLVED} inputs at most"
    require(mechanism.count <= MOST_SOLVED, f"{most}, got {mechanism.count}")
    return np.stack([mechanism.log_row(value) for value in inputs_in_order(mechanism)])


@lru_cache(maxsize=4)
def _inverse(mechanism: FiniteSpace) -> Floats:
    """What a report adds to the estimate of each input: the inverse of the probabilities."""
    inverse: Floats = np.linalg.inv(np.exp(_log_matrix(mechanism)))
    return inverse


@dataclass(frozen=True, kw_only=True)
class Geometric(FiniteSpace):
    """The geometric mechanism [Ghosh12], cut to 0..k-1: what lies beyond is sent as the end."""

    name = "Geometric"
    summary = "whole numbers with geometric noise, cut to the domain"
    takes = Steps
    metric = "absolute"

    domain_size: int

    def __post_init__(self) -> None:
        self._set("domain_size", whole_number("domain_size", self.domain_size, 2, MOST_STEPS))
        super().__post_init__()

    @property
    def inputs(self) -> Steps:
        return Steps(self.domain_size)

    @property
    def default_pair(self) -> InputPair:
        return InputPair(0, 1)

    def worst_case(self, pair: InputPair) -> float:
        """Any two inputs lose epsilon times their distance, at the end next to one of them."""
        return self.epsilon

    def log_row(self, value: int) -> Floats:
        row: Floats = -self.epsilon * np.abs(np.arange(self.domain_size) - value)
        row -= log1p(exp(-self.epsilon))
        row[1:-1] += log(-expm1(-self.epsilon))
        return row

    def privatize(self, value: int, n: int, rng: Generator) -> Values:
        reports = np.empty(n, np.int64)
        last = self.domain_size - 1
        fill_geometric(fresh_stream(rng), self.epsilon, self.check_value(value), last, reports)
        return reports


MOST_SIDE = 24
"""Cells of a side of a grid, all pairs of which are searched for the worst."""


class GridSpace(FiniteSpace):
    """A protocol over the places of a square grid, one unit apart."""

    takes = Cells
    side: int

    def __post_init__(self) -> None:
        self._set("side", whole_number("side", self.side, 2, MOST_SIDE))
        super().__post_init__()

    @property
    def inputs(self) -> Cells:
        return Cells(2, self.side)
