"""The law of what is reported: subsets, bits, noise and hash functions."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from ldp_auditor import mechanisms
from ldp_auditor.mechanisms.frequency_oracle import SupportOracle
from ldp_auditor.mechanisms.kernels.bits import fill_bernoulli, unpack
from ldp_auditor.mechanisms.kernels.noise import LAPLACE, NORMAL, draw_noise
from ldp_auditor.mechanisms.kernels.scores import choose_best
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_lanes, fresh_stream, threshold
from ldp_auditor.mechanisms.subset_selection import SS
from tests.statistical.evidence import FALSE_ALARM, agrees, at_most, uniform

N = 200_000


@pytest.mark.parametrize("value", [0, 3, 5])
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_every_subset_has_its_probability(epsilon: float, value: int) -> None:
    protocol = SS(epsilon=epsilon, domain_size=6)
    sets = unpack(protocol.privatize(value, N, default_rng(value)), 6)
    seen = Counter(tuple(np.flatnonzero(row).tolist()) for row in sets)
    subsets = list(itertools.combinations(range(6), protocol.omega))
    assert set(seen) <= set(subsets)
    for group in (True, False):
        counts = [seen[s] for s in subsets if (value in s) == group]
        assert uniform(counts)
    included = sum(seen[s] for s in subsets if value in s)
    assert agrees(included, N, protocol.p)


@pytest.mark.parametrize("domain_size", [64, 65, 150, 600])
def test_large_subsets_have_the_size_and_no_favourites(domain_size: int) -> None:
    value = domain_size - 1
    protocol = SS(epsilon=0.7, domain_size=domain_size)
    sets = unpack(protocol.privatize(value, 20_000, default_rng(1)), domain_size)
    assert (sets.sum(axis=1) == protocol.omega).all()
    assert agrees(int(sets[:, value].sum()), 20_000, protocol.p)
    for other in range(domain_size - 1):
        assert agrees(int(sets[:, other].sum()), 20_000, protocol.q)
    # Pairs of other values: without replacement, given how many others were drawn.
    others = protocol.omega - sets[:, value]
    pair_rate = float(np.mean(others * (others - 1) / ((domain_size - 1) * (domain_size - 2))))
    for first, second in ((0, 1), (0, domain_size - 2), (31, 32), (62, 63)):
        if second != value:
            both = int((sets[:, first] & sets[:, second]).sum())
            assert agrees(both, 20_000, pair_rate)


@pytest.mark.parametrize("probability", [2e-9, 0.001, 0.015624, 0.25, 0.3, 0.5, 0.999, 1 - 1e-12])
def test_bernoulli_bits(probability: float) -> None:
    words = np.empty(50_001, np.uint64)
    fill_bernoulli(fresh_lanes(default_rng(11)), threshold(probability), words)
    bits = unpack(words[:, None], 64)
    assert agrees(int(bits.sum()), bits.size, probability)
    neighbours = int((bits[:, 1:] & bits[:, :-1]).sum())
    assert agrees(neighbours, bits[:, 1:].size, probability**2)
    for apart in (64, 128, 256):  # the same lane in rows that share random words
        repeats = int((bits[apart:] & bits[:-apart]).sum())
        assert agrees(repeats, bits[apart:].size, probability**2)


@pytest.mark.parametrize("domain_size", [5, 40, 70])
@pytest.mark.parametrize("name", ["SUE", "OUE", "ASUE", "THE"])
def test_bits_of_a_report_are_independent(name: str, domain_size: int) -> None:
    protocol = mechanisms.make(name, epsilon=1.0, domain_size=domain_size)
    assert isinstance(protocol, SupportOracle)
    bits = unpack(protocol.privatize(1, 50_000, default_rng(13)), domain_size)
    p, q = protocol.p, protocol.q
    for v in range(domain_size):
        assert agrees(int(bits[:, v].sum()), 50_000, p if v == 1 else q)
    assert agrees(int((bits[:, 0] & bits[:, 1]).sum()), 50_000, p * q)
    assert agrees(int((bits[:, 0] & bits[:, -1]).sum()), 50_000, q * q)
    # Neighbouring reports may share a random word, but no bit of it.
    assert agrees(int((bits[1:, 0] & bits[:-1, -1]).sum()), 49_999, q * q)


def test_threshold_report_is_the_thresholded_histogram() -> None:
    """THE draws bits; drawing Laplace noise and thresholding it has the same law."""
    bits = mechanisms.make("THE", epsilon=1.0, domain_size=4)
    raw = mechanisms.make("SHE", epsilon=1.0, domain_size=4)
    theta: float = bits.theta
    thresholded = raw.privatize(2, N, default_rng(17)) > theta
    drawn = unpack(bits.privatize(2, N, default_rng(18)), 4)
    for pattern in itertools.product((False, True), repeat=4):
        counts = [int((sets == pattern).all(axis=1).sum()) for sets in (thresholded, drawn)]
        table = np.array([counts, [N - count for count in counts]])
        assert stats.fisher_exact(table).pvalue >= FALSE_ALARM


@pytest.mark.parametrize(
    ("shape", "law", "tails"),
    [(NORMAL, stats.norm, (3.0, 4.2035, 4.4)), (LAPLACE, stats.laplace, (5.0, 9.919, 10.2))],
    ids=["normal", "laplace"],
)
def test_noise(shape: object, law: stats.rv_continuous, tails: tuple[float, ...]) -> None:
    noise = draw_noise(shape, 3.0, (1000, 2000), default_rng(19)).reshape(-1) / 3.0  # type: ignore[arg-type]
    assert stats.kstest(noise, law.cdf).pvalue >= FALSE_ALARM
    assert agrees(int((noise > 0).sum()), noise.size, 0.5)
    for tail in tails:  # around the start of the tail as well
        assert agrees(int((noise > tail).sum()), noise.size, float(law.sf(tail)))
        assert agrees(int((noise < -tail).sum()), noise.size, float(law.sf(tail)))
    assert abs(np.corrcoef(noise[1:], noise[:-1])[0, 1]) < 6 / np.sqrt(noise.size)


@pytest.mark.parametrize("tops", [1, 2, 9, 40])
def test_any_entry_at_the_top_is_chosen_alike(tops: int) -> None:
    """Where many entries reach the top some are tried at random, where few do all are counted."""
    scores = np.zeros((N, 40))
    scores[:, 40 - tops :] = np.linspace(1.0, 3.0, tops)
    chosen = choose_best(fresh_stream(default_rng(21)), scores, 0.0, 1.0)
    counts = np.bincount(chosen, minlength=40).tolist()
    assert sum(counts[: 40 - tops]) == 0
    assert tops == 1 or uniform(counts[40 - tops :])


@pytest.mark.parametrize("g", [2, 3, 4, 7, 100])
def test_hash_family_is_universal(g: int) -> None:
    """Inputs 0..k-1 in order: no pair collides more often than 1/g, and supports are binomial."""
    domain_size, n = 130, 50_000
    protocol = mechanisms.make("LHO", domain_size=domain_size, hash_range=g)
    assert isinstance(protocol, SupportOracle)
    for value in (0, 63, 64, 129):
        reports = protocol.privatize(value, n, default_rng(value))
        support = unpack(protocol.support(reports), domain_size)
        assert support[:, value].all()
        for other in set(range(domain_size)) - {value}:
            assert at_most(int(support[:, other].sum()), n, 1 / g)
        sizes = support.sum(axis=1) - 1
        law = stats.binom(domain_size - 1, 1 / g)
        edges = [int(law.ppf(p)) for p in (0.001, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999)]
        for edge in edges:
            assert agrees(int((sizes <= edge).sum()), n, float(law.cdf(edge)))
        for hashed in range(min(g, 10)):
            assert agrees(int((reports["value"] == hashed).sum()), n, 1 / g)
