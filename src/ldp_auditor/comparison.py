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
from ldp_auditor.interface import plan_audit
from ldp_auditor.longitudinal import Study, carry_out, plan_looks

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

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "results": [result.to_dict() for result in self.results],
            "refused": [{"mechanism": m, "reason": r} for m, r in self.refused.items()],
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
    epsilon: float,
    domain_size: int | None = None,
    delta: float | None = None,
    epsilon_infinity: float | None = None,
    attributes: int | None = None,
    domain_sizes: tuple[int, ...] | None = None,
    neighbours: str | None = None,
    attribute: int | None = None,
    study: Study | None = None,
    pair: InputPair | tuple[Any, Any] | None = None,
    attack: str = "paper",
    **settings: Any,
) -> ComparisonPlan:
    """Plan the audit of every protocol, or of those named, at one epsilon and domain size.

    `delta` goes to the protocols that need one, `epsilon_infinity` to those that memoize; without
    it they take part only if they are named. `attributes` goes to mechanisms for records; with it
    they are compared, if none is named. A protocol that promises nothing is measured without a
    claim. The attack "both" stands for all of them. `settings` are those of `AuditPlan`.
    """
    claim = Claim(epsilon, 0.0 if delta is None else delta)
    require(claim.epsilon < math.inf, "epsilon must be finite, got epsilon=inf")
    require(not isinstance(protocols, str), f"protocols must be a list of names, got {protocols!r}")
    plans: list[AuditPlan] = []
    refused: dict[str, str] = {}
    offered = {
        "epsilon_infinity": epsilon_infinity,
        "attributes": attributes,
        "domain_sizes": domain_sizes,
    }
    of_records = attributes is not None or domain_sizes is not None
    named = list(dict.fromkeys(protocols))
    for name in named or _participants(epsilon_infinity is not None, of_records):
        protocol = mechanisms.find(name)
        taken = protocol.option_types()
        options = {key: v for key, v in offered.items() if v is not None and key in taken}
        if "epsilon_infinity" not in protocol.required():
            options.pop("epsilon_infinity", None)
        try:
            mechanism = mechanisms.make(
                name,
                domain_size=domain_size,
                epsilon=epsilon if "epsilon" in protocol.required() else None,
                delta=delta if protocol.approximate else None,
                **options,
            )
            audits = [
                plan_audit(
                    mechanism,
                    pair=pair,
                    neighbours=neighbours,
                    attribute=attribute,
                    attack=kind,
                    **settings,
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


def _participants(memoized: bool, records: bool) -> list[str]:
    """Protocols that are compared if none is named."""
    if records:
        return list(mechanisms.available_for_records())
    return [
        name
        for name, protocol in mechanisms.available().items()
        if not protocol.memoizes or (memoized and "epsilon_infinity" in protocol.required())
    ]


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
    epsilon: float,
    domain_size: int | None = None,
    delta: float | None = None,
    engine: str | Engine | None = None,
    address: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Comparison:
    """Audit every protocol, or those named, under one claim; see `plan_comparison`."""
    plan = plan_comparison(
        protocols, epsilon=epsilon, domain_size=domain_size, delta=delta, **settings
    )
    with open_engine(engine, workers, address, needs=plan) as opened:
        return run_comparison(plan, opened, progress)
