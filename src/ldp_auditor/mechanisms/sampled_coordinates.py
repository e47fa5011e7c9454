"""Vectors of the cube of which a few coordinates are drawn and sent, each by a protocol of its own.

Which coordinates these are is a part of the report.
"""

import math
from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import must, whole_number
from ldp_auditor.inputs import Ball
from ldp_auditor.inputs.nearness import rounding
from ldp_auditor.mechanisms.bounded_reports import HM, MOST_WINDOW_EPSILON, PM, BoundedMechanism
from ldp_auditor.mechanisms.kernels.vectors import fill_samples
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream
from ldp_auditor.mechanisms.vectors import Vector, VectorMechanism
from ldp_auditor.theory.discrete_laws import MOST_SUMS
from ldp_auditor.theory.levels import Levels, law_of_levels, merged_levels
from ldp_auditor.theory.loss_law import LossLaw
from ldp_auditor.theory.piecewise_loss import PiecewiseLaw

BUDGET = 2.5
"""What a coordinate is given at least: [Wang19] Eq. 12."""

MOST_CLASSES = 64
"""Different pairs of coordinates up to which the law of several sampled ones is worked out."""


@dataclass(frozen=True, kw_only=True)
class SampledCoordinates(VectorMechanism):
    """[Wang19], Algorithm 4: `coordinates` of them, each with its share of epsilon.

    0 stands for max(1, min(d, floor(epsilon / 2.5))) coordinates.
    """

    takes = Ball

    coordinates: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        count = whole_number("coordinates", self.coordinates, 0, self.dimension)
        chosen = max(1, min(self.dimension, math.floor(self.epsilon / BUDGET)))
        self._set("coordinates", count or chosen)
        most = MOST_WINDOW_EPSILON * self.coordinates
        why = f"{MOST_WINDOW_EPSILON:g} for each sampled coordinate"
        must(self.epsilon <= most, f"be at most {most:g}, {why}", epsilon=self.epsilon)
        self.single  # which has limits of its own  # noqa: B018

    @property
    def inputs(self) -> Ball:
        return Ball(self.dimension, "linf")

    @property
    @abstractmethod
    def single(self) -> BoundedMechanism:
        """The protocol of one coordinate."""

    @property
    def weight(self) -> float:
        """By what a sampled coordinate is multiplied."""
        return self.dimension / self.coordinates

    def privatize(self, value: Vector, n: int, rng: Generator) -> Reports:
        point, count = np.array(self.check_value(value)), self.coordinates
        reports = np.empty(n, [("coordinates", np.int64, (count,)), ("numbers", "f8", (count,))])
        sampled = np.empty((n, count), np.int64)
        fill_samples(fresh_stream(rng), self.dimension, sampled)
        numbers = np.empty(n * count)
        self.single.fill(point[sampled.reshape(-1)], rng, numbers)
        reports["coordinates"], reports["numbers"] = sampled, numbers.reshape(n, count)
        return reports

    def located(self, reports: Reports) -> Floats:
        """Return vectors that are 0 but for the sampled coordinates."""
        vectors = np.zeros((len(reports), self.dimension))
        places = reports["coordinates"]
        np.put_along_axis(vectors, places, self.weight * reports["numbers"], axis=1)
        return vectors

    def classes(self, pair: InputPair) -> list[tuple[float, float, int]]:
        """Pairs of coordinates, and how many coordinates have each."""
        counted = Counter(zip(pair.first, pair.second, strict=True))
        return [(a, b, count) for (a, b), count in counted.items()]

    def loss_law(self, pair: InputPair) -> LossLaw | None:
        """Add up the losses of the sampled coordinates, for every choice of them."""
        return _loss_law(self, pair)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        ratio = np.zeros(len(reports))
        numbers = reports["numbers"].reshape(-1)
        kinds, kind_of = _kinds(pair)
        found = kind_of[reports["coordinates"].reshape(-1)]
        order = np.argsort(found, kind="stable")
        present, starts = np.unique(found[order], return_index=True)
        for kind, chosen in zip(present.tolist(), np.split(order, starts[1:]), strict=True):
            inputs = kinds[kind]
            if inputs is not None:
                losses = self.single.log_likelihood_ratio(numbers[chosen], inputs)
                np.add.at(ratio, chosen // self.coordinates, losses)
        return ratio

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        """Return the rates for one sampled coordinate, by where its number must lie."""
        if reports > 1 or self.coordinates > 1:
            return None
        classes = self.classes(pair)
        rest = math.fsum(-count * (a * a - b * b) / 2 for a, b, count in classes)
        if abs(rest) <= rounding(pair.first, pair.second):
            rest = 0.0
        return Rates(*(self._nearer(classes, rest, side) for side in (0, 1)))

    def _nearer(self, classes: list[tuple[float, float, int]], rest: float, side: int) -> float:
        """Probability that a vector is nearer to the first input than to the second."""
        total = 0.0
        for a, b, count in classes:
            value = (a, b)[side]
            if a == b:
                chance = 0.5 if rest == 0 else float(rest > 0)
            else:  # rest + weight y (a - b) > 0
                below = self.single.below(value, -rest / (self.weight * (a - b)))
                chance = 1 - below if a > b else below
            total += count * chance
        return total / self.dimension

    def report_variance(self, value: Vector) -> float:
        squares = (
            self.weight * (self.single.report_variance(entry) + entry * entry) - entry * entry
            for entry in value
        )
        return math.fsum(squares)


@lru_cache(maxsize=16)
def _kinds(pair: InputPair) -> tuple[list[InputPair | None], NDArray[np.int64]]:
    """Pairs of coordinates, None for those that are the same, and which one each coordinate has."""
    both = list(zip(pair.first, pair.second, strict=True))
    kinds = {sides: kind for kind, sides in enumerate(dict.fromkeys(both))}
    pairs = [None if a == b else InputPair(a, b) for a, b in kinds]
    return pairs, np.array([kinds[sides] for sides in both])


@lru_cache(maxsize=64)
def _loss_law(protocol: SampledCoordinates, pair: InputPair) -> LossLaw | None:
    classes, sampled = protocol.classes(pair), protocol.coordinates
    tables = []
    for a, b, _ in classes:
        table = PiecewiseLaw(*map(protocol.single.density, (a, b))).levels
        if table is None:
            return None
        tables.append(table)
    if sampled > 1 and len(classes) > MOST_CLASSES:
        return None
    nothing = (np.zeros(1), np.ones(1), np.ones(1))
    # The sum over the classes so far with each number of sampled coordinates among them.
    sums: list[list[Levels]] = [[nothing], *([] for _ in range(sampled))]
    for (_, _, count), table in zip(classes, tables, strict=True):
        powers = [nothing]
        for _ in range(min(sampled, count)):
            powers.append(_sum(powers[-1], table))
        if max(len(power[0]) for power in powers) > MOST_SUMS:
            return None
        longer: list[list[Levels]] = [[] for _ in sums]
        for before, more in product(range(sampled + 1), range(len(powers))):
            if before + more <= sampled:
                ways = math.comb(count, more)
                for found in sums[before]:
                    losses, likely, unlikely = _sum(found, powers[more])
                    longer[before + more].append((losses, ways * likely, ways * unlikely))
        sums = [[_together(found)] if found else [] for found in longer]
    losses, likely, unlikely = sums[sampled][0]
    all_ways = math.comb(protocol.dimension, sampled)
    return law_of_levels(losses, likely / all_ways, unlikely / all_ways)


def _sum(one: Levels, other: Levels) -> Levels:
    """Levels of the sum of two independent losses."""
    losses = np.add.outer(one[0], other[0]).ravel()
    likely, unlikely = (np.multiply.outer(one[k], other[k]).ravel() for k in (1, 2))
    return merged_levels(losses, likely, unlikely)


def _together(found: list[Levels]) -> Levels:
    """Levels of several parts of a law."""
    return merged_levels(*(np.concatenate(part) for part in zip(*found, strict=True)))


class SampledPM(SampledCoordinates):
    """A few coordinates, each by the piecewise mechanism [Wang19]."""

    name = "Sampled-PM"
    summary = "a few coordinates, each by the piecewise mechanism"

    @property
    def single(self) -> PM:
        return PM(epsilon=self.epsilon / self.coordinates)


class SampledHM(SampledCoordinates):
    """A few coordinates, each by the hybrid mechanism [Wang19]."""

    name = "Sampled-HM"
    summary = "a few coordinates, each by the hybrid mechanism"

    @property
    def single(self) -> HM:
        return HM(epsilon=self.epsilon / self.coordinates)
