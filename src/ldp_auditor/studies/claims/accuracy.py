"""Sections 5.2, 5.4 and 5.5: how often the attack guesses right, and wrong."""

from collections.abc import Callable

from ldp_auditor.studies.claims.comparisons import (
    Answer,
    similar,
)
from ldp_auditor.studies.claims.shapes import HITS
from ldp_auditor.studies.claims.statement import Settings, Test
from ldp_auditor.studies.claims.view import Estimate, View


def _constant(product: Callable[[float, int], float], first: int, last: int) -> Test:
    """Test that a function of the rate of right guesses and of k has similar values at two k."""

    def at(view: View, place: Settings, domain_size: int) -> Estimate:
        found = HITS(view, {**place, "domain_size": domain_size})
        return Estimate(
            product(found.value, domain_size), product(found.error, domain_size), found.limit
        )

    def test(view: View, place: Settings) -> Answer:
        return similar(at(view, place, first), at(view, place, last))

    return test


TESTS = {
    "honesty_times_k": _constant(lambda hits, k: hits * k, 25, 200),
    "honesty_over_k": _constant(lambda hits, k: hits / k, 25, 100),
}
