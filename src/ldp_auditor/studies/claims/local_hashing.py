"""Section 5.4: local hashing with little perturbation or none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ldp_auditor.studies.claims.comparisons import (
    Finding,
    at_most,
    below,
    falling,
    rising,
    within_times,
)
from ldp_auditor.studies.claims.shapes import along, of_claim, single
from ldp_auditor.studies.claims.statement import Statement, every
from ldp_auditor.studies.claims.view import Estimate
from ldp_auditor.studies.settings import DOMAIN_SIZES

RANGES = [2, 4, 6, 8, 10]
HASHING_ONLY: Mapping[str, Sequence[Any]] = {"mechanism": ["LHO"], "epsilon": [math.inf]}


def _medium(found: Estimate) -> Finding:
    """Above 1 and up to 2.5."""
    low = below(found, 1.0)
    if found.value <= 1:
        return Finding(False, low.numbers, -low.off)
    return at_most(found, 2.5)


STATEMENTS = [
    Statement(
        name="blh-10x",
        section="5.4",
        words="For BLH at epsilon >= 2, epsilon is within 10 times the estimate",
        studies=("figure-2",),
        places=every(mechanism=["BLH"], epsilon=[2.0, 4.0, 6.0, 10.0], domain_size=DOMAIN_SIZES),
        test=of_claim(lambda found, epsilon: within_times(found, 10.0, epsilon)),
    ),
    Statement(
        name="lho-below-1",
        section="5.4",
        words="Hashing to g = 2 without perturbation stays below 1",
        studies=("figure-5",),
        places=every(**HASHING_ONLY, hash_range=[2], domain_size=DOMAIN_SIZES),
        test=single(lambda found: below(found, 1.0)),
    ),
    Statement(
        name="lho-medium",
        section="5.4",
        words="Hashing to g > 2 without perturbation lies above 1, and at 2.5 at most",
        studies=("figure-5",),
        places=every(**HASHING_ONLY, hash_range=RANGES[1:], domain_size=DOMAIN_SIZES),
        test=single(_medium),
    ),
    Statement(
        name="lho-rises-with-g",
        section="5.4",
        words="Hashing without perturbation rises with g (2 to 10, every step)",
        studies=("figure-5",),
        places=every(**HASHING_ONLY, domain_size=DOMAIN_SIZES),
        test=along("hash_range", RANGES, rising),
    ),
    Statement(
        name="lho-falls-with-k",
        section="5.4",
        words="Hashing without perturbation falls with k (25 to 200, every step)",
        studies=("figure-5",),
        places=every(**HASHING_ONLY, hash_range=RANGES),
        test=along("domain_size", DOMAIN_SIZES, falling),
    ),
]
