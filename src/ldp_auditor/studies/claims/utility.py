"""Section 5.2: the utility that is stated beside the audits. No study measures it."""

from __future__ import annotations

from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.studies.claims.comparisons import Answer, higher
from ldp_auditor.studies.claims.statement import Settings
from ldp_auditor.studies.claims.view import Estimate, View
from ldp_auditor.studies.settings import DELTA


def _made(name: str, place: Settings) -> Any:
    # Neither variances of frequencies nor noise depend on the domain size.
    delta = None if name in ("BLH", "OLH") else DELTA
    return mechanisms.make(name, epsilon=place["epsilon"], domain_size=25, delta=delta)


def support_variance(mechanism: Any) -> float:
    """Variance of the estimate of a rare value's frequency, times the users [Wang17]."""
    p, q = mechanism.p, mechanism.q
    variance: float = q * (1 - q) / (p - q) ** 2
    return variance


def _less_variance(view: View, place: Settings) -> Answer:
    view.only_exact()
    mine, other = (
        Estimate(support_variance(_made(place[role], place)), 0.0, 0.0)
        for role in ("mechanism", "against")
    )
    return higher(other, mine)


def _less_noise(view: View, place: Settings) -> Answer:
    view.only_exact()
    mine, other = (
        Estimate(_made(place[role], place).scale, 0.0, 0.0) for role in ("mechanism", "against")
    )
    return higher(other, mine)


TESTS = {
    "less_variance": _less_variance,
    "less_noise": _less_noise,
}
