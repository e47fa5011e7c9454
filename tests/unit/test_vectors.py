"""Protocols for vectors against enumeration, integration and formulas written down here."""

from __future__ import annotations

import math
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from ldp_auditor import AuditError, InputPair, mechanisms
from ldp_auditor.mechanisms.kernels.vectors import fill_samples
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream
from tests.vectors import NAMES, made, some_inputs

# The cube, corner by corner


def corners_of(protocol: Any, value: tuple[float, ...], ties: str = "low") -> dict[Any, float]:
    """Probabilities of all reports, by what a random corner makes of each."""
    d, more = len(value), math.exp(protocol.epsilon)
    signs = list(product((-1, 1), repeat=d))
    law = dict.fromkeys(signs, 0.0)
    for corner in signs:
        chance = math.prod((1 + v * x) / 2 for v, x in zip(corner, value, strict=True))
        sides = {z: sum(a * b for a, b in zip(z, corner, strict=True)) for z in signs}
        if ties == "low":
            weights = {z: more if side > 0 else 1.0 for z, side in sides.items()}
        else:  # both halves have the corners that are on neither side
            half = sum(side >= 0 for side in sides.values())
            plus, minus = more / (more + 1) / half, 1 / (more + 1) / half
            weights = {z: plus * (s >= 0) + minus * (s <= 0) for z, s in sides.items()}
        total = sum(weights.values())
        for z, weight in weights.items():
            law[z] += chance * weight / total
    return law


@pytest.mark.parametrize(("dimension", "epsilon"), [(1, 0.4), (2, 2.0), (3, 0.4), (4, 2.0)])
def test_corners_by_enumeration(dimension: int, epsilon: float) -> None:
    protocol = made("Duchi-linf", epsilon, dimension)
    default = protocol.inputs.default_pair
    inputs = [default.first, (1.0, *default.first[1:]), *some_inputs(protocol)]
    laws = [corners_of(protocol, value) for value in inputs]
    signs = np.array(list(laws[0]), dtype=float)
    for value, law in zip(inputs, laws, strict=True):
        chances = np.array(list(law.values()))
        assert protocol.size * (chances @ signs) == pytest.approx(np.array(value), abs=1e-6)
        spread = ((protocol.size * signs - np.array(value)) ** 2).sum(axis=1) @ chances
        assert protocol.mean_variance(1, value) == pytest.approx(spread, rel=1e-6)
    for one, other in combinations(range(len(inputs)), 2):
        if inputs[one] == inputs[other]:
            continue
        pair = InputPair(inputs[one], inputs[other])
        p, q = (np.array(list(laws[k].values())) for k in (one, other))
        found = protocol.log_likelihood_ratio(protocol.size * signs, pair)
        assert found == pytest.approx(np.log(p / q), abs=1e-9)
        law_of_loss = protocol.loss_law(pair)
        assert law_of_loss.supremum == pytest.approx(np.abs(np.log(p / q)).max(), rel=1e-9)
        for at in (0.0, 0.3 * epsilon, 0.8 * epsilon):
            ways = [np.maximum(0, a - math.exp(at) * b).sum() for a, b in ((p, q), (q, p))]
            assert law_of_loss.delta(at) == pytest.approx(max(ways), abs=1e-9)
        reports = protocol.size * signs
        apart = [((reports - np.array(v)) ** 2).sum(axis=1) for v in vars(pair).values()]
        tied = np.abs(apart[0] - apart[1]) < 1e-6
        chosen = np.where(tied, 0.5, apart[0] < apart[1])
        rates = protocol.guess_rates(pair)
        assert rates.true_positive == pytest.approx(chosen @ p, abs=1e-9)
        assert rates.false_positive == pytest.approx(chosen @ q, abs=1e-9)


@pytest.mark.parametrize("step", [1e-3, 1e-7])
def test_inputs_that_are_near_have_a_law_of_their_own(step: float) -> None:
    """Losses of 1e-8 differ as those of 1 do, so that nothing of a fixed size counts as equal."""
    protocol = made("Duchi-linf", 0.1, 3)
    pair = InputPair((0.3, 0.3, 0.3), (0.3, 0.3, 0.3 + step))
    tilted = pair.second[2] - pair.first[2]  # of the last coordinate, which is all that differs
    signs = list(product((-1, 1), repeat=3))
    right = {
        z: {v: sum(a * b for a, b in zip(z, v, strict=True)) > 0 for v in signs} for z in signs
    }
    apart = 0.0
    for z in signs:  # the chance of the right side is even in the last coordinate
        lead = sum(
            math.prod((1 + 0.3 * x) / 2 for x in v[:2]) * v[2] / 2 for v in signs if right[z][v]
        )
        apart += abs(lead * tilted) * (protocol.high - protocol.low) / 8
    assert protocol.loss_law(pair).delta(0.0) == pytest.approx(apart / 2, rel=1e-7)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_both_halves_with_the_corners_in_between_break_the_claim(epsilon: float) -> None:
    """[Duchi18] in even dimensions: the exact loss is ln(1 + e^epsilon)."""
    for dimension in (2, 3, 4):
        protocol = made("Duchi-linf", epsilon, dimension)
        default = protocol.inputs.default_pair
        pairs = [default.second, (1.0,) * (dimension - 1) + (-1.0,)]
        losses = []
        for other in pairs:
            p, q = (corners_of(protocol, v, ties="both") for v in (default.first, other))
            losses += [abs(math.log(p[z] / q[z])) for z in p]
        expected = epsilon if dimension % 2 else math.log(1 + math.exp(epsilon))
        assert max(losses) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("dimension", "epsilon", "loss", "lean"),
    [(2, 1.0, math.inf, -0.776), (4, 0.5, 0.657, -0.945), (4, 1.0, 0.157, -0.108)],
)
def test_a_share_without_all_corners_in_between_breaks_the_claim(
    dimension: int, epsilon: float, loss: float, lean: float
) -> None:
    """As some programs mend [Duchi18]: c = 2^(d - 1) - C(d, d / 2) corners for those of T+."""
    signs = np.array(list(product((-1, 1), repeat=dimension)))
    more, between = math.expm1(epsilon), math.comb(dimension, dimension // 2)
    share = 2 ** (dimension - 1) - between
    right = signs @ signs.T > 0
    coin = (more + 1) * share / (more * share + 2**dimension)
    own = int(right[0].sum())
    law = np.where(right, coin / own, (1 - coin) / (2**dimension - own))
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.log(law[:, None] / law[None])
    assert np.nanmax(losses) == pytest.approx(loss, abs=1e-3)
    size = (2**dimension + share * more) / (math.comb(dimension - 1, dimension // 2) * more)
    np.testing.assert_allclose(size * (law @ signs), lean * signs, atol=1e-3)


def test_a_corner_that_is_nearly_sure_varies_by_nothing() -> None:
    """Of two coordinates and a large epsilon: not by the rounding of a root either."""
    assert made("Duchi-linf", 20.0, 2).mean_variance(1, (1.0, 1.0)) == 0


def test_too_many_kinds_of_corners_are_not_enumerated() -> None:
    protocol = made("Duchi-linf", 1.0, 24)
    other = tuple(np.linspace(-1, 1, 24).tolist())
    pair = InputPair(protocol.inputs.default_pair.first, other)
    assert protocol.loss_law(pair) is None
    assert protocol.guess_rates(pair) is None
    reports = protocol.privatize(other, 5, default_rng(0))
    assert np.isfinite(protocol.log_likelihood_ratio(reports, pair)).all()


# Sampled coordinates, Laplace noise


@pytest.mark.parametrize("name", ["Sampled-PM", "Sampled-HM"])
@pytest.mark.parametrize("coordinates", [1, 2, 3])
def test_sampled_coordinates_by_enumeration(name: str, coordinates: int) -> None:
    protocol = made(name, 1.5, 3, coordinates=coordinates)
    pair = InputPair((-1.0, -1.0, 0.5), (1.0, 1.0, -0.3))
    tables = []
    for a, b in zip(pair.first, pair.second, strict=True):
        first, second = (protocol.single.density(v) for v in (a, b))
        edges = sorted({end for p in (*first.pieces, *second.pieces) for end in (p.low, p.high)})
        smooth = [type(density)(density.pieces) for density in (first, second)]
        cells = [
            [density.below(high) - density.below(low) for density in smooth]
            for low, high in pairwise(edges)
            if high - low > 1e-9
        ]
        atoms = [[p, q] for (_, p), (_, q) in zip(first.atoms, second.atoms, strict=True)]
        tables.append(np.array([*cells, *atoms]))
    chances = []
    choices = list(combinations(range(3), coordinates))
    for chosen in choices:
        both = np.ones((1, 2))
        for coordinate in chosen:
            both = (both[:, None, :] * tables[coordinate][None, :, :]).reshape(-1, 2)
        chances.append(both / len(choices))
    p, q = np.concatenate(chances).T
    law = protocol.loss_law(pair)
    for at in (0.0, 0.4, 1.2):
        ways = [np.maximum(0, a - math.exp(at) * b).sum() for a, b in ((p, q), (q, p))]
        assert law.delta(at) == pytest.approx(max(ways), abs=1e-9)
    value = (0.2, -0.7, 1.0)
    weight = 3 / coordinates
    each = [protocol.single.mean_variance(1, v) + v * v for v in value]
    expected = sum(weight * m - v * v for m, v in zip(each, value, strict=True))
    assert protocol.mean_variance(1, value) == pytest.approx(expected)


def test_the_number_of_coordinates_is_the_papers() -> None:
    for epsilon, dimension, count in ((1.0, 9, 1), (5.0, 9, 2), (19.9, 9, 7), (19.9, 3, 3)):
        assert made("Sampled-PM", epsilon, dimension).coordinates == count


def test_rates_of_one_sampled_coordinate() -> None:
    """By the distance of whole vectors, on a grid of numbers that a coordinate may send."""
    protocol = made("Sampled-PM", 1.0, 3)
    pair = InputPair((0.9, 0.2, 0.2), (-0.1, 0.6, 0.2))
    first, second = (np.array(v) for v in vars(pair).values())
    densities = [[protocol.single.density(v) for v in value] for value in (first, second)]
    end = densities[0][0].pieces[-1].high
    edges = np.linspace(-end, end, 40_001)
    rates = [0.0, 0.0]
    for coordinate in range(3):
        middle = np.zeros((40_000, 3))
        middle[:, coordinate] = 3 * (edges[:-1] + edges[1:]) / 2
        near = ((middle - first) ** 2).sum(axis=1) < ((middle - second) ** 2).sum(axis=1)
        changes = np.flatnonzero(np.diff(near)) + 1
        for side in (0, 1):
            density = densities[side][coordinate]
            places = [-end, *edges[changes].tolist(), end]
            for k, (low, high) in enumerate(pairwise(places)):
                if near[0] ^ (k % 2 == 1):
                    rates[side] += (density.below(high) - density.below(low)) / 3
    exact = protocol.guess_rates(pair)
    assert [exact.true_positive, exact.false_positive] == pytest.approx(rates, abs=1e-4)


@pytest.mark.parametrize("name", ["Sampled-PM", "Sampled-HM"])
def test_a_coordinate_that_tells_nothing_is_a_coin(name: str) -> None:
    """Both inputs have length 1, but for rounding: 0.36 + 0.64 is not 1 in floats."""
    protocol = made(name, 1.0, 4)
    rates = protocol.guess_rates(InputPair((0.6, 0.8, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)))
    below = protocol.single.below
    told = below(0.6, 0.0) + 1 - below(0.8, 0.0), below(1.0, 0.0) + 1 - below(0.0, 0.0)
    assert rates.true_positive == pytest.approx((told[0] + 2 * 0.5) / 4, rel=1e-12)
    assert rates.false_positive == pytest.approx((told[1] + 2 * 0.5) / 4, rel=1e-12)


@pytest.mark.parametrize("name", ["Sampled-PM", "Sampled-HM"])
def test_ratios_of_sampled_coordinates_are_sums_of_single_ones(name: str) -> None:
    protocol = made(name, 3.0, 7, coordinates=3)
    pair = InputPair((0.1, 0.1, 0.1, -0.9, 0.5, 1.0, 0.1), (0.4, 0.4, 0.2, -0.9, -1.0, 1.0, 0.4))
    reports = protocol.privatize(pair.first, 400, default_rng(4))
    expected = [
        math.fsum(
            float(protocol.single.log_likelihood_ratio(np.array([number]), InputPair(a, b))[0])
            for place, number in zip(report["coordinates"], report["numbers"], strict=True)
            for a, b in [(pair.first[place], pair.second[place])]
            if a != b
        )
        for report in reports
    ]
    found = protocol.log_likelihood_ratio(reports, pair)
    assert found == pytest.approx(expected, abs=1e-9)
    assert len(set(np.round(found, 6).tolist())) > 5  # whole epsilons, of the pieces


def test_samples_are_subsets() -> None:
    rows = np.empty((2000, 3), np.int64)
    fill_samples(fresh_stream(default_rng(1)), 4, rows)
    assert (np.sort(rows, axis=1)[:, 1:] != np.sort(rows, axis=1)[:, :-1]).all()
    assert set(rows.ravel().tolist()) == {0, 1, 2, 3}


def test_laplace_noise_in_two_coordinates() -> None:
    protocol = made("Laplace-l1", 1.2, 3)
    pair = InputPair((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    x = 2 * 0.5 / protocol.scale  # two noises of scale 1 add up to more
    wrong = protocol.guess_rates(pair).false_positive
    assert wrong == pytest.approx(math.exp(-x) * (2 + x) / 4)
    assert protocol.loss_law(pair).epsilon(0.0) == pytest.approx(1.2)
    uneven = InputPair((0.7, 0.0, 0.0), (0.0, 0.3, 0.0))
    assert protocol.loss_law(uneven) is None
    assert protocol.guess_rates(uneven) is None
    assert protocol.worst_case(uneven) == pytest.approx(1.2)
    assert protocol.mean_variance(5, pair.first) == pytest.approx(3 * 2 * protocol.scale**2 / 5)


# All of them


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("epsilon", [0.7, 6.0])
def test_no_pair_loses_more_than_the_default_one(name: str, epsilon: float) -> None:
    protocol = made(name, epsilon, 4)
    assert protocol.worst_case(None) == pytest.approx(epsilon, rel=1e-9)
    default = protocol.loss_law(protocol.inputs.default_pair)
    inputs = [*some_inputs(protocol), *some_inputs(protocol, seed=8)]
    for first, second in combinations(inputs, 2):
        law = protocol.loss_law(InputPair(first, second))
        if law is not None:
            assert law.epsilon(0.0) <= epsilon * (1 + 1e-9)
            for at in (0.0, 0.5 * epsilon):
                assert law.delta(at) <= default.delta(at) + 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_reports_of_all_inputs_lie_on_one_lattice(name: str) -> None:
    """Floats near an input have bits that floats far from it lack; the lattice hides them."""
    protocol = made(name, 1.0, 3)
    reports = [
        protocol.guess(protocol.privatize(value, 500, default_rng(5)), default_rng(5)).ravel()
        for value in (*vars(protocol.inputs.default_pair).values(), *some_inputs(protocol))
    ]
    if name in ("Duchi-linf", "Sampled-HM"):  # corners, and ends of Duchi's
        found = [
            made("Duchi-linf", 1.0, 3).privatize((a, 0, 1), 50, default_rng(1)) for a in (0, 1)
        ]
        assert len(np.unique(np.abs(found))) == 1
        return
    weight = protocol.weight if name.startswith("Sampled") else 1.0
    for batch in reports:
        assert (batch / weight % 2.0**-40 == 0).all()


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("PrivUnit", {"epsilon": 21.0}, "epsilon must be at most 20"),
        ("PrivUnitG", {"epsilon": 21.0}, "epsilon must be at most 20"),
        ("PrivUnitG", {"dimension": 0}, "dimension must be at least 1"),
        ("PrivUnit", {"dimension": 1}, "dimension must be at least 2"),
        ("PrivUnit", {"split": 1.0}, r"split must lie in \[0, 1\)"),
        ("PrivUnit", {"split": 0.5, "dimension": 2}, "dimension must be at least 3 with a split"),
        ("Duchi-l2", {"dimension": 1}, "dimension must be at least 2"),
        ("Duchi-linf", {"dimension": 0}, "dimension must be at least 1"),
        ("Sampled-PM", {"coordinates": 5}, "coordinates must be at most 3"),
        (
            "Sampled-PM",
            {"coordinates": 2, "epsilon": 41.0},
            "at most 40, 20 for each .* epsilon=41",
        ),
    ],
)
def test_what_cannot_be_is_refused(name: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(AuditError, match=message):
        mechanisms.make(name, **{"epsilon": 1.0, "dimension": 3, **settings})
    with pytest.raises(AuditError, match="reports must be as"):
        made(name, 1.0, 3).estimate(np.zeros(4))


def largest_variance(name: str, epsilon: float, dimension: int, **options: Any) -> float:
    """Of the estimate of a coordinate of the cube."""
    protocol = made(name, epsilon, dimension, **options)
    values = ((v,) * dimension for v in (0.0, 0.5, 1.0))
    return max(float(protocol.mean_variance(1, v)) for v in values) / dimension


def test_statements_of_docs_vectors() -> None:
    """What docs/vectors.md says of the literature."""
    for epsilon, dimension, wins in ((2.0, 2, True), (2.0, 3, False), (4.0, 10, True)):
        corner = largest_variance("Duchi-linf", epsilon, dimension)
        assert (corner < largest_variance("Sampled-HM", epsilon, dimension)) == wins
    for name, more in (("Sampled-PM", (3.42, 5.92, 8.38)), ("Sampled-HM", (3.04, 5.28, 7.47))):
        for dimension, (count, from_on) in product((4, 30), enumerate(more, start=1)):
            for epsilon, wins in ((from_on - 0.01, False), (from_on + 0.01, True)):
                fewer, better = (
                    largest_variance(name, epsilon, dimension, coordinates=k)
                    for k in (count, count + 1)
                )
                assert (better < fewer) == wins
    lost = largest_variance("Sampled-PM", 4.999, 10) / largest_variance(
        "Sampled-PM", 4.999, 10, coordinates=2
    )
    assert lost == pytest.approx(1.33, abs=0.01)
    assert made("PrivUnit", 8.0, 128, split=0.5).worst_case(None) == pytest.approx(7.284, abs=1e-3)
    pole = (1.0, *(0.0,) * 127)
    costs = [made("PrivUnit", 8.0, 128, split=s).mean_variance(1, pole) for s in (0.5, 0.25)]
    least = made("PrivUnit", 8.0, 128).mean_variance(1, pole)
    assert [cost / least for cost in costs] == pytest.approx([1.63, 1.18], abs=0.01)
    for dimension, epsilon, ratio in (
        (10, 1, 1.06),
        (10, 8, 1.55),
        (128, 1, 1.004),
        (128, 8, 1.034),
    ):
        point = (1.0, *(0.0,) * (dimension - 1))
        normal, sphere = (
            made(name, float(epsilon), dimension).mean_variance(1, point)
            for name in ("PrivUnitG", "PrivUnit")
        )
        assert normal / sphere == pytest.approx(ratio, rel=5e-3)
    assert made("Laplace-l1", 8.0, 128).mean_variance(1, pole) == pytest.approx(16.0)
    assert made("PrivUnit", 8.0, 128).mean_variance(1, pole) == pytest.approx(16.45, abs=0.01)
