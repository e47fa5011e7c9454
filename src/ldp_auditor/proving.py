"""What a check is asked, and what its counts prove."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ldp_auditor.bounds import find_bound
from ldp_auditor.core import Claim, Counts
from ldp_auditor.errors import error_probability, require, seed_number, whole_number
from ldp_auditor.execution.contract import Limits
from ldp_auditor.results.check_result import CheckResult, Finding, p_value, power_of
from ldp_auditor.sampling import Proposed, Target
from ldp_auditor.search.whole import whole

TRIALS = 200_000
"""Reports in all, unless told otherwise."""

PILOT_SHARE = 0.3
"""Share of all reports that the pilot may spend."""

MOST_PILOT = 40_000
"""Pilot reports of an input at most."""

HANDSHAKE = 500
"""Reports at most by which two workers are compared before anything is counted."""


@dataclass(frozen=True, kw_only=True)
class CheckPlan:
    """Everything that decides the outcome of a check."""

    target: Target
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
        counted = Counter(whole(value) for value in self.values)
        require(
            max(counted.values()) == 1,
            f"the values must be different, got {list(self.values)!r}",
        )
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


def findings_of(
    plan: CheckPlan, proposed: Sequence[Proposed], counts: Any, trials: int
) -> tuple[Finding, ...]:
    """What the counts prove; alpha is shared out over all events."""
    bound = find_bound(plan.bound)
    findings = []
    for i, event in enumerate(proposed):
        seen = Counts(trials, int(counts[event.first, i]), int(counts[event.second, i]))
        findings.append(
            Finding(
                plan.values[event.first],
                plan.values[event.second],
                event.words,
                seen,
                bound(seen, plan.alpha / len(proposed), plan.claim.delta),
                min(1.0, len(proposed) * p_value(plan.claim, plan.bound, seen)),
            )
        )
    return tuple(findings)


def result_of(
    plan: CheckPlan,
    findings: tuple[Finding, ...],
    pilot_trials: int,
    reports: int,
    started: float,
    learned: bool,
) -> CheckResult:
    """The result of a check; without findings nothing was counted on fresh reports."""
    trials = findings[0].counts.trials if findings else 0
    return CheckResult(
        name=plan.name,
        claim=plan.claim,
        values=plan.values,
        alpha=plan.alpha,
        seed=plan.seed,
        trials=trials,
        pilot_trials=pilot_trials,
        findings=findings,
        power=power_of(plan.claim, plan.bound, plan.alpha / plan.prove, trials),
        seconds=time.perf_counter() - started,
        reports=reports,
        learned=learned,
    )
