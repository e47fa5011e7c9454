"""The commands for users who report again and again, and for records of several attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ldp_auditor import audit, audit_over_time
from tests.end_to_end.command import run, run_json
from tests.end_to_end.test_commands import KEYS

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
        (("SUE", "--epsilon", "1", "--reports", "5,x"), "whole numbers such as 5,10,25"),
        (("SUE", "--epsilon", "1", "--reports", "2.5"), "must be a whole number"),
        (("SUE", "--epsilon", "1", "--reports", "5", "--max-trials", "9"), "trials auto"),
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
        (
            ("dBitFlipPM", "--epsilon", "1", "--buckets", "11", "--bits", "2"),
            "buckets must not be more",
        ),
        (
            ("dBitFlipPM", "--epsilon", "1", "--buckets", "5", "--bits", "6"),
            "bits must not be more",
        ),
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
    assert compared.stdout.count("\n RS+FD[") == 5  # a row for each


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
