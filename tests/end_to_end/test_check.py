"""`ldp-auditor check` in all of its forms, and what misbehaving targets get."""

from __future__ import annotations

import csv
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ldp_auditor.testing import assert_ldp
from tests.end_to_end.command import run, run_fresh

HERE = "tests.end_to_end.foreign_targets"
ROOT = Path(__file__).parents[2]
SMALL = ("--trials", "4e4", "--no-learn")
ONE = ("--workers", "1")
"""Most of the time of a small check is that of its workers' start."""
LEARNED = ("--trials", "1e4", *ONE)
"""With a classifier among what proposes events, a library that every worker imports."""


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run("check", *arguments, cwd=ROOT)


def test_a_broken_function_is_shown_with_its_evidence() -> None:
    setting = ("check", f"{HERE}:bad_grr", "--epsilon", "1", "--values", "0,1,2,3", *LEARNED)
    done = run(*setting, cwd=ROOT)
    assert done.returncode == 1, done.stderr
    for words in ("VIOLATION: epsilon is at least 1.", "event: ", "p-value"):
        assert words in done.stdout
    assert len(re.findall(r"^ +value \d: +[\d,]+ of [\d,]+", done.stdout, re.MULTILINE)) == 2
    assert done.stdout.endswith(" --learn --seed 42\n")
    assert run_fresh(*setting, cwd=ROOT).stdout == done.stdout


def test_a_correct_function_is_not_flagged_and_power_is_told() -> None:
    done = check(f"{HERE}:grr", "--epsilon", "1", "--domain-size", "4", *LEARNED, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["verdict"] == "no-violation-found"
    assert 1 <= len(result["findings"]) <= 3
    assert 9_900 <= result["reports"] <= 10_000
    assert result["repeat"].endswith(" --json --learn --seed 42")
    assert [row["event_probability"] for row in result["power"]] == [0.5, 0.1, 0.01, 0.001]
    assert 0 < result["power"][0]["excess"] < 0.5


@pytest.mark.parametrize(
    ("target", "values", "epsilon", "code"),
    [
        ("bad_batch", "0,1", "1", 1),
        ("bad_batch", "0,1", "3", 0),
        ("colour", '["red", "green"]', "1", 1),
        ("Client(epsilon=2.0)", "0,1", "1", 1),
        ("Client(2.0)", "0,1", "2", 0),
        ("prints", "0,1", "1", 0),
    ],
)
def test_forms_of_callables(target: str, values: str, epsilon: str, code: int) -> None:
    done = check(f"{HERE}:{target}", "--epsilon", epsilon, "--values", values, *SMALL, *ONE)
    assert done.returncode == code, done.stderr + done.stdout
    assert "hello" not in done.stdout


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("raises", "boom in call 1 with value 2 (tests/end_to_end/foreign_targets.py, line 61)"),
        ("hangs", "did not come back within 2 seconds in call"),
        ("crashes", "died (signal SIGSEGV) in call 1 with value"),
        ("reseeds", "reseeds the global random state"),
        ("constant_seed", "exactly the same reports"),
        ("forks", "forks its process"),
        ("nan", "returned nan for value 0"),
        ("nothing", "returned None for value 0"),
        ("too_few", "asked for 1 reports at once, the target returned 0"),
        ("not_there", "has no 'not_there'"),
        ("Client(epsilon=open('x'))", "literal arguments"),
    ],
)
def test_targets_that_misbehave_are_broken_targets(target: str, reason: str) -> None:
    done = check(
        f"{HERE}:{target}", "--epsilon", "1", "--values", "0,1,2", *SMALL, "--call-seconds", "2"
    )
    assert done.returncode == 2
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--epsilon", "1"), "name one target"),
        ((f"{HERE}:grr", "--epsilon", "1"), "needs inputs"),
        ((f"{HERE}:grr", "--domain-size", "3"), "needs the claim"),
        ((f"{HERE}:grr", "--epsilon", "1", "--values", "0"), "two values at least"),
        ((f"{HERE}:grr", "--epsilon", "1", "--values", "red,green"), "values must be"),
        (("no.such.module:f", "--epsilon", "1", "--values", "0,1"), "cannot import"),
        (("pure-ldp:XYZ", "--epsilon", "1", "--domain-size", "3"), "has no mechanism 'XYZ'"),
        (("--command", "no-such-program", "--epsilon", "1", "--values", "0,1"), "cannot start"),
        (("--recorded", "nowhere.csv", "--epsilon", "1"), "cannot read"),
        (("--recorded", "nowhere.txt", "--epsilon", "1"), "are read from .csv, .jsonl, .parquet"),
    ],
)
def test_impossible_checks_are_one_line(arguments: tuple[str, ...], reason: str) -> None:
    done = check(*arguments)
    assert done.returncode == 2
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


PROGRAM = """
import json, random, sys
for line in sys.stdin:
    value = json.loads(line)
    print(json.dumps([value if random.random() < 0.9 else 1 - value]), flush=True)
"""


def test_any_program(tmp_path: Path) -> None:
    (tmp_path / "client.py").write_text(PROGRAM)
    command = f"{sys.executable} {tmp_path / 'client.py'}"
    done = check("--command", command, "--epsilon", "1", "--values", "0,1", *SMALL, *ONE)
    assert done.returncode == 1, done.stderr
    assert "report[0] is" in done.stdout
    for body, reason in (
        ("print('no json', flush=True)", "is not JSON"),
        ("break", "ended with exit code 0"),
    ):
        (tmp_path / "client.py").write_text(f"import sys\nfor line in sys.stdin:\n    {body}\n")
        done = check("--command", command, "--epsilon", "1", "--values", "0,1", *SMALL, *ONE)
        assert done.returncode == 2
        assert reason in done.stderr


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(("truth", "code"), [(0.95, 1), (0.7, 0)])
def test_recorded_reports(kind: str, truth: float, code: int, tmp_path: Path) -> None:
    rng = random.Random(3)
    many = {0: 8000, 1: 4000}  # unequal, and sorted by value
    rows = [(v, v if rng.random() < truth else 1 - v) for v in many for _ in range(many[v])]
    path = tmp_path / f"reports.{kind}"
    if kind == "csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([("value", "report"), *rows])
    elif kind == "jsonl":
        path.write_text("".join(json.dumps({"value": v, "report": [r]}) + "\n" for v, r in rows))
    else:
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.table({"value": [v for v, _ in rows], "report": [r for _, r in rows]})
        pyarrow.parquet.write_table(table, path)
    done = check("--recorded", str(path), "--epsilon", "1")
    assert done.returncode == code, done.stderr + done.stdout


def test_adapters_are_listed() -> None:
    done = run("list", "--adapters", "--json")
    assert {row["package"] for row in json.loads(done.stdout)} == {
        "pure-ldp",
        "multi-freq-ldpy",
        "opendp",
        "diffprivlib",
    }
    assert "cannot be seeded" in next(
        row["note"] for row in json.loads(done.stdout) if row["package"] == "opendp"
    )


def test_assert_ldp() -> None:
    from tests.end_to_end.foreign_targets import bad_grr, grr

    result = assert_ldp(grr, [0, 1, 2, 3], epsilon=1.0, trials=20_000, workers=1)
    assert result.verdict == "no-violation-found"
    with pytest.raises(AssertionError, match="VIOLATION: epsilon is at least 1"):
        assert_ldp(bad_grr, [0, 1, 2, 3], epsilon=1.0, trials=20_000)


def test_the_plugin_in_a_fresh_project(tmp_path: Path) -> None:
    """What a maintainer writes into a test suite fails for a wrong randomizer and only then."""
    (tmp_path / "test_mine.py").write_text(
        "import pytest\n"
        "def truthful(p):\n"
        "    def randomize(value, rng):\n"
        "        return value if rng.random() < p else 1 - value\n"
        "    return randomize\n"
        "@pytest.mark.ldp(trials=4_000)\n"
        "@pytest.mark.parametrize('p', [0.7, 0.95])\n"
        "def test_it(assert_ldp, p):\n"
        "    assert_ldp(truthful(p), [0, 1], epsilon=1.0)\n"
        "@pytest.mark.ldp(4_000)\n"
        "def test_a_setting_without_its_name(assert_ldp):\n"
        "    pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--strict-markers", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 failed, 1 passed, 1 error" in done.stdout, done.stdout + done.stderr
    assert "such as ldp(trials=100_000), got ldp(4000)" in done.stdout
    assert "VIOLATION: epsilon is at least" in done.stdout
