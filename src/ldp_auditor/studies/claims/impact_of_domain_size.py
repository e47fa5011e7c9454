"""Section 5.2: the impact of the domain size and of the privacy regime."""

from collections.abc import Callable
from statistics import fmean

from ldp_auditor.studies.claims.comparisons import (
    ROUNDING,
    TOLERANCE,
    Answer,
    difference,
    tell,
)
from ldp_auditor.studies.claims.shapes import estimate
from ldp_auditor.studies.claims.statement import Settings, Test
from ldp_auditor.studies.claims.view import Estimate, View
from ldp_auditor.studies.settings import EPSILONS, HIGH_PRIVACY

REGIMES = (HIGH_PRIVACY, [epsilon for epsilon in EPSILONS if epsilon not in HIGH_PRIVACY])


def _more_in_high_privacy(
    of: Callable[[View, Settings], float], show: Callable[[float], str] = tell, what: str = ""
) -> Test:
    """Test that the mean of a number is larger for epsilon <= 1 than above."""

    def test(view: View, place: Settings) -> Answer:
        high, rest = (
            fmean([of(view, {**place, "epsilon": epsilon}) for epsilon in regime])
            for regime in REGIMES
        )
        numbers = f"{what}{show(high)} in high privacy, {show(rest)} in mid to low"
        return Answer(high - rest > ROUNDING, numbers, rest - high)

    return test


def _gap(view: View, place: Settings) -> float:
    return float(place["epsilon"]) - estimate(view, place).value


def _loss(view: View, place: Settings) -> float:
    """Share of the estimate at k = 25 that is lost at k = 200."""
    small, large = (estimate(view, {**place, "domain_size": k}).value for k in (25, 200))
    return 1 - large / small if small > 0 else 0.0


def _differently_sensitive(view: View, place: Settings) -> Answer:
    """Of two protocols, the changes from k = 25 to 200 are not similar."""
    losses = [_loss(view, {**place, "mechanism": place[role]}) for role in ("mechanism", "against")]
    one, other = (Estimate(1 - loss, 0.0, 0.0) for loss in losses)
    apart = difference(one, other)
    numbers = " and ".join(f"times {change.value:.3f}" for change in (one, other))
    return Answer(apart > TOLERANCE, numbers, TOLERANCE - apart)


TESTS = {
    "gap_wider_relatively": _more_in_high_privacy(
        lambda view, place: _gap(view, place) / place["epsilon"]
    ),
    "gap_wider_absolutely": _more_in_high_privacy(_gap),
    "loses_more_in_high_privacy": _more_in_high_privacy(_loss, "{:.1%}".format, "a loss of "),
    "differently_sensitive": _differently_sensitive,
}
