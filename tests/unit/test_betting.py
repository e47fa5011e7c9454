"""Betting against a claim: what Ville's inequality needs, enumerated; the bound that it gives."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from ldp_auditor.bounds import find_bound
from ldp_auditor.bounds.betting import log_wealth
from ldp_auditor.core import Counts, Floats

CLAIMS = [(0.1, 0.0), (1.0, 0.0), (1.0, 0.05), (3.0, 0.001)]


def wealth(trials: int, epsilon: float, delta: float) -> Floats:
    """Wealth after every pair of counts, true positives down, false positives across."""
    every = range(trials + 1)
    return np.exp(
        [[log_wealth(Counts(trials, x, y), epsilon, delta) for y in every] for x in every]
    )


def allowed_rates(epsilon: float, delta: float) -> list[tuple[float, float]]:
    """Pairs of rates at the claim's edge, and some inside."""
    largest = (1 - delta) / math.exp(epsilon)
    seconds = [0.0, 0.01 * largest, 0.3 * largest, 0.7 * largest, largest]
    edge = [(math.exp(epsilon) * second + delta, second) for second in seconds]
    return [*edge, (0.5 * edge[2][0], seconds[2]), (1.0, 1.0), (0.0, 0.4), (0.6, 0.9)]


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
@pytest.mark.parametrize("trials", [1, 2, 7])
def test_a_claim_that_holds_is_no_game_to_win(trials: int, epsilon: float, delta: float) -> None:
    """The expectation over all counts is 1 at most."""
    won = wealth(trials, epsilon, delta)
    seen = []
    for first, second in allowed_rates(epsilon, delta):
        laws = [
            stats.binom.pmf(np.arange(trials + 1), trials, min(p, 1.0)) for p in (first, second)
        ]
        seen.append(float(laws[0] @ won @ laws[1]))
    assert max(seen) <= 1 + 1e-12
    assert max(seen) > 0.25  # what is left where the claim forbids the largest stakes


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
def test_no_moment_is_better_than_another(epsilon: float, delta: float) -> None:
    """From any counts, one more report of each value is no game to win either."""
    for trials in (0, 1, 5):
        now = wealth(trials, epsilon, delta) if trials else np.ones((1, 1))
        later = wealth(trials + 1, epsilon, delta)
        for first, second in allowed_rates(epsilon, delta):
            p, q = min(first, 1.0), second
            expected = (
                p * q * later[1:, 1:]
                + p * (1 - q) * later[1:, :-1]
                + (1 - p) * q * later[:-1, 1:]
                + (1 - p) * (1 - q) * later[:-1, :-1]
            )
            assert (expected <= now * (1 + 1e-12)).all()


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_looking_always_is_wrong_seldom(epsilon: float, delta: float, alpha: float) -> None:
    """The probability of ever reaching 1 / alpha in 24 reports, exactly, by following all paths."""
    for first, second in allowed_rates(epsilon, delta):
        assert crossing(min(first, 1.0), second, epsilon, delta, alpha) <= alpha


def test_a_broken_claim_is_found() -> None:
    assert crossing(0.99, 0.01, 1.0, 0.0, 0.05) > 0.9


def crossing(first: float, second: float, epsilon: float, delta: float, alpha: float) -> float:
    """Probability that the wealth reaches 1 / alpha within 24 reports of each value."""
    still, crossed = np.ones((1, 1)), 0.0
    for trials in range(1, 25):
        grown = np.zeros((trials + 1, trials + 1))
        for x, y in product((0, 1), repeat=2):
            weight = (first if x else 1 - first) * (second if y else 1 - second)
            grown[x : x + trials, y : y + trials] += weight * still
        over = wealth_of(trials, epsilon, delta) >= 1 / alpha
        crossed += float(grown[over].sum())
        still = np.where(over, 0.0, grown)
    return crossed


KNOWN: dict[tuple[int, float, float], Floats] = {}


def wealth_of(trials: int, epsilon: float, delta: float) -> Floats:
    key = trials, epsilon, delta
    if key not in KNOWN:
        KNOWN[key] = wealth(*key)
    return KNOWN[key]


@pytest.mark.parametrize("delta", [0.0, 0.01])
@pytest.mark.parametrize(
    "counts",
    [Counts(1000, 300, 100), Counts(10**6, 10**6, 0), Counts(10**9, 51 * 10**7, 5 * 10**8)],
)
def test_the_bound_is_where_the_wealth_is_enough(counts: Counts, delta: float) -> None:
    """Wealth falls in epsilon, so that the bound is the only place where it passes 1 / alpha."""
    epsilons = np.linspace(0.0, 30.0, 200)
    logs = np.array([log_wealth(counts, float(epsilon), delta) for epsilon in epsilons])
    assert (logs[1:] <= logs[:-1]).all()
    for alpha in (0.2, 0.01, 1e-6):
        proven = find_bound("betting")(counts, alpha, delta)
        if proven == 0:
            assert log_wealth(counts, 0.0, delta) < -math.log(alpha)
        else:
            # Bets with less than e^-40 of the wealth are not looked at.
            assert log_wealth(counts, proven, delta) >= -math.log(alpha) - 1e-9
            assert log_wealth(counts, proven + 1e-8, delta) < -math.log(alpha)


@pytest.mark.parametrize(
    "counts", [Counts(100, 100, 50), Counts(10**4, 500, 100), Counts(10**6, 900_000, 800_000)]
)
def test_nothing_beyond_what_was_seen_is_proven(counts: Counts) -> None:
    seen = math.log(counts.true_positives / counts.false_positives)
    assert log_wealth(counts, seen, 0.0) <= 1e-9
    assert find_bound("betting")(counts, 0.99, 0.0) < seen


def test_it_proves_about_what_the_paper_proves_by_looking_once() -> None:
    for counts in (Counts(10**4, 3000, 1000), Counts(10**6, 10_000, 1000)):
        once = find_bound("clopper-pearson")(counts, 0.01, 0.0)
        always = find_bound("betting")(counts, 0.01, 0.0)
        assert 0.98 * once < always < once
