"""The commands as a user runs them."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from ldp_auditor import audit, mechanisms
from tests.end_to_end.command import EXECUTABLE, in_session, run, run_fresh, run_json
from tests.protocols import OURS

KEYS = {
    "mechanism",
    "epsilon",
    "delta",
    "domain_size",
    "attack",
    "bound",
    "alpha",
    "trials",
    "true_positives",
    "false_positives",
    "empirical_epsilon",
    "attack_epsilon",
    "worst_case_epsilon",
    "monte_carlo_limit",
    "verdict",
    "seed",
    "seconds",
}


def test_audit_prints_the_promised_keys() -> None:
    result = run_json("audit", "GRR", "--epsilon", "1", "--domain-size", "25", "--trials", "1e4")
    assert set(result) >= KEYS
    assert result["trials"] == 10_000
    assert result["monte_carlo_limit"] == pytest.approx(7.42, abs=5e-3)


def test_command_and_python_agree_for_any_number_of_workers() -> None:
    setting = ("audit", "OUE", "--epsilon", "1", "--domain-size", "25", "--seed", "5")
    counts = set()
    for workers in ("1", "2", "5"):
        result = run_json(*setting, "--trials", "600_000", "--workers", workers)
        counts.add((result["true_positives"], result["false_positives"]))
    python = audit("OUE", epsilon=1.0, domain_size=25, seed=5, trials=600_000).counts
    assert counts == {(python.true_positives, python.false_positives)}


@pytest.mark.parametrize("name", OURS)
def test_workers_do_not_change_the_counts(name: str) -> None:
    epsilon = None if mechanisms.find(name).promises_nothing else 0.9
    first, second = (
        audit(name, epsilon=epsilon, domain_size=300, trials=50_000, seed=8, workers=workers)
        for workers in (1, 3)
    )
    assert first.counts == second.counts


def test_options_of_a_protocol_are_taken_anywhere() -> None:
    after = run_json("audit", "LHO", "--domain-size", "25", "--hash-range", "4", "--trials", "1e4")
    before = run_json("audit", "--hash-range=4", "LHO", "--domain-size", "25", "--trials", "1e4")
    assert after["hash_range"] == before["hash_range"] == 4
    assert after["epsilon"] == "inf"
    assert after["true_positives"] == before["true_positives"]


def test_violation_has_its_own_exit_code() -> None:
    done = run("audit", "LHO", "--domain-size", "9", "--epsilon", "0.2", "--trials", "1e5")
    assert done.returncode == 1
    assert "violation: epsilon is at least" in done.stdout


def test_compare_draws_tables_and_figures(tmp_path: Path) -> None:
    done = run("compare", "--epsilon", "2", "--domain-size", "5", "--trials", "1e4", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    compared = [name for name in OURS if name in mechanisms.in_the_paper()]
    assert all(f" {name} " in done.stdout for name in compared)
    assert " CMS " not in done.stdout  # sketches are compared when they are named
    assert "GM was left out: GM is defined for epsilon <= 1 only" in done.stdout
    assert (tmp_path / "compare.png").read_bytes().startswith(b"\x89PNG")
    assert done.stderr.strip() == "figure written to compare.png"


def test_compare_in_json_agrees_with_audit(tmp_path: Path) -> None:
    setting = ("--epsilon", "1", "--domain-size", "5", "--trials", "1e4", "--json")
    done = run("compare", "SS", "AGM", *setting, cwd=tmp_path)
    results = {result["mechanism"]: result for result in json.loads(done.stdout)["results"]}
    assert list(tmp_path.iterdir()) == []
    alone = json.loads(run("audit", "AGM", *setting).stdout)
    assert results["AGM"]["true_positives"] == alone["true_positives"]
    assert results["AGM"]["delta"] == alone["delta"] == 1e-5
    assert results["SS"]["delta"] == 0


def test_explain_tells_the_gap_apart(tmp_path: Path) -> None:
    setting = ("explain", "THE", "--epsilon", "1", "--domain-size", "5", "--trials", "1e5")
    done = run(*setting, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "- weakness" in done.stdout
    assert "To prove 99% of the worst case 0.8960" in done.stdout
    assert (tmp_path / "explain.png").read_bytes().startswith(b"\x89PNG")
    plain = json.loads(run(*setting, "--json").stdout)
    assert [result["attack"] for result in plain["results"]] == ["paper", "optimal"]


def test_profile_shows_the_smallest_delta(tmp_path: Path) -> None:
    setting = ("profile", "AGM", "--epsilon", "1", "--domain-size", "5", "--points", "13")
    done = run_fresh(*setting, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "profile.png").read_bytes().startswith(b"\x89PNG")
    curve = json.loads(run(*setting, "--json").stdout)
    at_claim = next(point for point in curve if abs(point["epsilon"] - 1) < 1e-9)
    assert at_claim["delta"] == pytest.approx(1e-5, rel=1e-9)


def test_trials_as_needed() -> None:
    setting = ("audit", "SUE", "--epsilon", "2", "--domain-size", "9", "--attack", "optimal")
    result = run_json(*setting, "--trials", "auto", "--precision", "0.02", "--max-trials", "1e8")
    assert result["empirical_epsilon"] >= 1.96
    assert result["trials"] < result["max_trials"] == 10**8
    assert result["precision"] == 0.02
    assert result["looks"] >= 1
    assert run(*setting, "--trials", "auto", "--precision", "2").returncode == 2


def test_compare_by_both_attacks(tmp_path: Path) -> None:
    setting = ("compare", "SUE", "LHO", "--epsilon", "1", "--domain-size", "5", "--trials", "1e4")
    done = run(*setting, "--attack", "both", cwd=tmp_path)
    assert done.returncode == 1, done.stderr  # LHO is named, so that the claim is tested on it
    assert "1 violation in 4 audits" in done.stdout
    assert "SUE paper" in done.stdout
    assert "SUE optimal" in done.stdout
    assert (tmp_path / "compare.png").exists()


def test_list_names_every_protocol() -> None:
    done = run("list")
    known = [*mechanisms.listed()]
    assert all(f"\n {name} " in done.stdout for name in known)
    names = [row["name"] for row in json.loads(run("list", "--json").stdout)]
    assert names == [*known, "Memo[...]", "SPL[...]", "SMP[...]"]


@pytest.mark.parametrize("figure", ["none/a.png", "a.xyz", "a", ""])
def test_a_figure_that_cannot_be_written_is_refused_at_once(figure: str, tmp_path: Path) -> None:
    setting = ("compare", "GRR", "--epsilon", "2", "--domain-size", "5", "--trials", "1e14")
    done = run(*setting, "--figure", figure, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot write the figure" in done.stderr


GRR = ("audit", "GRR", "--epsilon", "1", "--domain-size", "5")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("audit", "GRR", "--epsilon", "1", "--domain-size", "1"), "domain_size must be at least"),
        (("audit", "GRR", "--epsilon", "0", "--domain-size", "5"), "epsilon must be positive"),
        (("audit", "GRR", "--epsilon", "nan", "--domain-size", "5"), "epsilon must be positive"),
        (("audit", "GRR", "--epsilon", "x", "--domain-size", "5"), "epsilon must be a number"),
        (("audit", "GRR", "--domain-size", "5"), "GRR needs epsilon"),
        (("audit", "GRR", "--epsilon", "1"), "GRR needs domain_size"),
        (("audit", "--epsilon", "1", "--domain-size", "5"), "PROTOCOL"),
        (("audit", "OUEE", "--epsilon", "1", "--domain-size", "5"), "did you mean 'OUE'"),
        (("audit", "GM", "--epsilon", "2", "--domain-size", "5"), "epsilon <= 1"),
        ((*GRR, "--delta", "1"), "delta must lie in [0, 1)"),
        (("audit", "AGRR", *GRR[2:], "--delta", "0"), "delta must be positive"),
        ((*GRR, "--trials", "0"), "trials must be at least 1"),
        ((*GRR, "--trials", "1.5"), "trials must be a whole number"),
        (
            (*GRR, "--trials", "many"),
            "trials must be a whole number or \"auto\", got trials='many'",
        ),
        ((*GRR, "--trials", "1e99999999"), "trials must be a whole number"),
        ((*GRR, "--trials", "1e17"), "trials must be at most"),
        ((*GRR, "--workers", "99999999999999999999"), "workers must be at most"),
        ((*GRR, "--alpha", "1e-323"), "alpha must lie in (0, 1)"),
        ((*GRR, "-e", "1"), "no such option: --e"),
        (("compare", "--epsilon", "inf", "--domain-size", "5"), "epsilon must be finite"),
        (("audit", "GM", "--epsilon", "1e-308", "--domain-size", "5"), "epsilon must be at least"),
        ((*GRR, "--alpha", "1"), "alpha must lie in (0, 1)"),
        ((*GRR, "--pair", "2,2"), "must differ"),
        ((*GRR, "--pair", "0,5"), "must lie in 0..4"),
        ((*GRR, "--pair", "0"), "pair must be two values"),
        ((*GRR, "--workers", "0"), "workers must be at least 1"),
        ((*GRR, "--hash-range", "3"), "no such option: --hash-range"),
        ((*GRR, "SUE"), "one protocol at a time"),
        (
            ("audit", "LHO", "--domain-size", "5", "--hash-range", "1"),
            "hash_range must be at least",
        ),
        (("audit", "LHO", "--domain-size", "5", "--hash-range", "x"), "hash_range must be a whole"),
        (("compare", "--epsilon", "-1", "--domain-size", "5"), "epsilon must be positive"),
        (("compare", "--epsilon", "1", "--domain-size", "5", "FOO"), "unknown protocol 'FOO'"),
        (("frobnicate",), "No such command 'frobnicate'; see 'ldp-auditor --help'"),
        (("report",), "Missing argument 'RESULTS'; see 'ldp-auditor report --help'"),
    ],
)
def test_bad_input_is_one_line_and_code_two(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


def test_interrupt_ends_cleanly() -> None:
    long = ("--epsilon", "1", "--domain-size", "200", "--trials", "1e9", "--workers", "1")
    with in_session([EXECUTABLE, "audit", "SHE", *long]) as process:
        time.sleep(3)  # long enough to be in the middle of the audit
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert (output, errors) == ("", "ldp-auditor: interrupted\n")
