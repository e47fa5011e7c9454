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
from ldp_auditor.mechanisms.capabilities import default_pair
from tests.end_to_end.command import run

USERS = 10_000


def grid_of(name: str, k: int) -> Iterator[Any]:
    """Settings of a protocol, close together; `benchmarks/best_settings.py` has finer grids."""
    if name == "RAPPOR":
        shares = np.linspace(0.01, 0.99, 11)
        for f, p, q in itertools.product(np.linspace(0.2, 0.95, 7), shares, shares):
            if p < q:
                yield make(name, domain_size=k, f=float(f), p=float(p), q=float(q))
        return
    options: list[dict[str, Any]] = [{}]
    if "OLH" in name or name == "OLOLOHA":
        options = [{"hash_range": g} for g in range(2, 10)]
    elif "SS" in name:
        options = [{"subset_size": omega} for omega in range(1, k)]
    elif name == "dBitFlipPM":
        options = [{"buckets": k, "bits": d} for d in range(1, k + 1)]
    elif name == "HR":
        options = [{"blocks": b} for b in (1, 2, 4, 8, 16)]
    two_rounds = name.startswith("L-") or "LOLOHA" in name
    for epsilon, given in itertools.product(np.linspace(0.05, 2.5, 20), options):
        both: list[dict[str, Any]] = [{"epsilon": float(epsilon)}]
        if two_rounds:
            shares = np.linspace(0.05, 0.98, 8)
            both = [
                {"epsilon_1": float(s * epsilon), "epsilon_infinity": float(epsilon)}
                for s in shares
            ]
        for setting in both:
            try:
                yield make(name, domain_size=k, **setting, **given)
            except AuditError:
                continue  # L-OUE cannot spend as much on one report


def columns_of(mechanism: Any, k: int, reports: int) -> tuple[float, float, float]:
    """Error, and exact losses of all reports and of one, as an audit tells them."""
    pair = default_pair(mechanism)
    losses = [mechanism.worst_case_over(pair, each) for each in (reports, 1)]
    shares = np.eye(1, k)[0] if mechanism.name == "HR" else np.array([1 / k])
    error = math.sqrt(np.mean(mechanism.frequency_variance(USERS, shares)))
    return (error, *losses)


CASES: list[tuple[str, int, dict[str, float]]] = [
    ("GRR", 1, {"max_epsilon": 1.6}),
    ("HR", 1, {"max_epsilon": 2.3}),
    ("OUE", 4, {"max_epsilon": 1.6}),
    ("THE", 2, {"max_epsilon": 1.6}),
    ("OLH", 1, {"max_epsilon": 1.6}),
    ("SS", 3, {"max_epsilon": 1.6}),
    ("L-OSUE", 5, {"max_epsilon": 1.6}),
    ("L-OUE", 5, {"max_epsilon": 1.6, "max_epsilon_1": 0.8}),
    ("L-SOUE", 5, {"max_epsilon": 1.6}),
    ("L-GRR", 5, {"max_epsilon": 1.6, "max_epsilon_1": 0.9}),
    ("RAPPOR", 5, {"max_epsilon": 2.4, "max_epsilon_1": 0.7}),
    ("OLOLOHA", 5, {"max_epsilon": 2.4, "max_epsilon_1": 1.4}),
    ("dBitFlipPM", 5, {"max_epsilon": 1.6}),
    ("Memo[SS]", 5, {"max_epsilon": 1.6}),
]


@pytest.mark.parametrize(("name", "reports", "limits"), CASES)
def test_no_setting_of_a_fine_grid_is_better(
    name: str, reports: int, limits: dict[str, Any]
) -> None:
    """The least error within limits; and within that error and a third, the least loss."""
    k = 8
    asked: dict[str, Any] = {"domain_size": k, "users": USERS, "reports": reports}
    found = choose(protocols=[name], **asked, **limits).choice
    assert found is not None
    most = 1.3 * found.standard_error
    least = choose(
        protocols=[name], **asked, max_epsilon=8.0, max_error=most, objective="epsilon"
    ).choice
    assert least is not None
    looked_at = 0
    for mechanism in grid_of(name, k):
        error, loss, one = columns_of(mechanism, k, reports)
        if loss <= limits["max_epsilon"] and one <= limits.get("max_epsilon_1", math.inf):
            assert error >= found.standard_error * (1 - (1e-3 if mechanism.memoizes else 1e-9))
            looked_at += 1
        if error <= most:
            assert loss >= least.worst_case_epsilon * (1 - 1e-3)
            looked_at += 1
    assert looked_at > 10


@pytest.mark.parametrize(
    ("name", "rivals", "limits", "gain"),
    [
        # The formula is for rare values: over 12 of them fewer hashes are better.
        ("OLOLOHA", [], {"max_epsilon": 6.0}, 0.02),
        # Between its extremes RAPPOR is better than both of them.
        ("RAPPOR", ["L-SUE", "L-SOUE"], {"max_epsilon": 4.0, "max_epsilon_1": 1.0}, 0.002),
    ],
)
def test_the_second_round_is_searched(
    name: str, rivals: list[str], limits: dict[str, Any], gain: float
) -> None:
    asked: dict[str, Any] = {"domain_size": 12, "users": USERS, "reports": 20, **limits}
    found = choose(protocols=[name, *rivals], **asked)
    mine, *others = found.candidates
    assert mine.mechanism == name
    errors = [other.standard_error for other in others]
    if name == "OLOLOHA":
        both = {n: mine.options[n] for n in ("epsilon_1", "epsilon_infinity")}
        formula = make(name, domain_size=12, **both)
        errors = [math.sqrt(formula.frequency_variance(USERS, 1 / 12))]
    assert min(errors) * (1 - gain) > mine.standard_error


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
        ("simulate PM --epsilon 1 --users 10", "PM is for numbers; simulate takes categories"),
        ("simulate SPL[GRR] --epsilon 1 --domain-sizes 3,4 --users 10", "SPL[GRR] is for records"),
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
