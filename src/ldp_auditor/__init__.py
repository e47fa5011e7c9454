"""LDP-Auditor: measure what local differential privacy mechanisms really leak.

>>> from ldp_auditor import audit
>>> audit("GRR", epsilon=1.0, domain_size=4, trials=10_000).verdict
'no-violation-found'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ldp_auditor.audits.comparison import Comparison, compare
    from ldp_auditor.audits.interface import audit, audit_over_time
    from ldp_auditor.audits.plan import AuditPlan
    from ldp_auditor.audits.stopping import Stopping
    from ldp_auditor.core import Claim, Counts, InputPair, Rates
    from ldp_auditor.deprecated import Study, run, run_study, run_until_precise
    from ldp_auditor.errors import AuditError
    from ldp_auditor.results.audit_result import AuditResult
    from ldp_auditor.sweeps import Grid, Sweep, sweep

__version__ = "0.1.0"

_HOMES = {
    "audit": "ldp_auditor.audits.interface",
    "audit_over_time": "ldp_auditor.audits.interface",
    "AuditPlan": "ldp_auditor.audits.plan",
    "compare": "ldp_auditor.audits.comparison",
    "Comparison": "ldp_auditor.audits.comparison",
    "AuditResult": "ldp_auditor.results.audit_result",
    "Claim": "ldp_auditor.core",
    "Counts": "ldp_auditor.core",
    "InputPair": "ldp_auditor.core",
    "Rates": "ldp_auditor.core",
    "AuditError": "ldp_auditor.errors",
    "Stopping": "ldp_auditor.audits.stopping",
    "Grid": "ldp_auditor.sweeps",
    "Sweep": "ldp_auditor.sweeps",
    "sweep": "ldp_auditor.sweeps",
    "Study": "ldp_auditor.deprecated",
    "run": "ldp_auditor.deprecated",
    "run_study": "ldp_auditor.deprecated",
    "run_until_precise": "ldp_auditor.deprecated",
}

__all__ = [
    "AuditError",
    "AuditPlan",
    "AuditResult",
    "Claim",
    "Comparison",
    "Counts",
    "Grid",
    "InputPair",
    "Rates",
    "Stopping",
    "Study",
    "Sweep",
    "__version__",
    "audit",
    "audit_over_time",
    "compare",
    "run",
    "run_study",
    "run_until_precise",
    "sweep",
]


def __getattr__(name: str) -> Any:
    """Import on first use, so that the command line answers before numba is loaded."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
