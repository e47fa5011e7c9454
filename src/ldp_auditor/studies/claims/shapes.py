"""Shapes that many statements have: one cell, two protocols, a curve."""

from collections.abc import Callable, Sequence
from typing import Any

from ldp_auditor.studies.claims.comparisons import Answer
from ldp_auditor.studies.claims.statement import Settings, Test
from ldp_auditor.studies.claims.view import Estimate, Side, View

Reading = Callable[[View, Settings], Estimate]
"""A number of the place's protocol."""


def estimate(view: View, place: Settings) -> Estimate:
    """The epsilon of the place's protocol."""
    return view.of(**_settings(place))


def rate(side: Side) -> Reading:
    """A rate of the attack on the place's protocol."""
    return lambda view, place: view.rate(side, **_settings(place))


HITS, ALARMS = rate("true_positive"), rate("false_positive")


def _settings(place: Settings) -> dict[str, Any]:
    return {name: value for name, value in place.items() if name != "against"}


def single(comparison: Callable[[Estimate], Answer]) -> Test:
    """Test the epsilon of each cell."""
    return lambda view, place: comparison(estimate(view, place))


def of_claim(comparison: Callable[[Estimate, float], Answer]) -> Test:
    """Test the epsilon of each cell against the claimed one."""
    return lambda view, place: comparison(estimate(view, place), place["epsilon"])


def against(comparison: Callable[[Estimate, Estimate], Answer], of: Reading = estimate) -> Test:
    """Test a protocol against another one at the same settings."""
    return lambda view, place: comparison(
        of(view, place), of(view, {**place, "mechanism": place["against"]})
    )


def along(
    axis: str,
    values: Sequence[Any],
    comparison: Callable[[Sequence[Estimate]], Answer],
    of: Reading = estimate,
) -> Test:
    """Test the curve of a protocol along a setting."""

    def test(view: View, place: Settings) -> Answer:
        return comparison([of(view, {**place, axis: value}) for value in values])

    return test


def ends(
    axis: str, first: Any, last: Any, comparison: Callable[[Estimate, Estimate], Answer]
) -> Test:
    """Test a protocol at one value of a setting against itself at another value."""

    def test(view: View, place: Settings) -> Answer:
        return comparison(
            estimate(view, {**place, axis: first}), estimate(view, {**place, axis: last})
        )

    return test
