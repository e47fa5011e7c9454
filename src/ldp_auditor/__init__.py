"""LDP-Auditor: measure what local differential privacy mechanisms really leak.

>>> from ldp_auditor import audit
>>> audit("GRR", epsilon=1.0, domain_size=4, trials=10_000).verdict
'no-violation-found'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ldp_auditor.auditing import AuditPlan, run
    from ldp_auditor.comparison import Comparison, compare
    from ldp_auditor.core import AuditResult, Claim, Counts, InputPair, Rates
    from ldp_auditor.errors import AuditError
    from ldp_auditor.interface import audit, audit_over_time
    from ldp_auditor.longitudinal import Study, run_study
    from ldp_auditor.sequential import Stopping, run_until_precise
    from ldp_auditor.sweeps import Grid, Sweep, sweep

__version__ = "0.1.0"

_HOMES = {
    "audit": "ldp_auditor.interface",
    "audit_over_time": "ldp_auditor.interface",
    "Study": "ldp_auditor.longitudinal",
    "run_study": "ldp_auditor.longitudinal",
    "run": "ldp_auditor.auditing",
    "AuditPlan": "ldp_auditor.auditing",
    "compare": "ldp_auditor.comparison",
    "Comparison": "ldp_auditor.comparison",
    "AuditResult": "ldp_auditor.core",
    "Claim": "ldp_auditor.core",
    "Counts": "ldp_auditor.core",
    "InputPair": "ldp_auditor.core",
    "Rates": "ldp_auditor.core",
    "AuditError": "ldp_auditor.errors",
    "Stopping": "ldp_auditor.sequential",
    "run_until_precise": "ldp_auditor.sequential",
    "Grid": "ldp_auditor.sweeps",
    "Sweep": "ldp_auditor.sweeps",
    "sweep": "ldp_auditor.sweeps",
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
