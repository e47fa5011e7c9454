"""Where the gap between a claimed and a measured epsilon comes from, and what would close it.

Every result carries the four numbers: claimed, exact worst case (the rest is slack of the
analysis), the attack with unlimited trials (weakness of the attack), measured with T trials (Monte
Carlo).
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Self

from ldp_auditor.attacks import ATTACKS
from ldp_auditor.attacks.optimal import expected_counts
from ldp_auditor.audits.chunks import Progress
from ldp_auditor.audits.interface import AnyMetric, Pair, Trials, plan_audit, settings_in
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.audits.run import attack_epsilon, run
from ldp_auditor.audits.stopping import MOST_TRIALS
from ldp_auditor.bounds import find_bound
from ldp_auditor.core import Claim, Mechanism
from ldp_auditor.errors import AuditError, require, whole_number
from ldp_auditor.execution.contract import Engine
from ldp_auditor.execution.engines import open_engine
from ldp_auditor.inputs import size_in_words
from ldp_auditor.mechanisms.capabilities import KnowsLossLaw, KnowsRates, needed
from ldp_auditor.results.audit_result import AuditResults, OfAudits
from ldp_auditor.results.fields import Plain, reading
from ldp_auditor.results.showing import Shown
from ldp_auditor.theory.loss_law import LossLaw, privacy_profile

MOST_POINTS = 10_000
"""Epsilons of a profile at most."""

CERTIFICATES = (0.9, 0.99)
"""Shares of the worst case for which the needed trials are estimated."""


@dataclass(frozen=True)
class Explanation(OfAudits):
    """Audits by every attack, and the trials that the optimal one would need."""

    results: AuditResults
    trials_for: Mapping[float, int | None]
    """Trials by which the optimal attack is expected to prove that share of the worst case."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        certificates = {str(share): trials for share, trials in self.trials_for.items()}
        return {**self.results.to_dict(), "trials_for": certificates}

    @classmethod
    @reading("explanation")
    def from_dict(cls, plain: Plain) -> Self:
        """Read what `to_dict` wrote, or raise."""
        certificates = {float(share): trials for share, trials in plain["trials_for"].items()}
        return cls(AuditResults.from_dict(plain), certificates)


@dataclass(frozen=True)
class Profile(Shown):
    """The exact privacy profile: the smallest delta at every epsilon."""

    title: str
    claim: Claim
    points: tuple[tuple[float, float], ...]
    """Epsilons and their deltas."""
    curve: tuple[tuple[float, float], ...]
    """The same, close together for a figure."""
    smallest_delta: float | None = None
    """At the claimed epsilon, if that is finite."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        promised = {"epsilon": self.claim.epsilon, "delta": self.claim.delta}
        return {"title": self.title, **promised, "points": self.to_rows()}

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for every epsilon."""
        return [{"epsilon": epsilon, "delta": delta} for epsilon, delta in self.points]


def explain(
    mechanism: str | Mechanism,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    domain_size: int | None = None,
    pair: Pair | None = None,
    metric: AnyMetric | None = None,
    neighbours: str | None = None,
    attribute: int | None = None,
    reports: int | None = None,
    composition: str | None = None,
    composed_delta: float | None = None,
    bound: str | None = None,
    alpha: float = 0.01,
    trials: Trials = 1_000_000,
    precision: float | None = None,
    max_trials: int | None = None,
    seed: int = 42,
    engine: str | Engine | None = None,
    address: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Explanation:
    """Tell where the gap between the claim and the measured epsilon comes from, by every attack.

    The settings are those of `audit`.

    >>> explanation = explain("SUE", epsilon=1.0, domain_size=9, trials=10_000)
    >>> [result.attack for result in explanation.results]
    ['paper', 'optimal']
    """
    plan = plan_audit(mechanism, **settings_in(locals()))
    with open_engine(engine, workers, address, needs=plan) as opened:
        return explain_plan(plan, engine=opened, progress=progress)


def profile(
    mechanism: str | Mechanism,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    domain_size: int | None = None,
    pair: Pair | None = None,
    metric: AnyMetric | None = None,
    neighbours: str | None = None,
    attribute: int | None = None,
    reports: int | None = None,
    points: int = 21,
    **options: Any,
) -> Profile:
    """Return the exact privacy profile of a protocol: the smallest delta at every epsilon.

    >>> profile("GRR", epsilon=1.0, domain_size=9, points=3).points[-1]
    (1.2, 0.0)
    """
    return profile_of(plan_audit(mechanism, **settings_in(locals())), points)


def profile_of(plan: AuditPlan, points: int) -> Profile:
    """Return the privacy profile of what a plan audits."""
    points = whole_number("points", points, 2, MOST_POINTS)
    look, law = known_law(plan)
    claim = look.claim.at(look.distance)
    largest = min(1.2 * claim.epsilon, 20.0)
    over = [f"{plan.reports[0]} reports"] if plan.is_over_time else []
    about = ", ".join([plan.mechanism.name, *size_in_words(plan.domain_size), *over])
    title = f"Privacy profile of {about}"
    table, curve = (tuple(privacy_profile(law, largest, n)) for n in (points, 400))
    smallest = law.delta(claim.epsilon) if claim.epsilon < math.inf else None
    return Profile(title, claim, table, curve, smallest)


def explain_plan(
    plan: AuditPlan,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Explanation:
    """Audit by every attack and work out what the optimal one would need.

    The paper's attack is left out where its exact rates are not known.
    """
    look, law = known_law(plan)
    claim = look.claim
    require(
        max(claim.epsilon, law.epsilon(claim.delta)) < math.inf,
        f"the gap of {plan.mechanism.name} cannot be accounted for: it keeps no finite epsilon; "
        "audit measures it",
    )
    rates = needed(look.mechanism, KnowsRates, "explain").guess_rates(look.pair)
    worst = look.worst_case_epsilon
    known = attack_epsilon(rates, claim.delta, worst, plan.distance) is not None
    results = AuditResults(
        run(replace(plan, attack=attack), engine=engine, progress=progress)[0]
        for attack in (ATTACKS if known else ("optimal",))
    )
    return Explanation(results, trials_to_certify(look, law, CERTIFICATES))


def known_law(plan: AuditPlan) -> tuple[AuditPlan, LossLaw]:
    """Return the audit of a user's reports together, and the exact law of their loss, or raise."""
    require(
        len(plan.reports) == 1,
        f"reports must be one number here, got {','.join(map(str, plan.reports))}; "
        "run it once for each, or audit them all",
        argument="reports",
    )
    needed(plan.mechanism, KnowsLossLaw, "the account of its loss (explain, profile)")
    (look,) = plan.looks
    law = look.loss_law
    if law is None:
        many = f"{plan.reports[0]} reports of " if plan.is_over_time else ""
        raise AuditError(
            f"the exact law of the loss of {many}{plan.mechanism.name} is not known here; "
            "audit measures it"
        )
    return look, law


def trials_to_certify(
    plan: AuditPlan, law: LossLaw, shares: Iterable[float]
) -> dict[float, int | None]:
    """Smallest T, to 1%, whose expected counts prove each share of the worst case, if any does."""
    worst = law.epsilon(plan.claim.delta) / plan.distance

    @cache
    def proven(trials: int) -> float:
        counts = expected_counts(law, trials)
        if find_bound(plan.bound).at_once is not None:
            return max(plan.bounds_of(counts))
        return _highest(lambda place: plan.bound_of(counts[place]), len(counts))

    def proves(share: float, trials: int) -> bool:
        return proven(trials) >= share * worst

    return {share: _smallest(partial(proves, share)) for share in shares}


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


def _highest(value: Callable[[int], float], places: int) -> float:
    """Largest of values at 0..places - 1 that rise and then fall, without asking for them all.

    What thresholds prove does so, but for the rounding of counts, which is nothing to an estimate.
    """
    known = cache(value)
    step = -(-places // 8)
    best = max(range(0, places, step), key=known)
    while step > 1:
        step = -(-step // 2)
        near = (best - step, best, best + step)
        best = max((place for place in near if 0 <= place < places), key=known)
    return known(best)
