"""The result of an audit: every field declared once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from math import inf
from typing import Any

from ldp_auditor.bounds import find_bound
from ldp_auditor.core import Claim, Counts, InputPair, Rates, Verdict, verdict_on
from ldp_auditor.errors import error_probability, in_brief, require
from ldp_auditor.results.fields import (
    Plain,
    entry,
    from_plain,
    options_among,
    options_apart,
    to_plain,
)
from ldp_auditor.results.showing import Shown
from ldp_auditor.results.violations import ViolationCount

OVER_TIME, RECORDS, STOPPING, DISTANCE = "many reports", "records", "trials auto", "a metric"
"""Parts of a result that only some audits have."""

over_time, of_records, of_stopping, of_distance = (
    partial(entry, part=part, default=None) for part in (OVER_TIME, RECORDS, STOPPING, DISTANCE)
)
"""Declare an entry of such a part."""

_claim = lru_cache(typed=True)(Claim)
"""Claims are asked for again and again, and most results of a sweep have the same ones."""

NOT_STORED = ("seconds",)
"""What differs from run to run, and is kept apart in a journal."""

KEPT_BESIDE = frozenset(("version", "key"))
"""What journals and tables have beside the entries of a result."""


@dataclass(frozen=True, kw_only=True)
class AuditResult(Shown):
    """What one audit found, with everything that is needed to repeat it."""

    mechanism: str = entry("the protocol or the mechanism by its name")
    epsilon: float = entry("claimed epsilon of one report; inf if nothing is claimed")
    delta: float = entry("claimed delta of one report", default=0.0)
    domain_size: int | None = entry(
        "number k of values; of records, of the largest attribute; null for other inputs", least=1
    )
    pair: InputPair = entry("the two inputs that the attack tells apart")
    metric: str | None = of_distance(
        "the distance that the claim is counted in; every epsilon is one for each unit of it"
    )
    distance: float | None = of_distance("how far the two inputs are apart")
    worst_pair: InputPair | None = entry(
        "the inputs with the largest loss for each unit of distance, where known",
        part=DISTANCE,
        default=None,
    )
    options: Mapping[str, Any] = entry("parameters of this protocol", default={})
    reports: int = entry("reports of the same value by each user", least=1, default=1)
    composition: str | None = over_time(
        "whether sums of reports were drawn from their `law`, or each was made (`simulate`)"
    )
    claimed_epsilon: float | None = over_time("claimed epsilon of all reports together")
    claimed_delta: float | None = over_time("claimed delta of all reports together")
    sequential_epsilon: float | None = over_time("epsilon of sequential composition")
    sequential_delta: float | None = over_time("delta of sequential composition")
    composed_delta: float | None = over_time("delta at which the tight composition is told")
    composed_epsilon: float | None = over_time(
        "epsilon of the tight composition of independent reports"
    )
    neighbours: str | None = of_records(
        "attributes in which the two records differ: `one`, `some` or `all`"
    )
    worst_case_one: float | None = of_records(
        "exact epsilon kept for records that differ in one attribute"
    )
    holds_for_one: bool | None = of_records("whether the claim holds for them")
    worst_case_all: float | None = of_records(
        "exact epsilon kept for records that differ in every attribute"
    )
    holds_for_all: bool | None = of_records("whether the claim holds for them")
    attack: str = entry("`paper` or `optimal`")
    bound: str = entry("how counts became an epsilon")
    alpha: float = entry("probability that the proven epsilon is wrong")
    trials: int = entry("reports (over time: users) of each of the two inputs", least=1)
    pilot_trials: int = entry(
        "trials of each input spent on choosing the attack, on top of those counted", default=0
    )
    precision: float | None = of_stopping(
        "relative distance from what is reachable that was asked for"
    )
    max_trials: int | None = of_stopping("trials at most")
    looks: int | None = of_stopping("how often the counts were looked at")
    true_positives: int = entry("reports of the first input attributed to it")
    false_positives: int = entry("reports of the second input attributed to the first")
    exact_true_positive_rate: float | None = entry(
        "exact probability of a true positive, where known", default=None
    )
    exact_false_positive_rate: float | None = entry(
        "exact probability of a false positive, where known", default=None
    )
    empirical_epsilon: float = entry(
        "lower bound on epsilon that the counts prove at `alpha`", unit="nats"
    )
    attack_epsilon: float | None = entry(
        "epsilon that this attack shows with unlimited trials, where known", unit="nats"
    )
    worst_case_epsilon: float | None = entry(
        "exact smallest epsilon that is kept at the claimed delta, where known", unit="nats"
    )
    monte_carlo_limit: float = entry(
        "largest epsilon that so many trials can prove", unit="nats", then="verdict", default=inf
    )
    seed: int = entry("seed of all random numbers")
    seconds: float = entry("how long it took", unit="s", default=0.0)

    def __post_init__(self) -> None:
        error_probability(self.alpha)
        find_bound(self.bound)
        _ = self.claim, self.counts  # these raise if they are unsound

    @property
    def claim(self) -> Claim:
        """What is promised for all reports that were looked at."""
        if self.claimed_epsilon is None:
            return self.per_report
        return _claim(self.claimed_epsilon, self.claimed_delta or 0.0, self.metric)

    @property
    def per_report(self) -> Claim:
        """What is promised for a single report."""
        return _claim(self.epsilon, self.delta, self.metric)

    @property
    def allowed(self) -> Claim:
        """What is promised for this pair: epsilon times its distance, with a metric."""
        return self.claim.at(self.distance or 1.0)

    @property
    def counts(self) -> Counts:
        """True and false positives among the trials of each input."""
        return Counts(self.trials, self.true_positives, self.false_positives)

    @property
    def exact_rates(self) -> Rates | None:
        """Exact rates of true and false positives of the attack, where they are known."""
        hit, alarm = self.exact_true_positive_rate, self.exact_false_positive_rate
        return None if hit is None or alarm is None else Rates(hit, alarm)

    @property
    def is_over_time(self) -> bool:
        """Whether users were followed over their reports, one or many."""
        return self.composition is not None

    @property
    def verdict(self) -> Verdict:
        """`violation` if the proven lower bound exceeds the claim; never "pass"."""
        return verdict_on(self.claim, self.empirical_epsilon)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; an infinite number becomes the string "inf"."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, plain: Plain) -> AuditResult:
        """Read what `to_dict` wrote, or raise; results of version 0.1 are read too."""
        return from_plain(cls, plain, options=options_among(cls, plain, KEPT_BESIDE))

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the row of the tidy table, in which every audit has all fields."""
        row: dict[str, Any] = {}
        for declaration in fields(self):
            name, value = declaration.name, getattr(self, declaration.name)
            row |= options_apart(type(self), value) if name == "options" else {name: value}
        row["verdict"] = self.verdict
        return [{name: column_value(value) for name, value in row.items()}]

    def to_store(self, version: str) -> dict[str, Any]:
        """Return what a journal stores, in the form in which it is read, with the `version`."""
        kept = {name: v for name, v in self.to_dict().items() if name not in NOT_STORED}
        stored: dict[str, Any] = json.loads(json.dumps({**kept, "version": version}))
        return stored


class AuditResults(tuple[AuditResult, ...], Shown):
    """Results of one audit or of several, in order."""

    __slots__ = ()

    @property
    def violations(self) -> ViolationCount:
        """How many of the audits found a violation."""
        return ViolationCount.of_results(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"results": [result.to_dict() for result in self], **self.violations.to_dict()}

    @classmethod
    def from_dict(cls, plain: Plain) -> AuditResults:
        """Read what `to_dict` wrote, or raise."""
        require(isinstance(plain, Mapping), f"results must be an object, got {in_brief(plain)}")
        results = plain.get("results")
        require(isinstance(results, list), f"results must be a list, got {str(results)[:40]!r}")
        return cls(AuditResult.from_dict(result) for result in results or [])

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the tidy table."""
        return [row for result in self for row in result.to_rows()]


class OfAudits(Shown):
    """A result that is made of several audits."""

    results: AuditResults

    @property
    def violations(self) -> ViolationCount:
        """How many of the audits found a violation."""
        return self.results.violations

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the tidy table."""
        return self.results.to_rows()


def column_value(value: Any) -> Any:
    """Return `value`, as it is or as JSON has it, in a form that fits a column: a list as words."""
    if isinstance(value, InputPair):
        value = (value.first, value.second)
    if isinstance(value, tuple | list):
        return " ".join(json.dumps(v, ensure_ascii=False) for v in value)
    return inf if value == "inf" else value
