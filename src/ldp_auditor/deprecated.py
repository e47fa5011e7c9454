"""Names of version 0.1 that keep working, each with a warning that names its successor."""

import warnings
from dataclasses import dataclass, replace

from ldp_auditor.audits import run as running
from ldp_auditor.audits.chunks import Progress
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.audits.stopping import Stopping
from ldp_auditor.execution.contract import Engine
from ldp_auditor.results.audit_result import AuditResult


def _warn(old: str, new: str) -> None:
    warnings.warn(f"{old} is deprecated; use {new}", DeprecationWarning, stacklevel=3)


@dataclass(frozen=True, kw_only=True)
class Study:
    """How often users report: what the fields of `AuditPlan` say now."""

    reports: tuple[int, ...]
    composition: str = "auto"
    composed_delta: float | None = None

    def __post_init__(self) -> None:
        _warn("Study", "the settings reports, composition and composed_delta of AuditPlan")


def run(
    plan: AuditPlan, engine: Engine | None = None, progress: Progress | None = None
) -> AuditResult:
    """Carry out a plan for one number of reports."""
    _warn("ldp_auditor.run", "ldp_auditor.audit, or ldp_auditor.audits.run.run")
    return running.run(plan, engine=engine, progress=progress)[0]


def run_study(
    plan: AuditPlan, study: Study, engine: Engine | None = None, progress: Progress | None = None
) -> tuple[AuditResult, ...]:
    """Carry out a plan over many reports of each user."""
    _warn("run_study", "audit_over_time, or AuditPlan(reports=...)")
    return running.run(replace(plan, **vars(study)), engine=engine, progress=progress)


def run_until_precise(
    plan: AuditPlan,
    stopping: Stopping,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """Carry out a plan with as many trials as the stopping rule asks for."""
    _warn("run_until_precise", 'audit(trials="auto")')
    return running.run(replace(plan, trials=stopping), engine=engine, progress=progress)[0]
