"""The catalogue says the truth about its mechanisms.

Null hypothesis of every sampled decision: reports follow the law that the entry states. It is
rejected at 1e-10; about 700 decisions with literal seeds.
"""

from __future__ import annotations

import itertools
import math
import pickle
import zlib
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.broken_mechanisms.carriers import Carrier
from tests.broken_mechanisms.catalogue import CATALOGUE
from tests.broken_mechanisms.entry import Entry, Mechanism, whole
from tests.broken_mechanisms.exact import (
    aligned,
    analytic_sigma,
    approximate_epsilon,
    collect,
    fingerprint,
    gaussian_delta,
    separation,
    smallest_epsilon,
)
from tests.broken_mechanisms.lattice import FloatLaplace, on_coarse_lattice
from tests.statistical.evidence import FALSE_ALARM

SAMPLES = (2_000, 4_000, 8_000, 20_000)
"""Reports per value: the first number that tells a mechanism from its twin, or else the last.

The first is for single reports of a mechanism whose batches or whose every bit are tested too."""

FAMILIES = {
    *("GRR", "SS", "SUE", "OUE", "SHE", "THE", "BLH", "OLH", "Gaussian", "AGM", "approximate"),
    *("longitudinal", "memoized", "SPL", "SMP", "RS+FD", "Laplace", "geometric", "exponential"),
    *(
        "RAPPOR",
        "Duchi",
        "PCKV",
        "PGR",
        "PrivUnit",
        "Planar-Laplace",
        "PM",
        "HM",
        "SW",
        "Staircase",
    ),
    *("HR", "HRR", "CMS", "HCMS", "Bloom-SUE", "PI-RAPPOR", "ADP", "PrivUnit", "Planar-Laplace"),
}

PLACES = {
    "a missing step",
    "p and q swapped",
    "off by one in the domain size",
    "off by one in g",
    "off by one in omega",
    "sensitivity halved",
    "sensitivity too small",
    "a shared hash seed",
    "a constant hash seed",
    "a hash seed that depends on the value",
    "shared randomness",
    "non-uniform replacement",
    "one unprotected coordinate",
    "a truncated tail",
    "sampling with replacement",
    "composition ignored",
    "a float lattice",
    "last bits of a float",
    "length",
    "type",
    "order of a set",
    "order of keys",
    "a value that one input can never produce",
    "a pair of coordinates",
    "parity of three coordinates",
    "parity of four coordinates",
    "parity of many coordinates",
    "a dictionary key",
    "string padding",
    "a character of a string",
    "the value in the clear",
    "delta spent several times",
    "a parameter of another protocol",
    "a parameter misread",
    "rounded probabilities",
    "sign of a zero",
    "a field of an object",
    "last digits of a number",
    "many weak parts",
    "one pair of many inputs",
    "order of entries",
    "a public parameter",
    "a forgotten case",
}


def side_of(entry: Entry, side: str) -> Mechanism:
    return entry.broken if side == "broken" else entry.correct


SIDES = [
    pytest.param(entry, side, id=f"{entry.name}-{side}")
    for entry in CATALOGUE
    for side in ("broken", "correct")
]
BATCHES = [
    pytest.param(entry, side, id=f"{entry.name}-{side}")
    for entry in CATALOGUE
    for side in ("broken", "correct")
    if hasattr(getattr(entry, side), "batch")
]
CARRIERS = [
    pytest.param(entry, side, id=f"{entry.name}-{side}")
    for entry in CATALOGUE
    for side in ("broken", "correct")
    if isinstance(getattr(entry, side), Carrier)
]
PAIRS = [pytest.param(entry, id=entry.name) for entry in CATALOGUE]
MUST_BE_CAUGHT = [pytest.param(entry, id=entry.name) for entry in CATALOGUE if entry.must_be_caught]
SUPPORTING = [pytest.param(entry, id=entry.name) for entry in CATALOGUE if entry.supports]


def generator(entry: Entry, side: str, purpose: str) -> np.random.Generator:
    """A literal stream per use: names do not change between runs or machines."""
    return np.random.default_rng(zlib.crc32(f"{entry.name}/{side}/{purpose}".encode()))


def _quick_key(seen: Any) -> Hashable:
    """The fingerprint of an array, the pickle of anything else: whichever is made faster."""
    return fingerprint(seen) if isinstance(seen, np.ndarray) else pickle.dumps(seen)


def p_value(reports: Iterable[Any], entry: Entry, law: dict[Hashable, float]) -> float:
    """Chi-square of whole reports against the law; outcomes expected below 5 are one outcome."""
    counts: Counter[Hashable] = Counter()
    for same, number in Counter(map(_quick_key, map(entry.view, reports))).items():
        counts[fingerprint(pickle.loads(same)) if isinstance(same, bytes) else same] += number
    total = sum(counts.values())
    assert counts.keys() <= law.keys(), f"impossible: {list(counts.keys() - law.keys())[:3]}"
    common = [key for key, chance in law.items() if chance * total >= 5]
    observed = [counts[key] for key in common]
    expected = [law[key] * total for key in common]
    rest = math.fsum(chance for key, chance in law.items() if chance * total < 5) * total
    rare = total - sum(observed)
    if rest >= 5:
        observed.append(rare)
        expected.append(rest)
    elif stats.poisson.sf(rare - 1, max(rest, 1e-9)) < FALSE_ALARM:
        return 0.0
    if len(observed) < 2:
        return 1.0
    scale = sum(observed) / sum(expected)
    return float(stats.chisquare(observed, [rate * scale for rate in expected]).pvalue)


def samples(entry: Entry, side: str, value: Any) -> int:
    """Reports after which a mechanism that is its twin fails `p_value` but for one in 1e10."""
    twin = "correct" if side == "broken" else "broken"
    own, other = (collect(side_of(entry, name).law(value)) for name in (side, twin))
    impossible = math.fsum(chance for key, chance in other.items() if key not in own)
    for number in SAMPLES[:-1]:
        common = {key: chance for key, chance in own.items() if chance * number >= 5}
        far = math.fsum((other.get(key, 0.0) - rate) ** 2 / rate for key, rate in common.items())
        freedom = max(len(common), 1)
        missed = stats.ncx2.cdf(stats.chi2.isf(FALSE_ALARM, freedom), freedom, number * far)
        if min(missed, (1 - impossible) ** number) < FALSE_ALARM:
            return number
    return SAMPLES[-1]


def sampled_values(entry: Entry, side: str) -> Iterable[Any]:
    """Values to draw reports of: where many have the same law, the first and the last of them."""
    if len(entry.values) < 20:
        return entry.values
    laws = {
        value: frozenset(collect(side_of(entry, side).law(value)).items()) for value in entry.values
    }
    last = {law: value for value, law in laws.items()}
    first = {law: value for value, law in reversed(laws.items())}
    return dict.fromkeys([*first.values(), *last.values()])


@pytest.mark.parametrize(("entry", "side"), SIDES)
def test_laws_add_up_to_one(entry: Entry, side: str) -> None:
    for value in entry.values:
        assert math.fsum(collect(side_of(entry, side).law(value)).values()) == pytest.approx(
            1, abs=1e-12
        )


@pytest.mark.parametrize("entry", PAIRS)
def test_epsilons_keep_their_sides_of_the_claim(entry: Entry) -> None:
    assert 2 <= len(entry.values) <= 200
    assert 0 < entry.correct_epsilon <= entry.epsilon + 1e-12
    if entry.must_be_caught:
        assert entry.true_epsilon >= 1.1 * entry.epsilon
    else:
        assert entry.epsilon * 1.01 < entry.true_epsilon
        assert entry.true_epsilon < 1.1 * entry.epsilon or _far(entry) < 8


@pytest.mark.parametrize("entry", PAIRS)
def test_a_view_never_shows_more_than_the_report(entry: Entry) -> None:
    for mechanism, stated in (
        (entry.broken, entry.true_epsilon),
        (entry.correct, entry.correct_epsilon),
    ):
        shown = smallest_epsilon(mechanism.law, entry.values, entry.delta)
        assert shown <= stated + 1e-9
        if entry.view is whole:
            assert shown == stated


@pytest.mark.parametrize("entry", MUST_BE_CAUGHT)
def test_what_must_be_caught_can_be(entry: Entry) -> None:
    """With a hundred thousand reports per value the best event is 8 standard errors away."""
    assert _far(entry) >= 8


def _far(entry: Entry) -> float:
    return separation(entry.broken.law, entry.values, entry.epsilon, entry.delta, 100_000)


@pytest.mark.parametrize(("entry", "side"), SIDES)
def test_single_reports_follow_the_law(entry: Entry, side: str) -> None:
    mechanism, rng = side_of(entry, side), generator(entry, side, "single")
    another_test = hasattr(mechanism, "batch") or isinstance(mechanism, Carrier)
    for value in sampled_values(entry, side):
        number = SAMPLES[0] if another_test else samples(entry, side, value)
        reports = (mechanism(value, rng) for _ in range(number))
        assert p_value(reports, entry, collect(mechanism.law(value))) >= FALSE_ALARM


@pytest.mark.parametrize(("entry", "side"), CARRIERS)
def test_a_carrier_carries_the_bit_that_was_drawn(entry: Entry, side: str) -> None:
    """No chance in it: the first number that a report draws decides the bit, as in its law."""
    carrier = side_of(entry, side)
    assert isinstance(carrier, Carrier)
    for value in entry.values:
        for seed in range(500):
            lies = np.random.default_rng(seed).random() >= carrier.truth
            report = carrier(value, np.random.default_rng(seed))
            assert carrier.bit_of(report) == value ^ lies


@pytest.mark.parametrize(("entry", "side"), BATCHES)
def test_batches_follow_the_law(entry: Entry, side: str) -> None:
    mechanism: Any = side_of(entry, side)
    rng = generator(entry, side, "batch")
    for value in sampled_values(entry, side):
        number = samples(entry, side, value)
        reports = mechanism.batch(value, number, rng)
        assert len(reports) == number
        assert p_value(reports, entry, collect(mechanism.law(value))) >= FALSE_ALARM


@pytest.mark.parametrize("entry", PAIRS)
def test_types_of_single_and_batch_reports_agree(entry: Entry) -> None:
    for side in ("broken", "correct"):
        mechanism: Any = side_of(entry, side)
        if not hasattr(mechanism, "batch"):
            continue
        rng = generator(entry, side, "types")
        value = entry.values[0]
        assert {type(report) for report in mechanism.batch(value, 50, rng)} == {
            type(mechanism(value, rng)) for _ in range(50)
        }


@pytest.mark.parametrize("entry", PAIRS)
def test_entries_cross_process_borders(entry: Entry) -> None:
    again: Entry = pickle.loads(pickle.dumps(entry))
    assert again == entry
    for side in ("broken", "correct"):
        rng, same = generator(entry, side, "pickle"), generator(entry, side, "pickle")
        value = entry.values[-1]
        first = side_of(entry, side)(value, rng)
        assert fingerprint(first) == fingerprint(side_of(again, side)(value, same))


@pytest.mark.parametrize("entry", SUPPORTING)
def test_supports_favours_the_own_value(entry: Entry) -> None:
    """Null hypothesis: a correct twin's report supports its own value at least as often."""
    assert entry.supports is not None
    rng = generator(entry, "correct", "supports")
    counts = dict.fromkeys(itertools.product(entry.values, entry.values), 0)
    for owner in entry.values:
        for _ in range(2000):
            report = entry.correct(owner, rng)
            for value in entry.values:
                counts[owner, value] += entry.supports(report, value)
    for owner in entry.values:
        for value in entry.values:
            if value == owner:
                continue
            test = stats.binomtest(
                counts[owner, owner],
                max(counts[owner, owner] + counts[owner, value], 1),
                0.5,
                alternative="less",
            )
            assert test.pvalue >= FALSE_ALARM


def test_the_catalogue_is_complete() -> None:
    assert len(CATALOGUE) >= 34
    assert len({entry.name for entry in CATALOGUE}) == len(CATALOGUE)
    assert sum(entry.must_be_caught for entry in CATALOGUE) >= 28
    assert 3 <= sum(not entry.must_be_caught for entry in CATALOGUE) <= 6
    assert sum(math.isinf(entry.true_epsilon) for entry in CATALOGUE) >= 8
    near = [entry for entry in CATALOGUE if 1.1 <= entry.true_epsilon / entry.epsilon <= 1.3]
    assert len(near) >= 8
    assert {entry.family for entry in CATALOGUE} == FAMILIES
    assert {entry.place for entry in CATALOGUE} == PLACES


def test_float_noise_around_one_is_always_on_the_lattice() -> None:
    """Half a million reports: 1 + noise is a multiple of 2^-53, as proven, and noise is not."""
    rng = np.random.default_rng(53)
    assert all(map(on_coarse_lattice, FloatLaplace(1.0).batch(1.0, 500_000, rng)))
    assert not all(map(on_coarse_lattice, FloatLaplace(1.0).batch(0.0, 1000, rng)))


def test_approximate_epsilon_agrees_with_the_gaussian_closed_form() -> None:
    sigma = analytic_sigma(1.0, 0.05, 1.0)
    edges = np.linspace(-12, 13, 250_001)
    first, second = (np.diff(stats.norm.cdf(edges, mean, sigma)) for mean in (0.0, 1.0))
    assert approximate_epsilon(first, second, 0.05) == pytest.approx(1.0, abs=1e-6)
    assert gaussian_delta(1.0, sigma, 1.0) == pytest.approx(0.05, abs=1e-9)


def test_approximate_epsilon_of_a_revealed_value() -> None:
    first, second = aligned([{"a": 0.3, "b": 0.7}, {"b": 0.7, "c": 0.3}])
    assert approximate_epsilon(first, second, 0.3) == 0
    assert approximate_epsilon(first, second, 0.2) == math.inf
