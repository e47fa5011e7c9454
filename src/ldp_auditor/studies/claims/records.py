"""Section 5.6: records with fake data."""

from __future__ import annotations

import math
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.studies.claims.comparisons import (
    TOLERANCE,
    Finding,
    flat,
    higher,
    not_significantly_different,
)
from ldp_auditor.studies.claims.shapes import against, along, ends, rate
from ldp_auditor.studies.claims.statement import Place, Statement, every
from ldp_auditor.studies.claims.view import Estimate, View
from ldp_auditor.studies.figure_07 import FAKE_DATA
from ldp_auditor.studies.settings import EPSILONS

RESPONSE, *UNARY = FAKE_DATA
ATTRIBUTES = [2, 10]
HITS, ALARMS = rate("true_positive"), rate("false_positive")
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


def _more_right_and_less_wrong(view: View, place: Place) -> Finding:
    right = against(higher, of=HITS)(view, place)
    wrong = against(lambda mine, other: higher(other, mine), of=ALARMS)(view, place)
    return Finding(
        right.holds and wrong.holds,
        f"right {right.numbers}; wrong, other first, {wrong.numbers}",
        max(right.off, wrong.off),
        all(side.holds or side.noisy for side in (right, wrong)),
    )


def _made(place: Place) -> Any:
    settings = dict(place)
    return mechanisms.make(settings.pop("mechanism"), **settings)


def _honest(view: View, place: Place) -> Finding:
    """The drawn attribute is reported truthfully; the share is within the tolerance of 1."""
    view.only_exact()
    p: float = _made(place).parts[0].p
    return Finding(p >= 1 - TOLERANCE, f"p = {p:.3f}", 1 - TOLERANCE - p)


def _alarms(view: View, place: Place) -> tuple[Estimate, Estimate]:
    """False positives with fake data, and exact ones of the drawn attribute, without."""
    without = _made(place).parts[0].guess_rates().false_positive
    return ALARMS(view, place), Estimate(without, 0.0, 1.0)


def _alarms_much_higher(view: View, place: Place) -> Finding:
    return higher(*_alarms(view, place), by=TOLERANCE)


def _factor(view: View, place: Place) -> Estimate:
    """How many times as frequent fake data make false positives."""
    found, without = _alarms(view, place)
    return Estimate(found.value / without.value, found.error / without.value, math.inf)


def _alarms_less_affected(view: View, place: Place) -> Finding:
    binary, larger = (_factor(view, {**place, "domain_size": k}) for k in (2, 100))
    return higher(binary, larger)


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
    Statement(
        name="records-honesty",
        section="5.6",
        words="RS+FD[GRR] reports the true value with a high probability from epsilon = 4 on: "
        f"{1 - TOLERANCE:.0%} at least (k = 2 and 100)",
        studies=(),
        places=every(
            mechanism=[RESPONSE],
            epsilon=[4.0, 6.0, 10.0],
            domain_size=[2, 100],
            attributes=ATTRIBUTES,
        ),
        test=_honest,
    ),
    Statement(
        name="records-sue-accuracy",
        section="5.6",
        words="At k = 2 RS+FD[SUE] is guessed right more often than RS+FD[OUE], and wrong less "
        "often",
        studies=("figure-7",),
        places=_pairs("SUE", "OUE", domain_size=[2], attributes=ATTRIBUTES),
        test=_more_right_and_less_wrong,
    ),
    Statement(
        name="records-alarms",
        section="5.6",
        words="At k = 2 fake data make false positives significantly more frequent: by more than "
        f"{TOLERANCE:.0%} of what they are then",
        studies=("figure-7",),
        places=every(mechanism=FAKE_DATA, epsilon=EPSILONS, domain_size=[2], attributes=ATTRIBUTES),
        test=_alarms_much_higher,
    ),
    Statement(
        name="records-alarms-lesser",
        section="5.6",
        words="and less so at k = 100: by a smaller factor",
        studies=("figure-7",),
        places=every(mechanism=FAKE_DATA, epsilon=EPSILONS, attributes=ATTRIBUTES),
        test=_alarms_less_affected,
    ),
]
