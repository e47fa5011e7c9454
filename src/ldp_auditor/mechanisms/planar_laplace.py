"""Planar Laplace noise for places: geo-indistinguishability [Andres13]."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import require
from ldp_auditor.inputs import Places
from ldp_auditor.mechanisms.estimation import check_collection, check_form
from ldp_auditor.mechanisms.kernels.numbers import grain_of, on_lattice
from ldp_auditor.mechanisms.kernels.places import fill_planar, log_masses
from ldp_auditor.mechanisms.kernels.sums import add_rows
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream
from ldp_auditor.mechanisms.metric_spaces import GridSpace, MetricMechanism
from ldp_auditor.portable_math import exp, log
from ldp_auditor.theory.planar_laplace import PlanarLaplaceLaw, nearer_mean

REACH = 2.0**30
"""How far from the origin places may lie, in units of the noise: the lattice has 2^53 places."""


class PlanarLaplace(MetricMechanism):
    """Noise of density epsilon^2 / (2 pi) e^(-epsilon r) at distance r, on a fine lattice.

    Floats near an input have other last bits than floats far from it; on one lattice for all they
    do not. Exact numbers are those before rounding, which no rounding can exceed.
    """

    name = "Planar-Laplace"
    summary = "places with Laplace noise of the plane"
    takes = Places
    metric = "euclidean"

    @property
    def scale(self) -> float:
        """Half of the mean distance of a report."""
        return 1 / self.epsilon

    @property
    def inputs(self) -> Places:
        return Places(2, -REACH * self.scale, REACH * self.scale)

    @property
    def report_bytes(self) -> int:
        return 64

    @property
    def default_pair(self) -> InputPair:
        """Two places whose loss is 1; all pairs lose as much for each unit of distance."""
        return InputPair((0.0, 0.0), (self.scale, 0.0))

    def privatize(self, value: Any, n: int, rng: Generator) -> Reports:
        x, y = self.check_value(value)
        reports = np.empty((n, 2))
        fill_planar(fresh_stream(rng), self.scale, x, y, reports)
        return on_lattice(reports, grain_of(self.scale))

    def _level(self, pair: InputPair) -> float:
        return self.epsilon * math.dist(pair.first, pair.second)

    def worst_case(self, pair: InputPair) -> float:
        """Any two places lose up to epsilon times their distance, beyond one of them."""
        return self.epsilon

    def loss_law(self, pair: InputPair) -> PlanarLaplaceLaw:
        return PlanarLaplaceLaw(self._level(pair))

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        first, second = (_lengths(reports, place) for place in (pair.first, pair.second))
        ratio: Floats = self.epsilon * (second - first)
        return ratio

    # The natural attack: the place that is nearer to the report, or to the mean of many.

    def guess(self, reports: Reports, rng: Generator) -> Floats:
        """Return the place that each report names."""
        return reports

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        if reports == 1:
            return self.loss_law(pair).rates(0.0)
        return nearer_mean(self._level(pair), reports)

    @property
    def score_columns(self) -> int:
        """Columns of the totals: the sums of both coordinates."""
        return 2

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        add_rows(reports, totals)

    def guess_by_totals(self, totals: Floats, reports: int, rng: Generator) -> Floats:
        """Return the mean of the reports of every user."""
        mean: Floats = totals / reports
        return mean

    # The server: the middle of all places.

    def estimate(self, reports: Reports) -> Floats:
        """Estimate the mean of the users' places, without bias."""
        check_form(self, reports, (0.0, 0.0))
        require(len(reports) > 0, "reports must not be empty", argument="reports")
        mean: Floats = reports.mean(axis=0)
        return mean

    def mean_variance(self, users: int, value: Any = (0.0, 0.0), reports: int = 1) -> Any:
        """Return the exact variance of either coordinate of the estimated mean: 3 / epsilon^2.

        It is the same wherever the users are.
        """
        users, reports = check_collection(users, reports)
        self.check_value(value)
        return 3 * self.scale * self.scale / (users * reports)


def _lengths(reports: Reports, place: Any) -> Floats:
    """Distances of reports from a place, with the same bits on every machine."""
    right, up = reports[:, 0] - place[0], reports[:, 1] - place[1]
    lengths: Floats = np.sqrt(right * right + up * up)
    return lengths


@dataclass(frozen=True, kw_only=True)
class GridLaplace(GridSpace):
    """Planar Laplace noise, rounded to the grid and cut: what lies beyond is sent as the edge.

    Reports are drawn from the masses of the cells, so that no float is ever sent.
    """

    name = "Grid-Laplace"
    summary = "planar Laplace noise, rounded to a grid and cut to it"
    metric = "euclidean"

    side: int = 16

    def log_row(self, value: Any) -> Floats:
        across, along = (_ranges(int(entry), self.side) for entry in value)
        row: Floats = _log_table(self.side, self.epsilon)[np.ix_(across, along)].reshape(-1)
        return row

    @property
    def default_pair(self) -> InputPair:
        return _worst(self)[1]

    def worst_case(self, pair: InputPair) -> float:
        return _worst(self)[0]


def _ranges(value: int, side: int) -> list[int]:
    """Ranges of a coordinate that are sent as 0..side-1, by their numbers in `_log_table`."""
    last = side - 1
    inner = [abs(sent - value) for sent in range(1, last)]
    return [side + value, *inner, side + last - value]


@lru_cache(maxsize=8)
def _log_table(side: int, epsilon: float) -> Floats:
    """Logs of the masses of all rectangles that can be sent as a place, by both of their ranges.

    A range is the surroundings of a place 0, 1, ... steps away, or all that is at least so far away
    (`side` and above). Those around 0 are made of both sides of it.
    """
    near = [[(max(0.0, o - 0.5), o + 0.5)] for o in range(side)]
    near[0] *= 2
    beyond = [[(max(0.0, o - 0.5), math.inf)] for o in range(side)]
    beyond[0].append((0.0, 0.5))
    ranges = near + beyond
    cells = [(i, j) for i in range(2 * side) for j in range(i + 1)]
    parts = [
        (x, y, place) for place, (i, j) in enumerate(cells) for x in ranges[i] for y in ranges[j]
    ]
    found = log_masses(
        np.array([x for x, _, _ in parts]), np.array([y for _, y, _ in parts]), epsilon
    )
    most = np.full(len(cells), -math.inf)
    owners = np.array([place for _, _, place in parts])
    np.maximum.at(most, owners, found)
    totals = [0.0] * len(cells)
    for place, each in zip(owners.tolist(), (found - most[owners]).tolist(), strict=True):
        totals[place] += exp(each)
    table = np.empty((2 * side, 2 * side))
    for (i, j), top, total in zip(cells, most.tolist(), totals, strict=True):
        table[i, j] = table[j, i] = top + log(total)
    return table


@lru_cache(maxsize=4)
def _worst(mechanism: GridLaplace) -> tuple[float, InputPair]:
    """The largest loss for each unit of distance over all pairs and reports, and its pair."""
    places = mechanism.places
    rows = np.stack([mechanism.log_row(place) for place in places])
    apart = np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1))
    np.fill_diagonal(apart, math.inf)
    best = np.full(apart.shape, -math.inf)
    for sent in range(mechanism.count):
        x, y = places[sent]
        if y <= x <= (mechanism.side - 1) / 2:  # the others are mirrored
            np.maximum(best, rows[:, None, sent] - rows[None, :, sent], out=best)
    best /= apart
    largest = float(best.max())
    first, second = np.argwhere(best >= largest * (1 - 1e-9))[0]
    return largest, InputPair(tuple(places[first]), tuple(places[second]))
