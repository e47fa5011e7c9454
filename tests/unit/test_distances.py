"""Claims that are epsilon times a distance: exact laws, worst pairs, metrics, audits and checks."""

from __future__ import annotations

import math
from dataclasses import astuple
from itertools import combinations, pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import integrate

from ldp_auditor import AuditError, InputPair, audit, compare, mechanisms, metrics
from ldp_auditor.audits.interface import plan_audit
from ldp_auditor.bounds.betting import Wealth, log_wealth
from ldp_auditor.checks.recorded_reports import check_recorded
from ldp_auditor.core import Claim, Counts, Rates
from ldp_auditor.inputs import Ball, KeyValues, Places, UnitVectors
from ldp_auditor.mechanisms.kernels.numbers import grain_of
from ldp_auditor.mechanisms.metric_spaces import FiniteSpace, inputs_in_order
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.sweeps.cells import Cell
from ldp_auditor.theory.discrete_laws import DiscreteLaw
from ldp_auditor.theory.noise_sums import laplace_sum_tail
from ldp_auditor.theory.planar_laplace import PlanarLaplaceLaw, nearer_mean

FINITE: dict[str, dict[str, Any]] = {
    "Geometric": {"domain_size": 6},
    "Exponential": {"domain_size": 6},
    "Grid-Exponential": {"side": 3},
    "Grid-Laplace": {"side": 3},
}


def made(name: str, epsilon: float = 0.7, **options: Any) -> FiniteSpace:
    found: FiniteSpace = mechanisms.make(name, epsilon=epsilon, **{**FINITE[name], **options})
    return found


def ring(first: int, second: int) -> float:
    """Places of a clock with six hours."""
    away = abs(first - second)
    return min(away, 6 - away)


def uneven(first: int, second: int) -> float:
    return 1.0 if first < second else 2.0


def beyond(first: int, second: int) -> float:
    return math.inf


@pytest.mark.parametrize("level", [1e-3, 0.5, 3.0, 40.0, 600.0])
def test_the_loss_of_planar_noise(level: float) -> None:
    """Against an integral over directions from the first place, in which the radius is solved."""
    law = PlanarLaplaceLaw(level)

    def shown(threshold: float) -> float:
        def inside(angle: float) -> float:
            side = threshold + level * math.cos(angle)
            if side <= 0:
                return 1.0
            radius = (level * level - threshold * threshold) / (2 * side)
            return 1 - (1 + radius) * math.exp(-radius)

        last = math.acos(-threshold / level)
        points = np.linspace(0.0, last, 30).tolist()
        parts = [integrate.quad(inside, a, b)[0] for a, b in pairwise(points)]
        return (math.fsum(parts) + math.pi - last) / math.pi

    for share in (-0.9, -0.2, 0.0, 0.4, 0.95):
        rates = law.rates(share * level)
        assert rates.true_positive == pytest.approx(shown(share * level), abs=1e-10)
        assert rates.false_positive == pytest.approx(1 - shown(-share * level), abs=1e-10)
    assert law.rates(-level).true_positive == 1
    assert law.epsilon(0.0) == level


def test_masses_of_cells_are_integrals_of_the_density() -> None:
    epsilon, side = 0.7, 3
    grid = made("Grid-Laplace", epsilon, side=side)

    def density(y: float, x: float) -> float:
        return epsilon**2 / (2 * math.pi) * math.exp(-epsilon * math.hypot(x, y))

    ends = [-math.inf, 0.5, 1.5, math.inf]
    for value in ((0.0, 0.0), (1.0, 2.0)):
        row = np.exp(grid.log_row(value)).reshape(side, side)
        assert row.sum() == pytest.approx(1, abs=1e-12)
        i, j = 1, 1  # the only cell without an open side
        box = [(ends[k] - value[axis], ends[k + 1] - value[axis]) for axis, k in ((0, i), (1, j))]
        exact = integrate.dblquad(density, *box[0], *box[1], epsabs=1e-12)[0]
        assert row[i, j] == pytest.approx(exact, rel=1e-9)
        # A row of cells is a strip, whose mass is that of one coordinate: by polar coordinates.
        strip = integrate.quad(
            lambda x: 2 * integrate.quad(lambda y: density(y, x), 0, 80)[0], *box[0], epsabs=1e-12
        )[0]
        assert row[1].sum() == pytest.approx(strip, rel=1e-8)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 20.0, 700.0])
@pytest.mark.parametrize("side", [3, 24])
def test_masses_of_cells_keep_the_claim_at_any_scale(epsilon: float, side: int) -> None:
    """All losses are below epsilon times the distance, and of a cell next to the center near it."""
    grid = made("Grid-Laplace", epsilon, side=side)
    assert 0.99 < grid.worst_case(grid.default_pair) / epsilon < 1 + 1e-8
    row = grid.log_row((1.0, 1.0))
    assert math.fsum(np.exp(row)) == pytest.approx(1, abs=1e-12)
    if epsilon < 0.01:  # the density is as at the center over all of a cell without an open side
        level = math.log(epsilon**2 / (2 * math.pi))
        assert row.reshape(side, side)[1:-1, 1:-1] == pytest.approx(level, abs=40 * epsilon)


def test_far_cells_keep_their_digits() -> None:
    """Where probabilities are tiny, the loss of a far cell tends to epsilon times the distance."""
    grid = made("Grid-Laplace", 3.0, side=24)
    near, next_to = grid.log_row((0.0, 12.0)), grid.log_row((1.0, 12.0))
    far = 22 * 24 + 12
    assert -70 < next_to[far] < -60
    assert next_to[far] - near[far] == pytest.approx(3.0, rel=1e-3)


@pytest.mark.parametrize("name", FINITE)
@pytest.mark.parametrize("epsilon", [0.2, 1.5])
def test_the_worst_pair_of_a_finite_space(name: str, epsilon: float) -> None:
    protocol = made(name, epsilon)
    inputs = inputs_in_order(protocol)
    rows = {value: protocol.log_row(value) for value in inputs}
    for row in rows.values():
        assert math.fsum(np.exp(row)) == pytest.approx(1, abs=1e-12)
    ratios = {
        (a, b): float((rows[a] - rows[b]).max()) / metrics.distance(protocol.metric, a, b)
        for a, b in permutations(inputs, 2)
    }
    worst = max(ratios.values())
    assert protocol.worst_case(protocol.default_pair) == pytest.approx(worst, rel=1e-12)
    pair = protocol.default_pair
    assert ratios[pair.first, pair.second] == pytest.approx(worst, rel=1e-9)
    assert worst <= epsilon * (1 + 1e-12)
    law = protocol.loss_law(pair)
    assert law.supremum / metrics.distance(protocol.metric, pair.first, pair.second) == (
        pytest.approx(worst, rel=1e-9)
    )


def squared(first: int, second: int) -> float:
    """Breaks the triangle inequality."""
    return float((first - second) ** 2)


def test_a_distance_that_is_no_metric_loses_more_than_the_exponential_mechanism_claims() -> None:
    protocol = made("Exponential", 1.0, domain_size=5, metric=f"{__name__}:squared")
    rows = [protocol.log_row(value) for value in range(5)]
    worst = max(
        float((rows[a] - rows[b]).max()) / squared(a, b) for a, b in permutations(range(5), 2)
    )
    assert worst > 3 * protocol.epsilon
    assert protocol.worst_case(protocol.default_pair) == pytest.approx(worst, rel=1e-12)


@pytest.mark.parametrize("metric", metrics.METRICS)
def test_all_distances_at_once_are_those_of_single_pairs(metric: str) -> None:
    values: Any = [0.1, -3, 7.7] if metric == "absolute" else [(0.1, 2), (-3, 0.7), (0.3, 0.4)]
    table = metrics.distances(metric, values)
    for (i, first), (j, second) in permutations(enumerate(values), 2):
        assert table[i, j] == metrics.distance(metric, first, second)
    assert not table.diagonal().any()
    with pytest.raises(AuditError, match="positive and finite"):
        metrics.distances(metric, [*values, values[0]])


SPACES: list[tuple[str, dict[str, Any], Any]] = [
    ("Geometric", {"epsilon": 0.5, "domain_size": 5}, (0, 1)),
    ("Geometric", {"epsilon": 0.9, "domain_size": 6}, (4, 1)),
    ("Exponential", {"epsilon": 0.7, "domain_size": 5}, (0, 3)),
    ("Exponential", {"epsilon": 0.7, "domain_size": 6, "metric": f"{__name__}:ring"}, (5, 2)),
    ("Grid-Exponential", {"epsilon": 0.7, "side": 3}, ((0.0, 0.0), (2.0, 1.0))),
    ("Grid-Exponential", {"epsilon": 0.7, "side": 3, "metric": "manhattan"}, ((2.0, 0), (0, 2.0))),
    ("Grid-Laplace", {"epsilon": 0.5, "side": 3}, ((0.0, 0.0), (2.0, 2.0))),
]


@pytest.mark.parametrize(("name", "settings", "pair"), SPACES)
def test_many_reports_of_a_finite_space(name: str, settings: dict[str, Any], pair: Any) -> None:
    mechanism = mechanisms.make(name, **settings)
    pair = mechanism.inputs.pair(pair)
    rows = [np.exp(mechanism.log_row(value)) for value in (pair.first, pair.second)]
    every = np.array(list(product(range(len(rows[0])), repeat=3)))
    first, second = (row[every].prod(axis=1) for row in rows)
    losses = np.log(first / second)
    law = mechanism.loss_law_over(pair, 3)
    for threshold in law.thresholds():
        expected = [float(side[losses > threshold].sum()) for side in (first, second)]
        assert astuple(law.rates(threshold)) == pytest.approx(expected, rel=1e-9)
    assert law.supremum == pytest.approx(np.abs(losses).max(), rel=1e-12)
    gain = np.maximum(first - 1.5 * second, 0).sum(), np.maximum(second - 1.5 * first, 0).sum()
    assert law.delta(math.log(1.5)) == pytest.approx(max(gain), rel=1e-9)
    # The mean of three is a fraction, and ties are broken at random all the same.
    a, b = (np.atleast_1d(value) for value in (pair.first, pair.second))
    tripled = mechanism.places[every].sum(axis=1)
    if name in ("Geometric", "Exponential"):
        tripled = 3 * np.rint(tripled / 3)
    lead = np.rint(2 * tripled - 3 * (a + b)) @ (a - b)
    won = np.where(lead == 0, 0.5, lead > 0)
    rates = astuple(mechanism.guess_rates_over(pair, 3))
    assert rates == pytest.approx([float(side @ won) for side in (first, second)], rel=1e-9)
    accused = mechanism.inputs.attributed(
        mechanism.guess_by_totals(mechanism.places[every].sum(axis=1), 3, default_rng(1)),
        pair,
        default_rng(1),
    )
    assert np.array_equal(accused[lead != 0], lead[lead != 0] > 0)


@pytest.mark.parametrize("level", [0.4, 3.0])
def test_many_reports_of_planar_noise(level: float) -> None:
    one = PlanarLaplaceLaw(level)
    two = one.composed(2)
    assert isinstance(two, DiscreteLaw)
    for place in (1200, 1500, 1900):
        threshold = float(two.losses[place : place + 2].mean())
        # The other report must make up for what the first lacks.
        edge = math.acos(max(-1.0, threshold / level - 1))
        nodes, weights = np.polynomial.legendre.leggauss(60)
        angles = edge * (1 - ((1 - nodes) / 2) ** 2)
        inner = [one.rates(threshold - level * math.cos(angle)) for angle in angles]
        weights = weights * edge * (1 - nodes) / 2 / math.pi
        expected = Rates(
            float((one.density(angles, 1) * weights) @ [rates.true_positive for rates in inner]),
            float((one.density(angles, -1) * weights) @ [rates.false_positive for rates in inner]),
        )
        assert astuple(two.rates(threshold)) == pytest.approx(astuple(expected), rel=2e-5)
    # Along a line the noise of two reports is that of three Laplace variables.
    assert astuple(nearer_mean(level, 1)) == pytest.approx(astuple(one.rates(0.0)), rel=1e-12)
    tail = laplace_sum_tail(level, 3)
    assert nearer_mean(level, 2).false_positive == pytest.approx(tail, rel=1e-12)


def test_sums_that_are_too_many_are_left_to_a_pilot() -> None:
    place = InputPair((0.0, 0.0), (2.0, 1.0))
    assert made("Grid-Exponential", side=12).loss_law_over(place, 4) is None
    assert made("Grid-Exponential", side=12).worst_case_over(place, 4) is not None
    assert made("Geometric", domain_size=50_000).guess_rates_over(InputPair(0, 1), 2) is None
    assert PlanarLaplaceLaw(17.0).composed(2) is None


def test_the_geometric_mechanism_is_a_difference_of_geometric_numbers() -> None:
    a = math.exp(-0.7)
    noise = [(1 - a) ** 2 * a ** abs(z) / (1 - a * a) for z in range(-200, 201)]
    expected = np.zeros(6)
    for z, chance in zip(range(-200, 201), noise, strict=True):
        expected[min(max(2 + z, 0), 5)] += chance
    assert np.exp(made("Geometric").log_row(2)) == pytest.approx(expected, rel=1e-12)


def test_the_exponential_mechanism_takes_any_distance() -> None:
    """On a ring all inputs are alike, so that nothing is paid for the totals."""
    protocol = mechanisms.make("Exponential", epsilon=1.0, domain_size=6, metric=f"{__name__}:ring")
    assert protocol.worst_case(protocol.default_pair) == pytest.approx(0.5)
    assert protocol.claim == Claim(1.0, metric=f"{__name__}:ring")
    weights = np.exp(-0.5 * np.array([0, 1, 2, 3, 2, 1]))
    assert np.exp(protocol.log_row(0)) == pytest.approx(weights / weights.sum())


@pytest.mark.parametrize("name", FINITE)
def test_estimated_frequencies_are_without_bias(name: str) -> None:
    protocol = made(name)
    chances = np.exp([protocol.log_row(value) for value in inputs_in_order(protocol)])
    shares = np.arange(1.0, protocol.count + 1) / sum(range(protocol.count + 1))
    expected = protocol.frequencies_from(shares @ chances, 1)
    assert expected == pytest.approx(shares, abs=1e-9)
    # One user of each input: the variance of what a report adds to the estimate.
    each = np.stack([protocol.frequencies_from(row, 1) for row in np.eye(protocol.count)])
    spread = np.stack([p @ each**2 - (p @ each) ** 2 for p in chances])
    variance = protocol.frequency_variance(10, shares, reports=2)
    assert variance == pytest.approx(shares @ spread / 20, rel=1e-9)
    with pytest.raises(AuditError, match="frequencies of all"):
        protocol.frequency_variance(10, 0.5)


def test_planar_reports_lie_on_one_lattice() -> None:
    protocol = mechanisms.make("Planar-Laplace", epsilon=0.3)
    grain = grain_of(1 / 0.3)
    for place in ((0.0, 0.0), (0.1, -1e6)):
        reports = protocol.privatize(place, 1000, default_rng(1)) / grain
        assert np.array_equal(reports, np.rint(reports))
    assert protocol.mean_variance(100) == pytest.approx(3 / 0.3**2 / 100)
    with pytest.raises(AuditError, match="a coordinate of value"):
        protocol.privatize((0.0, 1e12), 1, default_rng(1))


def test_metrics() -> None:
    assert metrics.distance("euclidean", (0, 0), (3, 4)) == 5
    assert metrics.distance("manhattan", [0.0, 0.0], [3.0, -4.0]) == 7
    assert metrics.distance("absolute", -1.0, 1) == metrics.distance("euclidean", -1.0, 1) == 2
    assert metrics.distance(f"{__name__}:ring", 0, 5) == 1
    assert metrics.distances("absolute", [0, 1, 3]).tolist() == [[0, 1, 3], [1, 0, 2], [3, 2, 0]]
    assert metrics.distance(metrics.name_of(ring) or "", 0, 4) == 2


def test_a_function_is_named_as_the_command_line_names_it() -> None:
    settings: dict[str, Any] = {"epsilon": 0.1, "domain_size": 6, "trials": 100}
    by_name = audit("Exponential", metric=f"{__name__}:ring", **settings)
    for engine in ("threads", "processes"):  # workers find it by its name
        given = audit("Exponential", metric=ring, engine=engine, workers=2, **settings)
        assert (given.metric, given.counts) == (by_name.metric, by_name.counts)
    (compared,) = compare(["Exponential"], metric=ring, **settings).results
    assert compared.counts == by_name.counts


def test_a_function_with_the_name_of_a_distance_is_not_taken_for_it() -> None:
    def tenfold(first: float, second: float) -> float:
        return 10 * abs(first - second)

    tenfold.__qualname__ = "euclidean"
    settings: dict[str, Any] = {"epsilon": 0.1, "domain_size": 3, "trials": 100}
    result = audit("GRR", metric=tenfold, **settings)
    assert (result.metric, result.distance) == (f"{__name__}:euclidean", 10.0)
    assert audit("GRR", metric="euclidean", **settings).distance == 1.0
    assert audit("GRR", metric=metrics.euclidean, **settings).metric == "euclidean"


@pytest.mark.parametrize(
    ("metric", "values", "message"),
    [
        ("nosuch", (0, 1), "unknown metric 'nosuch'; there are euclidean, manhattan, absolute, or"),
        ("nosuch:f", (0, 1), "cannot import 'nosuch'"),
        (f"{__name__}:nothing", (0, 1), "has no function nothing"),
        (f"{__name__}:beyond", (0, 1), "must be positive and finite, got inf"),
        (f"{__name__}:uneven", (0, 1), "must be the same both ways, got 1 and 2"),
        (f"{__name__}:ring", ("a", "b"), "failed on b and a: TypeError"),
        ("euclidean", ("a", "b"), "takes numbers, got 'a'"),
        ("absolute", ((0, 0), (1, 1)), "for points there are euclidean and manhattan"),
        ("manhattan", ((0, 0), (1, 1, 1)), "have different numbers of coordinates"),
    ],
)
def test_what_is_no_distance_is_refused_in_one_line(
    metric: str, values: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(AuditError) as refused:
        metrics.distances(metric, values)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_audit_counts_in_distances() -> None:
    result = audit(
        "Planar-Laplace", epsilon=0.5, pair="[0,0]:[4,0]", trials=20_000, attack="optimal"
    )
    assert (result.metric, result.distance) == ("euclidean", 4.0)
    assert result.allowed == Claim(2.0)
    assert result.claim == Claim(0.5, metric="euclidean")
    assert result.worst_case_epsilon == 0.5
    assert 0.4 < result.empirical_epsilon < 0.5
    assert result.attack_epsilon == pytest.approx(
        math.log((result.exact_true_positive_rate or 0) / (result.exact_false_positive_rate or 1))
        / 4
    )
    plain = result.to_dict()
    assert AuditResult.from_dict(plain) == result
    assert "metric" not in audit("GRR", epsilon=1, domain_size=3, trials=100).to_dict()


def test_an_audit_searches_the_pairs_for_the_worst_ratio() -> None:
    """Laplace loses epsilon / 2 for each unit at any pair, PM all of epsilon however near."""
    laplace = plan_audit("Laplace", epsilon=1.0, metric="absolute")
    assert laplace.worst_case_epsilon == pytest.approx(0.5)
    near = plan_audit("PM", epsilon=1.0, metric="absolute")
    assert (near.pair, near.distance) == (InputPair(-1.0, -0.875), 0.125)
    assert near.worst_case_epsilon == pytest.approx(8.0)
    far = plan_audit("PM", epsilon=1.0, metric="absolute", pair=(-1, 1))
    assert far.worst_pair == near.pair
    assert far.worst_case_epsilon == near.worst_case_epsilon
    broken = audit(
        "GRR", epsilon=1, domain_size=4, metric=lambda a, b: abs(a - b) / 2, trials=5_000
    )
    assert broken.verdict == "violation"
    assert broken.distance == 0.5


@pytest.mark.parametrize("dimension", [2, 3, 16])
def test_pairs_of_vectors_are_searched_too(dimension: int) -> None:
    """Noise for the l1 distance, which is at most sqrt(d) times the Euclidean one: at a diagonal.

    PrivUnit loses all of epsilon at any pair, so that the nearest ones lose the most for a unit.
    """
    settings: dict[str, Any] = {"epsilon": 1.0, "dimension": dimension, "metric": "euclidean"}
    laplace = plan_audit("Laplace-l1", **settings)
    assert laplace.worst_case_epsilon == pytest.approx(math.sqrt(dimension) / 2, rel=1e-9)
    sphere = plan_audit("PrivUnit", **settings)
    near = 2 * math.sin(math.atan(1 / 8) / 2)
    assert sphere.worst_case_epsilon == pytest.approx(1 / near, rel=1e-9)
    edge = plan_audit("Duchi-linf", **settings)  # a corner, and a place beside it on an edge
    assert edge.worst_case_epsilon == pytest.approx(8 * math.log1p((math.e - 1) / 16), rel=1e-9)


@pytest.mark.parametrize(
    "kind",
    [
        *(UnitVectors(2), UnitVectors(5), Places(2), Places(3, 0.0, 5.0), Places(1, 0.0)),
        KeyValues(4),
        *(Ball(d, norm, 2.0) for d in (1, 2, 7) for norm in ("l1", "l2", "linf")),
    ],
)
def test_some_inputs_are_inputs_and_some_are_near(kind: Any) -> None:
    some = [kind.check(point) for point in kind.some]
    assert len(set(some)) == len(some) >= 4
    apart = [math.dist(a, b) for a, b in combinations(some, 2)]
    assert min(apart) < max(apart) / 5


def test_metrics_in_grids_and_many_reports() -> None:
    cell = Cell.of(protocol="Exponential", epsilon=1, domain_size=6, metric=f"{__name__}:ring")
    assert cell.plan["metric"] == f"{__name__}:ring"
    assert "metric" not in Cell.of(protocol="GRR", epsilon=1, domain_size=6).plan
    over = audit("Geometric", epsilon=0.5, domain_size=5, reports=3, trials=2_000, pair=(0, 2))
    assert over.claim == Claim(1.5, metric="absolute")
    assert over.worst_case_epsilon == 1.5
    assert over.empirical_epsilon <= 1.5


def test_money_against_claims_that_differ() -> None:
    """Each bet is against epsilon times its own distance; the bound is one for all of them."""
    bets = [(0.5, Counts(1000, 600, 100)), (0.25, Counts(1000, 300, 100))]
    money = Wealth.of(bets, 0.0, 0.25, [2.0, 0.5])
    parts = [
        part * math.exp(log_wealth(counts, distance * 0.8, 0.0))
        for (part, counts), distance in zip(bets, (2.0, 0.5), strict=True)
    ]
    assert money.log_against(0.8) == pytest.approx(math.log(sum(parts) + 0.25))
    bound = money.bound(0.01)
    assert money.log_against(bound) == pytest.approx(math.log(100), abs=1e-6)


def test_a_check_counts_in_distances() -> None:
    """Laplace noise of scale 1 keeps 1 for each unit; a claim of 0.5 fails at any distance."""
    noise = default_rng(5)
    reports = {
        value: np.rint(4 * (value + noise.laplace(size=1500))).tolist() for value in (0, 1, 3)
    }
    settings: dict[str, Any] = {"learn": False, "seed": 1}
    held = check_recorded("it", reports, claim=Claim(1.0, metric="absolute"), **settings)
    assert held.verdict == "no-violation-found"
    assert held.best.distance in (1, 2, 3)
    broken = check_recorded("it", reports, claim=Claim(0.5, metric="absolute"), **settings)
    assert broken.verdict == "violation"
    assert 0.5 < broken.empirical_epsilon < 1
    assert CheckResult.from_dict(broken.to_dict()) == broken
    usual = check_recorded("it", reports, claim=Claim(3.0), **settings)
    assert usual.verdict == "no-violation-found"
    assert "metric" not in usual.to_dict()


def test_a_check_searches_near_inputs_among_many() -> None:
    """Twelve inputs: far ones are allowed anything, and only the nearest two break the claim."""
    noise = default_rng(6)
    values = [0.0, 0.2, *(10.0 * i for i in range(1, 11))]
    reports = {v: (noise.random(1500) < (0.9 if v == 0 else 0.1)).tolist() for v in values}
    found = check_recorded("it", reports, claim=Claim(1.0, metric="absolute"), learn=False, seed=1)
    assert found.verdict == "violation"
    assert found.best.distance == pytest.approx(0.2)


def test_statements_of_docs_distances() -> None:
    """What docs/distances.md says of the protocols, to the digits that it shows."""
    pair = InputPair(0, 1)
    for epsilon, worst in ((0.5, 0.49966), (0.7, 0.69952)):
        found = made("Grid-Laplace", epsilon, side=8).worst_case(pair)
        assert found == pytest.approx(worst, abs=5e-6)
    line = made("Exponential", 0.7, domain_size=10)
    assert (line.default_pair, round(line.worst_case(pair), 3)) == (pair, 0.534)
    place = mechanisms.make("Planar-Laplace", epsilon=1.0)
    cut: Any = made("Geometric", 0.5, domain_size=8)
    rates = [place.guess_rates(), *(cut.guess_rates_over(pair, reports) for reports in (1, 40))]
    told = [each.true_positive for each in rates]
    assert told == pytest.approx([0.648, 0.62, 0.04], abs=5e-3)
