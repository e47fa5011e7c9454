"""Section 5.2 and figure 1: the effect of encoding and perturbation."""

from __future__ import annotations

from functools import partial

from ldp_auditor.studies.claims.comparisons import (
    TIGHT,
    TOLERANCE,
    below,
    equal,
    flat,
    higher,
    not_lower,
    not_tight,
    similar,
    tight,
    within_times,
)
from ldp_auditor.studies.claims.shapes import against, along, of_claim, single
from ldp_auditor.studies.claims.statement import Statement, every
from ldp_auditor.studies.settings import (
    DOMAIN_SIZES,
    EPSILONS,
    FINITE,
    GAUSSIAN,
    HIGH_PRIVACY,
    PURE,
)

MID_PRIVACY = [2.0, 4.0]
LOW_PRIVACY = [6.0, 10.0]
NOT_HIGH = [*MID_PRIVACY, *LOW_PRIVACY]
BOTH = ("figure-2", "figure-3")
HASHING = ["BLH", "OLH", "ABLH", "AOLH"]


def _others_of(protocols: list[str], *without: str) -> list[str]:
    return [protocol for protocol in protocols if protocol not in without]


NOT_RESPONSE = [
    place
    for place in [
        *every(
            mechanism=_others_of([*PURE, *FINITE, "AGM"], "GRR", "AGRR"),
            epsilon=EPSILONS,
            domain_size=DOMAIN_SIZES,
        ),
        *every(mechanism=["GM"], epsilon=HIGH_PRIVACY, domain_size=DOMAIN_SIZES),
    ]
    if place["mechanism"] != "SS" or place["epsilon"] not in LOW_PRIVACY
]
"""Cells of figures 2 and 3 that are not (A)GRR, up to those which the paper excepts."""

STATEMENTS = [
    Statement(
        name="example-grr",
        section="1",
        words="At epsilon = 2, GRR is tight",
        studies=("figure-1",),
        places=every(mechanism=["GRR"], epsilon=[2.0], domain_size=[100]),
        test=of_claim(tight),
    ),
    Statement(
        name="example-2x",
        section="1",
        words="At epsilon = 2, the claim is within 2 times the estimate for SUE, THE and SHE "
        "(k is not told; tested: 100)",
        studies=("figure-1",),
        places=every(mechanism=["SUE", "THE", "SHE"], epsilon=[2.0], domain_size=[100]),
        test=of_claim(lambda found, epsilon: within_times(found, 2.0, epsilon)),
    ),
    Statement(
        name="example-4x",
        section="1",
        words="At epsilon = 2, the claim is within 4 times the estimate for all eight pure "
        "protocols (k is not told; tested: 100)",
        studies=("figure-1",),
        places=every(mechanism=PURE, epsilon=[2.0], domain_size=[100]),
        test=of_claim(lambda found, epsilon: within_times(found, 4.0, epsilon)),
    ),
    Statement(
        name="grr-tight",
        section="5.2",
        words=f"(A)GRR is tight: at least {TIGHT:.0%} of epsilon",
        studies=BOTH,
        places=every(mechanism=["GRR", "AGRR"], epsilon=EPSILONS, domain_size=DOMAIN_SIZES),
        test=of_claim(tight),
    ),
    Statement(
        name="others-not-tight",
        section="5.2",
        words="(A)GRR alone is tight: no other protocol is, up to SS in low privacy",
        studies=BOTH,
        places=NOT_RESPONSE,
        test=of_claim(not_tight),
    ),
    Statement(
        name="blh-worst",
        section="5.2",
        words="No pure protocol has a lower estimate than BLH, throughout",
        studies=("figure-2",),
        places=every(
            mechanism=_others_of(PURE, "BLH"),
            against=["BLH"],
            epsilon=EPSILONS,
            domain_size=DOMAIN_SIZES,
        ),
        test=against(not_lower),
    ),
    Statement(
        name="blh-below-1",
        section="5.2",
        words="BLH stays below 1 for epsilon >= 2",
        studies=("figure-2",),
        places=every(mechanism=["BLH"], epsilon=NOT_HIGH, domain_size=DOMAIN_SIZES),
        test=single(lambda found: below(found, 1.0)),
    ),
    Statement(
        name="blh-flat",
        section="5.2",
        words="BLH is flat from epsilon = 2 on",
        studies=("figure-2",),
        places=every(mechanism=["BLH"], domain_size=DOMAIN_SIZES),
        test=along("epsilon", NOT_HIGH, flat),
    ),
    Statement(
        name="hashing-similar",
        section="5.2",
        words="(A)BLH and (A)OLH are similar in high privacy",
        studies=BOTH,
        places=[
            *every(
                mechanism=["BLH"],
                against=["OLH"],
                epsilon=HIGH_PRIVACY,
                domain_size=DOMAIN_SIZES,
            ),
            *every(
                mechanism=["ABLH"],
                against=["AOLH"],
                epsilon=HIGH_PRIVACY,
                domain_size=DOMAIN_SIZES,
            ),
        ],
        test=against(similar),
    ),
    Statement(
        name="hashing-lowest",
        section="5.2",
        words="No other protocol is lower than (A)BLH and (A)OLH in high privacy (said again in "
        "section 5.4)",
        studies=BOTH,
        places=every(
            mechanism=_others_of([*PURE, *FINITE, *GAUSSIAN], *HASHING),
            against=HASHING,
            epsilon=HIGH_PRIVACY,
            domain_size=DOMAIN_SIZES,
        ),
        test=against(not_lower),
    ),
    Statement(
        name="olh-above-blh",
        section="5.2",
        words=f"(A)OLH is remarkably higher than (A)BLH for epsilon > 1: by more than "
        f"{TOLERANCE:.0%}",
        studies=BOTH,
        places=[
            *every(mechanism=["OLH"], against=["BLH"], epsilon=NOT_HIGH, domain_size=DOMAIN_SIZES),
            *every(
                mechanism=["AOLH"], against=["ABLH"], epsilon=NOT_HIGH, domain_size=DOMAIN_SIZES
            ),
        ],
        test=against(partial(higher, by=TOLERANCE)),
    ),
    Statement(
        name="olh-tighter",
        section="5.2",
        words="(A)OLH is tighter than (A)BLH, throughout",
        studies=BOTH,
        places=[
            *every(mechanism=["OLH"], against=["BLH"], epsilon=EPSILONS, domain_size=DOMAIN_SIZES),
            *every(
                mechanism=["AOLH"], against=["ABLH"], epsilon=EPSILONS, domain_size=DOMAIN_SIZES
            ),
        ],
        test=against(higher),
    ),
    Statement(
        name="ss-similar",
        section="5.2",
        words="SS is similar to each of the other pure protocols in high privacy",
        studies=("figure-2",),
        places=every(
            mechanism=["SS"],
            against=_others_of(PURE, "SS"),
            epsilon=HIGH_PRIVACY,
            domain_size=DOMAIN_SIZES,
        ),
        test=against(similar),
    ),
    Statement(
        name="ss-equals-grr",
        section="5.2",
        words="SS equals GRR in low privacy",
        studies=("figure-2",),
        places=every(
            mechanism=["SS"], against=["GRR"], epsilon=LOW_PRIVACY, domain_size=DOMAIN_SIZES
        ),
        test=against(equal),
    ),
    Statement(
        name="ss-tight",
        section="5.2",
        words="SS is tight in low privacy",
        studies=("figure-2",),
        places=every(mechanism=["SS"], epsilon=LOW_PRIVACY, domain_size=DOMAIN_SIZES),
        test=of_claim(tight),
    ),
    Statement(
        name="unary-similar",
        section="5.2",
        words="SUE and OUE are similar in high privacy",
        studies=("figure-2",),
        places=every(
            mechanism=["SUE"], against=["OUE"], epsilon=HIGH_PRIVACY, domain_size=DOMAIN_SIZES
        ),
        test=against(similar),
    ),
    Statement(
        name="oue-above-sue",
        section="5.2",
        words="OUE is higher than SUE for 1 < epsilon <= 4",
        studies=("figure-2",),
        places=every(
            mechanism=["OUE"], against=["SUE"], epsilon=MID_PRIVACY, domain_size=DOMAIN_SIZES
        ),
        test=against(higher),
    ),
    Statement(
        name="plateau",
        section="5.2",
        words="OUE, OLH and AOLH are flat for epsilon > 4",
        studies=BOTH,
        places=every(mechanism=["OUE", "OLH", "AOLH"], domain_size=DOMAIN_SIZES),
        test=along("epsilon", LOW_PRIVACY, flat),
    ),
    Statement(
        name="asue-like-sue",
        section="5.2",
        words="ASUE and SUE are similar, throughout",
        studies=BOTH,
        places=every(
            mechanism=["ASUE"], against=["SUE"], epsilon=EPSILONS, domain_size=DOMAIN_SIZES
        ),
        test=against(similar),
    ),
    Statement(
        name="she-like-the",
        section="5.2",
        words="SHE and THE are similar, throughout",
        studies=("figure-2",),
        places=every(
            mechanism=["SHE"], against=["THE"], epsilon=EPSILONS, domain_size=DOMAIN_SIZES
        ),
        test=against(similar),
    ),
    Statement(
        name="gm-worst",
        section="5.2",
        words="No protocol has a lower estimate than GM, where it is defined",
        studies=BOTH,
        places=every(
            mechanism=[*PURE, *FINITE, "AGM"],
            against=["GM"],
            epsilon=HIGH_PRIVACY,
            domain_size=DOMAIN_SIZES,
        ),
        test=against(not_lower),
    ),
    Statement(
        name="agm-above-gm",
        section="5.2",
        words="AGM is tighter than GM",
        studies=("figure-3",),
        places=every(
            mechanism=["AGM"], against=["GM"], epsilon=HIGH_PRIVACY, domain_size=DOMAIN_SIZES
        ),
        test=against(higher),
    ),
]
