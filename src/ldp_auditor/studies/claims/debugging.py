"""Section 5.7: pure-ldp 1.1.2, whose unary encoding forgets to clear a bit.

Its exact rates follow from that: the true bit is 1 if either of two draws says so.
"""

import math

from ldp_auditor.adapters.oracles import ForeignUnaryEncoding, unary_probabilities
from ldp_auditor.core import FIRST_TWO_VALUES
from ldp_auditor.studies.claims.comparisons import HIGH, Answer, at_most, falling
from ldp_auditor.studies.claims.shapes import estimate
from ldp_auditor.studies.claims.statement import Settings
from ldp_auditor.studies.claims.view import Estimate, View, paper_limit
from ldp_auditor.studies.settings import DOMAIN_SIZES, EPSILONS

PACKAGE = "pure-ldp:"


def old_version(protocol: str, epsilon: float, domain_size: int = 25) -> ForeignUnaryEncoding:
    """Return the unary encoding that forgets to clear the bit."""
    target = PACKAGE + protocol.removeprefix(PACKAGE)
    return ForeignUnaryEncoding(
        target=target, version="1.1.2", epsilon=epsilon, domain_size=domain_size
    )


def exact_epsilon(protocol: str, epsilon: float, domain_size: int) -> float:
    """Epsilon of the paper's attack on it."""
    rates = old_version(protocol, epsilon, domain_size).guess_rates(FIRST_TWO_VALUES)
    assert rates is not None
    return rates.epsilon(0.0)


def _estimate(view: View, place: Settings) -> Estimate:
    if not view.exact:
        return estimate(view, place)
    value = exact_epsilon(place["mechanism"], place["epsilon"], place["domain_size"])
    return Estimate(value, 0.0, paper_limit(0.0))


def _undetected(view: View, place: Settings) -> Answer:
    return at_most(_estimate(view, place), place["epsilon"])


def _detected(view: View, place: Settings) -> Answer:
    return _undetected(view, place).negated


def _detected_somewhere(view: View, place: Settings) -> Answer:
    """The estimate exceeds the claim at some epsilon < 1 and some k."""
    cells = [
        {**place, "epsilon": epsilon, "domain_size": k} for epsilon in CAUGHT for k in DOMAIN_SIZES
    ]
    found = [_detected(view, cell) for cell in cells]
    worst = min(found, key=lambda finding: finding.off)
    caught = sum(finding.holds for finding in found)
    return Answer(caught > 0, f"at {caught} of {len(cells)} cells; most: {worst.numbers}")


def _bits(place: Settings) -> tuple[float, float]:
    """Probabilities that the true bit is sent as 1: intended, and with the bug."""
    variant = place["mechanism"].removeprefix(PACKAGE)
    intended, _ = unary_probabilities(variant, place["epsilon"])
    return intended, old_version(place["mechanism"], place["epsilon"]).p


def _excess_falls(view: View, place: Settings) -> Answer:
    view.only_exact()
    bits = [_bits({**place, "epsilon": epsilon}) for epsilon in EPSILONS]
    return falling([Estimate(sent - intended, 0.0, 1.0) for intended, sent in bits])


def _already_likely(view: View, place: Settings) -> Answer:
    view.only_exact()
    intended, _ = _bits(place)
    return Answer(intended >= HIGH, f"p = {intended:.3f}", HIGH - intended)


def _broken(view: View, place: Settings) -> Answer:
    view.only_exact()
    law = old_version(place["mechanism"], place["epsilon"]).loss_law(FIRST_TWO_VALUES)
    return at_most(Estimate(law.epsilon(0.0), 0.0, math.inf), place["epsilon"]).negated


CAUGHT = [epsilon for epsilon in EPSILONS if epsilon < 1]

TESTS = {
    "detected": _detected,
    "detected_somewhere": _detected_somewhere,
    "undetected": _undetected,
    "excess_falls": _excess_falls,
    "already_likely": _already_likely,
    "broken": _broken,
}
