"""As many trials as are needed: look at the growing counts and stop when they say enough.

Looks are at chunks 1, 2, 4, 8, ...; look number i may spend alpha * 6 / (pi i)^2, and these shares
add up to alpha over all looks, so the bound holds however often one looks and whenever one stops.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

from ldp_auditor.auditing import MOST_TRIALS, AuditPlan, Progress, prepare, result_of
from ldp_auditor.bounds import find_bound
from ldp_auditor.core import AuditResult, Counts, Rates, verdict_on
from ldp_auditor.errors import number, require, whole_number
from ldp_auditor.execution.engines import Engine
from ldp_auditor.execution.threads import ThreadEngine


@dataclass(frozen=True)
class Stopping:
    """When to stop: at this relative distance from what is reachable, or after that many trials."""

    precision: float = 0.01
    max_trials: int = 10**9

    def __post_init__(self) -> None:
        object.__setattr__(self, "precision", number("precision", self.precision))
        require(
            0 < self.precision < 1, f"precision must lie in (0, 1), got precision={self.precision}"
        )
        most = whole_number("max_trials", self.max_trials, 1, MOST_TRIALS)
        object.__setattr__(self, "max_trials", most)


def alpha_of_look(alpha: float, look: int) -> float:
    """Share of alpha that look number `look`, counted from 1, may spend."""
    return alpha * 6 / (math.pi * look) ** 2


def run_until_precise(
    plan: AuditPlan,
    stopping: Stopping,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """Carry out a plan with as many trials as the stopping rule asks for; `plan.trials` is ignored.

    Stops when the bound is within the precision of the attack's exact epsilon (of the running
    estimate where that is not known), when a violation is proven, or at the most trials.
    """
    started = time.perf_counter()
    engine = engine or ThreadEngine()
    delta = plan.mechanism.claim.delta
    bound = find_bound(plan.bound)
    plan = replace(plan, trials=stopping.max_trials)
    prepared, attack = prepare(plan)
    exact = attack.rates()
    counts, proven, done, look = Counts(0, 0, 0), 0.0, 0, 0
    while done < prepared.chunks:
        look += 1
        until = min(2 ** (look - 1), prepared.chunks)
        counts += prepared.count(engine, progress, done, until)[0]
        done = until
        proven = max(proven, bound(counts, alpha_of_look(plan.alpha, look), delta))
        seen = Rates(counts.true_positives / counts.trials, counts.false_positives / counts.trials)
        reachable = (exact or seen).epsilon(delta)
        broken = verdict_on(plan.mechanism.claim, proven) == "violation"
        if broken or proven >= (1 - stopping.precision) * reachable:
            break
    return result_of(
        plan,
        attack,
        counts,
        proven,
        bound(Counts(counts.trials, counts.trials, 0), alpha_of_look(plan.alpha, look), delta),
        started,
        precision=stopping.precision,
        max_trials=stopping.max_trials,
        looks=look,
    )
