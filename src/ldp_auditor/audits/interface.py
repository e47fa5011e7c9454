"""Plans and runs an audit by names and numbers: what Python users call."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any, Literal

from ldp_auditor import adapters, mechanisms
from ldp_auditor.adapters.oracles import foreign_oracle
from ldp_auditor.audits.chunks import Progress
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.audits.run import run
from ldp_auditor.audits.stopping import Stopping
from ldp_auditor.core import InputPair, Mechanism
from ldp_auditor.errors import must, require
from ldp_auditor.execution.contract import Engine
from ldp_auditor.execution.engines import open_engine
from ldp_auditor.mechanisms.capabilities import TakesRecords, needed
from ldp_auditor.metrics import name_of
from ldp_auditor.results.audit_result import AuditResult, AuditResults
from ldp_auditor.results.folder import results_folder

Pair = InputPair | Sequence[Any] | str
"""Two inputs of the mechanism's kind, or what the command line writes for them: "0,1"."""

AnyMetric = str | Callable[[Any, Any], float]
"""A distance of two inputs, by its name or as a function."""

Trials = int | Literal["auto"] | Stopping


def audit(
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
    attack: str = "paper",
    bound: str | None = None,
    alpha: float = 0.01,
    trials: Trials = 1_000_000,
    precision: float | None = None,
    max_trials: int | None = None,
    seed: int = 42,
    engine: str | Engine | None = None,
    address: str | None = None,
    workers: int | None = None,
    out: Path | str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> AuditResult:
    """Audit a protocol by its name, or any mechanism with `privatize`, `guess` and a `claim`.

    `reports` is how often every user reports the value. `trials` is the number of trials of each
    input, or "auto": until `precision` is reached, at most `max_trials`. `bound` is
    "clopper-pearson", as in the paper, or "betting" with "auto". `engine` is "threads",
    "processes", "ray" (with the `address` of a cluster, or a local one), or an engine that is open;
    it does not change the counts. With a `metric` the claim is epsilon times the distance of the
    pair, and every epsilon of the result is one for each unit of it. With a folder `out` a killed
    audit goes on from there. `options` are the protocol's own, such as `hash_range`.

    >>> result = audit("GRR", epsilon=1.0, domain_size=25, trials=100_000, seed=1)
    >>> 0.8 < result.empirical_epsilon < 1.0
    True
    >>> result.verdict
    'no-violation-found'
    >>> audit("GRR", epsilon=1.0, domain_size=25, trials=10_000, reports=50).empirical_epsilon > 2
    True
    """
    require(
        isinstance(reports, str) or not isinstance(reports, Iterable),
        f"reports must be one number here, got {reports}; audit_over_time takes several",
        argument="reports",
    )
    plan = plan_audit(mechanism, **settings_in(locals()))
    with results_folder(out) as journal, open_engine(engine, workers, address, needs=plan) as open_:
        return run(plan, engine=open_, journal=journal, progress=progress)[0]


def audit_over_time(
    mechanism: str | Mechanism,
    reports: int | Iterable[int],
    *,
    engine: str | Engine | None = None,
    address: str | None = None,
    workers: int | None = None,
    out: Path | str | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> AuditResults:
    """Audit users who report again and again, after each of several numbers of `reports`.

    `settings` are those of `plan_audit`, the others those of `audit`.

    >>> results = audit_over_time("OUE", [1, 10], epsilon=1.0, domain_size=5, trials=10_000)
    >>> [result.claim.epsilon for result in results]
    [1.0, 10.0]
    """
    plan = plan_audit(mechanism, reports=reports, **settings)
    with results_folder(out) as journal, open_engine(engine, workers, address, needs=plan) as open_:
        return run(plan, engine=open_, journal=journal, progress=progress)


def plan_audit(
    mechanism: str | Mechanism,
    *,
    epsilon: float | None = None,
    domain_size: int | None = None,
    delta: float | None = None,
    pair: Pair | None = None,
    metric: AnyMetric | None = None,
    neighbours: str | None = None,
    attribute: int | None = None,
    reports: int | Iterable[int] | None = None,
    composition: str | None = None,
    composed_delta: float | None = None,
    attack: str = "paper",
    bound: str | None = None,
    alpha: float = 0.01,
    trials: Trials = 1_000_000,
    precision: float | None = None,
    max_trials: int | None = None,
    seed: int = 42,
    **options: Any,
) -> AuditPlan:
    """Plan the audit of a protocol by its name, with its own options, or of any mechanism.

    A `pair` is two inputs of the mechanism's kind, or in writing "0,1", "-1,1" or
    "[1,0,0]:[0,1,0]". Two records may also be given by how they differ: `neighbours` "all" or
    "one", the latter in the `attribute` of that number. `reports` is one number or several. With a
    `metric` ("euclidean", "manhattan", "absolute" or "module:function") the claim is epsilon times
    the distance of the pair, which by default is the worst that is found.
    """
    metric = name_of(metric)
    if isinstance(mechanism, str):
        if metric is not None and "metric" in option_types(mechanism):
            options["metric"] = metric
        made: Mechanism = make_mechanism(
            mechanism, epsilon=epsilon, domain_size=domain_size, delta=delta, **options
        )
    else:
        extra = _given(epsilon=epsilon, domain_size=domain_size, delta=delta, **options)
        require(not extra, f"a mechanism brings its own parameters; drop {', '.join(extra)}")
        made = mechanism
    if neighbours is not None or attribute is not None:
        require(pair is None, "give a pair or its neighbours, not both", argument="pair")
        pair = _neighbours(made, neighbours, attribute)
    chosen = _given(composition=composition, composed_delta=composed_delta)
    require(
        reports is not None or not chosen,
        f"{' and '.join(chosen)} is for many reports; say how many: reports",
        argument=next(iter(chosen), None),
    )
    rule = _trials(trials, precision, max_trials)
    return AuditPlan(
        mechanism=made,
        pair=pair,  # type: ignore[arg-type]
        metric=metric,
        attack=attack,
        bound=bound or ("betting" if isinstance(rule, Stopping) else "clopper-pearson"),
        alpha=alpha,
        trials=rule,
        seed=seed,
        reports=1 if reports is None else reports,  # type: ignore[arg-type]
        **chosen,
    )


SETTINGS = tuple(n for n in signature(plan_audit).parameters if n not in ("mechanism", "options"))
"""Names of what can be set of an audit, beyond its mechanism and that one's own options."""


def settings_in(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of `plan_audit` among `arguments`, the `locals()` of a caller."""
    return {**{n: arguments[n] for n in SETTINGS if n in arguments}, **arguments["options"]}


def _given(**settings: Any) -> dict[str, Any]:
    """Return those of `settings` that are not None."""
    return {name: value for name, value in settings.items() if value is not None}


def _trials(trials: Trials, precision: float | None, max_trials: int | None) -> int | Stopping:
    """Return the number of trials, or the rule by which they end."""
    given = _given(precision=precision, max_trials=max_trials)
    if isinstance(trials, str):
        must(trials == "auto", 'be a whole number or "auto"', trials=repr(trials))
        return Stopping(**given)
    require(not given, f"{' and '.join(given)} is for trials that end by a rule: trials auto")
    return trials


def make_mechanism(name: str, **settings: Any) -> Any:
    """Make the protocol of that name: ours, of a file, `my_file:HR`, or foreign, `pure-ldp:OUE`.

    `settings` are epsilon, domain_size and delta, None for a default, and options of its own.
    """
    return (foreign_oracle if is_foreign(name) else mechanisms.make)(name, **settings)


def is_foreign(name: str) -> bool:
    """Tell whether a name with a colon is that of an adapter; others are files of one's own."""
    return ":" in name.partition("[")[0] and adapters.find(name) is not None


def option_types(name: str) -> Mapping[str, type]:
    """Names and types of the options that the protocol or foreign mechanism has of its own."""
    if is_foreign(name):
        return {}
    types = mechanisms.find(name, outside=True).option_types()
    return {"epsilon_1": float, **types} if "epsilon_infinity" in types else types


def _neighbours(mechanism: Mechanism, relation: str | None, attribute: int | None) -> InputPair:
    """Return two records that differ in every attribute, or in the `attribute` of that number."""
    records = needed(mechanism, TakesRecords, "--neighbours", argument="neighbours")
    relation = relation or ("all" if attribute is None else "one")
    require(
        relation == "one" or attribute is None,
        "an attribute is for records that differ in one attribute; drop it or ask for one",
        argument="attribute",
    )
    pair: InputPair = records.neighbours(relation, attribute or 0)
    return pair
