"""Sections 5.2, 5.4 and 5.5: how often the attack guesses right, and wrong."""

from __future__ import annotations

from collections.abc import Callable

from ldp_auditor.studies.claims.comparisons import (
    TOLERANCE,
    Finding,
    falling,
    rising,
    similar,
)
from ldp_auditor.studies.claims.impact_of_domain_size import CURVES
from ldp_auditor.studies.claims.local_hashing import HASHING_ONLY, RANGES
from ldp_auditor.studies.claims.shapes import along, rate
from ldp_auditor.studies.claims.statement import Place, Statement, Test, every
from ldp_auditor.studies.claims.view import Estimate, View
from ldp_auditor.studies.settings import DOMAIN_SIZES, EPSILONS, HIGH_PRIVACY

HITS, ALARMS = rate("true_positive"), rate("false_positive")


def _constant(product: Callable[[float, int], float], first: int, last: int) -> Test:
    """Test that a function of the rate of right guesses and of k has similar values at two k."""

    def at(view: View, place: Place, domain_size: int) -> Estimate:
        found = HITS(view, {**place, "domain_size": domain_size})
        return Estimate(
            product(found.value, domain_size), product(found.error, domain_size), found.limit
        )

    def test(view: View, place: Place) -> Finding:
        return similar(at(view, place, first), at(view, place, last))

    return test


STATEMENTS = [
    Statement(
        name="accuracy-falls-with-k",
        section="5.2",
        words="The attack guesses right less often the larger k is (25 to 200, every step)",
        studies=("figure-2", "figure-3"),
        places=CURVES,
        test=along("domain_size", DOMAIN_SIZES, falling, of=HITS),
    ),
    Statement(
        name="honesty-falls-with-k",
        section="5.2",
        words="The probability of GRR to be honest falls in proportion to k: its product with k is "
        f"within {TOLERANCE:.0%} at k = 25 and 200",
        studies=("figure-2",),
        places=every(mechanism=["GRR"], epsilon=EPSILONS),
        test=_constant(lambda hits, k: hits * k, 25, 200),
    ),
    Statement(
        name="oue-alarms-small-k",
        section="5.2",
        words="For OUE at epsilon >= 4, false positives are the more frequent the smaller k is "
        "(200 to 25, every step)",
        studies=("figure-2",),
        places=every(mechanism=["OUE"], epsilon=[4.0, 6.0, 10.0]),
        test=along("domain_size", DOMAIN_SIZES, falling, of=ALARMS),
    ),
    Statement(
        name="lho-accuracy-rises-with-g",
        section="5.4",
        words="Hashing without perturbation is guessed right more often the larger g is (2 to 10, "
        "every step)",
        studies=("figure-5",),
        places=every(**HASHING_ONLY, domain_size=DOMAIN_SIZES),
        test=along("hash_range", RANGES, rising, of=HITS),
    ),
    Statement(
        name="honesty-proportional-to-k",
        section="5.5",
        words="The probability of GRR to be honest is directly proportional to k, as written: "
        f"divided by k it is within {TOLERANCE:.0%} at k = 25 and 100",
        studies=("figure-2",),
        places=every(mechanism=["GRR"], epsilon=HIGH_PRIVACY),
        test=_constant(lambda hits, k: hits / k, 25, 100),
    ),
]
