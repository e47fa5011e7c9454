"""LDP-Auditor: measure what local differential privacy mechanisms really leak.

>>> from ldp_auditor import audit
>>> audit("GRR", epsilon=1.0, domain_size=4, trials=10_000).verdict
'no-violation-found'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ldp_auditor.audits.comparison import Comparison as Comparison
    from ldp_auditor.audits.comparison import compare as compare
    from ldp_auditor.audits.gap import Explanation as Explanation
    from ldp_auditor.audits.gap import Profile as Profile
    from ldp_auditor.audits.gap import explain as explain
    from ldp_auditor.audits.gap import profile as profile
    from ldp_auditor.audits.interface import audit as audit
    from ldp_auditor.audits.interface import audit_over_time as audit_over_time
    from ldp_auditor.audits.plan import AuditPlan as AuditPlan
    from ldp_auditor.audits.stopping import Stopping as Stopping
    from ldp_auditor.checks.interface import check as check
    from ldp_auditor.choosing.choice import Choice as Choice
    from ldp_auditor.choosing.interface import choose as choose
    from ldp_auditor.choosing.simulation import Simulation as Simulation
    from ldp_auditor.choosing.simulation import simulate as simulate
    from ldp_auditor.core import Claim as Claim
    from ldp_auditor.core import Counts as Counts
    from ldp_auditor.core import InputPair as InputPair
    from ldp_auditor.core import Rates as Rates
    from ldp_auditor.deprecated import Study as Study
    from ldp_auditor.deprecated import run as run
    from ldp_auditor.deprecated import run_study as run_study
    from ldp_auditor.deprecated import run_until_precise as run_until_precise
    from ldp_auditor.errors import AuditError as AuditError
    from ldp_auditor.mechanisms import make as make
    from ldp_auditor.report.reproducing import reproduce as reproduce
    from ldp_auditor.results.audit_result import AuditResult as AuditResult
    from ldp_auditor.results.audit_result import AuditResults as AuditResults
    from ldp_auditor.results.check_result import CheckResult as CheckResult
    from ldp_auditor.studies.reproduction import Reproduction as Reproduction
    from ldp_auditor.sweeps import Grid as Grid
    from ldp_auditor.sweeps import Sweep as Sweep
    from ldp_auditor.sweeps import sweep as sweep
    from ldp_auditor.testing import assert_ldp as assert_ldp

__version__ = "0.2.0"

_PUBLIC = {
    "audits.interface": "audit audit_over_time",
    "audits.comparison": "compare Comparison",
    "audits.gap": "explain profile Explanation Profile",
    "audits.plan": "AuditPlan",
    "audits.stopping": "Stopping",
    "checks.interface": "check",
    "choosing.choice": "Choice",
    "choosing.interface": "choose",
    "choosing.simulation": "simulate Simulation",
    "core": "Claim Counts InputPair Rates",
    "errors": "AuditError",
    "mechanisms": "make",
    "report.reproducing": "reproduce",
    "results.audit_result": "AuditResult AuditResults",
    "results.check_result": "CheckResult",
    "studies.reproduction": "Reproduction",
    "sweeps": "sweep Grid Sweep",
    "testing": "assert_ldp",
}
_HOMES = {name: module for module, names in _PUBLIC.items() for name in names.split()}
"""The module of every public name."""

_OF_0_1 = ("Study", "run", "run_study", "run_until_precise")
"""Names of version 0.1 that warn."""

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 (all of them are names)


def __getattr__(name: str) -> Any:
    """Import on first use, so that the command line answers before numba is loaded."""
    home = "deprecated" if name in _OF_0_1 else _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    """Return the public names, for tab completion."""
    return sorted(__all__)
