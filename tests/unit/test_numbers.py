"""Protocols for numbers against densities written down from their papers, by integration."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import integrate, optimize, stats

from ldp_auditor import AuditError, InputPair, mechanisms
from ldp_auditor.inputs import Numbers
from ldp_auditor.mechanisms.bounded_reports import HYBRID_FROM
from ldp_auditor.mechanisms.numbers import NumberMechanism
from ldp_auditor.theory.gaussian import gaussian_log_delta
from ldp_auditor.theory.noise_laws import GaussianLaw

NAMES = tuple(mechanisms.available(Numbers))
PAIRS = [(-1.0, 1.0), (1.0, -1.0), (-0.3, 0.8), (0.5, 0.45)]

Law = tuple[Callable[[Any], Any], list[float], dict[float, float]]
"""A density, its kinks, and atoms."""


def made(name: str, epsilon: float, **options: Any) -> NumberMechanism:
    protocol: NumberMechanism = mechanisms.make(name, epsilon=epsilon, **options)
    return protocol


def laplace(epsilon: float, v: float) -> Law:
    def density(y: Any) -> Any:
        return epsilon / 4 * np.exp(-epsilon / 2 * np.abs(y - v))

    reach = 80 / epsilon
    return density, [v - reach, v, v + reach], {}


def gaussian(epsilon: float, v: float) -> Law:
    scale = made("Gaussian", epsilon).scale  # type: ignore[attr-defined]
    spread = [v + scale * t for t in np.linspace(-13, 13, 14)]
    return stats.norm(v, scale).pdf, spread, {}


def duchi(epsilon: float, v: float) -> Law:
    e = math.exp(epsilon)
    end, plus = (e + 1) / (e - 1), (v * (e - 1) + e + 1) / (2 * e + 2)
    return lambda y: 0 * y, [-end, end], {-end: 1 - plus, end: plus}


def piecewise(epsilon: float, v: float) -> Law:
    h = math.exp(epsilon / 2)
    end = (h + 1) / (h - 1)
    low = (end + 1) / 2 * v - (end - 1) / 2
    high, p = low + end - 1, (h * h - h) / (2 * h + 2)

    def density(y: Any) -> Any:
        return np.where((y >= low) & (y <= high), p, p / (h * h))

    return density, [-end, low, high, end], {}


def with_any_window(epsilon: float, t: Any) -> tuple[Any, Any, Any]:
    """[Zhao21]: the end of reports, half of the window's width, and the variance at 1."""
    e = math.exp(epsilon)
    half = (e + t) / (t * (e - 1))
    end = half * (t + 1)
    q = 1 / (2 * end + 2 * half * (e - 1))
    middle = half * t
    within = (e - 1) * q * 2 * half * (middle**2 + half**2 / 3)
    return end, half, 2 * q * end**3 / 3 + within - 1


def best_t(epsilon: float) -> float:
    """Where the derivative vanishes, which a step along the imaginary axis has in all digits."""
    return float(
        optimize.brentq(
            lambda t: with_any_window(epsilon, complex(t, 1e-30))[2].imag,
            1.0,
            math.exp(epsilon),
            xtol=1e-15,
        )
    )


def best_piecewise(epsilon: float, v: float) -> Law:
    t, e = best_t(epsilon), math.exp(epsilon)
    end, half, _ = with_any_window(epsilon, t)
    middle, q = half * t * v, 1 / (2 * end + 2 * half * (e - 1))

    def density(y: Any) -> Any:
        return np.where(np.abs(y - middle) <= half, e * q, q)

    return density, [-end, middle - half, middle + half, end], {}


def hybrid(epsilon: float, v: float) -> Law:
    share = 1 - math.exp(-epsilon / 2) if epsilon > 0.61 else 0.0
    smooth, kinks, _ = piecewise(epsilon, v)
    atoms = duchi(epsilon, v)[2]
    return lambda y: share * smooth(y), kinks, {y: (1 - share) * m for y, m in atoms.items()}


def square_wave(epsilon: float, v: float) -> Law:
    e, t = math.exp(epsilon), (1 + v) / 2
    b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
    q = 1 / (2 * b * e + 1)

    def density(y: Any) -> Any:
        return np.where(np.abs(y - t) <= b, e * q, q)

    return density, [-b, t - b, t + b, 1 + b], {}


def staircase(epsilon: float, v: float) -> Law:
    gamma = 1 / (1 + math.exp(epsilon / 2))
    a = (1 - math.exp(-epsilon)) / (4 * (gamma + math.exp(-epsilon) * (1 - gamma)))

    def density(y: Any) -> Any:
        stair, rest = np.divmod(np.abs(y - v) / 2, 1)
        return a * np.exp(-epsilon * (stair + (rest >= gamma)))

    stairs = np.arange(math.ceil(45 / epsilon))
    steps = np.concatenate([2 * stairs, 2 * (stairs + gamma)])
    return density, [*(v - steps), *(v + steps[1:])], {}


LAWS: dict[str, Callable[[float, float], Law]] = {
    "Laplace": laplace,
    "Gaussian": gaussian,
    "Duchi": duchi,
    "PM": piecewise,
    "PM-OPT": best_piecewise,
    "HM": hybrid,
    "SW": square_wave,
    "Staircase": staircase,
}


def outcomes(law: Law, other: Law) -> Iterator[tuple[Any, Any, Any]]:
    """Reports with their chances under both, on Gauss-Legendre points between all kinks."""
    kinks = sorted({*law[1], *other[1]})
    nodes, weights = np.polynomial.legendre.leggauss(40 if len(kinks) < 40 else 3)
    for low, high in pairwise(kinks):
        if high - low < 1e-9:  # the same kink, rounded in two ways
            continue
        y = low + (high - low) * (nodes + 1) / 2
        scale = weights * (high - low) / 2
        yield y, law[0](y) * scale, other[0](y) * scale
    for place, mass in law[2].items():
        yield np.array([place]), np.array([mass]), np.array([other[2][place]])


@pytest.fixture(scope="module", params=[(n, e) for n in NAMES for e in (0.4, 1.0, 3.0)])
def setting(request: pytest.FixtureRequest) -> tuple[str, float]:
    found: tuple[str, float] = request.param
    return found


def both(name: str, epsilon: float, pair: tuple[float, float]) -> tuple[Any, Any, Any]:
    """All outcomes for a pair, side by side."""
    laws = [LAWS[name](epsilon, v) for v in pair]
    y, p, q = map(np.concatenate, zip(*outcomes(*laws), strict=True))
    return y, p, q


def test_every_protocol_has_a_law_here() -> None:
    assert set(LAWS) == set(NAMES)


@pytest.mark.parametrize("pair", PAIRS)
def test_profiles_agree_with_integration(
    setting: tuple[str, float], pair: tuple[float, float]
) -> None:
    name, epsilon = setting
    law = made(name, epsilon).loss_law(InputPair(*pair))
    _, p, q = both(name, epsilon, pair)
    close = 2e-3 if name in ("Laplace", "Gaussian") else 1e-9  # where the loss has kinks inside
    for at in (0.0, 0.3 * epsilon, 0.9 * epsilon):
        ways = [np.maximum(0, a - math.exp(at) * b).sum() for a, b in ((p, q), (q, p))]
        assert law.delta(at) == pytest.approx(max(ways), abs=close)
    if name != "Gaussian":
        with np.errstate(divide="ignore", invalid="ignore"):
            losses = np.abs(np.log(p / q))[(p > 1e-300) & (q > 1e-300)]
        assert law.supremum == pytest.approx(losses.max(), rel=1e-9)
        assert law.supremum <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize("pair", PAIRS)
def test_rates_of_the_natural_attack_agree_with_integration(
    setting: tuple[str, float], pair: tuple[float, float]
) -> None:
    name, epsilon = setting
    rates = made(name, epsilon).guess_rates(InputPair(*pair))
    assert rates is not None
    middle = sum(pair) / 2
    cut = (1 + middle) / 2 if name == "SW" else middle
    for exact, value in zip(vars(rates).values(), pair, strict=True):
        density, kinks, atoms = LAWS[name](epsilon, value)
        nodes = ([*kinks, cut], density) if min(kinks) < cut < max(kinks) else (kinks, density)
        side = [k for k in sorted(nodes[0]) if (k <= cut) == (pair[0] < pair[1]) or k == cut]
        found = math.fsum(
            integrate.fixed_quad(density, a + 1e-13, b - 1e-13, n=30)[0] for a, b in pairwise(side)
        )
        found += sum(m for y, m in atoms.items() if (y < cut) == (pair[0] < pair[1]))
        assert exact == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("value", [-1.0, 0.0, 0.35, 1.0])
def test_variances_agree_with_integration(setting: tuple[str, float], value: float) -> None:
    name, epsilon = setting
    protocol = made(name, epsilon)
    y, p, _ = both(name, epsilon, (value, value))
    mean = float(y @ p)
    variance = float((y - mean) ** 2 @ p)
    assert p.sum() == pytest.approx(1, rel=1e-9)
    assert (mean - protocol.place(0.0)) / protocol.gain == pytest.approx(value, abs=1e-9)
    expected = variance / protocol.gain**2
    assert protocol.mean_variance(1, value) == pytest.approx(expected, rel=1e-9)
    assert protocol.mean_variance(50, value, reports=4) == pytest.approx(expected / 200, rel=1e-9)


def test_variances_of_many_values() -> None:
    protocol = made("PM", 1.0)
    both_ = protocol.mean_variance(10, np.array([0.0, 1.0]))
    assert both_.tolist() == [protocol.mean_variance(10, v) for v in (0.0, 1.0)]
    for bad in (2.0, math.nan, "x"):
        with pytest.raises(AuditError, match="value must"):
            protocol.mean_variance(10, bad)
    with pytest.raises(AuditError, match="reports must not be empty"):
        protocol.estimate(np.empty(0))
    with pytest.raises(AuditError, match="reports must be as PM makes them"):
        protocol.estimate(np.zeros((3, 2)))


@pytest.mark.parametrize("name", NAMES)
def test_no_pair_loses_more_than_the_default_one(name: str) -> None:
    protocol = made(name, 1.3)
    worst, delta = protocol.worst_case(InputPair(0.0, 1.0)), protocol.delta
    assert worst == pytest.approx(1.3, rel=1e-9)
    grid = np.linspace(-1, 1, 9).tolist()
    losses = {(a, b): protocol.loss_law(InputPair(a, b)) for a in grid for b in grid if a != b}
    assert max(law.epsilon(delta) for law in losses.values()) <= worst * (1 + 1e-9)
    for epsilon in (0.0, 0.5, 1.0):  # nor at any other delta
        largest = losses[-1.0, 1.0].delta(epsilon)
        assert all(law.delta(epsilon) <= largest + 1e-12 for law in losses.values())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 20.0])
def test_reports_lie_on_one_lattice_for_all_inputs(name: str, epsilon: float) -> None:
    """Floats near an input have bits that floats far from it lack; the lattice hides them."""
    protocol = made(name, epsilon)
    reports = [protocol.privatize(v, 2000, default_rng(5)) for v in (0.0, 0.3, -1.0)]
    if name == "Duchi":
        assert len(np.unique(reports)) == 2
        return
    ends = set(made("Duchi", epsilon).privatize(0.0, 50, default_rng(1)).tolist())
    grains = []
    for batch in reports:
        whole = [y for y in batch.tolist() if y not in ends and y]
        grains += [math.frexp(y)[1] - 53 + _trailing_zeros(y) for y in whole] or [0]
    shared = min(grains)
    span = max(np.abs(batch).max() for batch in reports)
    assert span / 2.0**shared < 2.0**52  # the lattice is coarser than floats of this size
    if epsilon < 20:
        for batch in reports:
            assert (batch[~np.isin(batch, list(ends))] % 2.0**shared == 0).all()


def _trailing_zeros(y: float) -> int:
    mantissa = int(abs(math.frexp(y)[0]) * 2**53)
    return (mantissa & -mantissa).bit_length() - 1


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("PM", {"epsilon": 21.0}, "epsilon must be at most 20"),
        ("Staircase", {"epsilon": 1.0, "gamma": 1.5}, r"gamma must lie in \(0, 1\)"),
        ("Gaussian", {"epsilon": 2.0, "calibration": "classic"}, "proven for epsilon <= 1 only"),
        ("Gaussian", {"epsilon": 2.0, "calibration": "new"}, "calibration must be one of"),
        ("Laplace", {"epsilon": 1.0, "domain_size": 3}, "Laplace has no domain_size"),
    ],
)
def test_what_cannot_be_is_refused(name: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(AuditError, match=message):
        mechanisms.make(name, **settings)


def largest_variance(name: str, epsilon: float, **options: Any) -> float:
    protocol = made(name, epsilon, **options)
    return float(max(protocol.mean_variance(1, v) for v in (0.0, 0.5, 1.0)))


@pytest.mark.parametrize("epsilon", [0.2, 0.6, 0.62, 1.0, 2.0, 5.0])
def test_the_hybrid_mechanism_mixes_best(epsilon: float) -> None:
    """[Wang19]: of all coins between PM and Duchi, its own has the smallest largest variance."""
    parts = [made(name, epsilon) for name in ("PM", "Duchi")]
    values = np.linspace(0, 1, 21)
    variances = np.array([part.mean_variance(1, values) for part in parts])
    coins = [(share * variances[0] + (1 - share) * variances[1]).max() for share in
             np.linspace(0, 1, 201)]  # fmt: skip
    assert largest_variance("HM", epsilon) <= min(coins) * (1 + 1e-12)
    assert largest_variance("HM", epsilon) == pytest.approx(min(coins), rel=2e-3)
    assert pytest.approx(0.61, abs=1e-3) == HYBRID_FROM


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 1.0, 4.0, 12.0, 20.0])
def test_no_other_window_varies_less_where_it_varies_most(epsilon: float) -> None:
    """Nor those of PM, of [Zhao21]'s PM-SUB (t = e^(epsilon / 3)) and of SW, scaled to the mean."""
    least = largest_variance("PM-OPT", epsilon)
    for t in np.geomspace(1.001, math.exp(epsilon / 2) + 1, 60).tolist():
        assert with_any_window(epsilon, t)[2] >= least * (1 - 1e-9)
    for exponent, other in ((2, "PM"), (3, None)):
        variance = with_any_window(epsilon, math.exp(epsilon / exponent))[2]
        assert variance >= least * (1 - 1e-9)
        if other:
            assert largest_variance(other, epsilon) == pytest.approx(variance, rel=1e-9)
    square = 1 / (2 * made("SW", epsilon).half_width)  # type: ignore[attr-defined]
    wave = with_any_window(epsilon, square)[2]
    assert largest_variance("SW", epsilon) == pytest.approx(wave, rel=1e-6)


def best_share(epsilon: float) -> float:
    """The gamma of the smallest variance: [Geng15] section IV."""
    b = math.exp(-epsilon)
    root = (b - 2 * b**2 + 2 * b**4 - b**5) ** (1 / 3)
    return float(-b / (1 - b) + root / (2 ** (1 / 3) * (1 - b) ** 2))


def test_statements_of_docs_numbers() -> None:
    """What docs/numbers.md says of the literature."""
    assert largest_variance("PM", 1.289) > largest_variance("Duchi", 1.289)
    assert largest_variance("PM", 1.290) < largest_variance("Duchi", 1.290)
    for epsilon, wins in ((4.88, False), (4.90, True), (8.0, True)):
        stairs = largest_variance("Staircase", epsilon, gamma=best_share(epsilon))
        assert (stairs < largest_variance("HM", epsilon)) == wins
        assert largest_variance("Staircase", epsilon) > largest_variance("HM", epsilon)
    for epsilon, wins in ((2.30, False), (2.32, True), (8.0, True)):
        assert (largest_variance("PM-OPT", epsilon) < largest_variance("HM", epsilon)) == wins
    for name, epsilon, more in (("PM", 4.0, 1.49), ("PM", 8.0, 3.02), ("SW", 4.0, 3.02)):
        lost = largest_variance(name, epsilon) / largest_variance("PM-OPT", epsilon)
        assert lost == pytest.approx(more, abs=5e-3)
    for epsilon in (0.5, 1.0, 3.0):
        same = [made(name, epsilon).guess_rates() for name in ("PM", "Laplace")]
        assert vars(same[0]) == pytest.approx(vars(same[1]))
    for epsilon, holds in ((1.0, True), (8.41, True), (8.43, False)):
        scale = 2 / epsilon * math.sqrt(2 * math.log(1.25 / 1e-5))
        assert (GaussianLaw(scale, 2.0).epsilon(1e-5) <= epsilon) == holds
        assert (gaussian_log_delta(epsilon, scale, 2.0) <= math.log(1e-5)) == holds
    kept = made("Gaussian", 1.0, calibration="classic").worst_case(InputPair(0.0, 1.0))
    assert kept == pytest.approx(0.751, abs=1e-3)


def test_the_width_of_sw_has_not_the_largest_mutual_information() -> None:
    """Of a number spread evenly over [0, 1] and its report, at epsilon 1."""
    e = math.e

    def information(b: float) -> float:
        q = 1 / (2 * b * e + 1)
        y = np.linspace(-b, 1 + b, 100_001)
        covered = np.clip(np.minimum(y + b, 1) - np.maximum(y - b, 0), 0, None)
        density = q + (e - 1) * q * covered
        given = 2 * b * e * q * math.log(e * q) + q * math.log(q)
        return given - float(integrate.trapezoid(density * np.log(density), y))

    paper = made("SW", 1.0).half_width  # type: ignore[attr-defined]
    best = optimize.minimize_scalar(lambda b: -information(b), bounds=(0.05, 0.5), method="bounded")
    assert (paper, best.x) == pytest.approx((0.256, 0.185), abs=1e-3)
    assert information(paper) / information(best.x) == pytest.approx(0.961, abs=2e-3)
