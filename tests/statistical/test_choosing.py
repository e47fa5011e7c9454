"""Intervals of simulated collections contain the truth as often as they say."""

from __future__ import annotations

import pytest

from ldp_auditor import choose, simulate
from tests.statistical.evidence import agrees

COLLECTIONS = 200


@pytest.mark.parametrize(
    ("name", "options"),
    [("GRR", {"epsilon": 1.0}), ("L-OSUE", {"epsilon_1": 1.0, "epsilon_infinity": 2.0})],
)
def test_intervals_cover_the_truth(name: str, options: dict[str, float]) -> None:
    """Null hypothesis: every interval contains the true share with probability 0.95.

    One value is looked at, because the estimates of one collection depend on each other.
    """
    covered = 0
    for seed in range(COLLECTIONS):
        found = simulate(
            name,
            users=4000,
            frequencies=[50, 30, 20],
            seed=seed,
            **options,  # type: ignore[arg-type]
        )
        off = abs(found.true[1] - found.estimated[1])
        covered += off <= found.half_width[1]
    assert agrees(covered, COLLECTIONS, 0.95)


def test_a_choice_is_what_it_says_to_be() -> None:
    """The proof stays below the exact loss, and estimates are off as much as is said."""
    found = choose(
        domain_size=20, users=100_000, reports=5, max_epsilon=2, protocols=["L-OSUE"], verify=True
    )
    checked = found.verification
    assert checked is not None
    assert checked.collection is not None
    assert found.choice is not None
    assert 1.7 < checked.audit.empirical_epsilon <= found.choice.worst_case_epsilon
    assert checked.collection.standard_error == pytest.approx(found.choice.standard_error)
    # A mean of 20 squares of normal variables lies within these with probability 1 - 1e-8.
    assert 0.3 < checked.collection.measured_error / found.choice.standard_error < 2.0


@pytest.mark.parametrize("name", ["RS+FD[OUE-z]", "SMP[SS]"])
def test_a_choice_of_records_is_what_it_says_to_be(name: str) -> None:
    """The same of records: the attribute that is known worst."""
    found = choose(domain_sizes=[3, 12], users=50_000, max_epsilon=2, protocols=[name], verify=True)
    checked = found.verification
    assert checked is not None
    assert checked.collection is not None
    assert found.choice is not None
    assert 1.5 < checked.audit.empirical_epsilon <= found.choice.worst_case_epsilon
    # A mean of 3 squares of normal variables, at least, lies within these but for 1e-8.
    assert 1e-3 < checked.collection.measured_error / checked.collection.standard_error < 4.0
