"""Section 5.2: the utility that is stated beside the audits. No study measures it."""

from collections.abc import Callable
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.studies.claims.comparisons import Answer, higher
from ldp_auditor.studies.claims.statement import Settings, Test
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


def _less(of: Callable[[Any], float]) -> Test:
    """Test that a number of a protocol is less than that of another one."""

    def test(view: View, place: Settings) -> Answer:
        view.only_exact()
        mine, other = (
            Estimate(of(_made(place[role], place)), 0.0, 0.0) for role in ("mechanism", "against")
        )
        return higher(other, mine)

    return test


TESTS = {
    "less_variance": _less(support_variance),
    "less_noise": _less(lambda mechanism: mechanism.scale),
}
