"""Section 5.7: pure-ldp 1.1.2, whose unary encoding forgets to clear a bit.

Its exact rates follow from that: the true bit is 1 if either of two draws says so.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ldp_auditor import mechanisms
from ldp_auditor.studies.claims.comparisons import HIGH, Answer, at_most, falling
from ldp_auditor.studies.claims.shapes import estimate
from ldp_auditor.studies.claims.statement import Settings
from ldp_auditor.studies.claims.view import Estimate, View, paper_limit
from ldp_auditor.studies.settings import DOMAIN_SIZES, EPSILONS
from ldp_auditor.theory.guessing import independent_count_rates

PACKAGE = "pure-ldp:"


def exact_epsilon(protocol: str, epsilon: float, domain_size: int) -> float:
    """Epsilon of the paper's attack on the unary encoding that forgets to clear the bit."""
    correct: Any = mechanisms.make(protocol, epsilon=epsilon, domain_size=domain_size)
    cleared = (1 - correct.p) * (1 - correct.q)
    rates = independent_count_rates(
        domain_size, np.array([cleared, 1 - cleared]), np.array([1 - correct.q, correct.q])
    )
    return rates.epsilon(0.0)


def _estimate(view: View, place: Settings) -> Estimate:
    if not view.exact:
        return estimate(view, place)
    protocol = place["mechanism"].removeprefix(PACKAGE)
    value = exact_epsilon(protocol, place["epsilon"], place["domain_size"])
    return Estimate(value, 0.0, paper_limit(0.0))


def _undetected(view: View, place: Settings) -> Answer:
    return at_most(_estimate(view, place), place["epsilon"])


def _detected(view: View, place: Settings) -> Answer:
    found = _undetected(view, place)
    return Answer(not found.holds, found.numbers, -found.off)


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
    protocol = place["mechanism"].removeprefix(PACKAGE)
    correct: Any = mechanisms.make(protocol, epsilon=place["epsilon"], domain_size=25)
    return correct.p, 1 - (1 - correct.p) * (1 - correct.q)


def _excess_falls(view: View, place: Settings) -> Answer:
    view.only_exact()
    bits = [_bits({**place, "epsilon": epsilon}) for epsilon in EPSILONS]
    return falling([Estimate(sent - intended, 0.0, 1.0) for intended, sent in bits])


def _already_likely(view: View, place: Settings) -> Answer:
    view.only_exact()
    intended, _ = _bits(place)
    return Answer(intended >= HIGH, f"p = {intended:.3f}", HIGH - intended)


def true_epsilon(protocol: str, epsilon: float) -> float:
    """The worst case of the unary encoding that forgets to clear the bit."""
    correct: Any = mechanisms.make(protocol, epsilon=epsilon, domain_size=25)
    cleared = (1 - correct.p) * (1 - correct.q)
    return math.log((1 - cleared) * (1 - correct.q) / (cleared * correct.q))


def _broken(view: View, place: Settings) -> Answer:
    view.only_exact()
    found = true_epsilon(place["mechanism"].removeprefix(PACKAGE), place["epsilon"])
    undetected = at_most(Estimate(found, 0.0, math.inf), place["epsilon"])
    return Answer(not undetected.holds, undetected.numbers, -undetected.off)


CAUGHT = [epsilon for epsilon in EPSILONS if epsilon < 1]

TESTS = {
    "detected": _detected,
    "detected_somewhere": _detected_somewhere,
    "undetected": _undetected,
    "excess_falls": _excess_falls,
    "already_likely": _already_likely,
    "broken": _broken,
}
