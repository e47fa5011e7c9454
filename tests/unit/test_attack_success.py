"""The success of the best guess, and bits on the wire, against enumeration of all reports."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ldp_auditor import mechanisms
from ldp_auditor.core import FIRST_TWO_VALUES, Floats, InputPair
from ldp_auditor.mechanisms.capabilities import KnowsAttackSuccess, loss_law_of
from ldp_auditor.theory.attack_success import uniform
from tests.enumeration import Reports, best_guess, bits_law, enumerated_law

PRIORS = [(0.25, 0.25, 0.25, 0.25), (0.4, 0.3, 0.2, 0.1), (0.97, 0.01, 0.01, 0.01)]
CLOSE = 1e-12


def entropy(reports: Reports) -> float:
    means = [sum(row) / len(row) for row in reports]
    return -sum(p * math.log2(p) for p in means if p > 0)


def reports_of_sets(law_of_zero: dict[frozenset[int], float], k: int) -> Reports:
    """All sets, by exchanging value 0 for each other one."""

    def seen_from(value: int, members: frozenset[int]) -> frozenset[int]:
        swap = {0: value, value: 0}
        return frozenset(swap.get(v, v) for v in members)

    return [tuple(law_of_zero[seen_from(v, s)] for v in range(k)) for s in law_of_zero]


def reports_of_choice(p: float, q: float, k: int) -> Reports:
    return [tuple(p if v == y else q for v in range(k)) for y in range(k)]


def chained(first: Reports, second: Reports) -> Reports:
    """Reports of reports: of every kept answer another one is made."""
    return [tuple(np.array(row) @ np.array(first)) for row in second]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("name", ["SS", "SUE", "OUE", "THE", "BLH", "OLH", "ASUE", "ABLH"])
def test_sets_against_all_reports(name: str, epsilon: float, prior: tuple[float, ...]) -> None:
    options = {"hash_range": 3} if name == "OLH" else {}
    protocol = mechanisms.make(name, epsilon=epsilon, domain_size=4, **options)
    reports = reports_of_sets(enumerated_law(protocol), 4)
    assert protocol.attack_success(np.array(prior)) == pytest.approx(
        best_guess(prior, reports), abs=CLOSE
    )


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("omega", [1, 2, 3])
def test_subsets_of_any_size(omega: int, prior: tuple[float, ...]) -> None:
    protocol = mechanisms.make("SS", epsilon=1.0, domain_size=4, subset_size=omega)
    reports = reports_of_sets(enumerated_law(protocol), 4)
    assert protocol.attack_success(np.array(prior)) == pytest.approx(
        best_guess(prior, reports), abs=CLOSE
    )
    assert protocol.wire_bits()[1] == pytest.approx(entropy(reports))


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("name", ["GRR", "AGRR"])
def test_randomized_response(name: str, prior: tuple[float, ...]) -> None:
    protocol = mechanisms.make(name, epsilon=1.0, domain_size=4)
    expected = best_guess(prior, reports_of_choice(protocol.p, protocol.q, 4))
    assert protocol.attack_success(np.array(prior)) == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("name", ["L-SUE", "L-OSUE", "L-OUE", "L-SOUE"])
def test_two_rounds_of_bits(name: str, prior: tuple[float, ...]) -> None:
    protocol = mechanisms.make(name, epsilon_1=0.8, epsilon_infinity=2.0, domain_size=4)
    chain = protocol.chain

    def round_of(p: float, q: float, kept: frozenset[int]) -> dict[frozenset[int], float]:
        return bits_law([p if v in kept else q for v in range(4)])

    every = list(round_of(0.5, 0.5, frozenset()))
    first = [
        tuple(round_of(chain.p1, chain.q1, frozenset({v}))[s] for v in range(4)) for s in every
    ]
    second = [tuple(round_of(chain.p2, chain.q2, kept)[s] for kept in every) for s in every]
    reports = chained(first, second)
    assert protocol.attack_success(np.array(prior)) == pytest.approx(
        best_guess(prior, reports), abs=CLOSE
    )
    assert protocol.wire_bits() == (4, pytest.approx(entropy(reports)))


@pytest.mark.parametrize("prior", PRIORS)
def test_two_rounds_of_values_and_hashes(prior: tuple[float, ...]) -> None:
    grr = mechanisms.make("L-GRR", epsilon_1=0.8, epsilon_infinity=2.0, domain_size=4)
    two, size = grr.response, 4
    reports = chained(
        reports_of_choice(two.p1, two.q1, size), reports_of_choice(two.p2, two.q2, size)
    )
    assert grr.attack_success(np.array(prior)) == pytest.approx(
        best_guess(prior, reports), abs=CLOSE
    )
    hashed = mechanisms.make("OLOLOHA", epsilon_1=1.2, epsilon_infinity=2.0, domain_size=4)
    two, g = hashed.response, hashed.hash_size
    assert g == 3  # no power of two
    of_hash = chained(reports_of_choice(two.p1, two.q1, g), reports_of_choice(two.p2, two.q2, g))
    reports = [
        tuple(row[function[v]] / g**4 for v in range(4))
        for function in itertools.product(range(g), repeat=4)
        for row in of_hash
    ]
    assert hashed.attack_success(np.array(prior)) == pytest.approx(
        best_guess(prior, reports), abs=CLOSE
    )


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("buckets", "bits"), [(4, 1), (4, 3), (4, 4), (3, 2), (2, 1)])
def test_bits_of_buckets(buckets: int, bits: int, prior: tuple[float, ...]) -> None:
    protocol = mechanisms.make("dBitFlipPM", epsilon=1.5, domain_size=4, buckets=buckets, bits=bits)
    flip, reports = protocol.flip, []
    for drawn in itertools.combinations(range(buckets), bits):
        for ones in itertools.product((0, 1), repeat=bits):
            row = []
            for v in range(4):
                agree = [
                    (j == protocol.bucket(v)) == bool(b) for j, b in zip(drawn, ones, strict=True)
                ]
                chance = math.prod(1 - flip if a else flip for a in agree)
                row.append(chance / math.comb(buckets, bits))
            reports.append(tuple(row))
    assert protocol.attack_success(np.array(prior)) == pytest.approx(
        best_guess(prior, reports), abs=CLOSE
    )
    if buckets == 4:  # with values alike, all reports over a uniform value
        assert protocol.wire_bits()[1] == pytest.approx(entropy(reports))


def fake_reports(name: str, part: Any, k: int) -> Reports:
    """Made-up reports of an attribute, in the order of the true ones."""
    if name == "GRR":
        return [(1 / k,) * k] * k
    true = reports_of_sets(bits_law([part.p] + [part.q] * (k - 1)), k)
    if name.endswith("-r"):
        return [(sum(row) / k,) * k for row in true]
    every = bits_law([part.p] + [part.q] * (k - 1))
    return [(bits_law([part.q] * k)[s],) * k for s in every]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("inside", ["GRR", "SUE-z", "SUE-r", "OUE-z", "OUE-r"])
@pytest.mark.parametrize("attributes", [2, 5])
def test_fake_data(inside: str, attributes: int, prior: tuple[float, ...]) -> None:
    records = mechanisms.make(f"RS+FD[{inside}]", epsilon=2.0, domain_size=4, attributes=attributes)
    part = records.parts[0]
    true = reports_of_sets(bits_law([part.p] + [part.q] * 3), 4)
    if inside == "GRR":
        true = reports_of_choice(part.p, part.q, 4)
    share = 1 / attributes
    mixed = [
        tuple(share * a + (1 - share) * b for a, b in zip(row, made_up, strict=True))
        for row, made_up in zip(true, fake_reports(inside, part, 4), strict=True)
    ]
    assert records.attack_success(np.array(prior)) == pytest.approx(
        best_guess(prior, mixed), abs=CLOSE
    )


def test_records_that_split_and_sample() -> None:
    sizes = (3, 5)
    split = mechanisms.make("SPL[GRR]", epsilon=2.0, domain_sizes=sizes)
    alone = mechanisms.make("GRR", epsilon=1.0, domain_size=3)
    assert split.attack_success() == alone.attack_success()
    sampled = mechanisms.make("SMP[GRR]", epsilon=2.0, domain_sizes=sizes)
    alone = mechanisms.make("GRR", epsilon=2.0, domain_size=3)
    assert sampled.attack_success() == pytest.approx(alone.attack_success() / 2 + 1 / 6)


def all_counts(prior: Sequence[float], true: Floats, other: Floats) -> float:
    """The success of the best guess by counts of all values, which are independent."""
    total = 0.0
    for counts in itertools.product(range(len(true)), repeat=len(prior)):
        base = [other[c] for c in counts]
        total += max(
            f * true[c] * math.prod(base[:v] + base[v + 1 :])
            for v, (f, c) in enumerate(zip(prior, counts, strict=True))
        )
    return total


@pytest.mark.parametrize(
    "prior", [(1 / 3,) * 3, (0.5, 0.2, 0.3), (0.96, 0.02, 0.02), (0.6, 0.4, 0)]
)
@pytest.mark.parametrize("name", ["OUE", "THE", "OLH", "ABLH", "L-OSUE", "L-OUE", "RAPPOR"])
def test_guesses_from_many_reports(name: str, prior: tuple[float, ...]) -> None:
    options = {"hash_range": 3} if name == "OLH" else {}
    protocol = small(name, 3) if not options else mechanisms.make(
        name, epsilon=0.9, domain_size=3, **options
    )  # fmt: skip
    for tau in (1, 2, 4):
        if protocol.memoizes:
            true, other = protocol.chain.count_laws(tau)
        else:
            counts = range(tau + 1)
            true, other = (stats.binom(tau, p).pmf(counts) for p in (protocol.p, protocol.q))
        found = protocol.attack_success_over(tau, np.array(prior))
        assert found == pytest.approx(all_counts(prior, true, other), abs=CLOSE)
    assert protocol.attack_success_over(1, np.array(prior)) == pytest.approx(
        protocol.attack_success(np.array(prior)), abs=CLOSE
    )


@pytest.mark.parametrize("name", ["OUE", "OLH", "L-SUE", "GRR", "AGM"])
def test_many_reports_of_a_uniform_value(name: str) -> None:
    """The paper's guess is the best one then; its exact rates are worked out otherwise."""
    protocol = small(name, 30)
    for tau in (1, 7, 52):
        rates = protocol.guess_rates_over(FIRST_TWO_VALUES, tau)
        found = protocol.attack_success_over(tau)
        assert found == pytest.approx(rates.true_positive, rel=1e-9)


def test_many_reports_named_one_by_one() -> None:
    """All sequences of three reports, given what is kept."""
    k, tau = 3, 3
    one = mechanisms.make("GRR", epsilon=1.0, domain_size=k)
    kept = mechanisms.make("L-GRR", epsilon_1=0.8, epsilon_infinity=2.0, domain_size=k)
    hashed = mechanisms.make(
        "OLOLOHA", epsilon_1=0.8, epsilon_infinity=2.0, domain_size=k, hash_range=2
    )

    def sequences(p: float, q: float, size: int) -> Reports:
        """All sequences of reports, with the probability for each truth of the last round."""
        every = itertools.product(range(size), repeat=tau)
        return [tuple(math.prod(p if y == v else q for y in s) for v in range(size)) for s in every]

    fresh = sequences(one.p, one.q, k)
    third = (1 / 3,) * 3
    assert one.attack_success_over(tau) == pytest.approx(best_guess(third, fresh), abs=CLOSE)
    two = kept.response
    memos = chained(reports_of_choice(two.p1, two.q1, k), sequences(two.p2, two.q2, k))
    assert kept.attack_success_over(tau) == pytest.approx(best_guess(third, memos), abs=CLOSE)
    two = hashed.response
    of_hash = chained(reports_of_choice(two.p1, two.q1, 2), sequences(two.p2, two.q2, 2))
    rows = [
        tuple(row[function[v]] / 2**k for v in range(k))
        for function in itertools.product(range(2), repeat=k)
        for row in of_hash
    ]
    assert hashed.attack_success_over(tau) == pytest.approx(best_guess(third, rows), abs=CLOSE)
    assert kept.attack_success_over(tau, np.array(third)) is None  # only without a prior


def test_what_is_sent_for_ever_tells_no_more() -> None:
    for name in ("Memo[OUE]", "Memo[AGM]", "Memo[HRR]", "dBitFlipPM"):
        own = {"buckets": 5, "bits": 5} if name == "dBitFlipPM" else {}
        protocol = mechanisms.make(name, epsilon=1.0, domain_size=5, **own)
        prior = np.array([0.3, 0.3, 0.2, 0.1, 0.1])
        assert protocol.attack_success_over(100, prior) == protocol.attack_success(prior)
    unknown = mechanisms.make("Memo[PI-RAPPOR]", epsilon=1.0, domain_size=5)
    assert unknown.attack_success_over(100, prior) is None


TWO_VALUES = [
    name
    for name, protocol in mechanisms.available().items()
    if issubclass(protocol, KnowsAttackSuccess)
    and name != "PI-RAPPOR"  # known for uniform frequencies alone, see above
]


@pytest.mark.parametrize("name", TWO_VALUES)
@pytest.mark.parametrize("first", [0.5, 0.38, 0.2])
def test_two_values_by_the_loss_law(name: str, first: float) -> None:
    """With two values the best guess is the best test: its rates follow from the loss law."""
    protocol = small(name, 2)
    law = loss_law_of(protocol, FIRST_TWO_VALUES)
    assert law is not None
    rates = law.rates(math.log((1 - first) / first) + 1e-9)
    expected = first * rates.true_positive + (1 - first) * (1 - rates.false_positive)
    success = protocol.attack_success(np.array([first, 1 - first]))
    assert success == pytest.approx(expected, abs=1e-8)


def small(name: str, k: int) -> Any:
    """A protocol at some setting, with whatever it needs."""
    given: dict[str, Any] = {"epsilon": None if name in ("RAPPOR", "LHO") else 0.9}
    if "epsilon_infinity" in mechanisms.find(name).option_types() and name != "RAPPOR":
        given = {"epsilon_1": 0.5, "epsilon_infinity": 1.4}
    if name == "dBitFlipPM":
        given |= {"buckets": k, "bits": k}
    return mechanisms.make(name, domain_size=k, **given)


@pytest.mark.parametrize("name", TWO_VALUES)
def test_a_uniform_prior_is_the_default(name: str) -> None:
    """A guess from a report is at least as good as a blind one, and rates agree where exact."""
    protocol = small(name, 25)
    success = protocol.attack_success()
    assert success == pytest.approx(protocol.attack_success(uniform(25)))
    assert 0.04 < success < 1
    every = range(25) if protocol.family else range(1)  # Hadamard rows are not all alike
    rates = [protocol.guess_rates(InputPair(v, (v + 1) % 25)).true_positive for v in every]
    if getattr(protocol, "hashes", 1) > 1:  # a value with fewer bits may be the best of those set
        assert 0.99 * success < np.mean(rates) < success
    else:
        assert np.mean(rates) == pytest.approx(success, rel=1e-9)


@pytest.mark.parametrize("name", TWO_VALUES)
def test_a_certain_prior_leaves_nothing_to_guess(name: str) -> None:
    prior: Floats = np.zeros(6)
    prior[2] = 1.0
    assert small(name, 6).attack_success(prior) == pytest.approx(1.0, abs=1e-9)


def test_large_domains_take_no_time() -> None:
    prior = 1 / np.arange(1, 100_001)
    prior /= prior.sum()
    for name in ("GRR", "SS", "OUE", "OLH"):
        found = mechanisms.make(name, epsilon=2.0, domain_size=100_000).attack_success(prior)
        assert prior[0] <= found < 0.5
    mixed = mechanisms.make("RS+FD[OUE-r]", epsilon=2.0, domain_size=100_000, attributes=3)
    assert prior[0] <= mixed.attack_success(prior) < 0.5


@pytest.mark.parametrize(
    ("name", "options", "sent"),
    [
        ("GRR", {}, 7),
        ("OUE", {}, 100),
        ("SS", {}, 100),
        ("SS", {"subset_size": 2}, 14),
        ("OLH", {}, 66),
        ("SHE", {}, 6400),
    ],
)
def test_bits_as_usually_sent(name: str, options: dict[str, Any], sent: float) -> None:
    protocol = mechanisms.make(name, epsilon=1.0, domain_size=100, **options)
    usual, least = protocol.wire_bits()
    assert usual == sent
    assert least is None or least <= usual


def test_what_is_kept_is_sent_once() -> None:
    hashed = mechanisms.make("BiLOLOHA", epsilon_1=0.5, epsilon_infinity=1.0, domain_size=100)
    assert hashed.wire_bits(1) == (65, 65)
    assert hashed.wire_bits(64) == (2, 2)
    buckets = mechanisms.make("dBitFlipPM", epsilon=1.0, domain_size=64, buckets=64, bits=4)
    assert buckets.wire_bits(8)[0] == 4 + 4 * 6 / 8


def test_numbers_that_a_protocol_chooses_are_not_shown() -> None:
    assert mechanisms.make("OLH", epsilon=1.0, domain_size=10).options == {}
    chosen = mechanisms.make("OLH", epsilon=1.0, domain_size=10, hash_range=7)
    assert chosen.options == {"hash_range": 7}
    assert chosen.q == 1 / 7
