"""Exact laws of the privacy loss against enumeration, simulation-free."""

from __future__ import annotations

import itertools
import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from ldp_auditor import Counts, mechanisms
from ldp_auditor.attacks.optimal import (
    best_exact_threshold,
    best_pilot_threshold,
    expected_counts,
)
from ldp_auditor.bounds import find_bound
from ldp_auditor.core import Goal, Reports
from ldp_auditor.mechanisms.capabilities import default_pair, loss_law_of
from ldp_auditor.mechanisms.frequency_oracle import SupportOracle
from ldp_auditor.mechanisms.local_hashing import LocalHashing
from ldp_auditor.mechanisms.randomized_response import GRR
from ldp_auditor.mechanisms.subset_selection import SS
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.loss_law import LossLaw
from ldp_auditor.theory.noise_laws import ClippedLaplaceLaw, GaussianLaw
from ldp_auditor.theory.noise_sums import clipped_noise, sum_of_clipped_noise
from tests.protocols import (
    NAMES,
    OURS,
    WITH_LAW,
    WITHOUT_DISTANCES,
    find,
    law_of,
    make,
    make_any,
    names_at,
)

ENUMERATED = [n for n in NAMES if issubclass(find(n), SupportOracle | GRR)]


def output_law(protocol: object, value: int) -> dict[object, float]:
    """Probability of every report of a value, hash functions included."""
    if isinstance(protocol, GRR):
        return {y: protocol.p if y == value else protocol.q for y in range(protocol.domain_size)}
    assert isinstance(protocol, SupportOracle)
    k, p = protocol.domain_size, protocol.p
    if isinstance(protocol, SS):
        return {
            subset: (
                p / math.comb(k - 1, protocol.omega - 1)
                if value in subset
                else (1 - p) / math.comb(k - 1, protocol.omega)
            )
            for subset in itertools.combinations(range(k), protocol.omega)
        }
    if isinstance(protocol, LocalHashing):
        g = protocol.hash_size
        return {
            (function, y): (p if y == function[value] else (1 - p) / (g - 1)) / g**k
            for function in itertools.product(range(g), repeat=k)
            for y in range(g)
        }
    return {
        bits: math.prod(
            r if bit else 1 - r
            for v, bit in enumerate(bits)
            for r in (p if v == value else protocol.q,)
        )
        for bits in itertools.product((0, 1), repeat=k)
    }


@pytest.mark.parametrize("domain_size", [2, 3, 4])
@pytest.mark.parametrize(("name", "epsilon"), names_at([0.3, 1.0, 1.5], ENUMERATED))
def test_discrete_laws_agree_with_enumeration(name: str, epsilon: float, domain_size: int) -> None:
    protocol = make(name, epsilon, domain_size, delta=0.01)
    law = law_of(protocol)
    first, second = output_law(protocol, 0), output_law(protocol, 1)
    ratios = [math.log(first[y] / second[y]) if second[y] else math.inf for y in first if first[y]]
    assert law.supremum == pytest.approx(max(ratios), rel=1e-9)
    for at in (0.0, 0.1, 0.29, 0.5, 1.2, 2.0):
        divergence = math.fsum(max(0.0, first[y] - math.exp(at) * second[y]) for y in first)
        assert law.delta(at) == pytest.approx(divergence, abs=1e-13)
    for delta in (0.0, 1e-3, 0.05):
        smallest = law.epsilon(delta)
        if smallest < math.inf:
            assert law.delta(smallest) == pytest.approx(delta, abs=1e-12) or smallest == 0.0


@pytest.mark.parametrize(("name", "epsilon"), names_at([0.01, 0.5, 2.0, 20.0], WITH_LAW))
def test_worst_case_never_exceeds_the_claim(name: str, epsilon: float) -> None:
    protocol = make(name, epsilon, 30)
    worst = law_of(protocol).epsilon(protocol.delta)
    if protocol.promises_nothing:
        assert worst == math.inf
        return
    assert worst <= epsilon * (1 + 1e-9)
    if name in {"THE", "GM", "ABLH", "AOLH"}:  # the only ones of ours that keep more than promised
        # Approximate hashing spends delta only on hash functions that tell the pair apart.
        assert worst < epsilon
    elif name in OURS:
        assert worst == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize(("name", "epsilon"), names_at([0.01, 0.5, 2.0, 20.0], WITHOUT_DISTANCES))
def test_worst_case_is_the_claim_for_any_inputs(name: str, epsilon: float) -> None:
    protocol = make_any(name, epsilon=epsilon)
    law = loss_law_of(protocol, default_pair(protocol))
    assert law is not None
    assert law.epsilon(protocol.delta) == pytest.approx(epsilon, rel=1e-8)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("threshold", [-1.0, -0.5, 0.0, 0.2, 0.7, 1.0])
def test_clipped_laplace_law_by_integration(epsilon: float, threshold: float) -> None:
    """P(epsilon (c1 - c2) >= t), integrating over the raw noise of the second entry."""
    noise = stats.laplace(scale=2 / epsilon)

    def tail(center: float, least: float) -> float:
        """P(clip(center + noise) >= least)."""
        if least <= 0:
            return 1.0
        return 0.0 if least > 1 else float(noise.sf(least - center))

    def probability(first_center: float, second_center: float) -> float:
        inside, _ = integrate.quad(
            lambda c: noise.pdf(c - second_center) * tail(first_center, c + threshold),
            0,
            1,
            points=sorted({min(1.0, max(0.0, x)) for x in (-threshold, 1 - threshold)}),
            epsabs=1e-13,
        )
        at_zero = float(noise.cdf(-second_center)) * tail(first_center, threshold)
        at_one = float(noise.sf(1 - second_center)) * tail(first_center, 1 + threshold)
        return inside + at_zero + at_one

    rates = ClippedLaplaceLaw(epsilon).rates(threshold * epsilon)
    assert rates.true_positive == pytest.approx(probability(1, 0), abs=1e-10)
    assert rates.false_positive == pytest.approx(probability(0, 1), abs=1e-10)


@pytest.mark.parametrize("law", [GaussianLaw(0.7, math.sqrt(2)), ClippedLaplaceLaw(2.0)])
def test_profiles_of_continuous_laws_are_consistent(law: LossLaw) -> None:
    """delta(epsilon) integrates the survival function of the loss: an identity of profiles."""
    for epsilon in (0.1, 0.9, 1.7):
        expected, _ = integrate.quad(
            lambda t, e=epsilon: math.exp(e - t) * law.rates(t).true_positive,
            epsilon,
            min(law.supremum, 60.0),
            epsabs=1e-13,
            limit=200,
        )
        assert law.delta(epsilon) == pytest.approx(expected, abs=1e-9)
        assert law.epsilon(law.delta(epsilon)) == pytest.approx(epsilon, abs=1e-9)


def test_analytic_gaussian_mechanism_is_exactly_tight() -> None:
    for epsilon, delta in ((0.5, 1e-5), (1.0, 1e-12), (10.0, 1e-3)):
        protocol = mechanisms.make("AGM", epsilon=epsilon, domain_size=2, delta=delta)
        assert law_of(protocol).epsilon(delta) == pytest.approx(epsilon, rel=1e-9)


def goal(trials: int, delta: float = 0.0) -> Goal:
    bound = find_bound("clopper-pearson")

    def no_pilot(side: int, n: int) -> Reports:
        raise AssertionError("an exact law needs no pilot")

    return Goal(trials, lambda counts: bound.of_each(counts, 0.01, delta), no_pilot)


def test_more_trials_afford_rarer_evidence() -> None:
    law = GaussianLaw(1.0, math.sqrt(2))
    thresholds = [best_exact_threshold(law, goal(trials)) for trials in (10**3, 10**5, 10**8)]
    assert thresholds == sorted(thresholds)
    assert thresholds[0] < thresholds[-1]


@pytest.mark.parametrize("domain_size", [2, 25, 10_000])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0, 6.0])
@pytest.mark.parametrize("name", ["SUE", "OUE", "SS", "BLH", "OLH", "SHE"])
def test_a_million_trials_prove_97_percent(name: str, epsilon: float, domain_size: int) -> None:
    """At the expected counts; what is sampled agrees with them by the statistical tests."""
    law = law_of(make(name, epsilon, domain_size))
    aim = goal(10**6)
    rates = law.rates(best_exact_threshold(law, aim))
    expected = Counts(10**6, int(1e6 * rates.true_positive), int(1e6 * rates.false_positive))
    assert aim.bounds([expected])[0] > 0.97 * epsilon


def test_pilot_finds_the_threshold_of_the_exact_law() -> None:
    law = GaussianLaw(1.0, math.sqrt(2))
    rng = np.random.default_rng(2)
    first, second = (rng.normal(sign * law.mu**2 / 2, law.mu, 50_000) for sign in (1, -1))
    chosen = best_pilot_threshold(first, second, goal(10**5))
    best = best_exact_threshold(law, goal(10**5))

    def value(threshold: float) -> float:
        rates = law.rates(threshold)
        counts = Counts(10**5, int(1e5 * rates.true_positive), int(1e5 * rates.false_positive))
        return goal(10**5).bounds([counts])[0]

    assert value(chosen) > 0.95 * value(best)


def test_last_bits_do_not_move_a_threshold_chosen_on_a_pilot() -> None:
    """Ratios of the same outcome that were rounded in another way are one level, and reach it."""
    rng = np.random.default_rng(4)
    steps = rng.integers(-3, 4, (2, 20_000))
    first, second = np.maximum(steps[0], steps[1]) * 0.7, np.minimum(steps[0], steps[1]) * 0.7
    plain = best_pilot_threshold(first, second, goal(10**5))
    nudged = [
        np.nextafter(ratios, rng.choice([-np.inf, np.inf], len(ratios)))
        for ratios in (first, second)
    ]
    assert best_pilot_threshold(nudged[0], nudged[1], goal(10**5)) == pytest.approx(plain, abs=1e-9)
    levels = np.unique(first)
    assert np.abs(levels - plain).min() > 0.1  # no level is near it


def test_a_level_at_infinity_has_a_threshold() -> None:
    """One input sends what the other cannot: that is the best evidence, and it is reached."""
    first = np.repeat([np.inf, 0.0], [500, 500])
    second = np.repeat([-np.inf, 0.0], [500, 500])
    threshold = best_pilot_threshold(first, second, goal(10**5))
    assert 0 < threshold < np.inf


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_sums_of_clipped_noise_keep_their_digits_where_nothing_is_lost(epsilon: float) -> None:
    """For many reports ln(TPR / FPR) at threshold 0 grows by the same amount with each of them.

    A law that loses its digits below 1e-16 of its largest value grows in leaps there.
    """
    law = ClippedLaplaceLaw(epsilon)
    values = []
    for reports in (200, 300, 400, 500):
        composed = law.composed(reports)
        assert composed is not None
        values.append(composed.rates(1e-4 * epsilon).epsilon(0.0))
    steps = [after - before for before, after in pairwise(values)]
    assert steps == pytest.approx([steps[0]] * 3, rel=0.02)


@pytest.mark.parametrize("rate", [0.25, 2.0, 5.0, 10.0])
@pytest.mark.parametrize("doublings", [1, 3, 5])
def test_rare_sums_of_noise_have_their_digits(rate: float, doublings: int) -> None:
    """Against convolutions by sums of positive terms, from the likely sums to those at loss 0."""
    direct = clipped_noise(rate)
    for _ in range(doublings):
        direct = np.convolve(direct, direct)
    found = sum_of_clipped_noise(rate, 2**doublings)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    centre, middle = int(direct @ np.arange(len(direct))), len(direct) // 2
    assert found[centre : middle + 1] == pytest.approx(direct[centre : middle + 1], rel=1e-8, abs=0)


def test_a_thousand_reports_of_she_have_thresholds() -> None:
    """Losses of a fine grid are told apart however large their sums are."""
    law = ClippedLaplaceLaw(1.0).composed(1000)
    assert law is not None
    assert min(law.thresholds()) < 1.0
    assert law.rates(min(law.thresholds())).true_positive > 0.999


@pytest.mark.parametrize("trials", [10**9, 10**12, 10**15])
def test_no_more_is_expected_than_there_are_trials(trials: int) -> None:
    """A rate of nearly 1 was rounded up to 1,000,000,001 of 10^9."""
    law = OneLevelLaw(likely=1 / (1 + math.exp(-25.0)), unlikely=math.exp(-25.0))
    (expected,) = expected_counts(law, trials)
    assert expected.true_positives == pytest.approx(trials, rel=1e-9)
