"""How the search ranks what it proposes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import rel_entr

from ldp_auditor.checks.search.growth import expected_bound, growth
from ldp_auditor.checks.search.strength import strength
from ldp_auditor.core import Claim
from tests.unit.test_search import found


def counts_of(hits: float, alarms: float, trials: float = 1000.0) -> tuple[Any, Any]:
    return np.array([(hits + 0.5) / (trials + 1)]), np.array([(alarms + 0.5) / (trials + 1)])


@pytest.mark.parametrize(
    ("p", "q", "epsilon", "delta"),
    [(0.88, 0.12, 1.0, 0.0), (0.5, 0.01, 1.0, 0.0), (0.02, 0.0005, 0.5, 0.001), (1.0, 0.0, 2.0, 0)],
)
def test_growth_is_the_smallest_divergence_from_rates_that_keep_the_claim(
    p: float, q: float, epsilon: float, delta: float
) -> None:
    """Searched here over a fine grid of all rates on the edge of the claim."""
    edge = np.linspace(1e-9, (1 - delta) * math.exp(-epsilon) - 1e-9, 100_001)
    divergence = rel_entr(p, math.exp(epsilon) * edge + delta) + rel_entr(q, edge)
    divergence += rel_entr(1 - p, 1 - math.exp(epsilon) * edge - delta) + rel_entr(1 - q, 1 - edge)
    found = growth(np.array([p]), np.array([q]), epsilon, delta)
    assert found[0] == pytest.approx(divergence.min(), rel=1e-6)
    assert growth(np.array([q]), np.array([p]), epsilon, delta)[0] == 0


def test_the_expected_bound_is_where_the_growth_is_just_enough() -> None:
    p, q = counts_of(500, 40)
    trials, tried = np.array([1000.0]), np.array([50.0])
    bound = float(expected_bound(p, q, trials, tried, Claim(1.0))[0])
    gains = [
        float(growth(p, q, epsilon, 0.0)[0]) * 1000 - math.log(50)
        for epsilon in (bound, bound + 0.01)
    ]
    assert gains[0] > math.log(100) > gains[1]


def test_a_rare_event_does_not_outrank_a_common_one() -> None:
    """Nine reports against one are more standard errors than they are worth."""
    rare, common = (strength(h, 1e3, a, 1e3, math.e, 0.0) for h, a in ((9, 1), (300, 80)))
    assert common > rare


def answered(rows: Any, column: int, value: int, epsilon: float, rng: Any) -> None:
    """Write randomized response about a value into a column of bits."""
    right = rng.random(len(rows)) < 1 / (1 + math.exp(-epsilon))
    rows[:, column] = np.where(right, value, 1 - value)


def coins(value: int, number: int, n: int, seed: int, epsilon: float = 2.0) -> list[Any]:
    """One answer among fair coins."""
    rng = np.random.default_rng([seed, value])
    rows = rng.integers(0, 2, (n, number))
    answered(rows, 0, value, epsilon, rng)
    lists: list[Any] = rows.tolist()
    return lists


def test_clauses_that_add_nothing_are_dropped() -> None:
    candidates = found(*(coins(value, 30, 1500, seed=6) for value in (0, 1)))
    best = candidates[0]
    assert (len(best.event.columns), best.event.columns[0].words) == (1, "report[0]")
    more = [c for c in candidates[1:] if c.first == best.first]
    assert not any("report[0]" in c.event.words and " and " in c.event.words for c in more)


@pytest.mark.parametrize("seed", range(4))
def test_of_few_reports_nothing_is_made_rare_by_adding_clauses(seed: int) -> None:
    """Some third bit is always 1 in the few reports of the other input with the leaking one."""
    candidates = found(*(coins(value, 30, 32, seed=seed) for value in (0, 1)))
    assert not any(c.event.words.count(" and ") > 1 for c in candidates)


@pytest.mark.parametrize("seed", range(4))
def test_of_many_pairs_one_looks_better_by_chance(seed: int) -> None:
    """Among 60 numbers some have a value that few reports of the other input have with the bit."""
    reports = []
    for value in (0, 1):
        rng = np.random.default_rng([seed, value])
        rows = rng.integers(0, 12, (48, 60))
        answered(rows, 0, value, 2.0, rng)
        reports.append(rows.tolist())
    assert " and " not in found(*reports)[0].event.words


def test_an_event_in_words_that_should_prove_the_violation_comes_before_a_score() -> None:
    candidates = found(*(coins(value, 30, 1500, seed=7) for value in (0, 1)))
    assert candidates[0].expected > 1
    assert not candidates[0].event.is_score
