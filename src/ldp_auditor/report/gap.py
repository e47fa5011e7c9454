"""The account of the gap as numbers, for the table and the figure."""

from __future__ import annotations

from ldp_auditor.errors import AuditError
from ldp_auditor.results.audit_result import AuditResult


def gap_steps(result: AuditResult) -> tuple[float, float, float, float]:
    """Claimed epsilon, and what slack, weakness and finitely many trials take away from it."""
    worst, attack = result.worst_case_epsilon, result.attack_epsilon
    claimed = result.claim.epsilon
    if worst is None or attack is None:
        raise AuditError(f"the gap of {result.mechanism} needs its exact worst case and attack")
    return claimed, claimed - worst, worst - attack, attack - result.empirical_epsilon
