"""Memoized protocols: parameters, both guarantees and exact laws against full enumeration."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Hashable, Iterator

import pytest

from ldp_auditor import AuditError, InputPair, audit, mechanisms
from ldp_auditor.core import exceeds
from ldp_auditor.mechanisms import FrequencyOracle
from ldp_auditor.mechanisms.bucket_flipping import DBitFlipPM
from ldp_auditor.mechanisms.memoized_bits import MemoizedBits
from ldp_auditor.mechanisms.memoized_values import LGRR, LOLOHA, MemoizedChoice
from ldp_auditor.theory.enumeration import compositions
from tests.enumeration import best_total_probability, bits_law
from tests.protocols import NAMES, find

PAIR = InputPair(0, 1)
CHAINS = ("L-SUE", "L-OSUE", "L-OUE", "L-SOUE")
CHOICES = ("L-GRR", "BiLOLOHA", "OLOLOHA")
EPSILONS = [(0.3, 0.5), (0.8, 2.0), (2.0, 4.0), (0.01, 6.0)]


def memoized(name: str, one: float, infinity: float, k: int) -> FrequencyOracle:
    made: FrequencyOracle = mechanisms.make(
        name, epsilon=one, epsilon_infinity=infinity, domain_size=k
    )
    return made


# ---- parameters -------------------------------------------------------------------------------


@pytest.mark.parametrize(("one", "infinity"), EPSILONS)
@pytest.mark.parametrize("name", CHAINS)
def test_bits_keep_exactly_both_guarantees(name: str, one: float, infinity: float) -> None:
    protocol = memoized(name, one, infinity, 5)
    assert isinstance(protocol, MemoizedBits)
    chain = protocol.chain
    assert chain.epsilon == pytest.approx(one, rel=1e-9)
    assert chain.epsilon_infinity == pytest.approx(infinity, rel=1e-12)
    assert 0 <= chain.q2 < chain.p2 <= 1


@pytest.mark.parametrize(("one", "infinity"), EPSILONS)
@pytest.mark.parametrize("name", CHOICES)
def test_choices_have_the_published_second_round(name: str, one: float, infinity: float) -> None:
    """The papers equate p1 p2 + q1 q2 with e^epsilon_1 (p1 q2 + q1 p2)."""
    protocol = memoized(name, one, infinity, 5)
    assert isinstance(protocol, MemoizedChoice)
    r = protocol.response
    assert r.p1 / r.q1 == pytest.approx(math.exp(infinity), rel=1e-12)
    published = (r.p1 * r.p2 + r.q1 * r.q2) / (r.p1 * r.q2 + r.q1 * r.p2)
    assert published == pytest.approx(math.exp(one), rel=1e-9)
    for p, q in ((r.p1, r.q1), (r.p2, r.q2), (r.p, r.q)):
        assert p + (r.size - 1) * q == pytest.approx(1, abs=1e-12)


# True loss of one report of L-GRR at (0.8, 2), which the published formula overstates for k > 2.
@pytest.mark.parametrize(
    ("k", "loss"),
    [
        (2, 0.8),
        (3, 0.750401415984),
        (5, 0.668218731434),
        (10, 0.525983413574),
        (100, 0.110983814932),
    ],
)
def test_one_report_of_l_grr_loses_less_than_claimed(k: int, loss: float) -> None:
    protocol = memoized("L-GRR", 0.8, 2.0, k)
    assert protocol.worst_case_over(PAIR, 1) == pytest.approx(loss, rel=1e-11)


@pytest.mark.parametrize(("one", "infinity"), [*EPSILONS, (1.0, 500.0), (3.0, 3.2)])
def test_optimal_number_of_hashes(one: float, infinity: float) -> None:
    """[Arcolezi23] as printed, in exact arithmetic."""
    import mpmath

    protocol = memoized("OLOLOHA", one, infinity, 5)
    assert isinstance(protocol, LOLOHA)
    with mpmath.mp.workdps(1000):
        a, b = mpmath.exp(infinity), mpmath.exp(one)
        root = mpmath.sqrt(a**4 - 14 * a**2 + 12 * a * b * (1 - a * b) + 12 * a**3 * b + 1)
        best = int(mpmath.nint((1 - a**2 + root) / (6 * (a - b))))
    assert protocol.hash_size == 1 + max(1, best)


def test_rappor_by_its_own_parameters() -> None:
    protocol = mechanisms.make("RAPPOR", domain_size=10, f=0.5, p=0.5, q=0.75)
    assert protocol.epsilon == pytest.approx(0.537142932083)
    assert protocol.claim_over(2).epsilon == pytest.approx(2 * math.log(3))
    claimed = mechanisms.make("RAPPOR", domain_size=10, epsilon=0.4)
    assert claimed.claim.epsilon == 0.4
    assert claimed.worst_case_over(PAIR, 1) == pytest.approx(0.537142932083)


# Largest epsilon_1 at epsilon_infinity, from an independent derivation.
@pytest.mark.parametrize(
    ("name", "infinity", "most"),
    [
        ("L-OUE", 0.5, 0.359407799279),
        ("L-OUE", 2.0, 1.66001138701),
        ("L-SOUE", 0.5, 0.332949530527),
        ("L-SOUE", 4.0, 2.51907890946),
    ],
)
def test_limits_of_one_report(name: str, infinity: float, most: float) -> None:
    assert memoized(name, most * (1 - 1e-10), infinity, 3)
    with pytest.raises(AuditError, match="at most"):
        memoized(name, most * (1 + 1e-10), infinity, 3)


@pytest.mark.parametrize("name", [*CHAINS, *CHOICES])
def test_impossible_pairs_are_refused(name: str) -> None:
    for one, infinity in ((1.0, 1.0), (2.0, 1.0)):
        with pytest.raises(AuditError, match="epsilon_1 must be below"):
            memoized(name, one, infinity, 4)
    for infinity in (math.nan, -1.0, math.inf):
        with pytest.raises(AuditError, match="epsilon_infinity must be"):
            memoized(name, 0.1, infinity, 4)
    with pytest.raises(AuditError, match="needs epsilon_infinity"):
        mechanisms.make(name, epsilon=1.0, domain_size=4)


@pytest.mark.parametrize(
    ("buckets", "bits", "reason"),
    [
        (9, 1, "buckets must not be more than domain_size"),
        (1, 1, "at least 2"),
        (4, 5, "bits must not be more than buckets"),
        (4, 0, "least 1"),
    ],
)
def test_buckets_must_fit(buckets: int, bits: int, reason: str) -> None:
    with pytest.raises(AuditError, match=reason):
        mechanisms.make("dBitFlipPM", epsilon=1.0, domain_size=8, buckets=buckets, bits=bits)


@pytest.mark.parametrize("parameters", [{"f": 0.0}, {"f": 1.0}, {"p": 0.8, "q": 0.3}, {"q": 1.5}])
def test_impossible_rappor_is_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(AuditError):
        mechanisms.make("RAPPOR", domain_size=4, **parameters)


# ---- exact laws against enumeration -----------------------------------------------------------

Outcome = tuple[Hashable, tuple[frozenset[int], ...]]
"""What the attacker sees of a user: something public, and the support sets of all reports."""


def enumerate_outcomes(protocol: FrequencyOracle, value: int, reports: int) -> dict[Outcome, float]:
    """Probability of everything that a user with a value may send in so many reports."""
    law: defaultdict[Outcome, float] = defaultdict(float)
    for public, chance, report_law in memos(protocol, value):
        for sets in itertools.product(report_law, repeat=reports):
            law[public, sets] += chance * math.prod(report_law[s] for s in sets)
    return law


def memos(
    protocol: FrequencyOracle, value: int
) -> Iterator[tuple[Hashable, float, dict[frozenset[int], float]]]:
    """All memos: what is public of them, their probability, and the law of a report given them."""
    k = protocol.domain_size
    if isinstance(protocol, MemoizedBits):
        chain = protocol.chain
        first = bits_law([chain.p1 if v == value else chain.q1 for v in range(k)])
        for ones, chance in first.items():
            yield None, chance, bits_law([chain.p2 if v in ones else chain.q2 for v in range(k)])
    elif isinstance(protocol, LGRR):
        r = protocol.response
        for memo in range(k):
            report = {frozenset([v]): r.p2 if v == memo else r.q2 for v in range(k)}
            yield None, r.p1 if memo == value else r.q1, report
    else:
        assert isinstance(protocol, LOLOHA)
        r, g = protocol.response, protocol.hash_size
        for function in itertools.product(range(g), repeat=k):
            classes = [frozenset(v for v in range(k) if function[v] == h) for h in range(g)]
            if len(set(classes)) < g:  # empty classes look alike; tell them apart by their number
                classes = [c if c else frozenset([k + h]) for h, c in enumerate(classes)]
            for memo in range(g):
                chance = (r.p1 if memo == function[value] else r.q1) / g**k
                report = {c: r.p2 if h == memo else r.q2 for h, c in enumerate(classes)}
                yield function, chance, report


CELLS = [
    *((name, 0.3, 0.9, k, reports) for name in CHAINS for k, reports in ((2, 3), (3, 2))),
    *(("L-GRR", 0.8, 2.0, k, reports) for k, reports in ((2, 5), (3, 4), (4, 3))),
    *(("BiLOLOHA", 0.8, 2.0, k, reports) for k, reports in ((2, 4), (3, 3))),
    ("OLOLOHA", 1.5, 2.0, 3, 3),
]


@pytest.mark.parametrize(("name", "one", "infinity", "k", "reports"), CELLS)
def test_laws_agree_with_enumeration(
    name: str, one: float, infinity: float, k: int, reports: int
) -> None:
    protocol = memoized(name, one, infinity, k)
    first, second = (enumerate_outcomes(protocol, value, reports) for value in (0, 1))
    assert math.fsum(first.values()) == pytest.approx(1, abs=1e-12)
    losses = {outcome: math.log(first[outcome] / second[outcome]) for outcome in first}
    worst = max(losses.values())
    assert protocol.worst_case_over(PAIR, reports) == pytest.approx(worst, rel=1e-9)
    assert worst <= infinity * (1 + 1e-9)

    rates = protocol.guess_rates_over(PAIR, reports)
    assert rates is not None
    for law, rate in ((first, rates.true_positive), (second, rates.false_positive)):
        chance = math.fsum(p * best_total_probability(o[1], 0, k) for o, p in law.items())
        assert rate == pytest.approx(chance, rel=1e-10)

    exact = protocol.loss_law_over(PAIR, reports)
    assert exact is not None
    assert exact.supremum == pytest.approx(worst, rel=1e-9)
    for threshold in exact.thresholds():
        for law, rate in (
            (first, exact.rates(threshold).true_positive),
            (second, exact.rates(threshold).false_positive),
        ):
            above = math.fsum(law[outcome] for outcome, loss in losses.items() if loss >= threshold)
            assert rate == pytest.approx(above, rel=1e-9)


@pytest.mark.parametrize(
    ("k", "buckets", "bits"), [(4, 4, 1), (4, 4, 2), (4, 4, 4), (6, 3, 2), (7, 3, 2), (7, 5, 3)]
)
def test_bucket_flips_agree_with_enumeration(k: int, buckets: int, bits: int) -> None:
    protocol = mechanisms.make("dBitFlipPM", epsilon=2.0, domain_size=k, buckets=buckets, bits=bits)
    assert isinstance(protocol, DBitFlipPM)
    pair = InputPair(1, k - 1)

    def report_law(value: int) -> dict[tuple[tuple[int, ...], frozenset[int]], float]:
        law = {}
        own = value * buckets // k
        for drawn in itertools.combinations(range(buckets), bits):
            for ones in itertools.product((0, 1), repeat=bits):
                truthful = [one == (bucket == own) for bucket, one in zip(drawn, ones, strict=True)]
                keep = math.exp(1) / (1 + math.exp(1))
                chance = math.prod(keep if t else 1 - keep for t in truthful)
                supported = {b for b, one in zip(drawn, ones, strict=True) if one}
                values = frozenset(v for v in range(k) if v * buckets // k in supported)
                law[drawn, values] = chance / math.comb(buckets, bits)
        return law

    first, second = (report_law(value) for value in (pair.first, pair.second))
    rates = protocol.guess_rates_over(pair, 9)
    assert rates is not None
    for law, rate in ((first, rates.true_positive), (second, rates.false_positive)):
        chance = math.fsum(
            p * best_total_probability((values,), pair.first, k) for (_, values), p in law.items()
        )
        assert rate == pytest.approx(chance, rel=1e-11)
    worst = max(math.log(first[o] / second[o]) for o in first)
    assert protocol.worst_case_over(pair, 9) == pytest.approx(worst, rel=1e-12)
    exact = protocol.loss_law_over(pair, 9)
    assert exact is not None
    for threshold in exact.thresholds():
        above = math.fsum(p for o, p in first.items() if math.log(p / second[o]) >= threshold)
        assert exact.rates(threshold).true_positive == pytest.approx(above, rel=1e-12)


def test_one_bucket_bit_loses_half() -> None:
    """With d = 1 a report says something about one of the two buckets only."""
    protocol = mechanisms.make("dBitFlipPM", epsilon=2.0, domain_size=8, buckets=8, bits=1)
    assert protocol.worst_case_over(PAIR, 5) == pytest.approx(1.0)


def test_values_of_one_bucket_look_alike() -> None:
    result = audit(
        "dBitFlipPM", epsilon=2.0, domain_size=8, buckets=4, bits=2, pair=(0, 1), trials=1000
    )
    assert result.attack_epsilon == 0
    assert result.worst_case_epsilon == pytest.approx(2.0)
    assert mechanisms.make(
        "dBitFlipPM", epsilon=2.0, domain_size=8, buckets=4, bits=2
    ).default_pair == InputPair(0, 7)


# ---- over time --------------------------------------------------------------------------------


@pytest.mark.parametrize(("one", "infinity"), [(0.3, 0.5), (0.8, 2.0), (2.0, 4.0)])
@pytest.mark.parametrize("name", [*CHAINS, *CHOICES])
def test_loss_approaches_its_limit_and_never_exceeds_it(
    name: str, one: float, infinity: float
) -> None:
    protocol = memoized(name, one, infinity, 6)
    worst = [
        protocol.worst_case_over(PAIR, reports) for reports in (1, 2, 5, 20, 100, 1000, 50_000)
    ]
    known = [w for w in worst if w is not None]
    assert len(known) == len(worst)
    assert all(b >= a * (1 - 1e-9) for a, b in itertools.pairwise(known))
    assert known[0] <= one * (1 + 1e-9)
    assert known[-1] == pytest.approx(infinity, rel=1e-6)
    assert all(w <= infinity * (1 + 1e-9) for w in known)


@pytest.mark.parametrize("name", NAMES)
def test_a_report_repeated_for_ever_tells_no_more(name: str) -> None:
    epsilon = None if find(name).promises_nothing else 0.9
    plain = mechanisms.make(name, epsilon=epsilon, domain_size=6)
    memo = mechanisms.make(f"Memo[{name}]", epsilon=epsilon, domain_size=6)
    assert memo.name == f"Memo[{name}]"
    assert memo.claim_over(100) == plain.claim
    assert memo.guess_rates_over(PAIR, 100) == plain.guess_rates(PAIR)
    assert memo.worst_case_over(PAIR, 100) == plain.worst_case_over(PAIR, 1)
    assert memo.composed_epsilon(PAIR, 100, 1e-5) is None


def test_combinators_are_not_listed_and_not_nested() -> None:
    assert mechanisms.find("Memo[OUE]") is mechanisms.find("Memo[OUE]")
    assert "Memo[OUE]" not in mechanisms.available()
    for name, reason in (
        ("Memo[L-SUE]", "memoizes already"),
        ("Memo[Memo[OUE]]", "memoizes already"),
        ("Memo[XYZ]", "unknown protocol 'XYZ'"),
        ("Memo[OUE", "unknown protocol"),
        ("Memos[OUE]", "unknown protocol"),
    ):
        with pytest.raises(AuditError, match=reason):
            mechanisms.find(name)


def test_epsilon_1_is_epsilon() -> None:
    one = mechanisms.make("L-SUE", epsilon_1=0.5, epsilon_infinity=1.0, domain_size=4)
    assert one == memoized("L-SUE", 0.5, 1.0, 4)
    assert one.options == {"epsilon_1": 0.5, "epsilon_infinity": 1.0}
    with pytest.raises(AuditError, match="mean the same"):
        mechanisms.make("L-SUE", epsilon=1.0, epsilon_1=0.5, epsilon_infinity=1.0, domain_size=4)
    with pytest.raises(AuditError, match="no option 'epsilon_1'"):
        mechanisms.make("SUE", epsilon_1=0.5, domain_size=4)


def test_compositions_are_all_there() -> None:
    rows = {tuple(row) for row in compositions(5, 3).tolist()}
    assert len(rows) == math.comb(7, 2) == len(compositions(5, 3))
    assert all(sum(row) == 5 for row in rows)


@pytest.mark.parametrize("name", [*CHAINS, "L-Bloom-SUE"])
@pytest.mark.parametrize("epsilon", [1e-6, 1e-5, 1e-3])
def test_tiny_claims_are_kept_to_nine_digits(name: str, epsilon: float) -> None:
    result = audit(memoized(name, epsilon, 2 * epsilon, 5), trials=1)
    worst = result.worst_case_epsilon
    assert worst is not None
    assert not exceeds(worst, epsilon)
    assert worst == pytest.approx(epsilon, rel=1e-9)
