"""Section 5.2: the impact of the domain size and of the privacy regime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ldp_auditor.studies.claims.comparisons import (
    ROUNDING,
    TOLERANCE,
    Finding,
    difference,
    falling,
    higher,
    rising,
    similar,
    tell,
    within_times,
)
from ldp_auditor.studies.claims.shapes import along, ends, estimate, of_claim
from ldp_auditor.studies.claims.statement import Place, Statement, Test, every
from ldp_auditor.studies.claims.view import Estimate, View
from ldp_auditor.studies.settings import DOMAIN_SIZES, EPSILONS, FINITE, HIGH_PRIVACY, PURE

BOTH = ("figure-2", "figure-3")
RESPONSE = ["GRR", "AGRR"]
LARGER_IS_TIGHTER = {"OUE": [4.0, 6.0, 10.0], "OLH": [4.0, 6.0, 10.0], "THE": [10.0]}
"""Exceptions that the paper names: protocols and their epsilons."""

CURVES = [
    *every(mechanism=[*PURE, *FINITE, "AGM"], epsilon=EPSILONS),
    *every(mechanism=["GM"], epsilon=HIGH_PRIVACY),
]
OTHERS = [place for place in CURVES if place["mechanism"] not in RESPONSE]


def _is_named(place: Place) -> bool:
    return place["epsilon"] in LARGER_IS_TIGHTER.get(place["mechanism"], [])


def _at(domain_size: int, places: Sequence[Place]) -> list[Place]:
    return [{**place, "domain_size": domain_size} for place in places]


def _more_in_high_privacy(gap: Callable[[float, float], float]) -> Test:
    """Test that the mean gap is wider for epsilon <= 1 than above."""

    def test(view: View, place: Place) -> Finding:
        gaps = {
            epsilon: gap(estimate(view, {**place, "epsilon": epsilon}).value, epsilon)
            for epsilon in EPSILONS
        }
        high = [gap for epsilon, gap in gaps.items() if epsilon in HIGH_PRIVACY]
        rest = [gap for epsilon, gap in gaps.items() if epsilon not in HIGH_PRIVACY]
        means = sum(high) / len(high), sum(rest) / len(rest)
        numbers = f"{tell(means[0])} in high privacy, {tell(means[1])} in mid to low"
        return Finding(means[0] - means[1] > ROUNDING, numbers, means[1] - means[0])

    return test


def _loss(view: View, place: Place) -> float:
    """Share of the estimate at k = 25 that is lost at k = 200."""
    small, large = (estimate(view, {**place, "domain_size": k}).value for k in (25, 200))
    return 1 - large / small if small > 0 else 0.0


def _loses_more_in_high_privacy(view: View, place: Place) -> Finding:
    losses = {epsilon: _loss(view, {**place, "epsilon": epsilon}) for epsilon in EPSILONS}
    high = [loss for epsilon, loss in losses.items() if epsilon in HIGH_PRIVACY]
    rest = [loss for epsilon, loss in losses.items() if epsilon not in HIGH_PRIVACY]
    means = sum(high) / len(high), sum(rest) / len(rest)
    numbers = f"a loss of {means[0]:.1%} in high privacy, {means[1]:.1%} in mid to low"
    return Finding(means[0] - means[1] > ROUNDING, numbers, means[1] - means[0])


def _differently_sensitive(view: View, place: Place) -> Finding:
    """Of two protocols, the changes from k = 25 to 200 are not similar."""
    losses = [_loss(view, {**place, "mechanism": place[role]}) for role in ("mechanism", "against")]
    one, other = (Estimate(1 - loss, 0.0, 0.0) for loss in losses)
    apart = difference(one, other)
    numbers = " and ".join(f"times {change.value:.3f}" for change in (one, other))
    return Finding(apart > TOLERANCE, numbers, TOLERANCE - apart)


STATEMENTS = [
    Statement(
        name="gap-grows-with-k",
        section="5.2",
        words="The gap to epsilon grows with k (25 to 200, every step), up to OUE and OLH at "
        "epsilon >= 4 and THE at epsilon = 10",
        studies=BOTH,
        places=[place for place in CURVES if not _is_named(place)],
        test=along("domain_size", DOMAIN_SIZES, falling),
    ),
    Statement(
        name="k-minor-for-grr",
        section="5.2",
        words=f"For (A)GRR the impact of k is minor: from 25 to 200 within {TOLERANCE:.0%}",
        studies=BOTH,
        places=every(mechanism=RESPONSE, epsilon=EPSILONS),
        test=ends("domain_size", 25, 200, similar),
    ),
    Statement(
        name="k-substantial",
        section="5.2",
        words="For all other protocols the impact of k is substantial: from 25 to 200 a loss of "
        f"more than {TOLERANCE:.0%}, up to the exceptions above",
        studies=BOTH,
        places=[place for place in OTHERS if not _is_named(place)],
        test=ends("domain_size", 25, 200, partial(higher, by=TOLERANCE)),
    ),
    Statement(
        name="k25-2.5x",
        section="5.2",
        words="At k = 25 epsilon is within 2.5 times the estimate, for all but (A)GRR",
        studies=BOTH,
        places=_at(25, OTHERS),
        test=of_claim(lambda found, epsilon: within_times(found, 2.5, epsilon)),
    ),
    Statement(
        name="k200-5x",
        section="5.2",
        words="At k = 200 epsilon is within 5 times the estimate, for all but (A)GRR",
        studies=BOTH,
        places=_at(200, OTHERS),
        test=of_claim(lambda found, epsilon: within_times(found, 5.0, epsilon)),
    ),
    Statement(
        name="oue-olh-larger-k",
        section="5.2",
        words="OUE and OLH are tighter for larger k at epsilon >= 4 (25 to 200, every step)",
        studies=("figure-2",),
        places=every(mechanism=["OUE", "OLH"], epsilon=[4.0, 6.0, 10.0]),
        test=along("domain_size", DOMAIN_SIZES, rising),
    ),
    Statement(
        name="the-larger-k",
        section="5.2",
        words="THE is tighter for larger k at epsilon = 10 (25 to 200, every step)",
        studies=("figure-2",),
        places=every(mechanism=["THE"], epsilon=[10.0]),
        test=along("domain_size", DOMAIN_SIZES, rising),
    ),
    Statement(
        name="the-small-extent",
        section="5.2",
        words=f"and that to a small extent: within {TOLERANCE:.0%} from k = 25 to 200",
        studies=("figure-2",),
        places=every(mechanism=["THE"], epsilon=[10.0]),
        test=ends("domain_size", 25, 200, similar),
    ),
    Statement(
        name="she-the-sensitivity",
        section="5.2",
        words="SHE and THE vary in their sensitivity to k: from 25 to 200 they change by factors "
        f"that differ by more than {TOLERANCE:.0%}",
        studies=("figure-2",),
        places=every(mechanism=["SHE"], against=["THE"], epsilon=EPSILONS),
        test=_differently_sensitive,
    ),
    Statement(
        name="gap-wider-relative",
        section="5.2",
        words="The gap widens in high privacy, read relatively: the mean missing share of epsilon "
        "is larger for epsilon <= 1 than above",
        studies=BOTH,
        places=every(mechanism=[*PURE, *FINITE, "AGM"], domain_size=DOMAIN_SIZES),
        test=_more_in_high_privacy(lambda value, epsilon: 1 - value / epsilon),
    ),
    Statement(
        name="gap-wider-absolute",
        section="5.2",
        words="The gap widens in high privacy, read absolutely: the mean of epsilon minus the "
        "estimate is larger for epsilon <= 1 than above",
        studies=BOTH,
        places=every(mechanism=[*PURE, *FINITE, "AGM"], domain_size=DOMAIN_SIZES),
        test=_more_in_high_privacy(lambda value, epsilon: epsilon - value),
    ),
    Statement(
        name="k-matters-in-high-privacy",
        section="5.2",
        words="The sensitivity to k is more pronounced in high privacy: the mean share that is "
        "lost from k = 25 to 200 is larger for epsilon <= 1 than above (all but (A)GRR and GM)",
        studies=BOTH,
        places=every(mechanism=[name for name in [*PURE, *FINITE, "AGM"] if name not in RESPONSE]),
        test=_loses_more_in_high_privacy,
    ),
]
