"""Section 5.7: pure-ldp 1.1.2, whose unary encoding forgets to clear a bit.

Its exact rates follow from that: the true bit is 1 if either of two draws says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ldp_auditor import mechanisms
from ldp_auditor.studies.claims.comparisons import Finding, at_most
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


CLIENTS = [f"{PACKAGE}SUE", f"{PACKAGE}OUE"]

STATEMENTS = [
    Statement(
        name="bug-found",
        section="5.7",
        words="The estimates of pure-ldp 1.1.2's SUE and OUE exceed the claim for epsilon < 1",
        studies=("figure-8",),
        places=every(
            mechanism=CLIENTS,
            epsilon=[epsilon for epsilon in EPSILONS if epsilon < 1],
            domain_size=DOMAIN_SIZES,
        ),
        test=_detected,
    ),
    Statement(
        name="bug-missed",
        section="5.7",
        words="and do not for epsilon >= 1",
        studies=("figure-8",),
        places=every(
            mechanism=CLIENTS,
            epsilon=[epsilon for epsilon in EPSILONS if epsilon >= 1],
            domain_size=DOMAIN_SIZES,
        ),
        test=_undetected,
    ),
]
