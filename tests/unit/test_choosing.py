"""Limits at their edges, columns of settings, and what is said of them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_auditor import AuditError, Choice, choose
from ldp_auditor.choosing.columns import Columns, Question
from ldp_auditor.choosing.limits import LIMITED
from ldp_auditor.choosing.population import Population
from ldp_auditor.mechanisms import make

USERS = 10_000


@pytest.mark.parametrize("name", ["OUE", "THE", "OLH", "SS", "L-OSUE", "Memo[OUE]"])
def test_limits_bind_at_their_edges(name: str) -> None:
    """What is just kept is chosen, what is just not is refused with what it would take."""
    asked: dict[str, Any] = {"domain_size": 10, "users": 1000, "reports": 3, "protocols": [name]}
    best = choose(max_epsilon=1.0, **asked).choice
    assert best is not None
    assert best.worst_case_epsilon == pytest.approx(1.0, abs=1e-9)
    error = best.standard_error
    kept = choose(max_epsilon=1.0, max_error=error * (1 + 1e-6), **asked)
    assert kept.choice is not None
    assert not kept.binding
    broken = choose(max_epsilon=1.0, max_error=error * (1 - 1e-6), **asked)
    assert broken.choice is None
    assert set(broken.binding) == {"max_epsilon", "max_error"}
    assert broken.binding["max_error"].needed == pytest.approx(error, rel=1e-8)
    more = broken.binding["max_epsilon"].needed
    assert more is not None
    assert 1.0 < more < 1.01
    assert choose(max_epsilon=more, max_error=error * (1 - 1e-6), **asked).choice is not None


@pytest.mark.parametrize(
    ("k", "users", "reports"), [(2, 100, 1), (2, 100, 1000), (100_000, 10**6, 1), (100, 100, 1000)]
)
def test_extreme_sizes(k: int, users: int, reports: int) -> None:
    names = ["GRR", "OUE", "OLH", "SHE"] + (["L-OSUE", "BiLOLOHA"] if reports > 1 else [])
    found = choose(domain_size=k, users=users, reports=reports, max_epsilon=1.0, protocols=names)
    assert found.choice is not None
    assert len(found.candidates) == len(names)
    for candidate in found.candidates:
        assert candidate.worst_case_epsilon == pytest.approx(1.0, abs=2e-3)
        made = make(candidate.mechanism, domain_size=k, **_named(candidate.to_dict()))
        variance = made.frequency_variance(users, 1 / k)
        assert candidate.standard_error == pytest.approx(math.sqrt(variance))


def _named(plain: dict[str, Any]) -> dict[str, Any]:
    """The setting of a candidate under the names of `audit`."""
    if "epsilon_1" in plain:
        return {name: plain[name] for name in ("epsilon_1", "epsilon_infinity")}
    options = ("hash_range", "subset_size")
    own: dict[str, Any] = {name: plain[name] for name in options if name in plain}
    return {"epsilon": plain["epsilon"], **own}


def test_every_limit_is_kept_by_what_is_chosen() -> None:
    limits: dict[str, Any] = {
        "max_epsilon": 4.0,
        "max_epsilon_1": 1.5,
        "max_attack_success": 0.2,
        "max_error": 0.05,
        "max_worst_error": 0.06,
        "max_bits": 70.0,
    }
    found = choose(
        domain_size=20, users=USERS, reports=4, protocols=["OLH", "GRR", "L-OSUE"], **limits
    )
    chosen = found.choice
    assert chosen is not None
    for name, limit in limits.items():
        assert getattr(chosen, LIMITED[name]) <= limit * (1 + 1e-8)


@pytest.mark.parametrize("reports", [1, 10, 52])
def test_fresh_reports_at_a_delta_are_composed_tightly(reports: int) -> None:
    """Against the accountant of the field, which rounds losses up by little."""
    question = Question(10, USERS, reports, delta=1e-5)
    for name in ("OUE", "AGM"):
        delta = {"delta": 1e-5 / reports} if name == "AGM" else {}
        mechanism = make(name, epsilon=0.4, domain_size=10, **delta)
        exact = Columns(mechanism, question).worst_case_epsilon
        pair = mechanism.inputs.default_pair
        bound = mechanism.composed_epsilon(pair, reports, 1e-5)
        assert exact == pytest.approx(bound, rel=3e-3)


def test_the_mean_over_reports_may_be_meant() -> None:
    asked: dict[str, Any] = {"domain_size": 10, "users": USERS, "reports": 10, "max_epsilon": 2.0}
    fresh = choose(error_of="mean", protocols=["OUE"], **asked).choice
    assert fresh is not None
    made = make("OUE", epsilon=0.2, domain_size=10)
    assert fresh.standard_error == pytest.approx(
        math.sqrt(made.frequency_variance(USERS, 0.1) / 10)
    )


def test_what_never_changes_can_be_left_out() -> None:
    asked: dict[str, Any] = {"domain_size": 10, "users": USERS, "reports": 10, "max_epsilon": 2.0}
    names = ["OUE", "L-OSUE", "OLOLOHA", "Memo[OUE]", "dBitFlipPM"]
    found = choose(fingerprint=False, protocols=names, **asked)
    assert [c.mechanism for c in found.candidates] == ["L-OSUE", "OUE"]
    assert set(found.left_out) == {"OLOLOHA", "Memo[OUE]", "dBitFlipPM"}


def test_a_population_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "counts.csv"
    file.write_text("topic,count\nred,70\ngreen,20\nblue,10\n")
    found = choose(users=1000, frequencies=file, max_epsilon=1.0, protocols=["GRR"]).choice
    assert found is not None
    made = make("GRR", epsilon=1.0, domain_size=3)
    prior = np.array([0.7, 0.2, 0.1])
    assert found.attack_success == pytest.approx(made.attack_success(prior))
    assert found.attack_success_uniform == pytest.approx(made.attack_success())
    assert found.blind_success == 0.7
    worst = max(made.frequency_variance(1000, prior))
    assert found.worst_standard_error == pytest.approx(math.sqrt(worst))
    mean = np.mean(made.frequency_variance(1000, prior))
    assert found.standard_error == pytest.approx(math.sqrt(mean))


@pytest.mark.parametrize("text", ["", "1\n", "a,b\nc,d\n", "1\n-2\n", "0\n0\n", "1,2,3\n4,5,6\n"])
def test_frequencies_that_are_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "counts.csv"
    file.write_text(text)
    with pytest.raises(AuditError, match="frequencies"):
        choose(users=1000, frequencies=file, max_epsilon=1.0)


def test_users_are_shared_out_by_largest_rests() -> None:
    assert Population.of([1, 1, 1]).holders(100).tolist() == [34, 33, 33]
    assert Population.of([0.5, 0.25, 0.25]).holders(10).tolist() == [5, 3, 2]
    assert Population.zipf(5).holders(1000).sum() == 1000


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"domain_size": 10}, "no limit on the error"),
        ({"domain_size": 10, "max_bits": 8, "objective": "error"}, "no limit on what leaks"),
        ({"max_epsilon": 1}, "domain_size is missing"),
        ({"domain_size": 10, "max_epsilon": -1}, "max_epsilon must be positive"),
        ({"domain_size": 10, "max_epsilon": 1, "objective": "joy"}, "objective must be one of"),
        ({"domain_size": 10, "max_epsilon": 1, "protocols": ["LHO"]}, "promises nothing"),
        ({"domain_size": 10, "max_epsilon": 1, "protocols": ["AGM"]}, "give a delta"),
        ({"domain_size": 10, "max_epsilon": 1, "protocols": ["SPL[GRR]"]}, "for records"),
        ({"domain_size": 10, "max_epsilon": 1, "error_of": "year"}, "error_of must be one of"),
        ({"domain_size": 10, "max_epsilon": 1, "frequencies": [1, 2]}, "each of the domain_size"),
    ],
)
def test_questions_without_an_answer(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(AuditError, match=words):
        choose(users=100, **settings)


def test_an_answer_survives_json() -> None:
    asked: dict[str, Any] = {"domain_size": 10, "users": 1000, "protocols": ["OUE", "GRR"]}
    for error in (1.0, 0.001):
        found = choose(**asked, max_epsilon=0.5, max_error=error)
        plain = found.to_dict()
        assert Choice.from_dict(json.loads(json.dumps(plain, allow_nan=False))).to_dict() == plain
        assert (plain["choice"] is None) == bool(plain["binding"])
        assert len(found.front) == len(found.curves[0].losses)
        assert str(found)


def test_a_limit_below_blind_guessing_cannot_be_kept() -> None:
    found = choose(
        domain_size=10, users=1000, max_epsilon=1.0, max_attack_success=0.05, protocols=["GRR"]
    )
    assert found.choice is None
    assert found.left_out == {"GRR": "because no setting keeps the limits on leakage"}
    assert set(found.binding) == {"max_attack_success"}
