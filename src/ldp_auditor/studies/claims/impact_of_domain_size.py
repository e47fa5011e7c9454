"""Section 5.2: the impact of the domain size and of the privacy regime."""

from __future__ import annotations

from collections.abc import Callable

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


def _more_in_high_privacy(gap: Callable[[float, float], float]) -> Test:
    """Test that the mean gap is wider for epsilon <= 1 than above."""

    def test(view: View, place: Settings) -> Answer:
        gaps = {
            epsilon: gap(estimate(view, {**place, "epsilon": epsilon}).value, epsilon)
            for epsilon in EPSILONS
        }
        high = [gap for epsilon, gap in gaps.items() if epsilon in HIGH_PRIVACY]
        rest = [gap for epsilon, gap in gaps.items() if epsilon not in HIGH_PRIVACY]
        means = sum(high) / len(high), sum(rest) / len(rest)
        numbers = f"{tell(means[0])} in high privacy, {tell(means[1])} in mid to low"
        return Answer(means[0] - means[1] > ROUNDING, numbers, means[1] - means[0])

    return test


def _loss(view: View, place: Settings) -> float:
    """Share of the estimate at k = 25 that is lost at k = 200."""
    small, large = (estimate(view, {**place, "domain_size": k}).value for k in (25, 200))
    return 1 - large / small if small > 0 else 0.0


def _loses_more_in_high_privacy(view: View, place: Settings) -> Answer:
    losses = {epsilon: _loss(view, {**place, "epsilon": epsilon}) for epsilon in EPSILONS}
    high = [loss for epsilon, loss in losses.items() if epsilon in HIGH_PRIVACY]
    rest = [loss for epsilon, loss in losses.items() if epsilon not in HIGH_PRIVACY]
    means = sum(high) / len(high), sum(rest) / len(rest)
    numbers = f"a loss of {means[0]:.1%} in high privacy, {means[1]:.1%} in mid to low"
    return Answer(means[0] - means[1] > ROUNDING, numbers, means[1] - means[0])


def _differently_sensitive(view: View, place: Settings) -> Answer:
    """Of two protocols, the changes from k = 25 to 200 are not similar."""
    losses = [_loss(view, {**place, "mechanism": place[role]}) for role in ("mechanism", "against")]
    one, other = (Estimate(1 - loss, 0.0, 0.0) for loss in losses)
    apart = difference(one, other)
    numbers = " and ".join(f"times {change.value:.3f}" for change in (one, other))
    return Answer(apart > TOLERANCE, numbers, TOLERANCE - apart)


TESTS = {
    "gap_wider_relatively": _more_in_high_privacy(lambda value, epsilon: 1 - value / epsilon),
    "gap_wider_absolutely": _more_in_high_privacy(lambda value, epsilon: epsilon - value),
    "loses_more_in_high_privacy": _loses_more_in_high_privacy,
    "differently_sensitive": _differently_sensitive,
}
