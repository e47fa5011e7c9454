"""What Python users call: an audit in one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.adapters.oracles import foreign_oracle
from ldp_auditor.auditing import AuditPlan, Progress
from ldp_auditor.core import AuditResult, InputPair, Mechanism
from ldp_auditor.errors import AuditError, require
from ldp_auditor.execution.engines import Engine, open_engine
from ldp_auditor.longitudinal import Study, carry_out, run_study, study_of
from ldp_auditor.mechanisms import RecordMechanism


def audit(
    mechanism: str | Mechanism,
    *,
    reports: int | None = None,
    composition: str | None = None,
    composed_delta: float | None = None,
    engine: str | Engine | None = None,
    address: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> AuditResult:
    """Audit a protocol by its name, or any mechanism with `privatize`, `guess` and a `claim`.

    `settings` are those of `plan_audit`; `reports` is how often every user reports the value.
    `engine` is "threads", "processes", "ray" (with the `address` of a cluster, or a local one), or
    an engine that is open; it does not change the counts.

    >>> result = audit("GRR", epsilon=1.0, domain_size=25, trials=100_000, seed=1)
    >>> 0.8 < result.empirical_epsilon < 1.0
    True
    >>> result.verdict
    'no-violation-found'
    >>> audit("GRR", epsilon=1.0, domain_size=25, trials=10_000, reports=50).empirical_epsilon > 2
    True
    """
    plan = plan_audit(mechanism, **settings)
    require(
        not isinstance(reports, list | tuple),
        f"reports must be one number here, got {reports}; audit_over_time takes several",
    )
    study = study_of(reports, composition, composed_delta)
    with open_engine(engine, workers, address, needs=plan) as opened:
        return carry_out(plan, study, opened, progress)[0]


def audit_over_time(
    mechanism: str | Mechanism,
    reports: Iterable[int],
    *,
    composition: str = "auto",
    composed_delta: float | None = None,
    engine: str | Engine | None = None,
    address: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> tuple[AuditResult, ...]:
    """Audit users who report again and again, after each of several numbers of reports.

    >>> results = audit_over_time("OUE", [1, 10], epsilon=1.0, domain_size=5, trials=10_000)
    >>> [result.claim.epsilon for result in results]
    [1.0, 10.0]
    """
    study = Study(reports=tuple(reports), composition=composition, composed_delta=composed_delta)
    plan = plan_audit(mechanism, **settings)
    with open_engine(engine, workers, address, needs=plan) as opened:
        return run_study(plan, study, opened, progress)


def plan_audit(
    mechanism: str | Mechanism,
    *,
    epsilon: float | None = None,
    domain_size: int | None = None,
    delta: float | None = None,
    pair: InputPair | tuple[Any, Any] | None = None,
    neighbours: str | None = None,
    attribute: int | None = None,
    attack: str = "paper",
    bound: str = "clopper-pearson",
    alpha: float = 0.01,
    trials: int = 1_000_000,
    seed: int = 42,
    **options: Any,
) -> AuditPlan:
    """Plan the audit of a protocol by its name, with its own options, or of any mechanism.

    Two records may be given as a `pair`, or by how they differ: `neighbours` "all" or "one", the
    latter in the `attribute` of that number.
    """
    if isinstance(mechanism, str):
        made: Mechanism = make_mechanism(
            mechanism, epsilon=epsilon, domain_size=domain_size, delta=delta, **options
        )
    else:
        given = {"epsilon": epsilon, "domain_size": domain_size, "delta": delta, **options}
        extra = [name for name, value in given.items() if value is not None]
        require(not extra, f"a mechanism brings its own parameters; drop {', '.join(extra)}")
        made = mechanism
    if neighbours is not None or attribute is not None:
        require(pair is None, "give a pair or its neighbours, not both")
        pair = _neighbours(made, neighbours, attribute)
    return AuditPlan(
        mechanism=made,
        pair=InputPair.of(pair, made),
        attack=attack,
        bound=bound,
        alpha=alpha,
        trials=trials,
        seed=seed,
    )


def make_mechanism(name: str, **settings: Any) -> Any:
    """Make the protocol of that name, or the mechanism of a foreign package, `pure-ldp:OUE`.

    `settings` are epsilon, domain_size and delta, None for a default, and options of its own.
    """
    return (foreign_oracle if ":" in name else mechanisms.make)(name, **settings)


def option_types(name: str) -> Mapping[str, type]:
    """Names and types of the options that the protocol or foreign mechanism has of its own."""
    if ":" in name:
        return {}
    types = mechanisms.find(name).option_types()
    return {"epsilon_1": float, **types} if "epsilon_infinity" in types else types


def _neighbours(mechanism: Mechanism, relation: str | None, attribute: int | None) -> InputPair:
    """Return two records of a mechanism that differ as asked for."""
    if not isinstance(mechanism, RecordMechanism):
        raise AuditError(f"neighbours are for records; {mechanism.name} has one attribute")
    relation = relation or ("all" if attribute is None else "one")
    require(
        relation == "one" or attribute is None,
        "an attribute is for records that differ in one attribute; drop it or ask for one",
    )
    return mechanism.neighbours(relation, attribute or 0)
