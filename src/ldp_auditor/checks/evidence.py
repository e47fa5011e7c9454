"""What the bets of a check prove."""

import time
from math import exp

from ldp_auditor.bounds.betting import Wealth
from ldp_auditor.checks.bets import SHARES, Bet
from ldp_auditor.checks.plan import CheckPlan
from ldp_auditor.checks.sequence import Course
from ldp_auditor.results.check_result import CheckResult, Finding, Power, deltas_of, power_of

MOST_FINDINGS = 3
"""Largest number of events that the result shows."""


def finding_of(plan: CheckPlan, bet: Bet) -> Finding:
    """What one bet alone proves, with its part of the money."""
    alone = Wealth.of([(bet.money, bet.counts)], plan.claim.delta, distances=[bet.distance])
    return Finding(
        first=plan.values[bet.event.first],
        second=plan.values[bet.event.second],
        event=bet.event.words,
        example=bet.event.example,
        **vars(bet.counts),
        empirical_epsilon=alone.bound(plan.alpha),
        p_value=min(1.0, exp(-alone.log_against(plan.claim.epsilon))),
        distance=None if plan.distances is None else bet.distance,
    )


def _is_seen_more(bet: Bet) -> bool:
    """Whether the first input had the event more often, as the bet says."""
    return bet.counts.true_positives > bet.counts.false_positives


def result_of(course: Course, started: float, learned: bool) -> CheckResult:
    """The result of a check, with the richest of its bets."""
    plan, bets = course.plan, course.bets
    counted = [bet for bet in bets.bets if bet.counts.trials]
    # What was seen less often for the first input shows nothing, however little was lost by it.
    counted.sort(key=lambda bet: (not _is_seen_more(bet), -bet.rank(plan.claim)))
    findings = tuple(finding_of(plan, bet) for bet in counted[:MOST_FINDINGS])
    apart = counted[0].distance if findings else 1.0
    part, since = SHARES[0] * bets.last_money, course.since_search if findings else 0
    delta_seen = delta_unseen = None
    power: tuple[Power, ...] = ()
    if not bets.is_sure:
        delta_seen, delta_unseen = deltas_of(plan.claim.at(apart), part, plan.alpha, since)
        power = power_of(plan.claim, part, plan.alpha, since, apart)
    return CheckResult(
        target=plan.name,
        **vars(plan.claim),
        values=plan.values,
        offered=plan.offered,
        alpha=plan.alpha,
        seed=plan.seed,
        trials=findings[0].trials if findings else 0,
        pilot_trials=course.searched,
        empirical_epsilon=bets.bound,
        p_value=bets.p_value,
        findings=findings,
        power=power,
        delta_seen=delta_seen,
        delta_unseen=delta_unseen,
        seconds=time.perf_counter() - started,
        reports=course.source.reports,
        sure_after=course.sure_after,
        learned=learned,
        notes=course.source.notes,
    )
