"""The commands as a user runs them."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ldp_auditor import audit, audit_over_time, compare, mechanisms
from ldp_auditor.report.tables import comparison_table, protocol_table, result_table
from tests.end_to_end.command import EXECUTABLE, run, run_json
from tests.protocols import NAMES

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


@pytest.mark.parametrize("name", NAMES)
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
    assert all(name in done.stdout for name in NAMES)
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
    done = run(*setting, cwd=tmp_path)
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
    assert done.returncode == 0, done.stderr
    assert "SUE paper" in done.stdout
    assert "SUE optimal" in done.stdout
    assert (tmp_path / "compare.png").exists()


def test_list_names_every_protocol() -> None:
    done = run("list")
    known = [*mechanisms.available(), *mechanisms.available_for_records()]
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


@pytest.mark.parametrize("command", ["list", "audit GRR --epsilon 1 --domain-size 5 --trials 10"])
def test_output_that_cannot_be_written_is_no_violation(command: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [EXECUTABLE, *command.split()], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    closed = subprocess.run(
        f"{EXECUTABLE} {command} | true; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        stderr=subprocess.PIPE,
        check=False,
    )
    assert closed.returncode in {0, 2}  # 0 if all was written before the pipe closed


def test_tables_fit_a_terminal_of_80_columns() -> None:
    comparison = compare(epsilon=1.0, domain_size=5, trials=1000)
    console = Console(width=80, force_terminal=False)
    tables = [
        protocol_table(mechanisms.available().values()),
        comparison_table(comparison),
        result_table(comparison.results[0]),
    ]
    for table in tables:
        drawn = table.draw(console)
        assert max(map(len, drawn.splitlines())) <= 80
        assert "…" not in drawn
        for row in table.rows:
            assert all(cell.split()[0] in drawn for cell in row)


GRR = ("audit", "GRR", "--epsilon", "1", "--domain-size", "5")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("audit", "GRR", "--epsilon", "1", "--domain-size", "1"), "domain_size must be at least"),
        (("audit", "GRR", "--epsilon", "0", "--domain-size", "5"), "epsilon must be positive"),
        (("audit", "GRR", "--epsilon", "nan", "--domain-size", "5"), "epsilon must be positive"),
        (("audit", "GRR", "--epsilon", "x", "--domain-size", "5"), "--epsilon"),
        (("audit", "GRR", "--domain-size", "5"), "GRR needs epsilon"),
        (("audit", "GRR", "--epsilon", "1"), "GRR needs domain_size"),
        (("audit", "--epsilon", "1", "--domain-size", "5"), "PROTOCOL"),
        (("audit", "OUEE", "--epsilon", "1", "--domain-size", "5"), "did you mean 'OUE'"),
        (("audit", "GM", "--epsilon", "2", "--domain-size", "5"), "epsilon <= 1"),
        ((*GRR, "--delta", "1"), "delta must lie in [0, 1)"),
        (("audit", "AGRR", *GRR[2:], "--delta", "0"), "delta must be positive"),
        ((*GRR, "--trials", "0"), "trials must be at least 1"),
        ((*GRR, "--trials", "1.5"), "trials must be a whole number"),
        ((*GRR, "--trials", "many"), "trials must be a number"),
        ((*GRR, "--trials", "1e99999999"), "trials must be a whole number of a possible size"),
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
        (("audit", "LHO", "--domain-size", "5", "--hash-range", "x"), "--hash-range must be of"),
        (("compare", "--epsilon", "-1", "--domain-size", "5"), "epsilon must be positive"),
        (("compare", "--epsilon", "1", "--domain-size", "5", "FOO"), "unknown protocol 'FOO'"),
        (("frobnicate",), "No such command"),
    ],
)
def test_bad_input_is_one_line_and_code_two(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


def test_interrupt_ends_cleanly() -> None:
    with subprocess.Popen(
        [EXECUTABLE, "audit", "SHE", "--epsilon", "1", "--domain-size", "200", "--trials", "1e9"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        time.sleep(3)  # long enough to be in the middle of the audit
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert (output, errors) == ("", "ldp-auditor: interrupted\n")


SUE_OVER_TIME = ("audit", "SUE", "--epsilon", "0.5", "--domain-size", "10", "--trials", "1e4")


def test_reports_of_one_user_add_up() -> None:
    result = run_json(*SUE_OVER_TIME, "--reports", "50")
    assert set(result) >= KEYS
    assert (result["reports"], result["composition"]) == (50, "law")
    assert (result["epsilon"], result["sequential_epsilon"]) == (0.5, 25.0)
    assert (result["delta"], result["sequential_delta"]) == (0.0, 0.0)
    assert 12 < result["composed_epsilon"] < 13
    assert result["composed_delta"] == 1e-5
    simulated = run_json(*SUE_OVER_TIME, "--reports", "50", "--composition", "simulate")
    assert simulated["composition"] == "simulate"
    assert simulated["attack_epsilon"] == result["attack_epsilon"]


def test_one_report_is_the_plain_audit() -> None:
    plain, explicit = run_json(*SUE_OVER_TIME), run_json(*SUE_OVER_TIME, "--reports", "1")
    del plain["seconds"], explicit["seconds"]
    assert explicit == {**plain, "reports": 1}


def test_several_numbers_of_reports_make_a_table_and_a_figure(tmp_path: Path) -> None:
    several = run_json(*SUE_OVER_TIME, "--reports", "5,1,20")["results"]
    assert [result["reports"] for result in several] == [1, 5, 20]
    done = run(*SUE_OVER_TIME, "--reports", "1,5,20", "--figure", "curve.png", cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert done.stdout.count("none found") == 3


def test_memoized_protocols_have_two_claims() -> None:
    setting = (
        *("audit", "L-OSUE", "--epsilon-1", "1", "--epsilon-infinity", "2"),
        *("--domain-size", "5", "--trials", "1e4", "--attack", "optimal"),
    )
    one = run_json(*setting)
    assert (one["epsilon"], one["epsilon_1"], one["epsilon_infinity"]) == (1, 1, 2)
    many = run_json(*setting, "--reports", "30")
    assert (many["claimed_epsilon"], many["sequential_epsilon"]) == (2, 30)
    assert 1 < many["empirical_epsilon"] < 2


def test_comparison_over_time(tmp_path: Path) -> None:
    done = run(
        *("compare", "SUE", "L-SUE", "Memo[SUE]", "--epsilon", "1", "--epsilon-infinity", "2"),
        *("--domain-size", "5", "--reports", "1,10", "--trials", "1e4", "--figure", "over.png"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "over.png").exists()
    assert done.stdout.count("none found") == 6


@pytest.mark.parametrize("name", ["GRR", "SS", "OUE", "OLH", "SHE", "L-SUE", "L-GRR", "OLOLOHA"])
def test_workers_do_not_change_the_counts_over_time(name: str) -> None:
    more: dict[str, Any] = (
        {"epsilon_infinity": 1.7} if name in ("L-SUE", "L-GRR", "OLOLOHA") else {}
    )
    first, second = (
        audit_over_time(
            name,
            [2, 7],
            epsilon=0.9,
            domain_size=100,
            trials=20_000,
            workers=workers,
            attack="optimal",
            **more,
        )
        for workers in (1, 3)
    )
    assert [r.counts for r in first] == [r.counts for r in second]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("SUE", "--epsilon", "1", "--reports", "0"), "reports must be at least 1"),
        (("SUE", "--epsilon", "1", "--reports", "-2"), "reports must be at least 1"),
        (("SUE", "--epsilon", "1", "--reports", "5,x"), "several such as 5,10,25"),
        (("SUE", "--epsilon", "1", "--reports", "2.5"), "must be a whole number"),
        (("SUE", "--epsilon", "1", "--reports", "5", "--trials", "auto"), "single reports"),
        (("SUE", "--epsilon", "1", "--figure", "x.png"), "several numbers of reports"),
        (("SUE", "--epsilon", "1", "--reports", "5", "--composition", "x"), "one of auto, law"),
        (
            (
                "SHE",
                "--epsilon",
                "1",
                "--reports",
                "5",
                "--attack",
                "optimal",
                "--composition",
                "law",
            ),
            "not drawn from a law",
        ),
        (("GM", "--epsilon", "1", "--delta", "0.1", "--reports", "10"), "promise nothing"),
        (("L-SUE", "--epsilon-1", "2", "--epsilon-infinity", "2"), "must be below"),
        (("L-SUE", "--epsilon-1", "1"), "needs epsilon_infinity"),
        (("L-OUE", "--epsilon-1", "1.9", "--epsilon-infinity", "2"), "epsilon_1 is at most 1.66"),
        (("dBitFlipPM", "--epsilon", "1", "--buckets", "11", "--bits", "2"), "more buckets"),
        (("dBitFlipPM", "--epsilon", "1", "--buckets", "5", "--bits", "6"), "more bits"),
        (("RAPPOR", "--f", "2"), "f must lie in (0, 1)"),
        (("Memo[L-SUE]", "--epsilon", "1"), "memoizes already"),
        (("LOLOHA", "--epsilon", "1"), "did you mean 'OLOLOHA'"),
    ],
)
def test_impossible_studies_are_one_line(arguments: tuple[str, ...], reason: str) -> None:
    done = run("audit", *arguments, "--domain-size", "10")
    assert done.returncode == 2
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


RECORDS = ("audit", "RS+FD[GRR]", "--epsilon", "1", "--trials", "1e5")


def test_records_that_differ_everywhere_break_the_claim() -> None:
    done = run(*RECORDS, "--domain-size", "4", "--attributes", "2", "--attack", "optimal")
    assert done.returncode == 1
    assert "records differ in one   1.000000  (exact: the claim holds)" in done.stdout
    assert "records differ in all   1.489880  (exact: the claim is broken)" in done.stdout
    assert "for records that differ in 2 of 2 attributes" in done.stdout


def test_the_verdict_says_for_which_records() -> None:
    some = run(*RECORDS, "--domain-sizes", "2,3,4", "--pair", "0,1,3:0,2,0")
    assert "although the claim is broken for these records" in some.stdout
    one = run(*RECORDS, "--domain-sizes", "2,100", "--neighbours", "one", "--attribute", "0")
    assert "exact worst case        0.666414" in one.stdout
    assert "no violation found; the claim is broken where records differ in one" in one.stdout
    fine = run("audit", "SMP[GRR]", "--epsilon", "1", "--domain-sizes", "2,3", "--trials", "1e4")
    assert " verdict                 no violation found\n" in fine.stdout


def test_records_in_json() -> None:
    result = run_json(*RECORDS, "--domain-sizes", "2,25,100", "--neighbours", "one")
    assert set(result) >= KEYS
    assert (result["attributes"], result["domain_sizes"]) == (3, [2, 25, 100])
    assert result["neighbours"] == "one"
    assert result["pair"] == [[0, 0, 0], [1, 0, 0]]
    assert result["worst_case_all"] > result["worst_case_one"] > 1
    assert (result["holds_for_one"], result["holds_for_all"]) == (False, False)
    given = run_json(*RECORDS, "--domain-sizes", "2,25,100", "--pair", "1,7,3:1,2,3")
    assert given["pair"] == [[1, 7, 3], [1, 2, 3]]
    assert given["neighbours"] == "one"


@pytest.mark.parametrize("name", ["RS+FD[GRR]", "RS+FD[OUE-r]", "SPL[OLH]", "SMP[SHE]"])
def test_workers_do_not_change_the_counts_of_records(name: str) -> None:
    first, second = (
        audit(name, epsilon=0.9, domain_sizes=(3, 70), trials=100_000, workers=w, attack="optimal")
        for w in (1, 3)
    )
    assert first.counts == second.counts


def test_records_are_explained_profiled_and_compared(tmp_path: Path) -> None:
    setting = ("--epsilon", "1", "--domain-size", "4", "--attributes", "2")
    assert run("explain", "SPL[OUE]", *setting, "--trials", "1e4", cwd=tmp_path).returncode == 0
    profile = run("profile", "RS+FD[GRR]", *setting, "--neighbours", "one", cwd=tmp_path)
    assert profile.returncode == 0, profile.stderr
    assert (tmp_path / "profile.png").exists()
    compared = run("compare", *setting, "--trials", "1e4", cwd=tmp_path)
    assert compared.returncode == 0
    assert compared.stdout.count("RS+FD[") == 5


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("RS+FD[GRR]", "--domain-size", "9", "--attributes", "1"), "attributes must be at least"),
        (("SMP[GM]", "--domain-size", "9", "--attributes", "2", "--delta", "0"), "an attribute of"),
        (("RS+FD[GRR]", "--domain-size", "9"), "needs attributes"),
        (("RS+FD[GRR]", "--domain-sizes", "2,x"), "whole numbers such as 2,25,100"),
        (("RS+FD[GRR]", "--domain-sizes", "2,3", "--attributes", "3"), "does not fit"),
        (("SPL[OUE]", "--domain-sizes", "2,3", "--attribute", "2"), "attribute must be at most 1"),
        (("SMP[OUE]", "--domain-sizes", "2,3", "--pair", "0,1:2,0"), "must lie in 0..1"),
        (("SMP[OUE]", "--domain-sizes", "2,3", "--pair", "0,1"), "a record of 2 values"),
        (("SMP[OUE]", "--domain-sizes", "2,3", "--pair", "0:1:2"), "two records such as"),
        (("GRR", "--domain-size", "9", "--attributes", "2"), "no such option: --attributes"),
        (("GRR",), "GRR needs domain_size"),
    ],
)
def test_impossible_records_are_one_line(arguments: tuple[str, ...], reason: str) -> None:
    done = run("audit", *arguments, "--epsilon", "1")
    assert done.returncode == 2
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
