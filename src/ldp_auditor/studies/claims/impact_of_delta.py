"""Section 5.3: the impact of delta."""

from __future__ import annotations

from ldp_auditor.studies.claims.comparisons import (
    TOLERANCE,
    Finding,
    falling,
    not_significantly_different,
    rising,
    similar,
)
from ldp_auditor.studies.claims.shapes import along, ends, estimate
from ldp_auditor.studies.claims.statement import Place, Statement, every
from ldp_auditor.studies.claims.view import View
from ldp_auditor.studies.figure_04 import DELTAS
from ldp_auditor.studies.settings import COUNTERPARTS, FINITE, GAUSSIAN, HIGH_PRIVACY

STUDIES = ("figure-4", "figure-10")
SIZES = [25, 100, 150, 200]
PURE_OF = {approximate: pure for pure, approximate in COUNTERPARTS.items()}


CURVES = [
    *every(mechanism=FINITE, epsilon=HIGH_PRIVACY, delta=DELTAS),
    *every(mechanism=list(COUNTERPARTS), epsilon=HIGH_PRIVACY, delta=[0.0]),
]
"""Those of finite range over k; delta = 0 is the pure counterpart, as in the figure."""


def _like_pure(view: View, place: Place) -> Finding:
    pure = {**place, "mechanism": PURE_OF[place["mechanism"]], "delta": 0.0}
    return not_significantly_different(estimate(view, place), estimate(view, pure))


STATEMENTS = [
    Statement(
        name="delta-changes-nothing",
        section="5.3",
        words="Delta makes no significant difference to AGRR, ASUE, ABLH and AOLH: each is like "
        "its pure counterpart",
        studies=STUDIES,
        places=every(mechanism=FINITE, epsilon=HIGH_PRIVACY, delta=DELTAS, domain_size=SIZES),
        test=_like_pure,
    ),
    Statement(
        name="delta-narrows-gap",
        section="5.3",
        words="The larger delta, the narrower the gap of GM and AGM (1e-7 to 1e-4, every step)",
        studies=STUDIES,
        places=every(mechanism=GAUSSIAN, epsilon=HIGH_PRIVACY, domain_size=SIZES),
        test=along("delta", DELTAS, rising),
    ),
    Statement(
        name="finite-fall-with-k",
        section="5.3",
        words="AGRR, ASUE, ABLH and AOLH fall with k (25 to 200, every step; delta = 0 too)",
        studies=STUDIES,
        places=CURVES,
        test=along("domain_size", SIZES, falling),
    ),
    Statement(
        name="finite-k-minor",
        section="5.3",
        words=f"For these four the effect of k is minor: from 25 to 200 within {TOLERANCE:.0%}",
        studies=STUDIES,
        places=CURVES,
        test=ends("domain_size", 25, 200, similar),
    ),
    Statement(
        name="gaussian-rise-with-k",
        section="5.3",
        words="GM and AGM rise with k (25 to 200, every step)",
        studies=STUDIES,
        places=every(mechanism=GAUSSIAN, epsilon=HIGH_PRIVACY, delta=DELTAS),
        test=along("domain_size", SIZES, rising),
    ),
]
