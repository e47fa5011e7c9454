"""What a check is asked: target, inputs, claim and budget."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ldp_auditor.adapters.canonical import canonical
from ldp_auditor.bounds import find_bound
from ldp_auditor.checks.sampling import Target
from ldp_auditor.core import Claim
from ldp_auditor.errors import error_probability, require, seed_number, whole_number
from ldp_auditor.execution.contract import Limits

TRIALS = 200_000
"""Reports in all, by default."""

PILOT_SHARE = 0.3
"""Share of all reports that the pilot may spend."""

MOST_PILOT = 40_000
"""Largest number of pilot reports of one input."""

HANDSHAKE = 500
"""Largest number of reports by which two workers are compared before anything is counted."""


@dataclass(frozen=True, kw_only=True)
class CheckPlan:
    """Everything that decides the outcome of a check."""

    target: Target | None = None
    """None for reports that were collected elsewhere."""
    name: str
    values: tuple[Any, ...]
    claim: Claim
    trials: int = TRIALS
    """Reports in all."""
    alpha: float = 0.01
    bound: str = "clopper-pearson-one-sided"
    seed: int = 42
    prove: int = 3
    """Events that are counted on fresh reports, and share alpha."""
    learn: bool | None = None
    """Whether a classifier proposes events; None: if scikit-learn is installed."""
    score: Callable[[Any, Any, Any], float] | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        require(len(self.values) >= 2, f"a check needs two values at least, got {self.values!r}")
        different = len({canonical(value) for value in self.values})
        same = f"the values must be different, got {list(self.values)!r}"
        require(different == len(self.values), same)
        trials = whole_number("trials", self.trials, 100 * len(self.values), 10**12)
        object.__setattr__(self, "trials", trials)
        object.__setattr__(self, "alpha", error_probability(self.alpha))
        object.__setattr__(self, "seed", seed_number(self.seed))
        find_bound(self.bound)

    @property
    def pilot_trials(self) -> int:
        """Pilot reports of each input, unless they are large."""
        return max(50, min(MOST_PILOT, int(PILOT_SHARE * self.trials / len(self.values))))

    @property
    def handshake(self) -> int:
        """Reports of each of the two workers that are compared."""
        return max(20, min(HANDSHAKE, self.trials // 20))

    @property
    def plain_values(self) -> list[Any]:
        """The inputs as Python's own numbers: they, not the target's spelling, name its streams."""
        return [v.item() if isinstance(v, np.generic) else v for v in self.values]
