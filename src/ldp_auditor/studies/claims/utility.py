"""Section 5.2: the utility that is stated beside the audits. No study measures it."""

from __future__ import annotations

from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.studies.claims.comparisons import Finding, higher
from ldp_auditor.studies.claims.statement import Place, Statement, every
from ldp_auditor.studies.claims.view import Estimate, View
from ldp_auditor.studies.settings import DELTA, EPSILONS, HIGH_PRIVACY


def _made(name: str, place: Place) -> Any:
    # Neither variances of frequencies nor noise depend on the domain size.
    delta = None if name in ("BLH", "OLH") else DELTA
    return mechanisms.make(name, epsilon=place["epsilon"], domain_size=25, delta=delta)


def support_variance(mechanism: Any) -> float:
    """Variance of the estimate of a rare value's frequency, times the users [Wang17]."""
    p, q = mechanism.p, mechanism.q
    variance: float = q * (1 - q) / (p - q) ** 2
    return variance


def _less_variance(view: View, place: Place) -> Finding:
    view.only_exact()
    mine, other = (
        Estimate(support_variance(_made(place[role], place)), 0.0, 0.0)
        for role in ("mechanism", "against")
    )
    return higher(other, mine)


def _less_noise(view: View, place: Place) -> Finding:
    view.only_exact()
    mine, other = (
        Estimate(_made(place[role], place).scale, 0.0, 0.0) for role in ("mechanism", "against")
    )
    return higher(other, mine)


STATEMENTS = [
    Statement(
        name="olh-more-useful",
        section="5.2",
        words="(A)OLH preserves more utility than (A)BLH: the variance of its estimates is less",
        studies=(),
        places=[
            *every(mechanism=["OLH"], against=["BLH"], epsilon=EPSILONS),
            *every(mechanism=["AOLH"], against=["ABLH"], epsilon=EPSILONS),
        ],
        test=_less_variance,
    ),
    Statement(
        name="agm-more-useful",
        section="5.2",
        words="AGM preserves more utility than GM: its noise is less",
        studies=(),
        places=every(mechanism=["AGM"], against=["GM"], epsilon=HIGH_PRIVACY),
        test=_less_noise,
    ),
]
