"""What a check is asked: target, inputs, claim and budget."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ldp_auditor.adapters.canonical import canonical
from ldp_auditor.checks.ranges import Range
from ldp_auditor.checks.sampling import Target
from ldp_auditor.core import Claim, Floats
from ldp_auditor.errors import error_probability, require, seed_number, whole_number
from ldp_auditor.execution.contract import Limits
from ldp_auditor.metrics import distances

TRIALS = 200_000
"""Reports in all, by default."""

FIRST_SEARCH = 32
"""Reports of every input that the first search looks at."""

GROWTH = 2
"""How many times more the next search looks at."""

MOST_SEARCHED, MOST_SMALL = 40_000, 150_000
"""Largest number of reports of one input that a search looks at, and that of small reports."""

SMALL = 20.0
"""Bytes that a small report takes, such as a number or two: many are searched in seconds."""

OBJECTS, MOST_OBJECTS = 24, 64
"""Objects that are compared before anything else; more of them if each gives one answer only."""

MOST_REPORTS = 1000
"""Largest number of reports of one object that are checked together."""

LEAST = 100
"""Reports of every input at least."""

MOST_LISTED, OF_SOME = 1000, 10_000
"""Inputs that are checked however few reports each has; of more some are chosen, with so many."""

HANDSHAKE = 500
"""Reports by which two workers are compared; a verdict on fewer reports needs one worker only."""


def most_searched(size: float) -> int:
    """Largest number of reports of one input that a search looks at, by their mean size."""
    return MOST_SMALL if size <= SMALL else MOST_SEARCHED


@dataclass(frozen=True, kw_only=True)
class CheckPlan:
    """Everything that decides the outcome of a check."""

    target: Target | None = None
    """None for reports that were collected elsewhere."""
    name: str
    values: tuple[Any, ...]
    """The inputs; a `Range` stands for some of its own, which are chosen first."""
    claim: Claim
    trials: int = TRIALS
    """Reports in all, at most."""
    alpha: float = 0.01
    seed: int = 42
    stop: bool = True
    """Whether the check ends as soon as it is sure; else it goes on, to prove a larger epsilon."""
    learn: bool | None = None
    """Whether a classifier proposes events; None: if scikit-learn is installed."""
    score: Callable[[Any, Any, Any], float] | None = None
    reports: int | None = None
    """Reports of one fresh object that make one trial; None: one object makes all reports."""
    offered: int | None = None
    """How many inputs there were, if only some of them are checked."""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        trials = whole_number("trials", self.trials, 1, 10**12)
        many = len(self.values)
        if many > max(MOST_LISTED, trials // LEAST):
            count = max(2, trials // OF_SOME)
            chosen = tuple(self.values[i * (many - 1) // (count - 1)] for i in range(count))
            object.__setattr__(self, "offered", many)
            object.__setattr__(self, "values", chosen)
        enough = len(self.values) >= 2 or self.has_ranges
        require(enough, f"a check needs two values at least, got {self.values!r}")
        different = len({canonical(value) for value in self.values})
        same = f"the values must be different, got {list(self.values)!r}"
        require(different == len(self.values), same)
        trials = whole_number("trials", trials, LEAST * len(self.values))
        object.__setattr__(self, "trials", trials)
        if self.reports is not None:
            reports = whole_number("reports", self.reports, 1, MOST_REPORTS)
            object.__setattr__(self, "reports", reports)
        object.__setattr__(self, "alpha", error_probability(self.alpha))
        object.__setattr__(self, "seed", seed_number(self.seed))
        _ = self.distances  # raises where the values have none

    @cached_property
    def distances(self) -> Floats | None:
        """Distances of all pairs of values, if the claim is counted in them."""
        metric = self.claim.metric
        if metric is None or self.has_ranges:
            return None
        return distances(metric, self.plain_values)

    @property
    def has_ranges(self) -> bool:
        """Whether inputs have to be chosen first."""
        return any(isinstance(value, Range) for value in self.values)

    @property
    def handshake(self) -> int:
        """Reports of each of the two workers that are compared."""
        return max(20, min(HANDSHAKE, self.trials // 20))

    @property
    def objects(self) -> int:
        """Objects that are compared before anything else."""
        return max(8, min(OBJECTS, self.trials // 100))

    def searches(self, most: int) -> list[int]:
        """How many reports of every input each search looks at, `most` at most.

        They double, so that all searches together cost little more than the last one.
        """
        sizes = [min(FIRST_SEARCH, most)]
        while GROWTH * sizes[-1] <= min(most, MOST_SMALL):
            sizes.append(GROWTH * sizes[-1])
        return sizes

    @property
    def plain_values(self) -> list[Any]:
        """The inputs as Python's own numbers: they, not the target's spelling, name its streams."""
        return [v.item() if isinstance(v, np.generic) else v for v in self.values]
