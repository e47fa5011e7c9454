"""Caps of the sphere, PrivUnit and the l2 ball against integration and formulas of their own."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special

from ldp_auditor import InputPair
from ldp_auditor.mechanisms import normal_caps
from ldp_auditor.mechanisms.caps import Cap
from ldp_auditor.mechanisms.sphere_reports import exact_cap
from ldp_auditor.theory.spheres import both_caps_share, cap_moment, cap_share, wedge_share
from tests.vectors import made, some_inputs

# Caps of the sphere


@pytest.mark.parametrize("dimension", [2, 3, 4, 7, 128, 5000])
def test_shares_of_caps_are_incomplete_beta_functions(dimension: int) -> None:
    for t in np.array([0.0, 0.3, 1.5, 2.5, 6.0]) / math.sqrt(dimension):
        height = float(min(t, 0.99))
        exact = special.betainc((dimension - 1) / 2, 0.5, 1 - height**2) / 2
        assert cap_share(dimension, height) == pytest.approx(exact, rel=1e-10)
    assert cap_share(dimension, 1.0) == 0


@pytest.mark.parametrize("dimension", [2, 3, 4, 5, 40])
@pytest.mark.parametrize("height", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("angle", [0.2, 1.0, 2.5])
def test_shares_of_two_caps_by_conditioning_on_the_first_height(
    dimension: int, height: float, angle: float
) -> None:
    def above(t: float) -> float:
        """Share of the sphere at height t that is in the other cap."""
        least = (height - t * math.cos(angle)) / (math.sqrt(1 - t * t) * math.sin(angle))
        if abs(least) >= 1:
            return float(least < 0)
        if dimension == 2:
            return (float(least <= -1) + float(least <= 1)) / 2
        upper = float(special.betainc((dimension - 2) / 2, 0.5, 1 - least**2)) / 2
        return upper if least >= 0 else 1 - upper

    def weighted(a: float) -> float:
        return math.sin(a) ** (dimension - 2) * above(math.cos(a))

    kinks = [abs(angle - math.acos(height)), math.acos(height)]
    edges = sorted({0.0, math.acos(height), *(k for k in kinks if k < math.acos(height))})
    parts = [integrate.quad(weighted, a, b)[0] for a, b in pairwise(edges)]
    total = math.sqrt(math.pi) * special.gamma((dimension - 1) / 2) / special.gamma(dimension / 2)
    assert both_caps_share(dimension, height, angle / 2) == pytest.approx(
        sum(parts) / total, abs=1e-7
    )


def test_wedges_of_a_cap_add_up() -> None:
    for angle in (-2.0, -0.4, 0.0, 0.3):
        parts = wedge_share(6, 0.3, angle) + wedge_share(6, 0.3, -angle)
        assert parts == pytest.approx(cap_share(6, 0.3))
    assert wedge_share(6, 0.3, 1.5) == 0


# PrivUnit and Duchi's mechanism for the l2 ball


def heights(cap: Cap, dimension: int) -> tuple[Any, Any]:
    """Heights of a report over the sphere of radius 1 and their probabilities."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    rim, places, chances = math.acos(cap.height), [], []
    for low, high, density in ((0.0, rim, cap.inside), (rim, math.pi, cap.outside)):
        angles = low + (high - low) * (nodes + 1) / 2
        share = np.sin(angles) ** (dimension - 2) * weights * (high - low) / 2
        places.append(np.cos(angles))
        chances.append(density * share)
    half = math.sqrt(math.pi) * special.gamma((dimension - 1) / 2)
    chances_all = np.concatenate(chances) / half * special.gamma(dimension / 2)
    return np.concatenate(places), chances_all


@pytest.mark.parametrize("dimension", [2, 3, 8, 50])
@pytest.mark.parametrize("epsilon", [0.3, 2.0, 9.0])
def test_reports_of_the_sphere_have_the_input_as_their_mean(dimension: int, epsilon: float) -> None:
    for name in ("PrivUnit", "Duchi-l2"):
        protocol = made(name, epsilon, dimension)
        t, chances = heights(protocol.cap, dimension)
        assert chances.sum() == pytest.approx(1, rel=1e-9)
        assert protocol.size * (t @ chances) == pytest.approx(1, rel=1e-8)
        pole = (1.0, *(0.0,) * (dimension - 1))
        assert protocol.mean_variance(4, pole) == pytest.approx((protocol.size**2 - 1) / 4)
        assert protocol.cap.inside / protocol.cap.outside == pytest.approx(math.exp(epsilon))
    shorter = (0.6, *(0.0,) * (dimension - 1))
    assert protocol.mean_variance(1, shorter) == pytest.approx(protocol.size**2 - 0.36)


@pytest.mark.parametrize("dimension", [2, 3, 20, 1000])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0, 20.0])
def test_no_other_cap_of_the_same_loss_varies_less(dimension: int, epsilon: float) -> None:
    best = made("PrivUnit", epsilon, dimension).cap
    assert best.height == pytest.approx(best.mean, rel=1e-9)
    for height in np.linspace(0.0, min(0.999, 2 * best.height), 100).tolist():
        assert exact_cap(dimension, height, epsilon).mean <= best.mean * (1 + 1e-12)
    assert cap_moment(dimension, best.height) > 0


@pytest.mark.parametrize("dimension", [1, 2, 5, 300])
@pytest.mark.parametrize("epsilon", [0.3, 2.0, 9.0, 20.0])
def test_normal_noise_has_the_input_as_its_mean_and_varies_least(
    dimension: int, epsilon: float
) -> None:
    protocol = made("PrivUnitG", epsilon, dimension)
    nodes, weights = np.polynomial.legendre.leggauss(400)

    def moments(height: float) -> tuple[Any, float]:
        """Powers 0 to 2 of the part along the input, and the mean squared length of a report."""
        parts = []
        for low, high, more in ((-12.0, height, 1.0), (height, height + 14, math.exp(epsilon))):
            t = low + (high - low) * (nodes + 1) / 2
            mass = more * np.exp(-t * t / 2) * weights * (high - low) / 2
            parts.append([(t**k) @ mass for k in range(3)])
        zero, one, two = np.sum(parts, axis=0)
        return one / zero, (two / zero + dimension - 1) * (zero / one) ** 2

    mean, square = moments(protocol.cap.height)
    assert protocol.size * mean == pytest.approx(1, rel=1e-9)
    pole = protocol.inputs.default_pair.second
    assert protocol.mean_variance(3, pole) == pytest.approx((square - 1) / 3, rel=1e-7)
    assert protocol.cap.inside / protocol.cap.outside == pytest.approx(math.exp(epsilon))
    others = np.linspace(0.0, 2 * protocol.cap.height, 60).tolist()
    assert min(moments(height)[1] for height in others) >= square * (1 - 1e-9)
    assert normal_caps.exact_cap(protocol.cap.height, epsilon) == protocol.cap


@pytest.mark.parametrize("angle", [1e-4, 0.3, 1.2, 2.9, math.pi])
def test_shares_of_two_caps_of_normal_noise(angle: float) -> None:
    """By conditioning on the part along the first of two inputs."""
    protocol = made("PrivUnitG", 3.0, 3)
    other = (math.cos(angle), math.sin(angle), 0.0)
    t = protocol.cap.height

    def above(first: float) -> float:
        least = (t - first * other[0]) / max(other[1], 1e-300)
        return float(special.ndtr(-least)) * math.exp(-first * first / 2) / math.sqrt(math.tau)

    edges = [t, t + 1e-3, t + 0.01, t + 0.1, t + 1, 12.0]
    both = math.fsum(integrate.quad(above, a, b)[0] for a, b in pairwise(edges))
    pair = InputPair((1.0, 0.0, 0.0), protocol.check_value(other))
    assert protocol.shared(pair) == pytest.approx(both, abs=1e-9)
    alone = float(special.ndtr(-t)) - both
    law = protocol.loss_law(pair)
    assert law.delta(1.0) == pytest.approx(
        alone * (protocol.cap.inside - math.e * protocol.cap.outside), abs=1e-8
    )
    assert law.supremum == pytest.approx(3.0)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("dimension", "epsilon"), [(3, 1.0), (10, 4.0), (128, 8.0)])
def test_the_split_of_the_paper_keeps_its_claim(
    dimension: int, epsilon: float, share: float
) -> None:
    protocol = made("PrivUnit", epsilon, dimension, split=share)
    worst = protocol.worst_case(None)
    left = math.log((1 - protocol.cap.share) / protocol.cap.share)
    assert worst == pytest.approx(share * epsilon + left)
    assert worst <= epsilon
    optimum = made("PrivUnit", epsilon, dimension)
    pole = protocol.inputs.default_pair.first
    assert optimum.mean_variance(1, pole) < protocol.mean_variance(1, pole)


def test_halves_of_a_ball_by_sampling_planes() -> None:
    """The four parts that two planes cut off, from angles in the plane of both inputs."""
    protocol = made("Duchi-l2", 1.7, 5)
    first, second = some_inputs(protocol)[:2]
    law = protocol.loss_law(InputPair(first, second))
    lengths = [float(np.linalg.norm(v)) for v in (first, second)]
    cosine = float(np.dot(first, second)) / (lengths[0] * lengths[1])
    turns = (np.arange(100_000) + 0.5) / 100_000 * 2 * math.pi
    sides = [np.cos(turns), np.cos(turns - math.acos(cosine))]
    tilt = math.tanh(1.7 / 2)
    p, q = (1 + length * tilt * np.sign(side) for length, side in zip(lengths, sides, strict=True))
    for at in (0.0, 0.4, 1.0):
        ways = [np.maximum(0, a - math.exp(at) * b).mean() for a, b in ((p, q), (q, p))]
        assert law.delta(at) == pytest.approx(max(ways), abs=1e-4)


def test_inputs_on_one_line_lose_what_their_lengths_differ_by() -> None:
    """Both halves have the same border, so that no report lies on different sides of it."""
    protocol, tilt = made("Duchi-l2", 0.7, 5), math.tanh(0.35)
    direction = np.array(some_inputs(protocol)[0])
    for second in (0.2, -0.2):
        pair = InputPair(tuple(0.9 * direction), tuple(second * direction))
        law = protocol.loss_law(pair)
        losses = [math.log((1 + s * 0.9 * tilt) / (1 + s * second * tilt)) for s in (1, -1)]
        assert law.supremum == pytest.approx(max(map(abs, losses)), rel=1e-12)
        assert law.composed(2).supremum == pytest.approx(2 * law.supremum, rel=1e-12)
