"""The error of frequencies that were post-processed: measured on simulated collections."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_auditor.errors import whole_number
from ldp_auditor.estimation.post_processing import PROCESSINGS
from ldp_auditor.estimation.simulation import Population, simulated

MOST_COLLECTIONS = 1_000_000


@dataclass(frozen=True)
class MeasuredError:
    """The mean squared error over all values of an attribute, measured."""

    processing: str
    collections: int
    """How many were simulated: the error is a mean over them."""
    mean_squared_error: float
    standard_error: float
    """How far the measured error may be off: its own standard error."""
    exact: float | None
    """The exact error, which is known without post-processing only."""

    @property
    def root(self) -> float:
        """The root of the mean squared error."""
        return math.sqrt(self.mean_squared_error)

    def __str__(self) -> str:
        how = f"measured on {self.collections} collections"
        return f"{self.processing}: {self.root:.6f} ({how})"


def measure_errors(
    mechanism: Any,
    population: Sequence[int] | Population,
    *,
    reports: int = 1,
    collections: int = 100,
    attribute: int = 0,
    seed: int = 42,
) -> tuple[MeasuredError, ...]:
    """Measure the error of each kind of post-processing on the same simulated `collections`."""
    collections = whole_number("collections", collections, 2, MOST_COLLECTIONS)
    squares: dict[str, list[float]] = {name: [] for name in PROCESSINGS}
    every = simulated(mechanism, population, reports, seed)
    exact = math.nan
    for of_attributes in itertools.islice(every, collections):
        last = len(of_attributes) - 1
        found = of_attributes[whole_number("attribute", attribute, 0, last)]
        exact = float(np.mean(found.standard_errors**2))
        for name, process in PROCESSINGS.items():
            errors = process(found.estimated) - found.frequencies
            squares[name].append(float(np.mean(errors**2)))
    return tuple(
        MeasuredError(
            processing=name,
            collections=collections,
            mean_squared_error=float(np.mean(of_all)),
            standard_error=float(np.std(of_all, ddof=1)) / math.sqrt(collections),
            exact=exact if name == "none" else None,
        )
        for name, of_all in squares.items()
    )
