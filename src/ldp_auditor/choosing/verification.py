"""The exact numbers of a choice beside measured ones: an audit and a simulated collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ldp_auditor.audits.interface import audit
from ldp_auditor.choosing.columns import Columns
from ldp_auditor.choosing.simulation import Simulation, simulate, simulate_records
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.fields import Plain

TRIALS = 100_000


@dataclass(frozen=True)
class Verification:
    """What was measured of a choice."""

    audit: AuditResult
    """By the optimal attack on all reports."""
    collection: Simulation | None
    """One round of reports, of records the attribute that is known worst; None if it has none."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        collected = self.collection
        return {
            "audit": self.audit.to_dict(),
            "collection": None if collected is None else collected.to_dict(),
        }

    @classmethod
    def from_dict(cls, plain: Plain) -> Verification:
        """Read what `to_dict` wrote, or raise."""
        collected = plain.get("collection")
        return cls(
            AuditResult.from_dict(plain["audit"]),
            None if collected is None else Simulation.from_dict(collected),
        )


def verify(columns: Columns, seed: int) -> Verification:
    """Attack the reports of a choice, and simulate a round of its collection."""
    mechanism, question = columns.mechanism, columns.question
    many = question.reports if question.reports > 1 else None
    found = audit(mechanism, attack="optimal", trials=TRIALS, seed=seed, reports=many)
    if question.sizes:
        collected = simulate_records(mechanism, users=question.users, seed=seed)
        return Verification(found, collected)
    reports = question.reports if question.of_mean else 1
    collected = simulate(
        mechanism,
        users=question.users,
        reports=reports,
        frequencies=question.population,
        seed=seed,
    )
    return Verification(found, collected)
