"""Sampled reports of vectors against the exact laws, means and rates of each protocol."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from ldp_auditor import AuditPlan, InputPair, mechanisms
from ldp_auditor.audits.run import fit_attack, run
from ldp_auditor.theory.spheres import cap_share
from tests.statistical.evidence import FALSE_ALARM, agrees
from tests.vectors import NAMES, made, some_inputs

N = 20_000


def above(dimension: int, height: float) -> float:
    """Share of the sphere above any height."""
    upper = cap_share(dimension, abs(height))
    return upper if height >= 0 else 1 - upper


@pytest.mark.parametrize("dimension", [2, 3, 4, 30])
@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_heights_over_the_input_have_their_law(dimension: int, epsilon: float) -> None:
    """Null hypotheses: shares above seven heights, and across the input, are as the law says."""
    protocol = made("PrivUnit", epsilon, dimension)
    pole = np.array(some_inputs(protocol)[0])
    points = protocol.privatize(pole, N, default_rng(dimension)) / protocol.size
    cap, t = protocol.cap, points @ pole
    for height in (-0.5, 0.0, cap.height * 0.7, cap.height, (1 + cap.height) / 2, 0.999):
        share = above(dimension, height)
        inside = min(share, cap.share)
        exact = cap.inside * inside + cap.outside * (share - inside)
        assert agrees(int((t >= height).sum()), N, exact)
    across = np.zeros(dimension)
    across[0], across[1] = -pole[1], pole[0]
    side = points @ across
    assert agrees(int((side > 0).sum()), N, 0.5)
    assert np.linalg.norm(points, axis=1) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("dimension", [1, 2, 30])
@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_parts_of_normal_noise_along_the_input_have_their_law(
    dimension: int, epsilon: float
) -> None:
    """Null hypotheses: shares above six heights, and of normal noise across the input."""
    protocol = made("PrivUnitG", epsilon, dimension)
    pole = np.array(some_inputs(protocol)[0])
    noise = protocol.privatize(pole, N, default_rng(dimension)) / protocol.size
    cap, t = protocol.cap, noise @ pole
    for height in (-1.5, 0.0, cap.height * 0.7, cap.height, cap.height + 0.3, cap.height + 2):
        share = float(stats.norm.sf(height))
        inside = min(share, cap.share)
        exact = cap.inside * inside + cap.outside * (share - inside)
        assert agrees(int((t >= height).sum()), N, exact)
    if dimension > 1:
        across = np.zeros(dimension)
        across[:2] = np.array([-pole[1], pole[0]]) / math.hypot(*pole[:2])
        side = noise @ across
        for height in (-1.0, 0.0, 2.0):
            assert agrees(int((side > height).sum()), N, float(stats.norm.sf(height)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("epsilon", [0.5, 6.0])
def test_means_and_variances(name: str, epsilon: float) -> None:
    """Null hypotheses: every mean is the input, and the mean squared distance is as told.

    By Hoeffding's and the normal law; Bernstein's bound for the squares, whose tails are light.
    """
    protocol = made(name, epsilon, 4)
    beyond = -float(stats.norm.ppf(FALSE_ALARM / 16))
    for value in some_inputs(protocol):
        reports = protocol.privatize(value, N, default_rng(3))
        vectors = protocol.guess(reports, default_rng(0))
        spread = vectors.std(axis=0) / math.sqrt(N)
        assert (np.abs(protocol.estimate(reports) - value) <= beyond * spread + 1e-9).all()
        squares = ((vectors - value) ** 2).sum(axis=1)
        wrong = abs(squares.mean() - protocol.mean_variance(1, value))
        assert wrong <= beyond * squares.std() / math.sqrt(N) + 1e-3 * squares.mean()


@pytest.mark.parametrize("attack", ["paper", "optimal"])
@pytest.mark.parametrize("name", NAMES)
def test_rates_of_any_pair(name: str, attack: str) -> None:
    """Null hypotheses: counts are binomial with the exact rates, for inputs of any length."""
    for dimension in (2, 5):
        protocol = made(name, 1.5, dimension)
        first, second = some_inputs(protocol)[:2]
        if name == "Laplace-l1":  # known if all coordinates that differ do so alike
            first, second = (0.4, 0.4, *first[2:]), (0.1, 0.7, *first[2:])
            first, second = ((*v[:2], *(0.0,) * (dimension - 2)) for v in (first, second))
        pair = InputPair(first, second)
        plan = AuditPlan(mechanism=protocol, pair=pair, attack=attack, trials=N, seed=11)
        rates = fit_attack(plan).rates()
        assert rates is not None
        counts = run(plan)[0].counts
        assert agrees(counts.true_positives, N, rates.true_positive)
        assert agrees(counts.false_positives, N, rates.false_positive)


def test_a_short_input_of_the_ball_and_none() -> None:
    """Null hypothesis: half of the reports of 0 are on either side of any plane."""
    protocol = mechanisms.make("Duchi-l2", epsilon=2.0, dimension=3)
    reports = protocol.privatize((0.0, 0.0, 0.0), N, default_rng(2))
    for column in range(3):
        assert agrees(int((reports[:, column] > 0).sum()), N, 0.5)
