"""The exponential mechanism over a finite metric space: whole numbers, or places of a grid."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ldp_auditor.core import Floats, InputPair
from ldp_auditor.errors import whole_number
from ldp_auditor.inputs import Steps
from ldp_auditor.mechanisms.metric_spaces import FiniteSpace, GridSpace, inputs_in_order
from ldp_auditor.metrics import METRICS, distance, distances
from ldp_auditor.portable_math import exp, log

MOST_DRAWN = 4096
"""Inputs of a space whose reports are drawn from a table."""


class ExponentialSpace(FiniteSpace):
    """The exponential mechanism: an input is sent in proportion to e^(-epsilon distance / 2).

    The half pays for the total, which differs from input to input [McSherry07].
    """

    def log_row(self, value: Any) -> Floats:
        others = inputs_in_order(self)
        far = [0.0 if other == value else distance(self.metric, value, other) for other in others]
        weights = [exp(-self.epsilon / 2 * each) for each in far]
        return np.array(far) * (-self.epsilon / 2) - log(math.fsum(weights))

    @property
    def default_pair(self) -> InputPair:
        return _worst(self)[1]

    def worst_case(self, pair: InputPair) -> float:
        return _worst(self)[0]


@lru_cache(maxsize=16)
def _worst(mechanism: ExponentialSpace) -> tuple[float, InputPair]:
    """The largest loss for each unit of distance, and its pair.

    Of a metric the report that is the first input loses the most: epsilon / 2 times the distance,
    and the ratio of the totals. A function of one's own may break the triangle inequality, so that
    all reports are looked at.
    """
    inputs, half = inputs_in_order(mechanism), mechanism.epsilon / 2
    apart = distances(mechanism.metric, inputs)
    totals = np.array([log(float(np.exp(-half * row).sum())) for row in apart])
    best, pair = -math.inf, mechanism.inputs.default_pair
    for i, row in enumerate(apart):
        lead = row if mechanism.metric in METRICS else (apart - row).max(axis=1)
        others = np.arange(len(inputs)) != i
        losses = np.full(len(inputs), -math.inf)
        losses[others] = (half * lead + totals - totals[i])[others] / row[others]
        if losses.max() > best * (1 + 1e-9):
            best = float(losses.max())
            j = int(np.argmax(losses >= best * (1 - 1e-9)))
            pair = InputPair(inputs[i], inputs[j])
    return best, pair


@dataclass(frozen=True, kw_only=True)
class Exponential(ExponentialSpace):
    """The exponential mechanism over 0..k-1, at any distance of them."""

    name = "Exponential"
    summary = "exponential mechanism over whole numbers"
    takes = Steps

    metric: str = "absolute"
    domain_size: int

    def __post_init__(self) -> None:
        self._set("domain_size", whole_number("domain_size", self.domain_size, 2, MOST_DRAWN))
        super().__post_init__()

    @property
    def inputs(self) -> Steps:
        return Steps(self.domain_size)


@dataclass(frozen=True, kw_only=True)
class GridExponential(GridSpace, ExponentialSpace):
    """The exponential mechanism over the places of a square grid."""

    name = "Grid-Exponential"
    summary = "exponential mechanism over places of a grid"

    metric: str = "euclidean"
    side: int = 16
