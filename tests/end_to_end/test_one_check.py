"""The same check asked in several ways: the command, Python, a test suite. All give one answer."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_auditor import AuditError
from ldp_auditor.checks.interface import check
from ldp_auditor.checks.recorded_reports import check_recorded
from ldp_auditor.cli.check import parse_check
from ldp_auditor.core import Claim
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.testing import assert_ldp
from tests.end_to_end import foreign_targets
from tests.end_to_end.command import EXECUTABLE, run

HERE = "tests.end_to_end.foreign_targets"
ROOT = Path(__file__).parents[2]
SMALL = ("--epsilon", "1", "--values", "0,1,2,3", "--trials", "1e4", "--no-learn")


def findings(result: CheckResult) -> Any:
    return json.loads(json.dumps(result.to_dict()["findings"]))


@pytest.mark.parametrize(("name", "code"), [("grr", 0), ("bad_grr", 1)])
def test_a_check_has_one_answer_however_its_target_is_spelled(
    name: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    given: dict[str, Any] = {"epsilon": 1, "trials": 1e4, "learn": False}
    by_name = check(f"{HERE}:{name}", [0, 1, 2, 3], **given)
    function = getattr(foreign_targets, name)
    by_function = check(function, list(np.arange(4)), workers=1, **given)
    assert findings(by_function) == findings(by_name)
    assert by_name.verdict == ("violation" if code else "no-violation-found")
    done = run("check", f"{HERE}:{name}", *SMALL, "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["findings"]) == (code, findings(by_name))
    if code:
        best = by_name.best.counts
        with pytest.raises(AssertionError, match=f": {best.true_positives:,} of {best.trials:,} "):
            assert_ldp(function, [0, 1, 2, 3], alpha=0.01, workers=1, **given)
    else:
        in_suite = assert_ldp(function, [0, 1, 2, 3], alpha=0.01, workers=1, **given)
        assert findings(in_suite) == findings(by_name)


def test_recorded_reports_have_one_answer_however_the_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    reports = {v: [int(v ^ (rng.random() < 0.1)) for _ in range(3000)] for v in (0, 1)}
    rows = [json.dumps({"value": v, "report": r}) for v, made in reports.items() for r in made]
    (tmp_path / "reports.jsonl").write_text("\n".join(rows))
    monkeypatch.chdir(tmp_path)
    in_python = check_recorded("mine", reports, claim=Claim(1.0), learn=False)
    for name in ("reports.jsonl", "./reports.jsonl", str(tmp_path / "reports.jsonl")):
        done = run("check", "--recorded", name, "--epsilon", "1", "--no-learn", "--json")
        assert done.returncode == 1
        assert json.loads(done.stdout)["findings"] == findings(in_python)


@pytest.fixture
def without_sklearn(tmp_path: Path) -> dict[str, str]:
    """An environment in which no Python finds scikit-learn."""
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['sklearn'] = None\n")
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


def checked(*words: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [EXECUTABLE, "check", f"{HERE}:grr", "--epsilon", "1", "--values", "0,1", *words],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_check_says_whether_a_classifier_took_part(without_sklearn: dict[str, str]) -> None:
    trials = ("--trials", "2000", "--workers", "1")
    done = checked(*trials, env=without_sklearn)
    assert done.returncode == 0, done.stderr
    assert "no classifier proposes events; --learn adds one" in done.stdout
    assert done.stdout.endswith(" --no-learn --seed 42\n")
    told = json.loads(checked(*trials, "--json", env=without_sklearn).stdout)
    assert told["learned"] is False
    here = ("check", f"{HERE}:grr", "--epsilon", "1", "--values", "0,1", *trials, "--json")
    left_out = json.loads(run(*here, "--no-learn", cwd=ROOT).stdout)
    assert left_out["learned"] is False
    assert left_out["findings"] == told["findings"]
    with_it = json.loads(run(*here, cwd=ROOT).stdout)
    assert with_it["learned"] is True
    assert with_it["repeat"].endswith(" --learn --seed 42")


def test_a_classifier_that_is_not_there_is_refused_with_its_extra(
    without_sklearn: dict[str, str],
) -> None:
    done = checked("--learn", env=without_sklearn)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "ldp-auditor: a classifier needs scikit-learn: pip install 'ldp-auditor[learn]', or do "
        "without: --no-learn (in Python learn=False)\n"
    )


def options_of(*words: str) -> Any:
    """Options that a check hands to an adapter; no package is needed for that."""
    given: dict[str, Any] = dict.fromkeys(
        ["command", "recorded", "score", "batch", "learn", "values", "metric"]
    )
    numbers = {"epsilon": 1, "delta": 0, "domain_size": 4, "alpha": 0.01, "seed": 1, "trials": 1000}
    limits = {"call_seconds": 1, "total_seconds": 1, "open_seconds": 1}
    going_on = {"stop": None, "reports": None}
    return parse_check(list(words), **given, **numbers, **limits, **going_on)["plan"].target.options


def test_options_of_adapters_are_read_like_those_of_protocols() -> None:
    words = ("pure-ldp:SketchResponse", "--count-sketch", "false", "--hashes", "1e1")
    assert options_of(*words) == {"count_sketch": False, "hashes": 10}
    assert options_of("pure-ldp:SketchResponse", "--count-sketch=yes") == {"count_sketch": True}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--hashes", "abc"), "hashes must be a whole number, got hashes='abc'"),
        (("--hashes", "1.5"), "hashes must be a whole number, got hashes=1.5"),
        (
            ("--count-sketch", "maybe"),
            "count_sketch must be true or false, got count_sketch=",
        ),
        (("--cohorts", "3"), "no such option: --cohorts; beyond those in --help"),
        (("--hashes",), "option --hashes needs a value"),
    ],
)
def test_bad_options_of_adapters_are_one_line(words: tuple[str, ...], message: str) -> None:
    done = run("check", "pure-ldp:SketchResponse", "--epsilon", "1", "--domain-size", "4", *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"ldp-auditor: {message}")
    assert done.stderr.count("\n") == 1


def test_adapters_are_named_in_python_as_in_the_command() -> None:
    done = run("check", "pure-ldp:XYZ", "--epsilon", "1", "--domain-size", "4")
    with pytest.raises(AuditError) as refused:
        check("pure-ldp:XYZ", range(4), epsilon=1)
    assert done.stderr == f"ldp-auditor: {refused.value}\n"


def tell(value: int, rng: Any) -> int:
    return value if rng.random() < 0.6 else 1 - value


def test_the_line_that_repeats_a_check_carries_every_setting() -> None:
    settings: dict[str, Any] = {
        "stop": False,
        "reports": 1,
        "batch": False,
        "seed": 7,
        "call_seconds": 5.0,
    }
    result = assert_ldp(tell, [0, 1], 1.0, trials=2000, workers=1, learn=False, **settings)
    assert result.claim == Claim(1.0)
    assert "no violation found" in str(result)
    assert all(f"{name}={value}" in result.repeat for name, value in settings.items())
    again = eval(result.repeat, {"assert_ldp": check, "tell": tell})  # the same by both names
    assert [f.counts for f in again.findings] == [f.counts for f in result.findings]
    written = json.loads(json.dumps(again.to_dict()))
    assert CheckResult.from_dict(written).to_dict() == written
    assert "note:" not in str(result)
    about_opendp = str(replace(result, target="opendp:x"))
    assert "note: opendp draws from the operating system" in about_opendp
