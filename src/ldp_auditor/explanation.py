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
from ldp_auditor.auditing import MOST_TRIALS, AuditPlan, Progress
from ldp_auditor.core import AuditResult, Counts, Goal, InputPair, Rates, Reports
from ldp_auditor.errors import AuditError, require
from ldp_auditor.execution.engines import Engine
from ldp_auditor.longitudinal import Study, carry_out, plan_looks
from ldp_auditor.theory.loss_law import LossLaw
from ldp_auditor.violations import ViolationCount

CERTIFICATES = (0.9, 0.99)
"""Shares of the worst case for which the needed trials are told."""


@dataclass(frozen=True)
class Explanation:
    """Audits by every attack, and the trials that the optimal one would need."""

    results: tuple[AuditResult, ...]
    trials_for: Mapping[float, int | None]
    """Trials by which the optimal attack is expected to prove that share of the worst case."""

    @property
    def violations(self) -> ViolationCount:
        """How many of the audits found a violation."""
        return ViolationCount.of_results(self.results)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "results": [result.to_dict() for result in self.results],
            "trials_for": {str(share): trials for share, trials in self.trials_for.items()},
            **self.violations.to_dict(),
        }


def explain(
    plan: AuditPlan,
    engine: Engine | None = None,
    progress: Progress | None = None,
    study: Study | None = None,
) -> Explanation:
    """Audit by every attack and work out what the optimal one would need.

    A `study` of one number of reports explains the gap of that many reports of every user.
    """
    look, law = known_law(plan, study)
    claim = look.mechanism.claim
    require(
        max(claim.epsilon, law.epsilon(claim.delta)) < math.inf,
        f"the gap of {plan.mechanism.name} cannot be accounted for: it keeps no finite epsilon; "
        "audit measures it",
    )
    rates: Callable[[InputPair], Rates | None] | None
    rates = getattr(look.mechanism, "guess_rates", None)
    require(
        rates is None or rates(look.pair) is not None,
        f"the exact rates of the paper's attack on so many reports of {plan.mechanism.name} are "
        "not known here, so that its gap cannot be accounted for; audit measures it",
    )
    results = tuple(
        carry_out(replace(plan, attack=attack), study, engine, progress)[0] for attack in ATTACKS
    )
    return Explanation(
        results, {share: trials_to_certify(look, law, share) for share in CERTIFICATES}
    )


def known_law(plan: AuditPlan, study: Study | None = None) -> tuple[AuditPlan, LossLaw]:
    """The plan as it is after all reports, and the exact law of their loss; raise if unknown."""
    look = plan
    if study is not None:
        require(
            len(study.reports) == 1,
            f"reports must be one number here, got {','.join(map(str, study.reports))}; "
            "run it once for each, or audit them all",
        )
        (look,) = plan_looks(plan, study)
    law = look.loss_law
    if law is None:
        many = "" if study is None else f"{study.reports[0]} reports of "
        raise AuditError(
            f"the exact law of the loss of {many}{plan.mechanism.name} is not known here; "
            "audit measures it"
        )
    return look, law


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
