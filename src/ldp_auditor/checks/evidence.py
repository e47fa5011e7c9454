"""What the counts of a check prove."""

import time
from collections.abc import Sequence
from typing import Any

from ldp_auditor.bounds import find_bound
from ldp_auditor.checks.plan import CheckPlan
from ldp_auditor.checks.sampling import ChosenEvent
from ldp_auditor.core import Counts
from ldp_auditor.results.check_result import CheckResult, Finding, p_value, power_of


def findings_of(
    plan: CheckPlan, chosen: Sequence[ChosenEvent], counts: Any, trials: int
) -> tuple[Finding, ...]:
    """What the counts prove; alpha is shared out over all events."""
    bound = find_bound(plan.bound)
    findings = []
    for i, event in enumerate(chosen):
        seen = Counts(trials, int(counts[event.first, i]), int(counts[event.second, i]))
        findings.append(
            Finding(
                first=plan.values[event.first],
                second=plan.values[event.second],
                event=event.words,
                **vars(seen),
                empirical_epsilon=bound(seen, plan.alpha / len(chosen), plan.claim.delta),
                p_value=min(1.0, len(chosen) * p_value(plan.claim, plan.bound, seen)),
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
        target=plan.name,
        **vars(plan.claim),
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
