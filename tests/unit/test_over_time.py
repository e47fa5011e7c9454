"""Many reports with fresh noise: exact rates and laws against enumeration and references."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from mpmath import mp

from ldp_auditor import (
    AuditError,
    AuditPlan,
    InputPair,
    audit,
    audit_over_time,
    explain,
    mechanisms,
)
from ldp_auditor.mechanisms.capabilities import default_pair
from ldp_auditor.mechanisms.frequency_oracle import SupportOracle
from ldp_auditor.mechanisms.kernels.sums import Lottery, add_rows, add_sets, add_values
from ldp_auditor.theory.discrete_laws import DiscreteLaw, OneLevelLaw
from ldp_auditor.theory.guessing import (
    binomial,
    gaussian_guess_rates,
    laplace_guess_rates,
    multinomial_guess_rates,
)
from ldp_auditor.theory.noise_laws import ClippedLaplaceLaw
from tests.enumeration import best_total_probability, enumerated_law
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

PAIR = InputPair(0, 1)
INDEPENDENT = [
    name for name in NAMES if issubclass(find(name), SupportOracle) and name not in ("SS", "LHO")
]


@pytest.mark.parametrize("reports", [2, 3])
@pytest.mark.parametrize("domain_size", [2, 3])
@pytest.mark.parametrize(("name", "epsilon"), names_at([0.3, 1.2], [*INDEPENDENT, "SS"]))
def test_algorithm_2_agrees_with_enumeration(
    name: str, epsilon: float, domain_size: int, reports: int
) -> None:
    protocol = make(name, epsilon, domain_size)
    assert isinstance(protocol, SupportOracle)
    law = enumerated_law(protocol)
    rates = protocol.guess_rates_over(PAIR, reports)
    assert rates is not None
    hit = alarm = 0.0
    for sets in itertools.product(law, repeat=reports):
        chance = math.prod(law[s] for s in sets)
        hit += chance * best_total_probability(sets, 0, domain_size)
        alarm += chance * best_total_probability(sets, 1, domain_size)
    assert rates.true_positive == pytest.approx(hit, rel=1e-12)
    assert rates.false_positive == pytest.approx(alarm, rel=1e-12)


@pytest.mark.parametrize("reports", [2, 3, 5])
@pytest.mark.parametrize("domain_size", [2, 3, 4])
@pytest.mark.parametrize("name", ["GRR", "AGRR"])
def test_multinomial_counts_agree_with_enumeration(
    name: str, domain_size: int, reports: int
) -> None:
    p, q = (0.5, 0.5 / (domain_size - 1)) if name == "GRR" else (0.7, 0.3 / (domain_size - 1))
    rates = multinomial_guess_rates(domain_size, p, q, reports)
    assert rates is not None
    hit = alarm = 0.0
    for values in itertools.product(range(domain_size), repeat=reports):
        chance = math.prod(p if v == 0 else q for v in values)
        sets = tuple(frozenset([v]) for v in values)
        hit += chance * best_total_probability(sets, 0, domain_size)
        alarm += chance * best_total_probability(sets, 1, domain_size)
    assert rates.true_positive == pytest.approx(hit, rel=1e-12)
    assert rates.false_positive == pytest.approx(alarm, rel=1e-12)


@pytest.mark.parametrize("reports", [2, 17, 100, 500])
@pytest.mark.parametrize("domain_size", [2, 25, 100, 10_000])
@pytest.mark.parametrize("epsilon", [0.25, 1.0, 6.0])
def test_multinomial_guesses_fall_somewhere(epsilon: float, domain_size: int, reports: int) -> None:
    """Hits and alarms come from different sums; together they must exhaust all guesses."""
    protocol = make("GRR", epsilon, domain_size)
    rates = protocol.guess_rates_over(PAIR, reports)
    assert rates is not None
    total = rates.true_positive + (domain_size - 1) * rates.false_positive
    assert total == pytest.approx(1, abs=1e-11)


# From derivations in mpmath by somebody who had not seen this package: protocol, k, epsilon,
# delta, reports, true and false positive rate.
REFERENCES = [
    ("GRR", 25, 1, 0, 10, 0.188630780843, 0.0338070507982),
    ("GRR", 100, 2, 0, 50, 0.569604944906, 0.00434742479893),
    ("GRR", 3, 6, 0, 20, 1, 8.66559102586e-22),
    ("SUE", 25, 1, 0, 10, 0.361289669689, 0.0266129304296),
    ("SUE", 100, 2, 0, 50, 0.999954967262, 4.54876139342e-07),
    ("SUE", 10, 5, 0, 40, 1, 4.26056858455e-24),
    ("OUE", 25, 1, 0, 10, 0.360609979359, 0.0266412508601),
    ("OUE", 6, 4, 0, 100, 1, 7.72367417231e-22),
    ("THE", 100, 2, 0, 50, 0.997664829338, 2.35875824417e-05),
    ("BLH", 25, 1, 0, 10, 0.329271551076, 0.0279470187051),
    ("OLH", 100, 2, 0, 50, 0.999663662869, 3.3973447545e-06),
    ("OLH", 25, 3, 0, 60, 0.999999997608, 9.96657035353e-11),
    ("SHE", 25, 1, 0, 10, 0.222880245447, 0.032379989773),
    ("SHE", 100, 2, 0, 50, 0.986562363701, 0.00013573369999),
    ("SHE", 2, 8, 0, 20, 1, 2.85914258747e-15),
    ("GM", 25, 0.5, 1e-5, 10, 0.0617328617569, 0.0390944640935),
    ("AGM", 25, 1, 1e-5, 10, 0.11401591898, 0.0369160033758),
    ("AGM", 100, 5, 1e-6, 250, 1, 3.61279897435e-16),
    ("ASUE", 25, 1, 1e-5, 10, 0.361303032838, 0.0266123736318),
    ("AGRR", 25, 1, 1e-2, 10, 0.21510404726, 0.0327039980308),
    ("ABLH", 25, 1, 1e-5, 10, 0.329277449795, 0.0279467729252),
    ("AOLH", 25, 2, 1e-3, 10, 0.795307335716, 0.00852886101185),
]


@pytest.mark.parametrize("reference", REFERENCES)
def test_rates_agree_with_an_independent_derivation(
    reference: tuple[str, int, float, float, int, float, float],
) -> None:
    name, k, epsilon, delta, reports, hit, alarm = reference
    rates = make(name, epsilon, k, delta).guess_rates_over(PAIR, reports)
    assert rates is not None
    assert rates.true_positive == pytest.approx(hit, rel=2e-11)
    assert rates.false_positive == pytest.approx(alarm, rel=2e-9)


def test_hashing_only_over_time() -> None:
    protocol = mechanisms.make("LHO", domain_size=100, hash_range=4)
    rates = protocol.guess_rates_over(PAIR, 3)
    assert rates is not None
    assert rates.true_positive == pytest.approx(0.507493396815, rel=1e-11)
    assert rates.false_positive == pytest.approx(0.00497481417358, rel=1e-11)
    assert protocol.worst_case_over(PAIR, 3) == math.inf


def test_sums_of_laplace_variables_agree_with_high_precision() -> None:
    """Two reports: the sum has density (1 + |x|) e^-|x| / 4."""
    k, scale = 4, 1.5
    rates = laplace_guess_rates(k, scale, 2)
    assert rates is not None
    with mp.workdps(30):
        shift = mpmath.mpf(2) / scale

        def above(x: mpmath.mpf) -> mpmath.mpf:
            tail = (2 + abs(x)) * mpmath.exp(-abs(x)) / 4
            return tail if x > 0 else 1 - tail

        hit = mpmath.quad(
            lambda x: (1 + abs(x)) * mpmath.exp(-abs(x)) / 4 * (1 - above(x + shift)) ** (k - 1),
            [-60, -20, -shift, 0, 5, 20, 60],
        )
    assert rates.true_positive == pytest.approx(float(hit), rel=1e-12)
    assert rates.false_positive == pytest.approx(float((1 - hit) / (k - 1)), rel=1e-12)


def test_no_rate_exceeds_1_by_a_rounding() -> None:
    """Three reports of SHE at epsilon 50: the quadrature gave 1 + 4e-16."""
    rates = laplace_guess_rates(2, 2 / 50, 3)
    assert rates is not None
    assert 1 - 1e-12 < rates.true_positive <= 1


def test_many_laplace_variables_are_nearly_normal() -> None:
    laplace = laplace_guess_rates(10, 8.0, 1000)
    normal = gaussian_guess_rates(10, 8.0 * math.sqrt(2 / 1000))
    assert laplace is not None
    assert laplace.true_positive == pytest.approx(normal.true_positive, rel=1e-3)


@pytest.mark.parametrize(("name", "epsilon"), names_at([0.5, 2.0], WITH_LAW))
def test_one_report_is_the_single_report(name: str, epsilon: float) -> None:
    protocol = make(name, epsilon, 7)
    assert protocol.guess_rates_over(PAIR, 1) == protocol.guess_rates(PAIR)
    assert protocol.claim_over(1) == protocol.claim
    law = protocol.loss_law_over(PAIR, 1)
    assert law is not None
    assert law.supremum == law_of(protocol).supremum


@pytest.mark.parametrize("reports", [2, 3, 6])
def test_sum_of_levels_agrees_with_enumeration(reports: int) -> None:
    single = OneLevelLaw(likely=0.5, unlikely=0.2)
    law = single.composed(reports)
    assert isinstance(law, DiscreteLaw)
    level = single.supremum
    chances = {1: 0.5, 0: 0.3, -1: 0.2}
    for threshold in np.arange(-reports, reports + 1) - 0.5:
        hit = alarm = 0.0
        for steps in itertools.product(chances, repeat=reports):
            if sum(steps) >= threshold:
                hit += math.prod(chances[s] for s in steps)
                alarm += math.prod(chances[-s] for s in steps)
        rates = law.rates(float(threshold) * level)
        assert rates.true_positive == pytest.approx(hit, rel=1e-12)
        assert rates.false_positive == pytest.approx(alarm, rel=1e-12)


@pytest.mark.parametrize("reports", [2, 40, 300])
@pytest.mark.parametrize(("name", "epsilon"), names_at([0.25, 1.0], WITH_LAW))
def test_laws_agree_with_the_accountant(name: str, epsilon: float, reports: int) -> None:
    """Two ways to the composed epsilon: our exact law, and dp-accounting's rounded one."""
    protocol = make(name, epsilon, 25)
    law = protocol.loss_law_over(PAIR, reports)
    assert law is not None or name not in OURS
    for delta in (1e-3, 1e-5, 1e-8):
        tight = protocol.composed_epsilon(PAIR, reports, delta)
        assert (tight is None) == (name == "LHO") or name not in OURS
        if law is not None and tight is not None:
            exact = law.epsilon(delta)
            assert tight == pytest.approx(exact, rel=2e-5, abs=1e-4)


@pytest.mark.parametrize("reports", [2, 40])
@pytest.mark.parametrize("name", WITHOUT_DISTANCES)
def test_laws_of_any_inputs_agree_with_the_accountant(name: str, reports: int) -> None:
    protocol = make_any(name, epsilon=0.7)
    pair = default_pair(protocol)
    law = protocol.loss_law_over(pair, reports)
    for delta in (1e-3, 1e-5):
        tight = protocol.composed_epsilon(pair, reports, delta)
        if law is not None and tight is not None:
            assert tight == pytest.approx(law.epsilon(delta), rel=2e-5, abs=1e-4)
    assert protocol.claim_over(reports).epsilon == pytest.approx(0.7 * reports)
    if not protocol.approximate:
        assert protocol.worst_case_over(pair, reports) == pytest.approx(0.7 * reports)


@pytest.mark.parametrize("reports", [2, 5, 60])
def test_laplace_law_is_that_of_two_laplace_mechanisms(reports: int) -> None:
    """Change of measure: P(loss >= t | v2) is the mean of e^-loss over losses >= t under v1."""
    law = ClippedLaplaceLaw(0.8).composed(reports)
    assert isinstance(law, DiscreteLaw)
    assert float(law.likely.sum()) == pytest.approx(1, abs=1e-12)
    weighted = law.likely * np.exp(-law.losses)
    mirrored = law.likely[::-1]
    for threshold in law.thresholds()[:: max(1, len(law.thresholds()) // 10)]:
        above = law.losses >= threshold
        if law.rates(threshold).false_positive > 1e-9:
            assert weighted[above].sum() == pytest.approx(mirrored[above].sum(), rel=1e-5)


def test_laplace_law_agrees_with_an_independent_derivation() -> None:
    """P(loss >= 0.5) of five SHE reports at epsilon = 1, from an exact finite mixture in mpmath."""
    law = ClippedLaplaceLaw(1.0).composed(5)
    assert law is not None
    half = 1 / 2048  # rates hold halfway between grid points
    around = law.rates(0.5 - half), law.rates(0.5 + half)
    hit, alarm = (sum(r.true_positive for r in around), sum(r.false_positive for r in around))
    assert hit / 2 == pytest.approx(0.657945912985, rel=1e-6)
    assert alarm / 2 == pytest.approx(0.1418476026025, rel=1e-6)


@pytest.mark.parametrize("users", [1, 3])
@pytest.mark.parametrize("each", [1, 2, 3, 7, 64, 200])
@pytest.mark.parametrize("domain_size", [2, 63, 64, 65, 130])
def test_sets_are_added_up(users: int, each: int, domain_size: int) -> None:
    rng = np.random.default_rng(each)
    bits = rng.random((users * each, domain_size)) < 0.6
    padded = np.zeros((users * each, -(-domain_size // 64) * 64), np.uint8)
    padded[:, :domain_size] = bits
    words = np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)
    totals = np.ones((users, domain_size))
    add_sets(words, totals)
    assert (totals == 1 + bits.reshape(users, each, domain_size).sum(axis=1)).all()


def test_values_and_rows_are_added_up() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(0, 5, 4 * 9)
    totals = np.zeros((4, 5))
    add_values(values, totals)
    expected = [np.bincount(row, minlength=5) for row in values.reshape(4, 9)]
    assert (totals == expected).all()
    rows = rng.random((12, 5))
    totals = np.zeros((4, 5))
    add_rows(rows, totals)
    assert totals == pytest.approx(rows.reshape(4, 3, 5).sum(axis=1))


@pytest.mark.parametrize("reports", [1, 5, 63, 64, 250])
@pytest.mark.parametrize("p", [1e-6, 0.3, 0.5, 0.999])
def test_lottery_has_the_law_that_was_asked_for(reports: int, p: float) -> None:
    """Add up what every column gives; no sampling."""
    law = binomial(reports, p, 1 - p)
    assert float(law.sum()) == pytest.approx(1, abs=1e-12)
    lottery = Lottery.of(law, law[::-1].copy())
    columns = 2**lottery.digits
    for number, wanted in enumerate((law, law[::-1])):
        kept = lottery.thresholds[number].astype(np.float64) / 2.0**64
        found = np.zeros(columns)
        np.add.at(found, np.arange(columns), kept / columns)
        np.add.at(found, lottery.aliases[number], (1 - kept) / columns)
        assert found[: reports + 1] == pytest.approx(wanted, abs=1e-13)
        assert found[reports + 1 :] == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("attack", ["paper", "optimal"])
def test_results_carry_both_compositions(attack: str) -> None:
    results = audit_over_time(
        "GM", [10, 2, 2], epsilon=0.5, delta=1e-4, domain_size=5, trials=1000, attack=attack
    )
    assert [result.reports for result in results] == [2, 10]
    plain = results[1].to_dict()
    assert (plain["epsilon"], plain["delta"]) == (0.5, 1e-4)
    assert (plain["sequential_epsilon"], plain["sequential_delta"]) == pytest.approx((5, 1e-3))
    assert (plain["claimed_epsilon"], plain["claimed_delta"]) == pytest.approx((5, 1e-3))
    assert plain["composed_delta"] == pytest.approx(1e-3)
    assert plain["composed_epsilon"] == pytest.approx(plain["worst_case_epsilon"], abs=1e-4)
    assert plain["composition"] == "law"


def test_chosen_delta_of_the_composition() -> None:
    result = audit("SUE", epsilon=0.5, domain_size=5, trials=100, reports=500, composed_delta=1e-9)
    assert result.composed_epsilon == pytest.approx(76.91, abs=0.02)
    assert result.worst_case_epsilon == pytest.approx(250)


def test_more_reports_than_theory_reaches() -> None:
    result = audit("GRR", epsilon=0.1, domain_size=5, trials=100, reports=1500)
    assert result.attack_epsilon is None
    assert result.worst_case_epsilon == pytest.approx(150)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"reports": ()}, "at least one"),
        ({"reports": (0,)}, "at least 1"),
        ({"reports": (10**9,)}, "at most"),
        ({"reports": (2,), "composition": "guess"}, "must be one of auto, law, simulate"),
        ({"reports": (2,), "composed_delta": 1.0}, r"in \(0, 1\)"),
    ],
)
def test_impossible_studies_are_refused(settings: dict[str, object], reason: str) -> None:
    with pytest.raises(AuditError, match=reason):
        AuditPlan(mechanism=make("GRR", 1.0, 5), **settings)  # type: ignore[arg-type]


def test_what_cannot_be_followed_is_refused() -> None:
    with pytest.raises(AuditError, match="promise nothing"):
        audit("GM", epsilon=1.0, delta=0.01, domain_size=5, trials=10, reports=100)
    with pytest.raises(AuditError, match="not drawn from a law"):
        audit("GRR", epsilon=1.0, domain_size=5, trials=10, reports=2, composition="law")


@pytest.mark.parametrize(
    ("domain_size", "epsilon", "reports"),
    [(2, 8.0, 60), (3, 8.0, 60), (3, 12.0, 30), (2, 50.0, 9), (4, 6.0, 20), (2, 4.0, 400)],
)
def test_a_rare_wrong_guess_keeps_its_digits(
    domain_size: int, epsilon: float, reports: int
) -> None:
    """All counts of the values, with 40 digits.

    Ties near the middle are all that is wrong, however rare: 3.9e-88 was told as 1.5e-135, and the
    epsilon of the attack so as 310 in place of 201.
    """
    shrink = math.exp(-epsilon)
    total = 1 + (domain_size - 1) * shrink
    rates = multinomial_guess_rates(domain_size, 1 / total, shrink / total, reports)
    assert rates is not None
    hit = alarm = mpmath.mpf(0)
    with mp.workdps(40):
        e = mpmath.exp(-mpmath.mpf(epsilon))
        q = e / (1 + (domain_size - 1) * e)
        others = itertools.product(range(reports + 1), repeat=domain_size - 2)
        for rest in others:
            for first in range(reports + 1 - sum(rest)):
                counts = (first, reports - sum(rest) - first, *rest)
                ways = mpmath.fac(reports) / mpmath.fprod(mpmath.fac(n) for n in counts)
                chance = ways * q ** (reports - first) / e**first * q**first
                best = [n == max(counts) for n in counts]
                hit += chance * best[0] / sum(best)
                alarm += chance * best[1] / sum(best)
    assert rates.true_positive == pytest.approx(float(hit), rel=1e-11)
    assert rates.false_positive == pytest.approx(float(alarm), rel=1e-11, abs=0)


def test_a_rate_below_all_floats_tells_nothing() -> None:
    """The rate of SUE is about 1e-575 here: neither infinity nor the worst case is the attack's."""
    result = audit("SUE", epsilon=8.0, domain_size=3, reports=1000, trials=10)
    assert result.exact_false_positive_rate == 0.0
    assert result.worst_case_epsilon == pytest.approx(8000)
    assert result.attack_epsilon is None
    explained = explain("SUE", epsilon=8.0, domain_size=3, reports=1000, trials=10)
    assert [result.attack for result in explained.results] == ["optimal"]
