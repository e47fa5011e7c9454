"""Shapes of tests: which cells a comparison is about. `of` is the number that is read of each."""

from collections.abc import Callable, Sequence
from typing import Any

from ldp_auditor.studies.claims.comparisons import Answer, OfTwo, Values
from ldp_auditor.studies.claims.readings import Reading, estimate
from ldp_auditor.studies.claims.statement import Test
from ldp_auditor.studies.claims.view import Estimate
from ldp_auditor.studies.settings import COUNTERPARTS

PURE_OF = {approximate: pure for pure, approximate in COUNTERPARTS.items()}

OfOne = Callable[[Estimate], Answer]
WithNumber = Callable[[Estimate, float], Answer]
OfMany = Callable[[Values], Answer]


def single(comparison: OfOne, of: Reading = estimate) -> Test:
    """Test each cell."""
    return lambda view, place: comparison(of(view, place))


def of_claim(comparison: WithNumber, of: Reading = estimate) -> Test:
    """Test each cell against the claimed epsilon."""
    return lambda view, place: comparison(of(view, place), place["epsilon"])


def of_composition(comparison: WithNumber, of: Reading = estimate) -> Test:
    """Test each cell against the claimed epsilon times reports."""
    return lambda view, place: comparison(of(view, place), place["epsilon"] * place["reports"])


def against(comparison: OfTwo, of: Reading = estimate) -> Test:
    """Test a protocol against another one at the same settings."""
    return lambda view, place: comparison(
        of(view, place), of(view, {**place, "mechanism": place["against"]})
    )


def against_pure(comparison: OfTwo, of: Reading = estimate) -> Test:
    """Test an approximate protocol against its pure counterpart."""
    return lambda view, place: comparison(
        of(view, place), of(view, {**place, "mechanism": PURE_OF[place["mechanism"]], "delta": 0.0})
    )


def along(comparison: OfMany, axis: str, values: Sequence[Any], of: Reading = estimate) -> Test:
    """Test the curve of a protocol along a setting."""
    return lambda view, place: comparison([of(view, {**place, axis: at}) for at in values])


def ends(comparison: OfTwo, axis: str, first: Any, last: Any, of: Reading = estimate) -> Test:
    """Test a protocol at one value of a setting against itself at another value."""
    return lambda view, place: comparison(
        of(view, {**place, axis: first}), of(view, {**place, axis: last})
    )
