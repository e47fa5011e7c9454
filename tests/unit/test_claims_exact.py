"""What the exact theory says of the paper's statements, up to those about many reports."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest

from ldp_auditor import studies
from ldp_auditor.attacks.paper import PaperAttack
from ldp_auditor.audits.interface import plan_audit
from ldp_auditor.core import Rates
from ldp_auditor.mechanisms.unary_encoding import SUE
from ldp_auditor.results.table import Row
from ldp_auditor.studies.claims import available, judge, own_tests, second_value
from ldp_auditor.studies.claims.debugging import exact_epsilon
from ldp_auditor.studies.settings import DOMAIN_SIZES, EPSILONS

STATEMENTS = {statement.name: statement for statement in available()}
CHEAP = tuple(f"figure-{number}" for number in (1, 2, 3, 4, 5, 7, 10, 12))
WITHOUT_ROWS = ("bug-found-somewhere", "bug-found", "bug-missed")
"""Statements whose exact values are computed from a formula of their own."""


@cache
def exact_rows() -> list[Row]:
    """The figures of one report by the exact rates of the attack, without a sample."""
    rows = []
    for name in CHEAP:
        for cell in studies.find(name).grid(studies.Scale(seeds=(1,))).cells:
            given = dict(cell.settings)
            plan = plan_audit(given.pop("protocol"), **given)
            mechanism: Any = plan.mechanism
            rates = PaperAttack(mechanism, plan.pair).rates()
            assert rates is not None
            claim = mechanism.claim
            rows.append(
                {
                    "mechanism": mechanism.name,
                    "epsilon": claim.epsilon,
                    "delta": claim.delta,
                    "domain_size": mechanism.domain_size,
                    **plan.options,
                    "attack": "paper",
                    "trials": plan.trials,
                    "seed": plan.seed,
                    "true_positives": 1,
                    "false_positives": 1,
                    "empirical_epsilon": 0.0,
                    "attack_epsilon": rates.epsilon(claim.delta),
                    "exact_true_positive_rate": rates.true_positive,
                    "exact_false_positive_rate": rates.false_positive,
                    "monte_carlo_limit": 0.0,
                }
            )
    return rows


EXACT = {
    "example-grr": "holds",
    "example-2x": "holds in part (2 of 3)",
    "example-4x": "holds",
    "limit-rates": "holds",
    "limit-10k": "holds",
    "below-claim": "holds",
    "below-claim-records": "holds",
    "second-value": "holds",
    "limit-million": "holds",
    "accuracy-falls-with-k": "holds",
    "honesty-falls-with-k": "holds in part (4 of 8)",
    "oue-alarms-small-k": "holds",
    "grr-tight": "holds",
    "others-not-tight": "holds in part (448 of 450)",
    "blh-worst": "holds",
    "blh-below-1": "holds",
    "blh-flat": "does not hold (0 of 5)",
    "hashing-similar": "holds in part (10 of 40)",
    "hashing-lowest": "holds in part (522 of 800)",
    "olh-above-blh": "holds",
    "olh-tighter": "holds in part (70 of 80)",
    "ss-similar": "holds in part (50 of 140)",
    "ss-equals-grr": "holds",
    "ss-tight": "holds",
    "unary-similar": "holds in part (5 of 20)",
    "oue-above-sue": "holds",
    "plateau": "holds",
    "asue-like-sue": "holds",
    "she-like-the": "holds in part (38 of 40)",
    "gm-worst": "holds in part (258 of 260)",
    "agm-above-gm": "holds",
    "gap-grows-with-k": "holds in part (61 of 101)",
    "k-minor-for-grr": "holds",
    "k-substantial": "holds in part (1 of 85)",
    "k25-2.5x": "holds in part (68 of 92)",
    "k200-5x": "holds in part (86 of 92)",
    "oue-olh-larger-k": "holds in part (4 of 6)",
    "the-larger-k": "holds",
    "the-small-extent": "does not hold (0 of 1)",
    "she-the-sensitivity": "holds in part (1 of 8)",
    "gap-wider-relative": "holds in part (35 of 65)",
    "gap-wider-absolute": "holds in part (3 of 65)",
    "k-matters-in-high-privacy": "holds in part (5 of 11)",
    "olh-more-useful": "holds in part (14 of 16)",
    "agm-more-useful": "holds",
    "delta-changes-nothing": "holds in part (250 of 256)",
    "delta-narrows-gap": "holds in part (30 of 32)",
    "finite-fall-with-k": "holds in part (60 of 80)",
    "finite-k-minor": "holds in part (76 of 80)",
    "gaussian-rise-with-k": "holds in part (31 of 32)",
    "lho-accuracy-rises-with-g": "holds",
    "blh-10x": "holds in part (15 of 20)",
    "lho-below-1": "holds",
    "lho-medium": "holds in part (19 of 20)",
    "lho-rises-with-g": "holds",
    "lho-falls-with-k": "holds",
    "honesty-proportional-to-k": "does not hold (0 of 4)",
    "limit-in-the-end": "holds",
    "records-grr-tighter": "holds",
    "records-plateau": "holds in part (3 of 4)",
    "records-sue-k2": "holds",
    "records-sue-k100": "holds in part (26 of 32)",
    "records-fake-data": "holds",
    "records-binary-lower": "holds",
    "records-honesty": "holds in part (9 of 12)",
    "records-sue-accuracy": "holds",
    "records-alarms": "holds in part (76 of 80)",
    "records-alarms-lesser": "holds",
    "bug-found-somewhere": "holds",
    "bug-found": "holds in part (21 of 30)",
    "bug-missed": "holds",
    "bug-excess": "holds",
    "bug-bit-likely": "holds in part (2 of 8)",
    "bug-still-there": "holds",
}


def test_all_statements_about_cheap_figures_are_recorded() -> None:
    about = {name for name, said in STATEMENTS.items() if {*said.studies} <= {*CHEAP}}
    assert set(EXACT) == about | {*WITHOUT_ROWS}


@pytest.mark.parametrize("name", EXACT)
def test_exact_outcomes(name: str) -> None:
    assert judge(STATEMENTS[name], exact_rows()).exact.words == EXACT[name]


@pytest.mark.parametrize("name", ["limit-rates", "limit-10k", "limit-million"])
def test_limits_depend_on_alpha(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judge(STATEMENTS[name], []).measured.words == "holds"
    monkeypatch.setattr(own_tests, "ALPHA", 0.02)
    found = judge(STATEMENTS[name], [])
    assert found.measured.ruling == found.exact.ruling == "does not hold"


@pytest.fixture(autouse=True)
def _no_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_value, "measure", lambda place: (500, 500))


def test_second_value_that_matters_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_value, "measure", lambda place: (500, 700))
    monkeypatch.setattr(
        SUE, "guess_rates", lambda self, pair: Rates(0.5, 0.1 + 0.001 * pair.second), raising=False
    )
    found = judge(STATEMENTS["second-value"], [])
    assert found.measured.ruling == "does not hold"
    assert found.exact.words == "holds in part (24 of 28)"  # not for SUE and ASUE, which is a SUE
    assert found.exact.worst().startswith("SUE, epsilon = 1, k = 200: 0.101 to 0.299")


def exact_value(mechanism: str, **settings: Any) -> float:
    (found,) = {
        found["attack_epsilon"]
        for found in exact_rows()
        if found["mechanism"] == mechanism
        and all(found[name] == value for name, value in settings.items())
    }
    return float(found)


def guessing_from_a_set(k: int, p: float, q: float) -> float:
    """Epsilon of guessing a member of a set that has the value with p, each other one with q.

    With J others in the set 1 / (1 + J) has the mean (1 - (1 - q)^k) / (k q); an empty set leaves a
    blind guess.
    """
    hit = p * (1 - (1 - q) ** k) / (k * q) + (1 - p) * (1 - q) ** (k - 1) / k
    return math.log(hit * (k - 1) / (1 - hit))


@pytest.mark.parametrize("k", DOMAIN_SIZES)
def test_values_by_hand(k: int) -> None:
    e = math.exp
    for epsilon in EPSILONS:
        settings = {"epsilon": epsilon, "domain_size": k}
        honest = e(epsilon) / (e(epsilon) + k - 1)
        response = math.log(honest / ((1 - honest) / (k - 1)))
        assert exact_value("GRR", **settings) == pytest.approx(response, rel=1e-11)
        flipped = e(epsilon) / (e(epsilon) + 1)
        binary = guessing_from_a_set(k, flipped, 0.5)
        assert exact_value("BLH", **settings) == pytest.approx(binary, rel=1e-11)
        half = e(epsilon / 2)
        symmetric = guessing_from_a_set(k, half / (half + 1), 1 / (half + 1))
        assert exact_value("SUE", **settings) == pytest.approx(symmetric, rel=1e-10)
        unary = guessing_from_a_set(k, 0.5, 1 / (e(epsilon) + 1))
        assert exact_value("OUE", **settings) == pytest.approx(unary, rel=1e-10)
    for g in (2, 4, 10):
        hashing = guessing_from_a_set(k, 1.0, 1 / g)
        found = exact_value("LHO", hash_range=g, domain_size=k)
        assert found == pytest.approx(hashing, rel=1e-11)


@pytest.mark.parametrize("k", DOMAIN_SIZES)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_forgotten_bit_by_hand(epsilon: float, k: int) -> None:
    half = math.exp(epsilon / 2)
    for name, p, q in (
        ("SUE", half / (half + 1), 1 / (half + 1)),
        ("OUE", 0.5, 1 / (half**2 + 1)),
    ):
        by_hand = guessing_from_a_set(k, p + q - p * q, q)
        assert exact_epsilon(name, epsilon, k) == pytest.approx(by_hand, rel=1e-9)
