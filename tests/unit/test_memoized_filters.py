"""RAPPOR with a Bloom filter: laws against the enumeration of all that a user may send."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from ldp_auditor import AuditError, InputPair, make
from ldp_auditor.audits.many_reports import Accumulated, Tally

PAIR = InputPair(0, 1)
LOPSIDED: dict[str, Any] = {"name": "Bloom-RAPPOR", "f": 0.4, "p": 0.2, "q": 0.7}
SYMMETRIC: dict[str, Any] = {"name": "L-Bloom-SUE", "epsilon": 0.9, "epsilon_infinity": 2.0}
CASES = [(LOPSIDED, 2, 2, 2), (LOPSIDED, 3, 2, 1), (SYMMETRIC, 2, 2, 2), (SYMMETRIC, 3, 1, 3)]

Outcome = tuple[Any, ...]
"""The functions of a user, as the filters of both values, and the bits of all reports."""


def enumerated(rates: list[float], width: int, hashes: int, reports: int) -> dict[Outcome, Any]:
    """Probability of everything that users with either value may send, over all functions."""
    p1, q1, p2, q2 = rates
    law: dict[Outcome, Any] = {}
    rows = list(itertools.product(itertools.product(range(width), repeat=hashes), repeat=2))
    each = list(itertools.product((0, 1), repeat=width))
    for row in rows:
        filters = tuple(frozenset(places) for places in row)
        for sent in itertools.product(each, repeat=reports):
            chances = []
            for own in filters:
                chance = 1.0  # bits are independent, each with its permanent one
                for place in range(width):
                    one = p1 if place in own else q1
                    bits = [report[place] for report in sent]
                    if_one = math.prod(p2 if bit else 1 - p2 for bit in bits)
                    if_zero = math.prod(q2 if bit else 1 - q2 for bit in bits)
                    chance *= one * if_one + (1 - one) * if_zero
                chances.append(chance / len(rows))
            law[filters, sent] = law.get((filters, sent), 0.0) + np.array(chances)
    return law


@pytest.mark.parametrize(("settings", "width", "hashes", "reports"), CASES)
def test_laws_agree_with_enumeration(
    settings: dict[str, Any], width: int, hashes: int, reports: int
) -> None:
    own = {key: value for key, value in settings.items() if key != "name"}
    protocol = make(settings["name"], domain_size=2, width=width, hashes=hashes, **own)
    chain = protocol.chain
    law = enumerated([chain.p1, chain.q1, chain.p2, chain.q2], width, hashes, reports)
    chances = np.array(list(law.values()))
    np.testing.assert_allclose(chances.sum(axis=0), 1, rtol=1e-12)
    losses = np.log(chances[:, 0] / chances[:, 1])

    worst = protocol.worst_case_over(PAIR, reports)
    assert worst == pytest.approx(losses.max(), rel=1e-9)
    assert worst <= protocol.epsilon_infinity * (1 + 1e-9)
    exact = protocol.loss_law_over(PAIR, reports)
    assert exact.supremum == pytest.approx(worst, rel=1e-9)
    for at in (0.05, 0.3):
        gain = np.maximum(chances[:, 0] - math.exp(at) * chances[:, 1], 0).sum()
        assert exact.delta(at) == pytest.approx(gain, rel=1e-9)

    # Supports: the mean of a user's reports in which all bits of value 0 are set.
    share = np.array([np.mean([all(r[j] for j in f[0]) for r in sent]) for f, sent in law])
    told = protocol.score_law_over(reports)
    means = share @ chances
    variances = share**2 @ chances - means**2
    assert (told.held_mean, told.other_mean) == pytest.approx(tuple(means), rel=1e-9)
    assert (told.held_variance, told.other_variance) == pytest.approx(tuple(variances), rel=1e-9)

    if reports == 1:
        named = [
            1 / len(members) if 0 in members else 0.0
            for f, (r,) in law
            for members in [[v for v in (0, 1) if all(r[j] for j in f[v])] or [0, 1]]
        ]
        rates = protocol.guess_rates(PAIR)
        assert (rates.true_positive, rates.false_positive) == pytest.approx(tuple(named @ chances))


@pytest.mark.parametrize("settings", [LOPSIDED, SYMMETRIC], ids=lambda one: one["name"])
def test_the_ratio_of_all_reports_is_that_of_their_law(settings: dict[str, Any]) -> None:
    """In known rows: the counts of bits tell the likelihood ratio of what a user has sent."""
    own = {key: value for key, value in settings.items() if key != "name"}
    protocol = make(settings["name"], domain_size=5, width=6, hashes=2, rows=3, **own)
    chain, rng, n, reports = protocol.chain, np.random.default_rng(1), 40, 3
    users = protocol.enroll(2, n, rng)
    sent = protocol.collect(users, reports, rng)
    np.testing.assert_array_equal(sent[:, 0], np.repeat(users.memo[:, 0], reports))
    totals = np.zeros((n, protocol.evidence_columns))
    for one in range(reports):  # a report of each at a time: counts add up
        protocol.add_evidence(np.ascontiguousarray(sent[one::reports]), PAIR, totals)
    clean = [make("Bloom-SUE", epsilon=600.0, domain_size=5, width=6, hashes=2, rows=3)] * 2
    filters = [
        {int(r): int(b) for r, b in protocol_.privatize(v, 200, rng)}
        for v, protocol_ in enumerate(clean)
    ]
    expected = []
    for user in range(n):
        rows, bits = sent[user * reports : (user + 1) * reports].T.astype(int)
        ratio = 0.0
        for place in range(6):
            seen = bits >> place & 1
            if_one = math.prod(chain.p2 if b else 1 - chain.p2 for b in seen)
            if_zero = math.prod(chain.q2 if b else 1 - chain.q2 for b in seen)
            logs = []
            for known in filters:
                one = chain.p1 if known[rows[0]] >> place & 1 else chain.q1
                logs.append(math.log(one * if_one + (1 - one) * if_zero))
            ratio += logs[0] - logs[1]
        expected.append(ratio)
    found = protocol.ratio_of_evidence(totals, PAIR, reports)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    law = protocol.loss_law_over(PAIR, reports)
    assert np.abs(found[:, None] - law.losses).min(axis=1).max() < 1e-9


def test_rappor_keeps_the_published_guarantees() -> None:
    """[Erlingsson14] Theorems 1 and 2: h times the loss of a bit of each value."""
    protocol = make("Bloom-RAPPOR", domain_size=100, f=0.5, p=0.5, q=0.75, hashes=2)
    assert protocol.epsilon_infinity == pytest.approx(4 * math.log(3))
    q_star = 0.25 * 0.5 + 0.75 * 0.75  # a bit of the value is reported as 1
    p_star = 0.25 * 0.75 + 0.75 * 0.5  # another one is
    published = 2 * math.log(q_star * (1 - p_star) / (p_star * (1 - q_star)))
    assert protocol.epsilon == pytest.approx(published)
    assert protocol.worst_case_over(PAIR, 1) == pytest.approx(published)
    assert protocol.worst_case_over(PAIR, 10_000) == pytest.approx(4 * math.log(3))
    claimed = make("Bloom-RAPPOR", domain_size=100, epsilon=0.4)
    assert claimed.worst_case_over(PAIR, 1) > claimed.claim.epsilon


def test_nothing_of_the_optimal_attack_has_the_size_of_the_domain() -> None:
    protocol = make("L-Bloom-SUE", epsilon=1.0, epsilon_infinity=2.0, domain_size=10**6)
    tally = Tally.of(protocol, PAIR, "optimal", "auto")
    assert tally.columns == 8
    assert Accumulated(tally, 3).privatize(7, 5, np.random.default_rng(1)).shape == (5, 8)


def test_known_rows_have_no_variance() -> None:
    with pytest.raises(AuditError, match="has no variance of its own"):
        make("Bloom-RAPPOR", domain_size=5, rows=4).frequency_variance(10, 0.5)
