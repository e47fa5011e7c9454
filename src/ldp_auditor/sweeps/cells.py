"""A cell of a sweep: one audit, told by plain values, with a key made of its content."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.auditing import AuditPlan
from ldp_auditor.core import AuditResult
from ldp_auditor.errors import LARGEST_WHOLE, require
from ldp_auditor.execution.engines import Engine
from ldp_auditor.interface import plan_audit
from ldp_auditor.longitudinal import Study, carry_out, plan_looks, study_of

STUDY = ("reports", "composition", "composed_delta")
"""Settings of a cell that are about many reports of one user."""

WORDS = ("attack", "bound", "composition", "neighbours", "protocol")
"""Settings that are names."""

LISTS = ("pair", "domain_sizes")
"""Settings that are lists of numbers."""

PORTION = "chunks"
"""What tells the plan of a portion of an audit from that of the whole."""


@dataclass(frozen=True)
class Cell:
    """The settings of one audit, by the names that `audit` and the command line use.

    >>> Cell.of(protocol="GRR", epsilon=1, domain_size=5, seed=3).plan["seed"]
    3
    """

    settings: Mapping[str, Any]
    plan: Mapping[str, Any] = field(compare=False)
    """Everything that decides the outcome, defaults included."""

    @classmethod
    def of(cls, **settings: Any) -> Cell:
        """Make a cell, or raise if there is no such audit."""
        for name, value in settings.items():
            _check_kind(name, value)
        require("protocol" in settings, "a cell needs a protocol")
        audit, study = _understand(settings)
        if study is not None:
            plan_looks(audit, study)
        for name, value in settings.items():
            _check_size(name, value)
        return cls(settings, content_of(audit, study))

    @cached_property
    def key(self) -> str:
        """What tells cells apart: a digest of the plan."""
        return digest(self.plan)

    @property
    def reports(self) -> int:
        """Reports that the cell makes, up to drawing their sums from a law."""
        return 2 * int(self.plan["trials"]) * int(max(self.plan.get("reports", [1])))

    @property
    def results(self) -> int:
        """Results that the cell has: one for every number of reports."""
        return len(self.plan.get("reports", [1]))

    def run(self, engine: Engine) -> tuple[AuditResult, ...]:
        """Carry out the audit: a result for every number of reports."""
        return carry_out(*_understand(self.settings), engine)


def digest(plan: Mapping[str, Any]) -> str:
    """Name a plan by its content."""
    canonical = json.dumps(plan, sort_keys=True, default=list)
    return hashlib.sha256(canonical.encode()).hexdigest()[:24]


def is_audit(plan: Mapping[str, Any]) -> bool:
    """Tell the plan of a whole audit from those of portions and of checks."""
    return "mechanism" in plan and PORTION not in plan


def option_types() -> dict[str, type]:
    """Return the options that protocols have of their own."""
    return {
        name: kind
        for protocols in (mechanisms.available(), mechanisms.available_for_records())
        for protocol in protocols.values()
        for name, kind in protocol.option_types().items()
    }


def _check_kind(name: str, value: Any) -> None:
    """Raise unless a setting has a value of its kind; None leaves a number at its default."""
    if name in WORDS or (isinstance(value, str) and option_types().get(name) is str):
        require(isinstance(value, str), f"{name} must be a name, got {name}={value!r}")
        return
    listed = isinstance(value, list | tuple)
    if name in LISTS and value is not None:
        require(listed, f"{name} must be a list of numbers, got {name}={value!r}")
    kind = "a list of numbers" if name in LISTS or (name == "reports" and listed) else "a number"
    plain = tuple_of(value) if name in (*LISTS, "reports") else value
    for entry in _leaves(plain):
        is_number = isinstance(entry, Real) and not isinstance(entry, bool)
        require(is_number or value is None, f"{name} must be {kind}, got {name}={value!r}")


def _check_size(name: str, value: Any) -> None:
    """Raise unless the numbers of a setting fit a column of the table."""
    numbers: list[Any] = [e for e in _leaves(tuple_of(value)) if isinstance(e, Real)]
    require(
        not any(LARGEST_WHOLE < abs(number) < math.inf for number in numbers),
        f"{name} must be below 2^63, so that it fits a column of the table",
    )


def _leaves(value: Any) -> list[Any]:
    if not isinstance(value, tuple):
        return [value]
    return [leaf for entry in value for leaf in _leaves(entry)]


def _understand(settings: Mapping[str, Any]) -> tuple[AuditPlan, Study | None]:
    given = {name: tuple_of(value) for name, value in settings.items()}
    over_time = {name: given.pop(name) for name in STUDY if name in given}
    audit = plan_audit(given.pop("protocol"), **given)
    return audit, study_of(**{"reports": None, **over_time})


def tuple_of(value: Any) -> Any:
    """Turn lists into tuples, at every depth."""
    return tuple(tuple_of(entry) for entry in value) if isinstance(value, list | tuple) else value


def content_of(audit: AuditPlan, study: Study | None) -> dict[str, Any]:
    """Everything that decides the outcome, as plain values."""
    claim = audit.mechanism.claim
    content: dict[str, Any] = {
        "mechanism": audit.mechanism.name,
        "epsilon": "inf" if claim.epsilon == float("inf") else claim.epsilon,
        "delta": claim.delta,
        "domain_size": audit.mechanism.domain_size,
        "options": audit.options,
        "pair": [audit.pair.first, audit.pair.second],
        "attack": audit.attack,
        "bound": audit.bound,
        "alpha": audit.alpha,
        "trials": audit.trials,
        "seed": audit.seed,
    }
    if study is not None:
        content["reports"] = list(study.reports)
        content["composition"] = study.composition
        content["composed_delta"] = study.composed_delta
    plain: dict[str, Any] = json.loads(json.dumps(content, default=list))
    return plain
