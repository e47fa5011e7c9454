"""Section 5.5: many reports of one user."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.mechanisms.frequency_oracle import ScoreOracle
from ldp_auditor.studies.claims.comparisons import (
    REACHED,
    Finding,
    all_steps,
    at_most,
    equal,
    higher,
    not_lower,
    not_reached,
    reached,
)
from ldp_auditor.studies.claims.shapes import against, along, estimate, rate, single
from ldp_auditor.studies.claims.statement import Place, Statement, every
from ldp_auditor.studies.claims.view import Estimate, View
from ldp_auditor.studies.figure_06 import REPORTS
from ldp_auditor.studies.settings import DELTA, GAUSSIAN, HIGH_PRIVACY, PURE

BOTH = ("figure-6", "figure-11")
SIZES = [2, 25, 50, 100]
REPEATED: Mapping[str, Sequence[Any]] = {"epsilon": HIGH_PRIVACY, "reports": REPORTS}
BETWEEN = ["SUE", "OUE", "BLH", "OLH"]
MANY: Mapping[str, Sequence[Any]] = {
    "epsilon": [0.75, 1.0],
    "reports": [250, 500],
    "domain_size": SIZES,
}
SUBSTANTIAL = 0.5


def up_to_limit(
    comparison: Callable[[Estimate, Estimate], Finding],
) -> Callable[[Estimate, Estimate], Finding]:
    """Let two values pass that are both at the limit, where they cannot be told apart."""

    def compare(one: Estimate, other: Estimate) -> Finding:
        found = comparison(one, other)
        both = reached(one).holds and reached(other).holds
        return replace(found, holds=found.holds or both)

    return compare


def _not_rising(values: Sequence[Estimate]) -> Finding:
    """Every value is lower than the one before, or both are at the limit."""
    compare = up_to_limit(higher)
    return all_steps(values, [compare(earlier, later) for earlier, later in pairwise(values)])


def _substantial_gap(view: View, place: Place) -> Finding:
    return at_most(estimate(view, place), SUBSTANTIAL * place["epsilon"] * place["reports"])


def _told_apart_in_the_end(view: View, place: Place) -> Finding:
    """Every report favours the true value, so by the law of large numbers the attack cannot fail.

    Scores of reports are added up; the mean score is the probability to be supported, or the entry
    of the histogram.
    """
    view.only_exact()
    made: Any = mechanisms.make(
        place["mechanism"],
        epsilon=place["epsilon"],
        domain_size=place["domain_size"],
        delta=DELTA if place["mechanism"] in GAUSSIAN else None,
    )
    true, other = (1.0, 0.0) if isinstance(made, ScoreOracle) else (made.p, made.q)
    numbers = f"mean scores {true:.6g} and {other:.6g}"
    return Finding(true > other, numbers, other - true)


STATEMENTS = [
    Statement(
        name="k2-grr-equals-ss",
        section="5.5",
        words="At k = 2 GRR and SS are equal over time",
        studies=("figure-6",),
        places=every(mechanism=["GRR"], against=["SS"], domain_size=[2], **REPEATED),
        test=against(equal),
    ),
    Statement(
        name="k2-grr-ss-tightest",
        section="5.5",
        words="At k = 2 no protocol is tighter than GRR and SS over time",
        studies=("figure-6",),
        places=every(
            mechanism=["GRR", "SS"],
            against=[name for name in [*PURE, *GAUSSIAN] if name not in ("GRR", "SS")],
            domain_size=[2],
            **REPEATED,
        ),
        test=against(up_to_limit(not_lower)),
    ),
    Statement(
        name="k2-gaussian-lowest",
        section="5.5",
        words="At k = 2 GM and AGM are lower than all pure protocols over time",
        studies=("figure-6",),
        places=every(mechanism=PURE, against=GAUSSIAN, domain_size=[2], **REPEATED),
        test=against(up_to_limit(higher)),
    ),
    Statement(
        name="k2-below-grr",
        section="5.5",
        words="At k = 2 SUE, OUE, BLH and OLH are lower than GRR and SS over time (as they are "
        "higher than GM and AGM by the statement above)",
        studies=("figure-6",),
        places=every(mechanism=["GRR", "SS"], against=BETWEEN, domain_size=[2], **REPEATED),
        test=against(up_to_limit(higher)),
    ),
    Statement(
        name="k100-grr-lowest",
        section="5.5",
        words="At k = 100 no pure protocol is lower than GRR, for any number of reports",
        studies=("figure-6",),
        places=every(
            mechanism=[name for name in PURE if name != "GRR"],
            against=["GRR"],
            domain_size=[100],
            **REPEATED,
        ),
        test=against(up_to_limit(not_lower)),
    ),
    Statement(
        name="k100-she-next",
        section="5.5",
        words="At k = 100 no pure protocol but GRR is lower than SHE",
        studies=("figure-6",),
        places=every(
            mechanism=[name for name in PURE if name not in ("GRR", "SHE")],
            against=["SHE"],
            domain_size=[100],
            **REPEATED,
        ),
        test=against(up_to_limit(not_lower)),
    ),
    Statement(
        name="gaussian-lowest",
        section="5.5",
        words="At k = 25, 50 and 100 no pure protocol is lower than GM and AGM over time",
        studies=BOTH,
        places=every(mechanism=PURE, against=GAUSSIAN, domain_size=SIZES[1:], **REPEATED),
        test=against(up_to_limit(not_lower)),
    ),
    Statement(
        name="limit-not-reached",
        section="5.5",
        words="At epsilon = 0.25 no protocol reaches the limit with 500 reports "
        f"(reached: {REACHED:.0%} of it; exact: that of 10^6 trials)",
        studies=BOTH,
        places=every(
            mechanism=[*PURE, *GAUSSIAN], epsilon=[0.25], reports=[500], domain_size=SIZES
        ),
        test=single(not_reached),
    ),
    Statement(
        name="limit-reached",
        section="5.5",
        words="From 250 reports and epsilon = 0.75 on, all pure protocols but GRR reach the limit",
        studies=BOTH,
        places=every(mechanism=[name for name in PURE if name != "GRR"], **MANY),
        test=single(reached),
    ),
    Statement(
        name="limit-grr-exception",
        section="5.5",
        words="and GRR does not",
        studies=BOTH,
        places=every(mechanism=["GRR"], **MANY),
        test=single(not_reached),
    ),
    Statement(
        name="limit-in-the-end",
        section="5.5",
        words="With ever more reports all protocols reach the limit, even at epsilon = 0.25 "
        "(anticipated; the studies end at 500 reports)",
        studies=(),
        places=every(mechanism=[*PURE, *GAUSSIAN], epsilon=[0.25], domain_size=SIZES),
        test=_told_apart_in_the_end,
    ),
    Statement(
        name="accuracy-falls-with-k-over-time",
        section="5.5",
        words="The attack guesses right less often the larger k is (2 to 100, every step, up to "
        f"{REACHED:.0%} right)",
        studies=BOTH,
        places=every(mechanism=[*PURE, *GAUSSIAN], **REPEATED),
        test=along("domain_size", SIZES, _not_rising, of=rate("true_positive")),
    ),
    Statement(
        name="falls-with-k",
        section="5.5",
        words="The estimate falls with k (2 to 100, every step, up to the limit)",
        studies=BOTH,
        places=every(mechanism=[*PURE, *GAUSSIAN], **REPEATED),
        test=along("domain_size", SIZES, _not_rising),
    ),
    Statement(
        name="composition-gap",
        section="5.5",
        words="The gap to sequential composition is substantial: the estimate is at most "
        f"{SUBSTANTIAL:.0%} of epsilon times reports",
        studies=BOTH,
        places=every(mechanism=[*PURE, *GAUSSIAN], domain_size=SIZES, **REPEATED),
        test=_substantial_gap,
    ),
]
