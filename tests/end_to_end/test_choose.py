"""The commands `choose` and `simulate`, and the best setting against fine grids."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_auditor import AuditError, choose, simulate
from ldp_auditor.mechanisms import make
from tests.end_to_end.command import run

USERS = 10_000


def grid_of(name: str, k: int) -> Iterator[Any]:
    """Settings of a protocol, close together."""
    options: list[dict[str, Any]] = [{}]
    if "OLH" in name:
        options = [{"hash_range": g} for g in range(2, 10)]
    elif "SS" in name:
        options = [{"subset_size": omega} for omega in range(1, k)]
    elif name == "dBitFlipPM":
        options = [{"buckets": k, "bits": d} for d in range(1, k + 1)]
    two_rounds = name.startswith("L-") or "LOLOHA" in name
    for epsilon, given in itertools.product(np.linspace(0.05, 2.5, 40), options):
        both: list[dict[str, Any]] = [{"epsilon": float(epsilon)}]
        if two_rounds:
            shares = np.linspace(0.05, 0.98, 12)
            both = [
                {"epsilon_1": float(s * epsilon), "epsilon_infinity": float(epsilon)}
                for s in shares
            ]
        for setting in both:
            try:
                yield make(name, domain_size=k, **setting, **given)
            except AuditError:
                continue  # L-OUE cannot spend as much on one report


def loss_of(mechanism: Any, reports: int) -> float:
    """The exact loss of all reports, as an audit tells it."""
    pair = getattr(mechanism, "default_pair", None) or mechanism.inputs.default_pair
    found = mechanism.worst_case_over(pair, reports)
    assert found is not None
    return float(found)


CASES = [
    ("GRR", 1),
    ("OUE", 4),
    ("THE", 2),
    ("OLH", 1),
    ("SS", 3),
    ("L-OSUE", 5),
    ("L-OUE", 5),
    ("L-SOUE", 5),
    ("L-GRR", 5),
    ("OLOLOHA", 5),
    ("dBitFlipPM", 5),
    ("Memo[SS]", 5),
]


@pytest.mark.parametrize(("name", "reports"), CASES)
@pytest.mark.parametrize("objective", ["error", "epsilon"])
def test_no_setting_of_a_fine_grid_is_better(name: str, reports: int, objective: str) -> None:
    k, limit = 8, 1.6
    limits = {"max_epsilon": limit}
    if objective == "epsilon":
        at_most = choose(
            domain_size=k, users=USERS, reports=reports, max_epsilon=limit, protocols=[name]
        ).choice
        assert at_most is not None
        limits = {"max_epsilon": 8.0, "max_error": 1.3 * at_most.standard_error}
    found = choose(
        domain_size=k,
        users=USERS,
        reports=reports,
        protocols=[name],
        objective=objective,
        **limits,  # type: ignore[arg-type]
    ).choice
    assert found is not None
    for mechanism in grid_of(name, k):
        error = math.sqrt(mechanism.frequency_variance(USERS, 1 / k))
        loss = loss_of(mechanism, reports)
        if objective == "error" and loss <= limit:
            assert error >= found.standard_error * (1 - (1e-3 if "L" in name else 1e-9))
        if objective == "epsilon" and error <= limits["max_error"]:
            assert loss >= found.worst_case_epsilon * (1 - 1e-3)


ISSUE = "choose --domain-size 100 --users 1e6 --reports 52 --max-epsilon 2 --max-error 0.0025"


def test_the_question_of_the_tutorial(tmp_path: Path) -> None:
    done = run(*ISSUE.split(), "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    chosen = found["choice"]
    assert chosen["worst_case_epsilon"] <= 2 + 1e-9
    assert chosen["standard_error"] <= 0.0025
    assert {"attack_success", "bits", "mechanism", "epsilon", "domain_size"} <= set(chosen)
    assert found["binding"] == {}
    assert next(c["mechanism"] for c in found["candidates"] if c["fits"]) == chosen["mechanism"]
    fresh = {c["mechanism"]: c for c in found["candidates"]}["OUE"]
    assert not fresh["fits"]
    assert not list(tmp_path.iterdir())


def test_a_choice_is_verified_drawn_and_kept(tmp_path: Path) -> None:
    command = "choose OUE GRR --domain-size 20 --users 1e5 --max-epsilon 1 --verify --out kept"
    done = run(*command.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Choose OUE with epsilon = 1." in done.stdout
    assert "proven by the optimal attack" in done.stdout
    assert (tmp_path / "choose.png").stat().st_size > 10_000
    page = run("report", "kept", "--out", "page.html", cwd=tmp_path)
    assert page.returncode == 0, page.stderr
    assert "Choose OUE with epsilon = 1." in (tmp_path / "page.html").read_text()


def test_nothing_fits(tmp_path: Path) -> None:
    command = "choose OUE --domain-size 100 --users 100 --max-epsilon 1 --max-error 0.02"
    done = run(*command.split(), "--json", cwd=tmp_path)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["choice"] is None
    assert set(found["binding"]) == {"max_epsilon", "max_error"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("choose --users 100 --max-epsilon 1", "domain_size is missing"),
        ("choose --domain-size 10 --users 100", "no limit on the error: give max_error"),
        ("choose --domain-size 10 --users many --max-epsilon 1", "users must be a whole number"),
        ("choose --domain-size 10 --users 1 --max-epsilon 1 --frequencies no.csv", "cannot read"),
        ("simulate OUE --epsilon 1 --users 10", "domain_size"),
        ("simulate OUE --epsilon 1 --users 0 --domain-size 3", "users must be at least 1"),
    ],
)
def test_one_line_of_error(words: str, message: str, tmp_path: Path) -> None:
    done = run(*words.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_collection_is_simulated(tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text("red,70\ngreen,20\nblue,10\n")
    command = "simulate GRR --epsilon 2 --users 10000 --frequencies counts.csv"
    done = run(*command.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "red" in done.stdout
    assert (tmp_path / "simulate.png").exists()
    plain = json.loads(run(*command.split(), "--json", cwd=tmp_path).stdout)
    again = simulate("GRR", epsilon=2.0, users=10_000, frequencies=[70, 20, 10])
    assert plain["estimated"] == list(again.estimated)
    assert plain["true"] == [0.7, 0.2, 0.1]
