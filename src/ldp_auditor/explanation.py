"""Where the gap between a claimed and a measured epsilon comes from, and what would close it.

Every result carries the four numbers: claimed, exact worst case (the rest is slack of the
analysis), the attack with unlimited trials (weakness of the attack), measured with T trials (Monte
Carlo).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ldp_auditor.attacks import ATTACKS
from ldp_auditor.attacks.optimal import best_exact_threshold
from ldp_auditor.auditing import MOST_TRIALS, AuditPlan, Progress, run
from ldp_auditor.core import AuditResult, Counts, Goal, Reports
from ldp_auditor.errors import AuditError, require
from ldp_auditor.execution.engines import Engine
from ldp_auditor.theory.loss_law import LossLaw

CERTIFICATES = (0.9, 0.99)
"""Shares of the worst case for which the needed trials are told."""


@dataclass(frozen=True)
class Explanation:
    """Audits by every attack, and the trials that the optimal one would need."""

    results: tuple[AuditResult, ...]
    trials_for: Mapping[float, int | None]
    """Trials by which the optimal attack is expected to prove that share of the worst case."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "results": [result.to_dict() for result in self.results],
            "trials_for": {str(share): trials for share, trials in self.trials_for.items()},
        }


def explain(
    plan: AuditPlan, engine: Engine | None = None, progress: Progress | None = None
) -> Explanation:
    """Audit by every attack and work out what the optimal one would need."""
    law = plan.loss_law
    if law is None:
        raise AuditError(
            f"the exact law of the loss of {plan.mechanism.name} is not known here, so that its "
            "gap cannot be accounted for"
        )
    require(
        max(plan.mechanism.claim.epsilon, law.epsilon(plan.mechanism.claim.delta)) < math.inf,
        f"the gap of {plan.mechanism.name} cannot be accounted for: it keeps no finite epsilon",
    )
    results = tuple(run(replace(plan, attack=attack), engine, progress) for attack in ATTACKS)
    return Explanation(
        results, {share: trials_to_certify(plan, law, share) for share in CERTIFICATES}
    )


def trials_to_certify(plan: AuditPlan, law: LossLaw, share: float) -> int | None:
    """Smallest T, to 1%, whose expected counts prove that share of the worst case, if any does."""
    target = share * law.epsilon(plan.mechanism.claim.delta)

    def proves(trials: int) -> bool:
        goal = Goal(trials, plan.bound_of, _no_pilot)
        rates = law.rates(best_exact_threshold(law, goal))
        hits, alarms = (
            round(trials * rate) for rate in (rates.true_positive, rates.false_positive)
        )
        return plan.bound_of(Counts(trials, hits, alarms)) >= target

    return _smallest(proves)


def _smallest(condition: Callable[[int], bool]) -> int | None:
    """Smallest whole number, to 1%, from which on a condition holds."""
    high = 1
    while not condition(high):
        high *= 4
        if high > MOST_TRIALS:
            return None
    low = high // 4
    while high > 1.01 * low + 1:
        middle = (low + high) // 2
        low, high = (low, middle) if condition(middle) else (middle, high)
    return high


def _no_pilot(side: int, n: int) -> Iterable[Reports]:
    raise AssertionError("an exact law needs no pilot")
