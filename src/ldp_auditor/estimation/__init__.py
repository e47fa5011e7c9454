"""Frequencies after their estimation: what people do with them, and collections that are simulated.

The estimators themselves belong to the protocols (`mechanism.estimate`, `docs/estimation.md`).
"""

from ldp_auditor.estimation.measured import MeasuredError, measure_errors
from ldp_auditor.estimation.post_processing import PROCESSINGS, clip, norm_sub
from ldp_auditor.estimation.simulation import Collection, simulate

__all__ = [
    "PROCESSINGS",
    "Collection",
    "MeasuredError",
    "clip",
    "measure_errors",
    "norm_sub",
    "simulate",
]
