"""Section 5.7: pure-ldp 1.1.2, whose unary encoding forgets to clear a bit.

Its exact rates follow from that: the true bit is 1 if either of two draws says so.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ldp_auditor import mechanisms
from ldp_auditor.studies.claims.comparisons import TOLERANCE, Finding, at_most, falling
from ldp_auditor.studies.claims.shapes import estimate
from ldp_auditor.studies.claims.statement import Place, Statement, every
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


def _estimate(view: View, place: Place) -> Estimate:
    if not view.exact:
        return estimate(view, place)
    protocol = place["mechanism"].removeprefix(PACKAGE)
    value = exact_epsilon(protocol, place["epsilon"], place["domain_size"])
    return Estimate(value, 0.0, paper_limit(0.0))


def _undetected(view: View, place: Place) -> Finding:
    return at_most(_estimate(view, place), place["epsilon"])


def _detected(view: View, place: Place) -> Finding:
    found = _undetected(view, place)
    return Finding(not found.holds, found.numbers, -found.off)


def _detected_somewhere(view: View, place: Place) -> Finding:
    """The estimate exceeds the claim at some epsilon < 1 and some k."""
    cells = [
        {**place, "epsilon": epsilon, "domain_size": k} for epsilon in CAUGHT for k in DOMAIN_SIZES
    ]
    found = [_detected(view, cell) for cell in cells]
    worst = min(found, key=lambda finding: finding.off)
    caught = sum(finding.holds for finding in found)
    return Finding(caught > 0, f"at {caught} of {len(cells)} cells; most: {worst.numbers}")


def _bits(place: Place) -> tuple[float, float]:
    """Probabilities that the true bit is sent as 1: intended, and with the bug."""
    protocol = place["mechanism"].removeprefix(PACKAGE)
    correct: Any = mechanisms.make(protocol, epsilon=place["epsilon"], domain_size=25)
    return correct.p, 1 - (1 - correct.p) * (1 - correct.q)


def _excess_falls(view: View, place: Place) -> Finding:
    view.only_exact()
    bits = [_bits({**place, "epsilon": epsilon}) for epsilon in EPSILONS]
    return falling([Estimate(sent - intended, 0.0, 1.0) for intended, sent in bits])


def _already_likely(view: View, place: Place) -> Finding:
    view.only_exact()
    intended, _ = _bits(place)
    return Finding(intended >= 1 - TOLERANCE, f"p = {intended:.3f}", 1 - TOLERANCE - intended)


def true_epsilon(protocol: str, epsilon: float) -> float:
    """The worst case of the unary encoding that forgets to clear the bit."""
    correct: Any = mechanisms.make(protocol, epsilon=epsilon, domain_size=25)
    cleared = (1 - correct.p) * (1 - correct.q)
    return math.log((1 - cleared) * (1 - correct.q) / (cleared * correct.q))


def _broken(view: View, place: Place) -> Finding:
    view.only_exact()
    found = true_epsilon(place["mechanism"].removeprefix(PACKAGE), place["epsilon"])
    undetected = at_most(Estimate(found, 0.0, math.inf), place["epsilon"])
    return Finding(not undetected.holds, undetected.numbers, -undetected.off)


CLIENTS = [f"{PACKAGE}SUE", f"{PACKAGE}OUE"]

CAUGHT = [epsilon for epsilon in EPSILONS if epsilon < 1]
MISSED = [epsilon for epsilon in EPSILONS if epsilon >= 1]

STATEMENTS = [
    Statement(
        name="bug-found-somewhere",
        section="5.7",
        words="The estimates of pure-ldp 1.1.2's SUE and OUE exceed the claim for some epsilon < 1",
        studies=("figure-8",),
        places=every(mechanism=CLIENTS),
        test=_detected_somewhere,
    ),
    Statement(
        name="bug-found",
        section="5.7",
        words="and for all epsilon < 1, at every k",
        studies=("figure-8",),
        places=every(
            mechanism=CLIENTS,
            epsilon=CAUGHT,
            domain_size=DOMAIN_SIZES,
        ),
        test=_detected,
    ),
    Statement(
        name="bug-missed",
        section="5.7",
        words="but not for epsilon >= 1",
        studies=("figure-8",),
        places=every(
            mechanism=CLIENTS,
            epsilon=MISSED,
            domain_size=DOMAIN_SIZES,
        ),
        test=_undetected,
    ),
    Statement(
        name="bug-excess",
        section="5.7",
        words="The true bit is sent more often than intended, and that the more the smaller "
        "epsilon is (every step)",
        studies=(),
        places=every(mechanism=CLIENTS),
        test=_excess_falls,
    ),
    Statement(
        name="bug-bit-likely",
        section="5.7",
        words="In mid to low privacy the true bit is meant to be sent with a high probability: "
        f"{1 - TOLERANCE:.0%} at least",
        studies=(),
        places=every(mechanism=CLIENTS, epsilon=[epsilon for epsilon in EPSILONS if epsilon > 1]),
        test=_already_likely,
    ),
    Statement(
        name="bug-still-there",
        section="5.7",
        words="A sharper tool can find the bug at epsilon >= 1: the worst case exceeds the claim",
        studies=(),
        places=every(mechanism=CLIENTS, epsilon=MISSED),
        test=_broken,
    ),
]
