"""Tight composition of many reports, by the accountant of the field (dp-accounting) [Koskela20]."""

import math
from functools import lru_cache
from typing import Any

from ldp_auditor.theory.discrete_laws import OneLevelLaw, StepLaw
from ldp_auditor.theory.loss_law import LossLaw
from ldp_auditor.theory.noise_laws import ClippedLaplaceLaw, GaussianLaw, LaplaceLaw

GRID = 5e-4
"""Distance of the losses that dp-accounting rounds continuous laws to, relative to their size."""


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
    if isinstance(law, OneLevelLaw) and law.unlikely > 0:
        return _levels(law, reports)
    if isinstance(law, StepLaw):
        return _steps(law, reports)
    if isinstance(law, GaussianLaw):
        return _normal(law.composed(reports))
    if isinstance(law, LaplaceLaw):
        return _laplace(law.level, reports)
    # The two entries of a histogram that differ are two Laplace mechanisms.
    return _laplace(law.claimed / 2, 2 * reports) if isinstance(law, ClippedLaplaceLaw) else None


def _levels(law: OneLevelLaw, reports: int) -> Any:
    from dp_accounting.pld.privacy_loss_distribution import from_two_probability_mass_functions

    up, down = math.log(law.likely), math.log(law.unlikely)
    rest = 1 - law.likely - law.unlikely
    neither = {"neither": math.log(rest)} if rest > 0 else {}
    # dp-accounting rounds losses up to a grid; on this one they fall exactly.
    return from_two_probability_mass_functions(
        {"first": down, "second": up, **neither},
        {"first": up, "second": down, **neither},
        value_discretization_interval=up - down,
    ).self_compose(reports)


def _steps(law: StepLaw, reports: int) -> Any:
    from dp_accounting.pld.pld_pmf import create_pmf
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

    reach = len(law.likely) // 2
    steps = {step - reach: float(p) for step, p in enumerate(law.likely) if p > 0}
    return PrivacyLossDistribution(create_pmf(steps, law.level, 0.0, True)).self_compose(reports)


def _normal(law: GaussianLaw) -> Any:
    from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism

    grid = GRID * law.mu
    return from_gaussian_mechanism(
        law.scale, sensitivity=law.shift, value_discretization_interval=grid
    )


def _laplace(level: float, times: int) -> Any:
    from dp_accounting.pld.privacy_loss_distribution import from_laplace_mechanism

    one = from_laplace_mechanism(1 / level, value_discretization_interval=2 * GRID * level)
    return one.self_compose(times)
