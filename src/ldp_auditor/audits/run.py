"""The one way by which anything is audited: fit the attack, count chunks, bound, write down."""

import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ldp_auditor import __version__
from ldp_auditor.attacks import find_attack
from ldp_auditor.audits.checkpoints import Checkpoints, add
from ldp_auditor.audits.chunks import Chunks, Progress
from ldp_auditor.audits.many_reports import Accumulated
from ldp_auditor.audits.plan import PURE_DELTA, AuditPlan
from ldp_auditor.audits.stopping import Stopping, looks_at
from ldp_auditor.bounds import find_bound
from ldp_auditor.core import Attack, Counts, Goal, Rates, Reports, verdict_on
from ldp_auditor.execution.contract import Engine
from ldp_auditor.execution.engines import open_engine
from ldp_auditor.mechanisms.capabilities import TakesRecords
from ldp_auditor.mechanisms.kernels.caching import kernel_folder
from ldp_auditor.results.audit_result import AuditResult, AuditResults
from ldp_auditor.results.journal import Journal
from ldp_auditor.seeding import chunk_generator

PILOT_SIDES = (2, 3)
"""Sides whose streams are for pilot samples of the first and the second value."""


def run(
    plan: AuditPlan,
    *,
    engine: Engine | None = None,
    journal: Journal | None = None,
    progress: Progress | None = None,
) -> AuditResults:
    """Carry out a plan: a result for every number of reports.

    The counts are the same on any engine with any number of workers. With a journal, a plan that
    is in it is not run again, and one that was killed goes on from the last checkpoint. All numbers
    of reports share the same users, so the results depend on each other; each bound holds with its
    own probability 1 - alpha.
    """
    progress = progress or (lambda trials: None)
    if journal is not None and plan.key in journal.entries:
        progress(2 * plan.most_trials)
        seconds = journal.seconds.get(plan.key, 0.0)
        written = journal.entries[plan.key]["results"]
        return AuditResults(AuditResult.from_dict({**r, "seconds": seconds}) for r in written)
    started = time.perf_counter()
    chunks = Chunks(plan, tuple(fit_attack(look) for look in plan.looks))
    counting = chunks if journal is None else Checkpoints(chunks, journal)
    with open_engine(engine) as opened, opened.staying() as staying:
        if opened.isolates:
            kernel_folder()  # tells where kernels are kept, if need be; what workers tell is lost
        evidence = _measure(chunks, counting, staying, progress)
    seconds = time.perf_counter() - started
    results = AuditResults(
        _result(plan, look, attack, found, seconds)
        for look, attack, found in zip(plan.looks, chunks.attacks, evidence, strict=True)
    )
    if journal is not None:
        journal.add(plan.content, [result.to_store(__version__) for result in results], seconds)
    return results


def fit_attack(plan: AuditPlan) -> Attack:
    """Fit the plan's attack to its mechanism, on pilot samples if it needs them."""

    def pilot(side: int, n: int) -> Iterator[Reports]:
        rng = chunk_generator(plan.seed, plan.stream, PILOT_SIDES[side], 0)
        for start in range(0, n, plan.batch_trials):
            yield plan.privatize(plan.value(side), min(plan.batch_trials, n - start), rng)

    goal = Goal(plan.most_trials, plan.bounds_of, pilot)
    return find_attack(plan.attack, plan.mechanism).prepare(plan.mechanism, plan.pair, goal)


@dataclass(frozen=True)
class Evidence:
    """Counts of one number of reports, and what they prove."""

    counts: Counts
    proven: float
    limit: float
    """What a perfect attack would have proven at one of the looks at the counts."""
    looks: int | None = None
    """How often the counts were looked at, if their number was not given."""


def _measure(
    chunks: Chunks, counting: Chunks | Checkpoints, engine: Engine, progress: Progress
) -> list[Evidence]:
    """Count all trials, or by a rule until all claims are broken or bounds precise enough."""
    plan, done, times = chunks.plan, 0, 0
    counts: tuple[Counts, ...] | None = None
    proven, limits = [0.0] * len(plan.looks), [0.0] * len(plan.looks)
    bound = find_bound(plan.bound)
    for until, alpha in looks_at(plan.trials, bound, plan.alpha, chunks.chunks):
        counts = add(counts, counting.count(engine, progress, done, until))
        done, times = until, times + 1
        proven = [
            max(so_far, look.bound_of(seen, alpha))
            for so_far, look, seen in zip(proven, plan.looks, counts, strict=True)
        ]
        perfect = Counts(counts[0].trials, counts[0].trials, 0)
        limits = [
            max(so_far, look.bound_of(perfect, alpha))
            for so_far, look in zip(limits, plan.looks, strict=True)
        ]
        if all(map(_is_settled, plan.looks, chunks.attacks, counts, proven)):
            break
    assert counts is not None
    times_told = times if isinstance(plan.trials, Stopping) else None
    found = zip(counts, proven, limits, strict=True)
    return [Evidence(c, p, limit, times_told) for c, p, limit in found]


def _is_settled(look: AuditPlan, attack: Attack, seen: Counts, proven: float) -> bool:
    """Tell whether one number of reports needs no more trials.

    Its bound then is within the precision asked for of the attack's exact epsilon, or of the
    running estimate where that is not known.
    """
    if not isinstance(look.trials, Stopping):
        return False
    claim = look.claim
    rates = attack.rates() or Rates(
        seen.true_positives / seen.trials, seen.false_positives / seen.trials
    )
    reachable = rates.epsilon(claim.delta) / look.distance
    broken = verdict_on(claim, proven) == "violation"
    return broken or proven >= (1 - look.trials.precision) * reachable


def attack_epsilon(
    exact: Rates | None, delta: float, worst: float | None, distance: float = 1.0
) -> float | None:
    """Epsilon that an attack of these exact rates shows with unlimited trials, where known.

    Where a finite epsilon is kept no rate is 0; one below the smallest float, of very many reports,
    tells nothing.
    """
    if exact is None:
        return None
    shown = exact.epsilon(delta) / distance
    if worst is None or worst == math.inf:
        return shown
    is_lost = shown > 0 and exact.false_positive < sys.float_info.min  # it is not 0, but rounded
    return None if is_lost else min(shown, worst)


def _result(
    plan: AuditPlan, look: AuditPlan, attack: Attack, found: Evidence, seconds: float
) -> AuditResult:
    """Put together what an audit found for one number of reports."""
    exact, worst, counts = attack.rates(), look.worst_case_epsilon, found.counts
    about = look.mechanism.about(look.pair) if isinstance(look.mechanism, TakesRecords) else {}
    stopping = vars(plan.trials) if isinstance(plan.trials, Stopping) else {}
    return AuditResult(
        mechanism=plan.mechanism.name,
        epsilon=plan.claim.epsilon,
        delta=plan.claim.delta,
        domain_size=plan.domain_size,
        pair=plan.pair,
        options=plan.options,
        attack=plan.attack,
        bound=plan.bound,
        alpha=plan.alpha,
        **vars(counts),
        pilot_trials=attack.pilot_trials,
        exact_true_positive_rate=None if exact is None else exact.true_positive,
        exact_false_positive_rate=None if exact is None else exact.false_positive,
        empirical_epsilon=found.proven,
        attack_epsilon=attack_epsilon(exact, look.claim.delta, worst, plan.distance),
        worst_case_epsilon=worst,
        monte_carlo_limit=found.limit,
        seed=plan.seed,
        seconds=seconds,
        looks=found.looks,
        **about,
        **stopping,
        **_with_metric(plan),
        **_over_time(plan, look),
    )


def _with_metric(plan: AuditPlan) -> dict[str, Any]:
    """Return the entries of a claim with a metric: its name, the distance and the worst pair."""
    if plan.metric is None:
        return {}
    return {"metric": plan.metric, "distance": plan.distance, "worst_pair": plan.worst_pair}


def _over_time(plan: AuditPlan, look: AuditPlan) -> dict[str, Any]:
    """Return what is claimed for all reports of `look`, and what composition theorems say."""
    made = look.mechanism
    if not isinstance(made, Accumulated):
        return {}
    one, claim = plan.claim, made.claim
    delta = plan.composed_delta or claim.delta or PURE_DELTA
    composed = made.protocol.composed_epsilon(plan.pair, made.reports, delta)
    return {
        "reports": made.reports,
        "composition": "law" if made.tally.by_law else "simulate",
        "claimed_epsilon": claim.epsilon,
        "claimed_delta": claim.delta,
        "sequential_epsilon": made.reports * one.epsilon,
        "sequential_delta": made.reports * one.delta,
        "composed_delta": delta,
        "composed_epsilon": None if composed is None else composed / plan.distance,
    }
