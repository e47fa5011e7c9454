"""A cell of a sweep: one audit, told by plain values, with a key made of its content."""

import contextlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any, Self

from ldp_auditor import mechanisms
from ldp_auditor.audits.interface import option_types as types_of
from ldp_auditor.audits.interface import plan_audit
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.audits.run import run
from ldp_auditor.audits.stopping import Stopping
from ldp_auditor.errors import LARGEST_WHOLE, AuditError, in_brief, must, require
from ldp_auditor.execution.contract import Engine
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.journal import digest

WORDS = ("attack", "bound", "composition", "metric", "neighbours", "protocol")
"""Settings that are names."""

LISTS = ("domain_sizes",)
"""Settings that are lists of numbers."""


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
    def of(cls, **settings: Any) -> Self:
        """Make a cell, or raise if there is no such audit."""
        for name, value in settings.items():
            _check_kind(name, value, settings.get("protocol"))
        require("protocol" in settings, "a cell needs a protocol")
        plan = _plan_of(settings)
        for name, value in settings.items():
            _check_size(name, value)
        return cls(settings, plan.content)

    @cached_property
    def key(self) -> str:
        """What tells cells apart: a digest of the plan."""
        return digest(self.plan)

    @property
    def reports(self) -> int:
        """Reports that the cell makes, up to drawing their sums from a law."""
        trials = self.plan["trials"]
        most = trials["max_trials"] if isinstance(trials, dict) else trials
        return 2 * int(most) * int(max(self.plan.get("reports", [1])))

    @property
    def results(self) -> int:
        """Results that the cell has: one for every number of reports."""
        return len(self.plan.get("reports", [1]))

    def run(self, engine: Engine) -> tuple[AuditResult, ...]:
        """Carry out the audit: a result for every number of reports."""
        return run(_plan_of(self.settings), engine=engine)


def option_types(protocols: Any) -> dict[str, type]:
    """Return the options that protocols have of their own: ours, and those that are named."""
    known = dict(mechanisms.every_option())
    for protocol in protocols if isinstance(protocols, list | tuple) else (protocols,):
        with contextlib.suppress(AuditError):  # which the cell will say
            known.update(types_of(protocol) if isinstance(protocol, str) else {})
    return known


def _check_kind(name: str, value: Any, protocol: Any) -> None:
    """Raise unless a setting has a value of its kind; None leaves a number at its default."""
    if name == "pair" or (name == "trials" and isinstance(value, str | Stopping)):
        return  # which the plan reads
    if name in WORDS or (isinstance(value, str) and option_types(protocol).get(name) is str):
        must(isinstance(value, str), "be a name", **{name: in_brief(value)})
        return
    listed = isinstance(value, list | tuple)
    if name in LISTS and value is not None:
        must(listed, "be a list of numbers", **{name: in_brief(value)})
    kind = "a list of numbers" if name in LISTS or (name == "reports" and listed) else "a number"
    plain = tuple_of(value) if name in (*LISTS, "reports") else value
    for entry in _leaves(plain):
        is_number = isinstance(entry, Real) and not isinstance(entry, bool)
        must(is_number or value is None, f"be {kind}", **{name: in_brief(value)})


def _check_size(name: str, value: Any) -> None:
    """Raise unless the numbers of a setting fit a column of the table."""
    numbers: list[Any] = [e for e in _leaves(tuple_of(value)) if isinstance(e, Real)]
    require(
        not any(LARGEST_WHOLE < abs(number) < math.inf for number in numbers),
        f"{name} must be below 2^63, so that it fits a column of the table",
        argument=name,
    )


def _leaves(value: Any) -> list[Any]:
    if not isinstance(value, tuple):
        return [value]
    return [leaf for entry in value for leaf in _leaves(entry)]


def _plan_of(settings: Mapping[str, Any]) -> AuditPlan:
    given = {name: tuple_of(value) for name, value in settings.items()}
    return plan_audit(given.pop("protocol"), **given)


def tuple_of(value: Any) -> Any:
    """Turn lists into tuples, at every depth."""
    return tuple(tuple_of(entry) for entry in value) if isinstance(value, list | tuple) else value
