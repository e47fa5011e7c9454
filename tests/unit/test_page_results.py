"""What the page reads from a results folder, and what it leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ldp_auditor.errors import AuditError
from ldp_auditor.page.folder import read_folder
from ldp_auditor.page.saved_checks import keep_check
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.check_result import CheckResult
from tests.pages import audited, checked, write

NOT_NEEDED = {
    "delta",
    "domain_size",  # inputs that are no categories have none
    "pilot_trials",
    "attack_epsilon",
    "worst_case_epsilon",
    "monte_carlo_limit",
    "verdict",
}
"""What a result may lack."""


def test_an_audit_is_read_back_as_it_was() -> None:
    result = AuditResult.from_dict(audited())
    assert isinstance(result, AuditResult)
    told = result.to_dict()
    assert {key: told[key] for key in audited() if key != "version"} == {
        key: value for key, value in audited().items() if key != "version"
    }


def test_a_check_in_another_metric_is_another_check(tmp_path: Path) -> None:
    """The same check again takes the place of the one before."""
    kept: tuple[dict[str, Any], ...] = ({}, {}, {"metric": "absolute"}, {"reports_each": 5})
    for changed in kept:
        keep_check(tmp_path, CheckResult.from_dict(checked(**changed)), 20_000)
    found = read_folder(tmp_path)
    assert [(each.metric, each.reports_each) for each in found.checks] == [
        (None, None),
        ("absolute", None),
        (None, 5),
    ]
    assert found.left_out == ["earlier run of a check that was run again"]


def test_a_check_is_read_back_as_it_was() -> None:
    told = CheckResult.from_dict(checked()).to_dict()
    assert {key: told[key] for key in checked() if key != "version"} == {
        key: value for key, value in checked().items() if key != "version"
    }


@pytest.mark.parametrize(
    "changed",
    [
        {"epsilon": "one"},
        {"epsilon": -1},
        {"epsilon": None},
        {"epsilon": True},
        {"epsilon": 1e200},
        {"epsilon": 10**400},
        {"mechanism": 3},
        {"mechanism": ""},
        {"pair": [0]},
        {"pair": "01"},
        {"pair": [0, 0]},
        {"alpha": 2},
        {"bound": "none such"},
        {"trials": 0},
        {"trials": 1.5},
        {"true_positives": 200_000},
        {"empirical_epsilon": None},
        {"empirical_epsilon": [1]},
        {"worst_case_epsilon": -3},
        {"seed": "x"},
        {"verdict": "pass"},
        {"verdict": "violation"},
        {"delta": 1},
    ],
)
def test_what_is_no_audit_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(AuditError):
        AuditResult.from_dict(audited() | changed)


@pytest.mark.parametrize(
    "changed", [{"findings": None}, {"findings": [1]}, {"values": 3}, {"power": "x"}]
)
def test_what_is_no_check_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(AuditError):
        CheckResult.from_dict(checked(**changed))


@pytest.mark.parametrize("missing", [key for key in audited() if key not in ("version",)])
def test_a_missing_key_is_told_or_not_needed(missing: str) -> None:
    plain = audited()
    del plain[missing]
    if missing in NOT_NEEDED:
        assert AuditResult.from_dict(plain).mechanism == "GRR"
    else:
        with pytest.raises(AuditError, match=missing):
            AuditResult.from_dict(plain)


def test_the_folder_tells_what_it_left_out(tmp_path: Path) -> None:
    write(tmp_path, audited(), audited("x", epsilon="one"), audited("y", epsilon="one"))
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(b'{"torn": \n\xff\xfe\n')
    contents = read_folder(tmp_path)
    assert len(contents.audits) == 1
    assert contents.left_out == [
        "unreadable result: epsilon must be a number, got epsilon='one' (2 times)",
        "damaged line of the journal (2 times)",
    ]
    assert contents.versions == ["0.1.0"]


def test_reading_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, audited())
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(b"damaged\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    read_folder(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
