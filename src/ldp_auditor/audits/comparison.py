"""One claim, many protocols: plan and run the same audit for each of them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ldp_auditor import mechanisms
from ldp_auditor.attacks import ATTACKS
from ldp_auditor.audits.chunks import Progress
from ldp_auditor.audits.interface import (
    SETTINGS,
    AnyMetric,
    Pair,
    Trials,
    is_foreign,
    make_mechanism,
    option_types,
    plan_audit,
    settings_in,
)
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.audits.run import run
from ldp_auditor.core import Claim
from ldp_auditor.errors import AuditError, require
from ldp_auditor.execution.contract import Engine
from ldp_auditor.execution.engines import open_engine
from ldp_auditor.inputs import Records
from ldp_auditor.metrics import name_of
from ldp_auditor.results.audit_result import AuditResult, AuditResults, OfAudits
from ldp_auditor.results.fields import Plain, plain_value, reading, real, truth
from ldp_auditor.results.folder import results_folder
from ldp_auditor.results.journal import Journal


@dataclass(frozen=True)
class Comparison(OfAudits):
    """Audits of several protocols under one claim."""

    claim: Claim
    results: AuditResults
    refused: Mapping[str, str]
    """Why a protocol cannot make the claim, by its name."""
    named: bool = False
    """Whether the protocols were named, so that the claim was tested on each of them."""

    @property
    def remarks(self) -> list[str]:
        """The lines below the table."""
        lines = [f"{name} was left out: {reason}" for name, reason in self.refused.items()]
        if not self.named:
            free = [r.mechanism for r in self.results if r.claim.epsilon == math.inf]
            lines += [
                f"{name} promises nothing; name it to test the claim on it"
                for name in dict.fromkeys(free)
            ]
        return [*lines, self.violations.words]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "epsilon": plain_value(self.claim.epsilon),
            "delta": self.claim.delta,
            **self.results.to_dict(),
            "refused": [{"mechanism": m, "reason": r} for m, r in self.refused.items()],
            "named": self.named,
        }

    @classmethod
    @reading("comparison")
    def from_dict(cls, plain: Plain) -> Self:
        """Read what `to_dict` wrote, or raise."""
        claim = Claim(real(plain, "epsilon"), real(plain, "delta"))
        refused = {entry["mechanism"]: entry["reason"] for entry in plain["refused"]}
        return cls(claim, AuditResults.from_dict(plain), refused, truth(plain, "named"))


@dataclass(frozen=True)
class ComparisonPlan:
    """The audits of a comparison, and the protocols that cannot take part."""

    claim: Claim
    audits: tuple[AuditPlan, ...]
    refused: Mapping[str, str]
    named: bool = False
    """Whether the protocols were named."""

    @property
    def trials(self) -> int:
        """Number of trials of the comparison."""
        return sum(2 * plan.most_trials for plan in self.audits)


def plan_comparison(
    protocols: Sequence[str] = (),
    *,
    epsilon: float | None = None,
    domain_size: int | None = None,
    delta: float | None = None,
    among: Sequence[str] = (),
    attack: str = "paper",
    **settings: Any,
) -> ComparisonPlan:
    """Plan the audit of every protocol, or of those named, at one epsilon and domain size.

    A protocol that is named, or whose family is, is audited just as `audit` does it: the claim is
    tested on it, or its own, if it brings one and none is given. If none is named, all of the paper
    take part (or those `among` them), with `delta` where one is needed, and a protocol that
    promises nothing is measured without a claim. The attack "both" stands for all of them.
    `settings` are those of `plan_audit`, and options of protocols, which go to those that have
    them: with `epsilon_infinity` memoized protocols take part, with `attributes` or `domain_sizes`
    mechanisms for records.
    """
    for argument, listed in {"protocols": protocols, "among": among}.items():
        are_names = isinstance(listed, Iterable) and not isinstance(listed, str)
        require(are_names, f"{argument} must be a list of names, got {listed!r}", argument=argument)
    given = {key: value for key, value in settings.items() if value is not None}
    if "metric" in given:
        given["metric"] = name_of(given["metric"])
    options = {key: given.pop(key) for key in list(given) if key not in SETTINGS}
    named = mechanisms.expanded(protocols)
    claim = _stated_claim(epsilon, options.get("epsilon_1"), delta, bool(named))
    names = named or _participants(epsilon is None, options, among)
    types = {name: option_types(name) for name in names}
    _require_use(names, types, options, domain_size)
    attacks = ATTACKS if attack == "both" else (attack,)
    plans: list[AuditPlan] = []
    refused: dict[str, str] = {}
    for name in names:
        promise = _promise(name, epsilon, delta, bool(named))
        own = {key: v for key, v in {**options, **given}.items() if key in types[name]}
        try:
            size = domain_size if _has_size(name) else None
            mechanism = make_mechanism(name, domain_size=size, **promise, **own)
            plans += [plan_audit(mechanism, attack=kind, **given) for kind in attacks]
        except AuditError as error:
            refused[name] = str(error)
    if refused and all(plan.mechanism.claim.epsilon == math.inf for plan in plans):
        raise AuditError(next(iter(refused.values())))
    return ComparisonPlan(claim, tuple(plans), refused, bool(named))


def _require_use(
    names: Iterable[str],
    types: Mapping[str, Mapping[str, type]],
    options: Iterable[str],
    domain_size: int | None,
) -> None:
    """Raise unless every option, and the domain size if given, is one of some protocol."""
    for option in options:
        require(
            any(option in types[name] for name in names),
            f"none of the protocols compared has the option {option!r}",
        )
    require(
        domain_size is None or any(map(_has_size, names)),
        "none of the protocols compared has a domain_size; drop it",
        argument="domain_size",
    )


def _promise(
    name: str, epsilon: float | None, delta: float | None, named: bool
) -> dict[str, float | None]:
    """Return as much of a claim as a protocol can make, or all of it if it was `named`."""
    if named:
        return {"epsilon": epsilon, "delta": delta}
    protocol = mechanisms.find(name)
    return {
        "epsilon": None if protocol.promises_nothing else epsilon,
        "delta": delta if protocol.approximate else None,
    }


def _has_size(name: str) -> bool:
    """Tell whether a protocol has a domain size; those for numbers have none."""
    return is_foreign(name) or mechanisms.find(name, outside=True).takes.has_size


def _stated_claim(
    epsilon: float | None, epsilon_1: float | None, delta: float | None, named: bool
) -> Claim:
    """Return the claim for all, an infinite epsilon if those named bring claims of their own."""
    require(
        epsilon is None or epsilon_1 is None,
        "epsilon and epsilon_1 mean the same, give one of them",
    )
    stated = epsilon_1 if epsilon is None else epsilon
    require(
        stated is not None or named,
        "a comparison needs a claim: epsilon, or epsilon_1 of memoized protocols",
    )
    claim = Claim(math.inf if stated is None else stated, 0.0 if delta is None else delta)
    require(
        stated is None or named or claim.epsilon < math.inf,
        "epsilon must be finite, got epsilon=inf",
        argument="epsilon",
    )
    return claim


def _participants(
    memoized_only: bool, options: Mapping[str, Any], among: Sequence[str]
) -> list[str]:
    """Return the protocols that are compared if none is named."""
    if "attributes" in options or "domain_sizes" in options:
        names = list(mechanisms.available(Records))
    else:
        with_memory = "epsilon_infinity" in options
        names = [
            name
            for name, protocol in mechanisms.in_the_paper().items()
            if (not protocol.memoizes and not memoized_only)
            or (protocol.memoizes and with_memory and "epsilon_infinity" in protocol.required())
        ]
    require(bool(names), "memoized protocols need epsilon_infinity beside epsilon_1")
    chosen = [name for name in names if not among or name in among]
    require(
        bool(chosen),
        f"among must name some of {', '.join(names)}, got {', '.join(among)}",
        argument="among",
    )
    return chosen


def run_comparison(
    plan: ComparisonPlan,
    *,
    engine: Engine | None = None,
    journal: Journal | None = None,
    progress: Progress | None = None,
    on_start: Callable[[str], None] | None = None,
) -> Comparison:
    """Run the audits one after the other; `on_start` hears the name of each."""
    results: list[AuditResult] = []
    for audit in plan.audits:
        if on_start is not None:
            on_start(audit.mechanism.name)
        results += run(audit, engine=engine, journal=journal, progress=progress)
    return Comparison(plan.claim, AuditResults(results), plan.refused, plan.named)


def compare(
    protocols: Sequence[str] = (),
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    domain_size: int | None = None,
    among: Sequence[str] = (),
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
    engine: str | Engine | None = None,
    address: str | None = None,
    workers: int | None = None,
    out: Path | str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Comparison:
    """Audit the `protocols`, or those of the paper if none is named, under one claim.

    The settings are those of `audit`, and options go to the protocols that have them;
    `plan_comparison` says which protocols take part.
    """
    plan = plan_comparison(protocols, among=among, **settings_in(locals()))
    with results_folder(out) as journal, open_engine(engine, workers, address, needs=plan) as open_:
        return run_comparison(plan, engine=open_, journal=journal, progress=progress)
