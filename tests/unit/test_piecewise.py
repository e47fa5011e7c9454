"""Densities in pieces and the loss between two of them, against integration and enumeration."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate

from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.levels import LopsidedLaw
from ldp_auditor.theory.noise_laws import LaplaceLaw
from ldp_auditor.theory.piecewise import Piece, PiecewiseDensity
from ldp_auditor.theory.piecewise_loss import PiecewiseLaw, RatioOfDensities, law_between


def cut_exponential(centre: float, rate: float) -> PiecewiseDensity:
    """Laplace noise around a centre, cut to [0, 1]: what no protocol here sends."""
    mass = 2 - math.exp(-rate * centre) - math.exp(-rate * (1 - centre))
    height = math.log(rate / mass)
    return PiecewiseDensity(
        (Piece(0.0, centre, height, rate), Piece(centre, 1.0, height, -rate)),
    )


def log_density(density: PiecewiseDensity, y: float) -> float:
    (piece,) = (p for p in density.pieces if p.low <= y < p.high)
    return piece.height - abs(piece.slope) * abs(y - piece.top)


def integral(density: PiecewiseDensity, function: Any) -> float:
    """Integral of a function of the report, by quadrature between kinks."""
    kinks = sorted({edge for p in density.pieces for edge in (p.low, p.high)} | {0.37, 0.61})
    return math.fsum(
        integrate.quad(lambda y: function(y) * math.exp(log_density(density, y)), a, b)[0]
        for a, b in itertools.pairwise(kinks)
    )


@pytest.mark.parametrize("rate", [1e-7, 0.3, 1.0, 7.0, 200.0])
def test_probabilities_and_moments_agree_with_integration(rate: float) -> None:
    density = cut_exponential(0.37, rate)
    assert density.total == pytest.approx(1, rel=1e-8 if rate < 1e-3 else 1e-12)
    mean = integral(density, lambda y: y)
    assert density.mean == pytest.approx(mean, rel=1e-8)
    spread = integral(density, lambda y: (y - mean) ** 2)
    assert density.variance == pytest.approx(spread, rel=1e-7)
    assert density.below(0.61) == pytest.approx(integral(density, lambda y: y < 0.61), rel=1e-8)


def test_endless_pieces_are_those_of_laplace_noise() -> None:
    height = -math.log(2 * 3.0)
    density = PiecewiseDensity(
        (Piece(-math.inf, 0.5, height, 1 / 3), Piece(0.5, math.inf, height, -1 / 3))
    )
    assert density.total == pytest.approx(1, rel=1e-14)
    assert density.mean == pytest.approx(0.5, rel=1e-13)
    assert density.variance == pytest.approx(18, rel=1e-13)
    assert density.below(3.5) == pytest.approx(1 - math.exp(-1) / 2, rel=1e-14)


@pytest.mark.parametrize("threshold", [-1.2, -0.3, 0.0, 0.2, 0.9, 1.4])
def test_rates_of_a_threshold_agree_with_integration(threshold: float) -> None:
    """A lopsided pair of cut exponentials: the loss has a density and no symmetry."""
    first, second = cut_exponential(0.37, 3.0), cut_exponential(0.61, 2.0)
    law = PiecewiseLaw(first, second)

    points = np.linspace(0, 1, 100_001)[:-1] + 5e-6
    logs = [
        np.interp(points, [0.0, centre, 1.0], [log_density(d, y) for y in (0.0, centre, 1 - 1e-15)])
        for d, centre in ((first, 0.37), (second, 0.61))
    ]
    reaches = logs[0] - logs[1] >= threshold
    hit, alarm = (float(np.mean(np.exp(log) * reaches)) for log in logs)
    rates = law.rates(threshold)
    assert rates.true_positive == pytest.approx(hit, abs=5e-5)
    assert rates.false_positive == pytest.approx(alarm, abs=5e-5)
    assert np.allclose(RatioOfDensities(law)(points), logs[0] - logs[1], rtol=0, atol=1e-12)


def excess(first: PiecewiseDensity, second: PiecewiseDensity, epsilon: float) -> float:
    """By how much the first exceeds e^epsilon times the second."""
    ratio = math.exp(epsilon)

    def above(y: float) -> float:
        return max(0.0, 1 - ratio * math.exp(log_density(second, y) - log_density(first, y)))

    return integral(first, above)


def test_profile_is_of_both_directions() -> None:
    first, second = cut_exponential(0.37, 3.0), cut_exponential(0.61, 2.0)
    law, back = PiecewiseLaw(first, second), PiecewiseLaw(second, first)
    for epsilon in (0.0, 0.2, 0.5, 1.0):
        ways = [excess(a, b, epsilon) for a, b in ((first, second), (second, first))]
        assert law.delta(epsilon) == back.delta(epsilon) == pytest.approx(max(ways), abs=1e-7)
    losses = [log_density(first, y) - log_density(second, y) for y in np.arange(0, 1, 1e-4)]
    assert law.supremum == pytest.approx(max(map(abs, losses)), abs=1e-3)
    assert law.delta(law.epsilon(0.01)) == pytest.approx(0.01, rel=1e-9)


def test_laplace_law_is_that_of_its_pieces() -> None:
    """The closed form against the pieces."""
    height, rate = -math.log(2 * 1.6), 1 / 1.6
    at = [
        PiecewiseDensity((Piece(-math.inf, v, height, rate), Piece(v, math.inf, height, -rate)))
        for v in (-0.4, 1.0)
    ]
    closed, pieces = LaplaceLaw(1.4 / 1.6), PiecewiseLaw(*at)
    assert closed.supremum == pytest.approx(pieces.supremum, rel=1e-12)
    for threshold in (-0.9, -0.5, 0.0, 0.3, 0.874, closed.supremum):
        ours, theirs = closed.rates(threshold), pieces.rates(threshold)
        assert ours.true_positive == pytest.approx(theirs.true_positive, rel=1e-11)
        assert ours.false_positive == pytest.approx(theirs.false_positive, rel=1e-11)
        assert closed.delta(abs(threshold)) == pytest.approx(
            pieces.delta(abs(threshold)), abs=1e-13
        )


@pytest.mark.parametrize("reports", [2, 3, 5])
def test_sums_of_lopsided_losses_agree_with_enumeration(reports: int) -> None:
    first = PiecewiseDensity((Piece(0.0, 1.0, math.log(0.3)),), ((-1.0, 0.5), (2.0, 0.2)))
    second = PiecewiseDensity((Piece(0.0, 1.0, math.log(0.4)),), ((-1.0, 0.25), (2.0, 0.35)))
    law = law_between(first, second)
    assert isinstance(law, PiecewiseLaw)
    together = law.composed(reports)
    assert isinstance(together, LopsidedLaw)
    outcomes = [(0.5, 0.25), (0.3, 0.4), (0.2, 0.35)]
    chances = [
        tuple(math.prod(side) for side in zip(*each, strict=True))
        for each in itertools.product(outcomes, repeat=reports)
    ]
    for epsilon in (0.0, 0.4, 1.1):
        ways = [
            math.fsum(max(0.0, a - math.exp(epsilon) * b) for a, b in pairs)
            for pairs in (chances, [pair[::-1] for pair in chances])
        ]
        assert together.delta(epsilon) == pytest.approx(max(ways), abs=1e-12)
        hit = math.fsum(a for a, b in chances if math.log(a / b) >= epsilon + 0.01)
        assert together.rates(epsilon + 0.01).true_positive == pytest.approx(hit, rel=1e-11)
    largest = max(abs(math.log(a / b)) for a, b in chances)
    assert together.supremum == pytest.approx(largest, rel=1e-12)


def test_a_loss_of_one_level_is_told_as_one() -> None:
    low, high = math.log(0.4), math.log(1.6)
    first = PiecewiseDensity.steps((0.0, 0.5, 1.0), (high, low))
    second = PiecewiseDensity.steps((0.0, 0.5, 1.0), (low, high))
    law = law_between(first, second)
    assert isinstance(law, OneLevelLaw)
    assert (law.likely, law.unlikely) == pytest.approx((0.8, 0.2))
    assert law_between(first, PiecewiseDensity.steps((0.0, 1.0), (0.0,))).composed(10**6) is None
