"""The average over seeds: the only place where repetitions become one number and a band."""

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Average:
    """What repetitions of one audit found."""

    mean: float
    deviation: float | None
    """Standard deviation over seeds, if there are several."""

    @property
    def low(self) -> float:
        """One standard deviation below the mean."""
        return self.mean - (self.deviation or 0.0)

    @property
    def high(self) -> float:
        """One standard deviation above the mean."""
        return self.mean + (self.deviation or 0.0)


def over_seeds(found: Iterable[float]) -> Average:
    """Average what every seed `found`.

    >>> over_seeds([1.0, 3.0])
    Average(mean=2.0, deviation=1.0)
    """
    values = list(found)
    spreads = len(values) > 1 and math.inf not in values
    deviation = statistics.pstdev(values) if spreads else None
    return Average(statistics.fmean(values), deviation)
