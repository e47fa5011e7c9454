"""`check`: anybody's mechanism against its claim, as Python users call it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ldp_auditor.adapters import named_target
from ldp_auditor.adapters.callables import ObjectTarget
from ldp_auditor.checks.plan import LEAST, TRIALS, CheckPlan
from ldp_auditor.checks.ranges import with_ranges
from ldp_auditor.checks.run import run_check
from ldp_auditor.checks.sampling import OpenTarget, Target, Timing
from ldp_auditor.checks.scouting import ends_of
from ldp_auditor.core import Claim
from ldp_auditor.errors import must, number, require, whole_number
from ldp_auditor.execution.contract import Engine, Limits
from ldp_auditor.execution.engines import open_engine
from ldp_auditor.inputs import Inputs
from ldp_auditor.metrics import name_of
from ldp_auditor.results.check_result import CheckResult

LADDER = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
"""Numbers of trials that `trials_within` may return."""


def check(
    target: Any,
    values: Sequence[Any] | Inputs,
    epsilon: float,
    *,
    delta: float = 0.0,
    metric: str | Callable[[Any, Any], float] | None = None,
    trials: int | None = None,
    seconds: float | None = None,
    alpha: float = 0.01,
    seed: int = 42,
    stop: bool = True,
    learn: bool | None = None,
    score: Callable[[Any, Any, Any], float] | None = None,
    batch: bool | None = None,
    reports: int | None = None,
    domain_size: int | None = None,
    options: Mapping[str, Any] | None = None,
    workers: int | None = None,
    engine: str | Engine | None = None,
    address: str | None = None,
    call_seconds: float = 10.0,
    total_seconds: float = 600.0,
    open_seconds: float = 60.0,
) -> CheckResult:
    """Check a function, an object or a name such as `package.module:function` against a claim.

    A name may be that of an adapter, such as "pure-ldp:OUE": then `options` are its own, and
    `domain_size` is the number of its values, if `values` are not all of them.
    With a `metric`, a name or a function of two values, the claim is epsilon times the distance of
    two values, and all epsilons of the result are for one unit of it.
    A range of inputs is `Numbers(-1, 1)` or `Places(3, -1, 1)` of `ldp_auditor.inputs`, as `values`
    or among them: its ends are checked, and points that are found to be worse.
    The budget is a number of reports, `trials` (200,000 by default), or a time, `seconds`, from
    which that number is estimated. The check ends as soon as it is sure, or goes on to its budget
    without `stop`, to prove a larger epsilon. With `learn` a classifier is among what proposes
    events (None: if scikit-learn is installed); `score(report, first, second)` may
    say how much a report speaks for the first of two values. With `reports`, every trial makes a
    fresh object (of a class, `package.module:Class(arguments)` or an adapter) and takes so many
    reports of it as one; without, one object makes all reports, and the check begins again with
    fresh objects if its calls turn out not to be independent.
    `engine` is "processes", "ray" (with the `address` of a cluster, or a local one), or what
    `open_engine` opened; it does not change the counts.
    """
    given_values = values
    values = with_ranges(values)
    claim = Claim(epsilon, delta, name_of(metric))
    size = len(values) if domain_size is None else whole_number("domain_size", domain_size, 2)
    found: Target
    if isinstance(target, str):
        found, name = named_target(target, claim, size, options or {}, batch), target
    else:
        require(not options, "options are for adapters, such as pure-ldp:OUE")
        found, name = _target_of(target, batch)
    limits = Limits(call_seconds, total_seconds, open_seconds)
    require(trials is None or seconds is None, "give a budget in trials or in seconds, not both")
    if seconds is not None:
        must(number("seconds", seconds) > 0, "be positive", seconds=f"{seconds:g}")
    plan = CheckPlan(
        target=found,
        name=name,
        values=values,
        claim=claim,
        trials=TRIALS if trials is None else trials,
        limits=limits,
        alpha=alpha,
        seed=seed,
        stop=stop,
        learn=learn,
        score=score,
        reports=reports,
    )
    named = [target.partition(":")[0]] if isinstance(target, str) else []
    with open_engine(engine, workers, address, isolated=True, modules=named, needs=found) as opened:
        if seconds is not None:
            plan = replace(plan, trials=trials_within(seconds, plan, opened))
        result = run_check(plan, opened)
    usual = vars(Limits())
    given = {
        "epsilon": epsilon,
        "delta": delta,
        "metric": metric,
        "batch": batch,
        "trials": plan.trials,
        "alpha": plan.alpha,
        "seed": plan.seed,
        "learn": result.learned,
        "stop": None if stop else stop,
        "score": score,
        "reports": reports,
        "domain_size": domain_size if plan.offered is None else size,
        "options": options,
        "workers": workers,
        "engine": engine if isinstance(engine, str) else None,
        "address": address,
        **{name: value for name, value in vars(limits).items() if value != usual[name]},
    }
    some = given_values if plan.offered is None else plan.values
    shown_values = repr(some if isinstance(some, Inputs) else list(some))
    shown = [name if not isinstance(target, str) else repr(target), shown_values]
    shown += [
        f"{key}={getattr(value, '__qualname__', repr(value))}"  # a score is a function
        for key, value in given.items()
        if value is not None
    ]
    return replace(result, repeat=f"check({', '.join(shown)})")


def _target_of(target: Any, batch: bool | None) -> tuple[Target, str]:
    """The target as something that can be opened, and what reports call it."""
    if hasattr(target, "open"):
        name = getattr(target, "name", None) or repr(target)
        return target, re.sub(r" at 0x[0-9a-f]+", "", str(name))  # the same in every run
    name = getattr(target, "__qualname__", None) or type(target).__qualname__
    return ObjectTarget(target, batch), name


def trials_within(seconds: float, plan: CheckPlan, engine: Engine) -> int:
    """Number of reports, a power of ten, that the plan's target makes in about `seconds`.

    The speed is measured. Only powers of ten are returned, so that the same machine comes to the
    same number again.
    """
    timing = Timing(ends_of(plan.values)[0], min(1.0, seconds / 20))
    [(_, speed)] = engine.map(OpenTarget(plan.target), [timing], limits=plan.limits)
    fitting = [trials for trials in LADDER if trials <= speed * engine.workers * seconds / 2]
    return max(LADDER[0], LEAST * len(plan.values), *fitting)
