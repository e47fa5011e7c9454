"""One claim, many protocols: plan and run the same audit for each of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.attacks import ATTACKS
from ldp_auditor.auditing import AuditPlan, Progress
from ldp_auditor.core import AuditResult, Claim, InputPair
from ldp_auditor.errors import AuditError, require
from ldp_auditor.execution.engines import Engine, open_engine
from ldp_auditor.interface import make_mechanism, option_types, plan_audit
from ldp_auditor.longitudinal import Study, carry_out, plan_looks, study_of
from ldp_auditor.violations import ViolationCount

CarryOut = Callable[
    [AuditPlan, Study | None, Engine | None, Progress | None], tuple[AuditResult, ...]
]
"""How an audit is carried out: just so, or into a folder."""


@dataclass(frozen=True)
class Comparison:
    """Audits of several protocols under one claim."""

    claim: Claim
    results: tuple[AuditResult, ...]
    refused: Mapping[str, str]
    """Why a protocol cannot make the claim, by its name."""

    @property
    def violations(self) -> ViolationCount:
        """How many of the audits found a violation."""
        return ViolationCount.of_results(self.results)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "results": [result.to_dict() for result in self.results],
            "refused": [{"mechanism": m, "reason": r} for m, r in self.refused.items()],
            **self.violations.to_dict(),
        }


@dataclass(frozen=True)
class ComparisonPlan:
    """The audits of a comparison, and the protocols that cannot take part."""

    claim: Claim
    audits: tuple[AuditPlan, ...]
    refused: Mapping[str, str]
    study: Study | None = None
    """How often users report, if more than once."""

    @property
    def trials(self) -> int:
        """Number of trials of the comparison."""
        return sum(2 * plan.trials for plan in self.audits)


def plan_comparison(
    protocols: Sequence[str] = (),
    *,
    epsilon: float | None = None,
    domain_size: int | None = None,
    delta: float | None = None,
    among: Sequence[str] = (),
    neighbours: str | None = None,
    attribute: int | None = None,
    study: Study | None = None,
    pair: InputPair | tuple[Any, Any] | None = None,
    attack: str = "paper",
    **settings: Any,
) -> ComparisonPlan:
    """Plan the audit of every protocol, or of those named, at one epsilon and domain size.

    A protocol that is named is audited just as `audit` does it: the claim is tested on it. If none
    is named, all take part (or those `among` them), with `delta` where one is needed, and a
    protocol that promises nothing is measured without a claim. The attack "both" stands for all of
    them. `settings` are those of `AuditPlan`, and options of protocols, which go to those that have
    them: with `epsilon_infinity` memoized protocols take part, with `attributes` or `domain_sizes`
    mechanisms for records.
    """
    require(not isinstance(protocols, str), f"protocols must be a list of names, got {protocols!r}")
    given = {key: value for key, value in settings.items() if value is not None}
    options = {key: given.pop(key) for key in list(given) if key not in PLANNED}
    claim = _stated_claim(epsilon, options.get("epsilon_1"), delta)
    named = list(dict.fromkeys(protocols))
    names = named or _participants(epsilon is None, options, among)
    types = {name: option_types(name) for name in names}
    for option in options:
        require(
            any(option in types[name] for name in names),
            f"none of the protocols compared has the option {option!r}",
        )
    plans: list[AuditPlan] = []
    refused: dict[str, str] = {}
    for name in names:
        promise = {"epsilon": epsilon, "delta": delta}
        if not named:
            promise = _default_promise(name, **promise)
        try:
            mechanism = make_mechanism(
                name,
                domain_size=domain_size,
                **promise,
                **{key: value for key, value in options.items() if key in types[name]},
            )
            audits = [
                plan_audit(
                    mechanism,
                    pair=pair,
                    neighbours=neighbours,
                    attribute=attribute,
                    attack=kind,
                    **given,
                )
                for kind in (ATTACKS if attack == "both" else (attack,))
            ]
            if study is not None:
                for audit in audits:
                    plan_looks(audit, study)
        except AuditError as error:
            refused[name] = str(error)
        else:
            plans += audits
    if refused and all(plan.mechanism.claim.epsilon == math.inf for plan in plans):
        raise AuditError(next(iter(refused.values())))
    return ComparisonPlan(claim, tuple(plans), refused, study)


PLANNED = ("bound", "alpha", "trials", "seed")
"""Settings of an audit that are not of its mechanism."""


def _stated_claim(epsilon: float | None, epsilon_1: float | None, delta: float | None) -> Claim:
    """The claim that all are compared under."""
    require(
        epsilon is None or epsilon_1 is None,
        "epsilon and epsilon_1 mean the same, give one of them",
    )
    stated = epsilon_1 if epsilon is None else epsilon
    if stated is None:
        raise AuditError("a comparison needs a claim: epsilon, or epsilon_1 of memoized protocols")
    claim = Claim(stated, 0.0 if delta is None else delta)
    require(claim.epsilon < math.inf, "epsilon must be finite, got epsilon=inf")
    return claim


def _default_promise(name: str, epsilon: Any, delta: Any) -> dict[str, Any]:
    """What a protocol that was not named promises: as much of the claim as it can."""
    protocol = mechanisms.find(name)
    return {
        "epsilon": None if protocol.promises_nothing else epsilon,
        "delta": delta if protocol.approximate else None,
    }


def _participants(
    memoized_only: bool, options: Mapping[str, Any], among: Sequence[str]
) -> list[str]:
    """Protocols that are compared if none is named."""
    if "attributes" in options or "domain_sizes" in options:
        names = list(mechanisms.available_for_records())
    else:
        with_memory = "epsilon_infinity" in options
        names = [
            name
            for name, protocol in mechanisms.available().items()
            if (not protocol.memoizes and not memoized_only)
            or (protocol.memoizes and with_memory and "epsilon_infinity" in protocol.required())
        ]
    require(bool(names), "memoized protocols need epsilon_infinity beside epsilon_1")
    return [name for name in names if not among or name in among]


def run_comparison(
    plan: ComparisonPlan,
    engine: Engine | None = None,
    progress: Progress | None = None,
    on_start: Callable[[str], None] | None = None,
    carry_out: CarryOut = carry_out,
) -> Comparison:
    """Run the audits one after the other; `on_start` hears the name of each."""
    results: list[AuditResult] = []
    for audit in plan.audits:
        if on_start is not None:
            on_start(audit.mechanism.name)
        results += carry_out(audit, plan.study, engine, progress)
    return Comparison(plan.claim, tuple(results), plan.refused)


def compare(
    protocols: Sequence[str] = (),
    *,
    reports: int | Sequence[int] | None = None,
    composition: str | None = None,
    composed_delta: float | None = None,
    engine: str | Engine | None = None,
    address: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Comparison:
    """Audit every protocol, or those named, under one claim.

    `settings` are those of `plan_comparison`; `reports` is how often every user reports.
    """
    study = study_of(reports, composition, composed_delta)
    plan = plan_comparison(protocols, study=study, **settings)
    with open_engine(engine, workers, address, needs=plan) as opened:
        return run_comparison(plan, opened, progress)
