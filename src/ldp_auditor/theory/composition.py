"""Tight composition of many reports, by the accountant of the field (dp-accounting) [Koskela20]."""

from __future__ import annotations

from functools import lru_cache

from ldp_auditor.theory.loss_law import LossLaw


@lru_cache(maxsize=256)
def tight_epsilon(law: LossLaw, reports: int, delta: float) -> float | None:
    """Smallest epsilon that so many independent reports keep at `delta`, never below the true one.

    The accountant rounds losses up to a grid, so that a pure guarantee (delta = 0) is out of its
    reach; None where the law has no counterpart in it.
    """
    one_report = law.accountant()
    if one_report is None:
        return None
    return float(one_report.self_compose(reports).get_epsilon_for_delta(delta))
