"""Section 5.6: records with fake data."""

from __future__ import annotations

from ldp_auditor.studies.claims.comparisons import flat, higher, not_significantly_different
from ldp_auditor.studies.claims.shapes import against, along, ends
from ldp_auditor.studies.claims.statement import Statement, every
from ldp_auditor.studies.figure_07 import FAKE_DATA
from ldp_auditor.studies.settings import EPSILONS

RESPONSE, *UNARY = FAKE_DATA
ATTRIBUTES = [2, 10]
BOTH = ("figure-7", "figure-12")


def _pairs(first: str, second: str, **axes: list[int]) -> list[dict[str, object]]:
    """Protocols that differ in a part of their name."""
    return [
        dict(place)
        for name in UNARY
        if first in name
        for place in every(
            mechanism=[name],
            against=[name.replace(first, second)],
            epsilon=EPSILONS,
            **axes,
        )
    ]


STATEMENTS = [
    Statement(
        name="records-grr-tighter",
        section="5.6",
        words="RS+FD[GRR] is tighter than RS+FD with unary encoding (k = 2 and 100)",
        studies=("figure-7",),
        places=every(
            mechanism=[RESPONSE],
            against=UNARY,
            epsilon=EPSILONS,
            domain_size=[2, 100],
            attributes=ATTRIBUTES,
        ),
        test=against(higher),
    ),
    Statement(
        name="records-plateau",
        section="5.6",
        words="RS+FD[GRR] is flat from epsilon = 4 on (k = 2 and 100)",
        studies=("figure-7",),
        places=every(mechanism=[RESPONSE], domain_size=[2, 100], attributes=ATTRIBUTES),
        test=along("epsilon", [4.0, 6.0, 10.0], flat),
    ),
    Statement(
        name="records-sue-k2",
        section="5.6",
        words="At k = 2 RS+FD[SUE] is tighter than RS+FD[OUE]",
        studies=("figure-7",),
        places=_pairs("SUE", "OUE", domain_size=[2], attributes=ATTRIBUTES),
        test=against(higher),
    ),
    Statement(
        name="records-sue-k100",
        section="5.6",
        words="At k = 100 RS+FD[SUE] is lower than RS+FD[OUE]",
        studies=("figure-7",),
        places=_pairs("OUE", "SUE", domain_size=[100], attributes=ATTRIBUTES),
        test=against(higher),
    ),
    Statement(
        name="records-fake-data",
        section="5.6",
        words="Zero and random fake data make no significant difference",
        studies=BOTH,
        places=_pairs("-z", "-r", domain_size=[2, 25, 50, 100], attributes=ATTRIBUTES),
        test=against(not_significantly_different),
    ),
    Statement(
        name="records-binary-lower",
        section="5.6",
        words="The estimates of RS+FD are lower at k = 2 than at k = 100",
        studies=("figure-7",),
        places=every(mechanism=FAKE_DATA, epsilon=EPSILONS, attributes=ATTRIBUTES),
        test=ends("domain_size", 100, 2, higher),
    ),
]
