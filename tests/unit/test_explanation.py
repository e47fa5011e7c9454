"""The account of the gap adds up, and certificates are honest."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from ldp_auditor import AuditError, AuditPlan, audit, explain, mechanisms
from ldp_auditor.audits.gap import CERTIFICATES, _highest, explain_plan, trials_to_certify
from ldp_auditor.figures.results import gap_levels
from tests.protocols import WITH_LAW, WITH_RATES, find, law_of, make, names_at

EXPLAINED = [name for name in WITH_RATES if name in WITH_LAW and not find(name).promises_nothing]


@pytest.mark.parametrize(("name", "epsilon"), names_at([0.7], EXPLAINED))
def test_the_account_adds_up(name: str, epsilon: float) -> None:
    explanation = explain_plan(AuditPlan(mechanism=make(name, epsilon, 5), trials=1000))
    assert [result.attack for result in explanation.results] == ["paper", "optimal"]
    for result in explanation.results:
        levels = gap_levels(result)
        losses = [before - after for before, after in pairwise(levels)]
        assert levels[0] == result.claim.epsilon
        assert levels[0] - sum(losses) == pytest.approx(result.empirical_epsilon, abs=1e-12)
        assert losses[0] >= -1e-9
        assert losses[1] >= -1e-9
    assert set(explanation.trials_for) == set(CERTIFICATES)


def test_certified_trials_are_enough_and_needed() -> None:
    plan = AuditPlan(mechanism=make("SUE", 1.0, 9))
    needed = trials_to_certify(plan, law_of(make("SUE", 1.0, 9)), [0.9])[0.9]
    assert needed is not None
    results = [
        audit("SUE", epsilon=1.0, domain_size=9, attack="optimal", trials=trials, seed=seed)
        for trials in (int(0.8 * needed), int(1.25 * needed))
        for seed in range(40)
    ]
    too_few = sum(result.empirical_epsilon for result in results[:40]) / 40
    enough = sum(result.empirical_epsilon for result in results[40:]) / 40
    assert too_few < 0.9 < enough


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("PI-RAPPOR", {"domain_size": 5}),
        ("CMS", {"domain_size": 5, "width": 4, "rows": 3}),
        ("HRR", {"domain_size": 5, "reports": 3}),
    ],
)
def test_without_rates_of_the_papers_attack_the_other_is_accounted_for(
    name: str, settings: dict[str, Any]
) -> None:
    explanation = explain(name, epsilon=1.0, trials=1000, **settings)
    assert [each.attack for each in explanation.results] == ["optimal"]
    assert "The paper's attack has no account" in str(explanation)
    assert "has no account" not in str(explain("GRR", epsilon=1.0, domain_size=5, trials=1000))
    (result,) = explanation.results
    assert gap_levels(result)[0] == result.claim.epsilon


def test_what_keeps_no_epsilon_has_no_account() -> None:
    with pytest.raises(AuditError, match="keeps no finite epsilon"):
        explain_plan(AuditPlan(mechanism=mechanisms.make("LHO", domain_size=5)))


@pytest.mark.parametrize("places", [1, 2, 7, 8, 9, 100, 801])
def test_the_highest_place_is_found_without_asking_for_all(places: int) -> None:
    for peak in range(0, places, max(1, places // 11)):
        asked: list[int] = []

        def height(place: int, peak: int = peak, asked: list[int] = asked) -> float:
            asked.append(place)
            return 10.0 - float(abs(place - peak)) * abs(place - peak)

        assert _highest(height, places) == 10
        assert len(asked) <= 40
