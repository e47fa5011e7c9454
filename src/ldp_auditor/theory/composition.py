"""Tight composition of many reports, by the accountant of the field (dp-accounting) [Koskela20]."""

from functools import lru_cache
from typing import Any

from ldp_auditor.theory.loss_law import LossLaw


@lru_cache(maxsize=256)
def tight_epsilon(law: LossLaw, reports: int, delta: float) -> float | None:
    """Smallest epsilon that `reports` independent reports keep at `delta`, up to rounding.

    The accountant rounds losses up to a grid and cuts tails of 1e-15, so that it cannot tell a pure
    guarantee; no more is ever lost than the largest loss of a report times their number. None where
    the law has no counterpart in the accountant.
    """
    together = _together(law, reports)
    if together is None:
        return None
    return min(float(together.get_epsilon_for_delta(delta)), reports * law.supremum)


@lru_cache(maxsize=4)
def _together(law: LossLaw, reports: int) -> Any:
    """The accountant's law of all reports, which any number of deltas may be asked of."""
    return law.accountant(reports)
