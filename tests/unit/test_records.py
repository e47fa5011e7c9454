"""Records of several attributes: exact rates and laws against enumeration of every report."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from ldp_auditor import AuditError, InputPair, audit, compare, mechanisms
from ldp_auditor.core import Rates
from ldp_auditor.mechanisms import RecordMechanism
from ldp_auditor.mechanisms.frequency_oracle import SupportOracle
from ldp_auditor.mechanisms.randomized_response import GRR
from ldp_auditor.mechanisms.records import MOST_ATTRIBUTES, rows_of_each
from ldp_auditor.theory.loss_law import LossLaw
from tests.enumeration import SetLaw, bits_law, enumerated_law
from tests.protocols import NAMES, find

FIVE = ("RS+FD[GRR]", "RS+FD[SUE-z]", "RS+FD[SUE-r]", "RS+FD[OUE-z]", "RS+FD[OUE-r]")
SIZES = [(2, 2), (3, 3), (2, 3), (2, 2, 2), (2, 3, 2)]

RecordLaw = dict[Hashable, float]
"""Probability of every report of a record."""


def make(name: str, sizes: tuple[int, ...], epsilon: float = 1.0) -> RecordMechanism:
    made = mechanisms.make(name, epsilon=epsilon, domain_sizes=sizes)
    assert isinstance(made, RecordMechanism)
    return made


def true_law(part: Any, value: int) -> SetLaw:
    """Law of the support set of a true report, by definition of the protocol."""
    k = part.domain_size
    if isinstance(part, GRR):
        return {frozenset([v]): part.p if v == value else part.q for v in range(k)}
    assert isinstance(part, SupportOracle)
    swap = {0: value, value: 0}
    return {
        frozenset(swap.get(v, v) for v in support): p for support, p in enumerated_law(part).items()
    }


def fake_law(name: str, part: Any) -> SetLaw:
    """Law of made-up data, by definition of RS+FD."""
    k = part.domain_size
    if name == "RS+FD[GRR]":
        return {frozenset([v]): 1 / k for v in range(k)}
    if name.endswith("-z]"):
        return bits_law([part.q] * k)
    mixed: SetLaw = {}
    for hot in range(k):
        for support, p in bits_law([part.p if v == hot else part.q for v in range(k)]).items():
            mixed[support] = mixed.get(support, 0.0) + p / k
    return mixed


def law_of_record(mechanism: RecordMechanism, record: tuple[int, ...]) -> RecordLaw:
    """Probability of every report, from the definition of the solution."""
    d = mechanism.attributes
    true = [true_law(part, v) for part, v in zip(mechanism.parts, record, strict=True)]
    if mechanism.name.startswith("SPL"):
        return {
            reports: math.prod(law[s] for law, s in zip(true, reports, strict=True))
            for reports in itertools.product(*true)
        }
    if mechanism.name.startswith("SMP"):
        return {(j, s): p / d for j, law in enumerate(true) for s, p in law.items()}
    fake = [fake_law(mechanism.name, part) for part in mechanism.parts]
    return {
        reports: sum(
            true[j][reports[j]] * math.prod(fake[i][reports[i]] for i in range(d) if i != j)
            for j in range(d)
        )
        / d
        for reports in itertools.product(*fake)
    }


def chance_to_name(mechanism: RecordMechanism, report: Any, record: tuple[int, ...]) -> float:
    """Chance that guessing an attribute, then its value, names the record."""

    def guess(support: frozenset[int], j: int) -> float:
        if not support:
            return 1 / mechanism.domain_sizes[j]
        return (record[j] in support) / len(support)

    if mechanism.name.startswith("SMP"):
        j, support = report
        return guess(support, j)
    return sum(guess(s, j) for j, s in enumerate(report)) / mechanism.attributes


@pytest.mark.parametrize("relation", ["all", "one"])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(
    "name", [*FIVE, "SPL[GRR]", "SMP[GRR]", "SPL[OUE]", "SMP[SUE]", "SPL[SS]", "SMP[BLH]"]
)
def test_everything_agrees_with_enumeration(
    name: str, sizes: tuple[int, ...], relation: str
) -> None:
    mechanism = make(name, sizes)
    pair = mechanism.neighbours(relation, len(sizes) - 1)
    first, second = (law_of_record(mechanism, record) for record in (pair.first, pair.second))
    assert math.fsum(first.values()) == pytest.approx(1, abs=1e-12)

    losses = {report: math.log(first[report] / second[report]) for report in first}
    worst = max(losses.values())
    assert mechanism.worst_case(pair) == pytest.approx(worst, rel=1e-9)

    rates = mechanism.guess_rates(pair)
    assert rates is not None
    for law, rate in ((first, rates.true_positive), (second, rates.false_positive)):
        named = math.fsum(p * chance_to_name(mechanism, y, pair.first) for y, p in law.items())
        assert rate == pytest.approx(named, rel=1e-11)

    exact = mechanism.loss_law(pair)
    assert isinstance(exact, LossLaw)
    assert exact.supremum == pytest.approx(worst, rel=1e-9)
    for threshold in exact.thresholds():
        least = threshold * (1 - 1e-9)
        hit, alarm = (
            math.fsum(law[y] for y, loss in losses.items() if loss >= least)
            for law in (first, second)
        )
        assert exact.rates(threshold).true_positive == pytest.approx(hit, rel=1e-9)
        assert exact.rates(threshold).false_positive == pytest.approx(alarm, rel=1e-9)


@pytest.mark.parametrize("d", [2, 3, 10])
@pytest.mark.parametrize("k", [2, 25, 100])
@pytest.mark.parametrize("epsilon", [0.25, 1.0, 6.0])
@pytest.mark.parametrize("name", FIVE)
def test_closed_forms_of_the_worst_case(name: str, epsilon: float, k: int, d: int) -> None:
    """All attributes: the amplified budget. One: epsilon, or more for random vectors if k > 2."""
    mechanism = make(name, (k,) * d, epsilon)
    worst = mechanism.worst_cases()
    amplified = math.log(d * (math.exp(epsilon) - 1) + 1)
    assert worst["all"] == pytest.approx(amplified, rel=1e-9)
    if not name.endswith("-r]"):
        assert worst["one"] == pytest.approx(epsilon, rel=1e-9)
        return
    low, high = 1.0, math.exp(amplified)  # ratios of a bit, up to a common factor
    rest = (d - 1) * (high + (k - 1) * low) / (low + (k - 1) * high)
    assert worst["one"] == pytest.approx(math.log((high + rest) / (low + rest)), rel=1e-9)
    one = worst["one"]
    assert one is not None
    assert one >= epsilon * (1 - 1e-12)
    assert (one > epsilon * (1 + 1e-6)) == (k > 2)


def test_attributes_of_different_sizes_break_one_attribute_neighbours() -> None:
    """A large domain makes the other attributes look made up: k q differs between attributes."""
    mechanism = make("RS+FD[GRR]", (2, 100))
    assert mechanism.worst_cases()["one"] > 1.1  # type: ignore[operator]
    pair = mechanism.neighbours("one", 0)
    small, large = mechanism.parts
    expected = math.log(
        (2 * small.p + 100 * large.q) / (2 * small.q + 100 * large.q)  # type: ignore[attr-defined]
    )
    other = mechanism.neighbours("one", 1)
    assert min(mechanism.worst_case(pair), mechanism.worst_case(other)) == pytest.approx(  # type: ignore[type-var]
        expected, rel=1e-9
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_protocol_can_be_split_and_sampled(name: str) -> None:
    epsilon = None if find(name).promises_nothing else 0.8
    for combinator in ("SPL", "SMP"):
        result = audit(
            f"{combinator}[{name}]",
            epsilon=epsilon,
            domain_sizes=(2, 5, 70),
            trials=2000,
            attack="optimal",
        )
        assert result.mechanism == f"{combinator}[{name}]"
        assert result.options["domain_sizes"] == (2, 5, 70)
        worst = result.worst_case_epsilon
        if epsilon is not None and worst is not None:
            assert worst <= epsilon * (1 + 1e-9)
    split, sampled = (
        mechanisms.make(f"{c}[{name}]", epsilon=epsilon, domain_size=5, attributes=3)
        for c in ("SPL", "SMP")
    )
    single = mechanisms.make(name, epsilon=epsilon, domain_size=5)
    assert sampled.worst_cases()["all"] == pytest.approx(
        single.worst_case_over(InputPair(0, 1), 1), rel=1e-6
    )
    if not single.approximate and epsilon is not None:
        assert split.worst_cases()["one"] == pytest.approx(
            mechanisms.make(name, epsilon=epsilon / 3, domain_size=5).worst_case_over(
                InputPair(0, 1), 1
            ),
            rel=1e-9,
        )


def test_paper_attack_on_rs_fd() -> None:
    """The attribute is drawn with probability 1/d; made-up data names the value by chance."""
    mechanism = make("RS+FD[GRR]", (4, 4, 4))
    p = mechanism.parts[0].p  # type: ignore[attr-defined]
    rates = mechanism.guess_rates(mechanism.inputs.default_pair)
    assert rates == Rates(
        pytest.approx(p / 3 + 2 / 3 / 4),  # type: ignore[arg-type]
        pytest.approx((1 - p) / 3 / 3 + 2 / 3 / 4),  # type: ignore[arg-type]
    )


def test_pairs_of_records() -> None:
    mechanism = make("RS+FD[GRR]", (3, 4))
    assert mechanism.inputs.default_pair == InputPair((0, 0), (1, 1))
    assert mechanism.neighbours("one", 1) == InputPair((0, 0), (0, 1))
    assert mechanism.about(InputPair((0, 2), (1, 2)))["neighbours"] == "one"
    three = make("RS+FD[GRR]", (3, 4, 2))
    assert three.about(InputPair((0, 2, 1), (1, 3, 1)))["neighbours"] == "some"
    by_name = audit(
        "RS+FD[GRR]", epsilon=1.0, domain_size=3, attributes=2, neighbours="one", trials=100
    )
    assert by_name.pair == InputPair((0, 0), (1, 0))
    given = audit(
        "RS+FD[GRR]", epsilon=1.0, domain_size=3, attributes=2, pair=((2, 1), (0, 1)), trials=100
    )
    assert given.to_dict()["pair"] == [[2, 1], [0, 1]]
    assert given.neighbours == "one"


def test_options_of_the_protocol_inside() -> None:
    mechanism = mechanisms.make("SPL[LHO]", domain_size=9, attributes=2, hash_range=7)
    assert mechanism.options["hash_range"] == 7
    assert all(part.hash_range == 7 for part in mechanism.parts)


@pytest.mark.parametrize("epsilon", [2e-9, 1e-7, 5e-5, 0.3, 30.0, 600.0])
@pytest.mark.parametrize("d", [2, 30, 1000])
@pytest.mark.parametrize("name", ["RS+FD[GRR]", "RS+FD[SUE-z]", "RS+FD[OUE-z]"])
def test_a_claim_that_holds_exactly_is_not_called_broken(name: str, d: int, epsilon: float) -> None:
    if epsilon < 1e-6:
        epsilon = 1e-6  # the smallest that protocols take
    mechanism = make(name, (3,) * d, epsilon)
    about = mechanism.about(mechanism.inputs.default_pair)
    assert about["holds_for_one"] is True
    assert about["holds_for_all"] is False


def test_random_vectors_over_large_domains_are_enumerated_quickly() -> None:
    mechanism = make("RS+FD[OUE-r]", (100, 100))
    law = mechanism.loss_law(mechanism.inputs.default_pair)
    assert law is not None
    assert law.supremum == pytest.approx(mechanism.worst_cases()["all"], rel=1e-9)
    assert mechanism.loss_law(mechanism.neighbours("one")) is not None
    assert make("RS+FD[OUE-r]", (250, 250)).loss_law(mechanism.inputs.default_pair) is not None
    large = make("RS+FD[OUE-r]", (100,) * 3)
    assert large.loss_law(large.inputs.default_pair) is None


def test_comparison_of_records() -> None:
    with pytest.raises(AuditError, match=r"among must name some of .*RS\+FD\[GRR\].*, got GRR"):
        compare(epsilon=1.0, domain_size=5, attributes=2, among=["GRR"])
    comparison = compare(epsilon=1.0, domain_size=5, attributes=2, trials=1000)
    assert [result.mechanism for result in comparison.results] == sorted(FIVE)
    one = compare(epsilon=1.0, domain_sizes=(3, 4), neighbours="one", attribute=1, trials=1000)
    assert {result.pair for result in one.results} == {InputPair((0, 0), (0, 1))}


@pytest.mark.parametrize(
    ("name", "settings", "reason"),
    [
        ("RS+FD[GRR]", {"domain_size": 5, "attributes": 1}, "at least 2"),
        ("RS+FD[GRR]", {"domain_size": 5}, "needs attributes"),
        ("RS+FD[GRR]", {"domain_sizes": (5,)}, "two attributes at least"),
        ("RS+FD[GRR]", {"domain_size": 5, "attributes": 0}, "at least 2"),
        ("RS+FD[GRR]", {"domain_size": 5, "attributes": 2, "hash_range": 2}, "has no option"),
        ("SPL[GM]", {"domain_size": 5, "attributes": 2, "delta": 0.0}, "delta must be positive"),
        ("RS+FD[GRR]", {"domain_sizes": (5, 1)}, "at least 2"),
        ("RS+FD[GRR]", {"domain_sizes": (5, 4), "attributes": 3}, "does not fit"),
        ("RS+FD[GRR]", {"domain_sizes": (5, 4), "domain_size": 7}, "does not fit"),
        ("SPL[SMP[GRR]]", {"domain_size": 5, "attributes": 2}, "is for records"),
        ("SPL[RS+FD[GRR]]", {"domain_size": 5, "attributes": 2}, "is for records"),
        ("SMP[L-SUE]", {"domain_size": 5, "attributes": 2}, "not offered"),
        ("RS+FD[SHE]", {"domain_size": 5, "attributes": 2}, "unknown protocol"),
    ],
)
def test_impossible_records_are_refused(name: str, settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(AuditError, match=reason):
        mechanisms.make(name, epsilon=1.0, **settings)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"neighbours": "few"}, "one of all, one"),
        ({"neighbours": "one", "attribute": 2}, "at most 1"),
        ({"neighbours": "one", "attribute": -1}, "at least 0"),
        ({"neighbours": "all", "attribute": 1}, "drop it"),
        ({"pair": (0, 1)}, "record of 2 values"),
        ({"pair": ((0, 0), (1, 5))}, "must lie in 0..4"),
        ({"pair": ((0, 0), (0, 0))}, "must differ"),
        ({"pair": ((0, 0, 0), (0, 1, 1))}, "record of 2 values"),
        ({"pair": ((0, 0), (0, 1)), "neighbours": "one"}, "not both"),
        ({"reports": 5}, "has no memory over time: --reports needs what FrequencyOracle brings"),
    ],
)
def test_impossible_neighbours_are_refused(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(AuditError, match=reason):
        audit("RS+FD[GRR]", epsilon=1.0, domain_size=5, attributes=2, trials=10, **settings)


def test_values_and_records_are_not_mixed_up() -> None:
    with pytest.raises(AuditError, match="an input must be a whole number"):
        audit("GRR", epsilon=1.0, domain_size=5, pair=((0, 1), (1, 0)), trials=10)
    with pytest.raises(AuditError, match="GRR has no records: --neighbours needs"):
        audit("GRR", epsilon=1.0, domain_size=5, neighbours="one", trials=10)


def test_a_report_of_one_attribute_does_not_grow_with_their_number() -> None:
    few, many = (
        mechanisms.make("SMP[OUE]", epsilon=1, domain_size=9, attributes=d) for d in (3, 300)
    )
    assert few.report_bytes == many.report_bytes
    reports = many.privatize((4,) * 300, 50, default_rng(1))
    assert reports.dtype == few.privatize((4,) * 3, 50, default_rng(1)).dtype


@pytest.mark.parametrize("attributes", [2, 300, MOST_ATTRIBUTES])
def test_every_attribute_has_the_rows_that_drew_it(attributes: int) -> None:
    """Also attributes that nobody drew, the last one among them."""
    drawn = default_rng(3).integers(0, attributes - 1, size=500)
    found = rows_of_each(drawn, attributes)
    assert len(found) == attributes
    for attribute in {*drawn.tolist(), attributes - 1}:
        assert found[attribute].tolist() == np.flatnonzero(drawn == attribute).tolist()
