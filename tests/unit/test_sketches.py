"""Sketches and transforms against laws that are enumerated report by report."""

from __future__ import annotations

import hashlib
import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.linalg import hadamard

from ldp_auditor import AuditError, AuditPlan, InputPair, make, mechanisms
from ldp_auditor.audits.comparison import plan_comparison
from ldp_auditor.audits.run import run
from ldp_auditor.core import Floats
from ldp_auditor.mechanisms.bloom_filters import CMS
from ldp_auditor.theory.bloom_filters import alone_law
from tests.sketches import (
    Law,
    entry_law,
    entry_of_hash_law,
    filter_law,
    hashed,
    line_law,
    point_law,
    response_law,
)

ENUMERATED: dict[str, Any] = {
    "HRR": entry_law,
    "HR": response_law,
    "CMS": filter_law,
    "HCMS": entry_of_hash_law,
    "Bloom-SUE": filter_law,
    "PI-RAPPOR": line_law,
    "PGR": point_law,
}

CASES: list[dict[str, Any]] = [
    *({"name": "HRR", "epsilon": e, "domain_size": k} for e in (0.4, 2.5) for k in (2, 3, 5, 8)),
    *({"name": "HR", "epsilon": e, "domain_size": k} for e in (0.4, 1.3, 5.0) for k in (2, 3, 7)),
    {"name": "HR", "epsilon": 1.0, "domain_size": 9, "blocks": 4},
    {"name": "HR", "epsilon": 1.0, "domain_size": 5, "blocks": 8},
    {"name": "PI-RAPPOR", "epsilon": 1.0, "domain_size": 5, "field": 11},
    {"name": "PI-RAPPOR", "epsilon": 4.0, "domain_size": 5, "field": 5},
    *({"name": "PGR", "epsilon": e, "domain_size": k} for e, k in ((0.3, 5), (1.0, 13), (1.6, 20))),
    {"name": "PGR", "epsilon": 5.0, "domain_size": 7},
    {"name": "PGR", "epsilon": 1.0, "domain_size": 2},
    {"name": "PGR", "epsilon": 0.7, "domain_size": 14, "field": 3},
]


FIXED_ROWS: list[dict[str, Any]] = [
    {"name": "CMS", "epsilon": 1.2, "domain_size": 5, "width": 5, "rows": 4},
    {"name": "HCMS", "epsilon": 1.2, "domain_size": 5, "width": 4, "rows": 6},
    {"name": "Bloom-SUE", "epsilon": 1.2, "domain_size": 4, "width": 7, "rows": 4, "hashes": 2},
    {"name": "Bloom-SUE", "epsilon": 2.0, "domain_size": 3, "width": 9, "rows": 5, "hashes": 3},
    {"name": "Bloom-SUE", "epsilon": 1.0, "domain_size": 5, "width": 4, "rows": 3, "hashes": 3},
]


@pytest.fixture(
    scope="module", params=FIXED_ROWS, ids=lambda case: "-".join(map(str, case.values()))
)
def family(request: Any) -> tuple[Any, Law]:
    """A sketch whose hash functions are few and known."""
    settings = dict(request.param)
    mechanism = make(settings.pop("name"), **settings)
    return mechanism, ENUMERATED[mechanism.name](mechanism)


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(map(str, case.values())))
def case(request: Any) -> tuple[Any, Law]:
    settings = dict(request.param)
    mechanism = make(settings.pop("name"), **settings)
    return mechanism, ENUMERATED[mechanism.name](mechanism)


def pairs(mechanism: Any) -> list[InputPair]:
    values = range(min(mechanism.domain_size, 5))
    return [InputPair(a, b) for a, b in itertools.permutations(values, 2)]


def test_loss(case: tuple[Any, Law]) -> None:
    loss_agrees(*case)


def test_loss_in_known_rows(family: tuple[Any, Law]) -> None:
    loss_agrees(*family)
    mechanism, (_, chances) = family
    worst = np.log(chances[:, None] / chances[None]).max()
    pair = mechanisms.capabilities.default_pair(mechanism)
    assert mechanism.loss_law(pair).supremum == pytest.approx(worst, rel=1e-9)
    assert worst <= mechanism.epsilon * (1 + 1e-9)
    assert mechanism.guess_rates(pair) is None
    with pytest.raises(AuditError, match="has no variance of its own"):
        mechanism.frequency_variance(10, 0.5)


def loss_agrees(mechanism: Any, law_of_reports: Law) -> None:
    reports, chances = law_of_reports
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-12)
    for pair in pairs(mechanism):
        first, second = chances[pair.first], chances[pair.second]
        losses = np.log(first / second)
        ratios = mechanism.log_likelihood_ratio(reports, pair)
        np.testing.assert_allclose(ratios, losses, atol=1e-9)
        law = mechanism.loss_law(pair)
        assert law.supremum == pytest.approx(losses.max(), rel=1e-9)
        for at in (0.0, 0.1, 0.3, 1.0):
            divergence = np.maximum(first - math.exp(at) * second, 0).sum()
            assert law.delta(at) == pytest.approx(divergence, abs=1e-12)


def test_the_default_pair_attains_the_worst_case(case: tuple[Any, Law]) -> None:
    mechanism, (_, chances) = case
    worst = np.log(chances[:, None] / chances[None]).max()
    assert worst == pytest.approx(mechanism.epsilon, rel=1e-9)
    pair = mechanisms.capabilities.default_pair(mechanism)
    law = mechanism.loss_law(pair)
    assert law.supremum == pytest.approx(worst, rel=1e-9)
    for at in (0.05, 0.3):  # with a delta, too
        others = [mechanism.loss_law(other).delta(at) for other in pairs(mechanism)]
        assert law.delta(at) >= max(others) - 1e-12


def guessed(chances: Floats) -> Floats:
    """Probability that every value is named, for every report: any of the likeliest ones."""
    likeliest = np.isclose(chances, chances.max(axis=0), rtol=1e-9)
    named: Floats = likeliest / likeliest.sum(axis=0)
    return named


def test_guess_rates(case: tuple[Any, Law]) -> None:
    mechanism, (_, chances) = case
    named = guessed(chances)
    for pair in pairs(mechanism):
        rates = mechanism.guess_rates(pair)
        if rates is None:
            assert mechanism.name == "PI-RAPPOR"  # supports depend on each other, three by three
            return
        hit, alarm = (float(chances[v] @ named[pair.first]) for v in (pair.first, pair.second))
        assert rates.true_positive == pytest.approx(hit, rel=1e-11)
        assert rates.false_positive == pytest.approx(alarm, rel=1e-11)


def test_estimates(case: tuple[Any, Law]) -> None:
    """Without bias, and with the told variance, whatever the others hold."""
    mechanism, (reports, chances) = case
    k = mechanism.domain_size
    estimated = np.array([mechanism.estimate(reports[y : y + 1]) for y in range(len(reports))])
    means = chances @ estimated
    np.testing.assert_allclose(means, np.eye(k), atol=1e-9)
    variances = chances @ estimated**2 - means**2  # of a user who holds the row's value
    shares = np.arange(k) / (k * (k - 1) / 2)
    told = mechanism.frequency_variance(10, shares, 3)
    np.testing.assert_allclose(told, shares @ variances / 30, rtol=1e-9)


def test_scores_are_supports(case: tuple[Any, Law]) -> None:
    mechanism, (reports, _) = case
    scores = np.zeros((len(reports), mechanism.domain_size))
    mechanism.add_scores(reports, scores)
    for value in range(mechanism.domain_size):
        assert scores[:, value].tolist() == mechanism.supports(reports, value).tolist()


def test_supports_in_known_rows(family: tuple[Any, Law]) -> None:
    """What is supported is what scores, and for one hash what is likeliest."""
    mechanism, (reports, chances) = family
    scores = np.zeros((len(reports), mechanism.domain_size))
    mechanism.add_scores(reports, scores)
    for value in range(mechanism.domain_size):
        assert scores[:, value].tolist() == mechanism.supports(reports, value).tolist()
    if mechanism.name != "Bloom-SUE":
        some = scores.any(axis=1)
        np.testing.assert_array_equal(scores[some].T > 0, guessed(chances)[:, some] > 0)


@pytest.mark.parametrize(("k", "m", "h"), [(2, 4, 1), (3, 3, 1), (2, 3, 2), (3, 2, 2)])
def test_filters_over_all_functions(k: int, m: int, h: int) -> None:
    """Exact rates, supports and losses over every row of an ideal family, that is all functions."""
    name = "CMS" if h == 1 else "Bloom-SUE"
    own = {} if h == 1 else {"hashes": h}
    mechanism = make(name, epsilon=1.1, domain_size=k, width=m, **own)
    flip = 1 / (1 + math.exp(1.1 / (2 * h)))
    hit = alarm = held = other = divergence = worst = 0.0
    functions = list(itertools.product(itertools.product(range(m), repeat=h), repeat=k))
    for row in functions:
        filters = [set(positions) for positions in row]
        for bits in itertools.product((0, 1), repeat=m):
            chance = [
                math.prod(1 - flip if b == (j in f) else flip for j, b in enumerate(bits))
                / len(functions)
                for f in filters[:2]
            ]
            members = [v for v in range(k) if all(bits[j] for j in filters[v])] or list(range(k))
            named = (0 in members) / len(members)
            hit, alarm = hit + chance[0] * named, alarm + chance[1] * named
            held += chance[0] * all(bits[j] for j in filters[0])
            other += chance[1] * all(bits[j] for j in filters[0])
            divergence += max(0.0, chance[0] - math.exp(0.3) * chance[1])
            worst = max(worst, math.log(chance[0] / chance[1]))
    rates, law = mechanism.guess_rates(), mechanism.score_law
    assert (rates.true_positive, rates.false_positive) == pytest.approx((hit, alarm), rel=1e-10)
    assert (law.held_mean, law.other_mean) == pytest.approx((held, other), rel=1e-10)
    loss = mechanism.loss_law(InputPair(0, 1))
    assert (loss.supremum, loss.delta(0.3)) == pytest.approx((worst, divergence), rel=1e-10)


WORDS = ("apple", "https://example.org/?a=1,b", "\u00e9t\u00e9")


def word_key(word: str) -> int:
    """The key of a word, as the documents describe it."""
    digest = hashlib.blake2b(word.encode("utf-8"), digest_size=8).hexdigest()
    return int(digest, 16) | 2**63


@pytest.mark.parametrize("name", ["CMS", "HCMS", "Bloom-SUE"])
def test_words_are_hashed_by_their_keys(name: str) -> None:
    settings: dict[str, Any] = {"epsilon": 1.0, "domain_size": 4, "width": 4, "rows": 16}
    mechanism = make(name, **settings, **({"hashes": 1} if name == "Bloom-SUE" else {}))
    first, second, _ = ([hashed(row, word_key(word), 4) for row in range(16)] for word in WORDS)
    apart = sum(a != b for a, b in zip(first, second, strict=True)) / 16
    law = mechanism.loss_law(InputPair(*WORDS[:2]))
    assert 0 < apart < 1
    flip = 1 / (1 + math.exp(0.5 if name != "HCMS" else 1.0))
    likely = apart * (1 - flip) / 2 if name == "HCMS" else apart * (1 - flip) ** 2
    assert law.rates(0.9).true_positive == pytest.approx(likely, rel=1e-12)
    # Without noise a report supports its word, and is guessed as the number of that word.
    clear = type(mechanism)(epsilon=600.0, domain_size=10**6, named=WORDS)
    for number, word in enumerate(WORDS):
        reports = clear.privatize(word, 50, default_rng(1))
        assert clear.supports(reports, word).all()
        assert np.array_equal(clear.supports(reports, number), clear.supports(reports, word))
        totals = np.zeros((1, 5))
        clear.add_scores(reports, totals)
        assert np.argmax(totals) == number


def test_nothing_has_the_size_of_the_domain() -> None:
    # Four thousand million values: an array of them would not fit this machine.
    k, pair = 2**32 - 1, InputPair(*WORDS[:2])
    for name in ("CMS", "HCMS", "Bloom-SUE", "Bloom-RAPPOR"):
        mechanism = make(name, **({} if name == "Bloom-RAPPOR" else {"epsilon": 1}), domain_size=k)
        for attack in ("paper", "optimal"):
            found = AuditPlan(mechanism=mechanism, pair=pair, attack=attack, trials=100)
            assert run(found)[0].counts.trials == 100
        reports = mechanism.privatize(WORDS[0], 2000, default_rng(2))
        shares = mechanism.estimate_of(reports, WORDS)
        spread = np.sqrt(mechanism.frequency_variance(2000, np.array([1.0, 0.0, 0.0])))
        assert (np.abs(shares - [1, 0, 0]) < 6 * spread).all()


@pytest.mark.parametrize(("name", "k", "field"), [
    ("PGR", 9, 0), ("PGR", 20, 3), ("PGR", 30, 2), ("PGR", 60, 7),
    ("PI-RAPPOR", 5, 11), ("PI-RAPPOR", 40, 41), ("PI-RAPPOR", 300, 4_294_967_291),
])  # fmt: skip
def test_any_supported_value_is_guessed(name: str, k: int, field: int) -> None:
    """All of them are named in some of 500 guesses, and no others unless there are none."""
    mechanism = make(name, epsilon=5.0, domain_size=k, field=field)
    reports = mechanism.privatize(k // 2, 40, default_rng(3))
    guesses = mechanism.guess(np.repeat(reports, 500), default_rng(4)).reshape(40, 500)
    supported = np.stack([mechanism.supports(reports, value) for value in range(k)], axis=1)
    for row, named in zip(supported, guesses, strict=True):
        if row.any():
            assert set(named.tolist()) == set(np.flatnonzero(row).tolist())
    assert supported.sum(axis=1).max() < 60


def test_a_guess_among_thousands_of_millions_is_not_searched() -> None:
    """Few values are supported at a large epsilon: to look at all would take minutes a report."""
    for name in ("PGR", "PI-RAPPOR"):
        mechanism = make(name, epsilon=18.0, domain_size=2**32 - 5)
        for value in (0, 2**32 - 6):
            reports = mechanism.privatize(value, 500, default_rng(5))
            guesses = mechanism.guess(reports, default_rng(6)).tolist()
            told = [
                bool(mechanism.supports(reports[i : i + 1], guess)[0])
                for i, guess in enumerate(guesses)
            ]
            assert np.mean(told) > (0.99 if name == "PGR" else 0.9)


def test_named_values_must_be_different_words() -> None:
    with pytest.raises(AuditError, match="2 different words at most, got 3"):
        CMS(epsilon=1.0, domain_size=2, named=WORDS)
    with pytest.raises(AuditError, match="different words"):
        CMS(epsilon=1.0, domain_size=9, named=("a", "a"))
    with pytest.raises(AuditError, match="sketch such as CMS, which takes words"):
        make("GRR", epsilon=1, domain_size=9).privatize("a", 1, default_rng(1))


def test_a_narrow_filter_loses_less_than_its_claim() -> None:
    """Two values of three hashes differ in four bits at most if there are four, not in six."""
    least = make("Bloom-SUE", epsilon=1.0, domain_size=5, width=2, hashes=3)
    assert least.loss_law(InputPair(0, 1)).supremum == pytest.approx(2 / 6)
    # A value sets one bit with probability 1/4, two values then different ones with 1/2.
    assert alone_law(2, 3)[1, 1] == pytest.approx(1 / 4 * 1 / 4 / 2)
    narrow = make("Bloom-SUE", epsilon=1.0, domain_size=5, width=4, hashes=3)
    assert narrow.loss_law(InputPair(0, 1)).supremum == pytest.approx(4 / 6)
    wide = make("Bloom-SUE", epsilon=1.0, domain_size=5, width=6, hashes=3)
    assert wide.loss_law(InputPair(0, 1)).supremum == pytest.approx(1.0)


@pytest.mark.parametrize("k", [2, 3])
def test_hashed_entries_over_all_functions(k: int) -> None:
    m, e = 4, math.exp(1.1)
    mechanism = make("HCMS", epsilon=1.1, domain_size=k, width=m)
    matrix = hadamard(m)
    hit = alarm = held = other = divergence = 0.0
    for row in itertools.product(range(m), repeat=k):
        for column, entry in itertools.product(range(m), (1, -1)):
            says = [matrix[row[v], column] == entry for v in range(k)]
            chance = [(e if says[v] else 1) / (e + 1) / (m * m**k) for v in (0, 1)]
            named = says[0] / sum(says) if any(says) else 1 / k
            hit, alarm = hit + chance[0] * named, alarm + chance[1] * named
            held, other = held + chance[0] * says[0], other + chance[1] * says[0]
            divergence += max(0.0, chance[0] - math.exp(0.3) * chance[1])
    rates, law = mechanism.guess_rates(), mechanism.score_law
    assert (rates.true_positive, rates.false_positive) == pytest.approx((hit, alarm), rel=1e-10)
    assert (law.held_mean, law.other_mean) == pytest.approx((held, other), rel=1e-10)
    assert mechanism.loss_law(InputPair(0, 1)).delta(0.3) == pytest.approx(divergence, rel=1e-10)


def test_statements_of_docs_sketches() -> None:
    """What docs/sketches.md says of the literature."""
    for epsilon, more in ((1.0, 1.2715), (4.0, 14.16)):
        told = 4 * math.exp(epsilon) / math.expm1(epsilon) ** 2
        exact = make("HRR", epsilon=epsilon, domain_size=9).frequency_variance(1, 0.0)
        assert exact == pytest.approx(told + 1, rel=1e-12)
        assert exact / told == pytest.approx(more, rel=1e-3)
        assert make("OUE", epsilon=epsilon, domain_size=9).frequency_variance(1, 0.0) == (
            pytest.approx(told, rel=1e-12)
        )

    even = np.full(100, 0.01)
    for epsilon, paper, better, more in ((0.8, 2, 1, 1.334), (4.0, 32, 16, 1.397)):
        settings: dict[str, Any] = {"epsilon": epsilon, "domain_size": 100}
        assert make("HR", **settings).block_count == paper
        costs = [
            np.mean(make("HR", **settings, blocks=count).frequency_variance(1, even))
            for count in (paper, better)
        ]
        assert costs[0] / costs[1] == pytest.approx(more, abs=2e-3)


def test_known_rows_keep_the_bias_of_their_collisions() -> None:
    """The mean of Apple's estimate, over all reports of every value."""
    settings: dict[str, Any] = {"epsilon": 1.2, "domain_size": 5, "width": 5, "rows": 4}
    mechanism = make("CMS", **settings)
    reports, chances = filter_law(mechanism)
    every = np.stack([mechanism.estimate(reports[i : i + 1]) for i in range(len(reports))])
    places = [[hashed(row, value, 5) for row in range(4)] for value in range(5)]
    share = np.array([[np.mean(np.equal(a, b)) for b in places] for a in places])
    assert share[share < 1].max() > 0
    np.testing.assert_allclose(chances @ every, (share - 1 / 5) * 5 / 4, atol=1e-12)


def test_blocks_must_be_a_power_of_two() -> None:
    with pytest.raises(AuditError, match=r"blocks must be a power of two, .* got blocks=3"):
        make("HR", epsilon=1.0, domain_size=9, blocks=3)
    several = make("HR", epsilon=3.0, domain_size=100)
    with pytest.raises(AuditError, match="frequency must be the frequencies of all 100 values"):
        several.frequency_variance(10, 0.5)


@pytest.mark.parametrize(("domain_size", "choice"), [(10, "GRR"), (11, "OUE")])
def test_the_adaptive_choice_has_the_smaller_variance(domain_size: int, choice: str) -> None:
    """3 e + 2 = 10.15: the variance of a value that nobody holds decides."""
    settings: dict[str, Any] = {"epsilon": 1.0, "domain_size": domain_size}
    adaptive = make("ADP", **settings)
    assert adaptive.choice.name == choice
    told = adaptive.frequency_variance(7, 0.0)
    assert told == min(make(n, **settings).frequency_variance(7, 0.0) for n in ("GRR", "OUE"))


def test_a_family_is_compared_by_its_name() -> None:
    """If none is named, the paper's protocols are compared."""
    named = plan_comparison(["GRR", "sketches"], epsilon=1.0, domain_size=5)
    names = [plan.mechanism.name for plan in named.audits]
    assert names[0] == "GRR"
    assert {"HRR", "HR", "ADP"} < set(names)
    assert not named.refused
    usual = plan_comparison(epsilon=1.0, domain_size=5)
    assert not set(names[1:]) & {plan.mechanism.name for plan in usual.audits}
