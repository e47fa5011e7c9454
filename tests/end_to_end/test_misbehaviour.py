"""What foreign code does to `check`, and what it gets: real processes, no stand-ins."""

from __future__ import annotations

import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from ldp_auditor.checks.interface import check
from ldp_auditor.checks.recorded_reports import check_recorded
from ldp_auditor.core import Claim
from ldp_auditor.errors import AuditError
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.testing import assert_ldp
from tests.end_to_end import foreign_targets as foreign
from tests.end_to_end.command import forked, run
from tests.end_to_end.sweeping import session_of, wait_until

ROOT = Path(__file__).parents[2]
HERE = "tests.end_to_end.foreign_targets"


def quick(target: Any, values: Any = (0, 1), **settings: Any) -> CheckResult:
    """A small check without a classifier."""
    return check(target, values, **{"epsilon": 1.0, "trials": 4000, "learn": False, **settings})


def test_the_order_of_sets_does_not_depend_on_the_worker() -> None:
    """The same outcome for any number of workers, and no alarm."""
    outcomes = []
    for workers in (1, 2, 4):
        result = quick(foreign.subset_of_names, foreign.NAMES, workers=workers, trials=1500)
        assert result.verdict == "no-violation-found"
        assert f"workers={workers}" in result.repeat
        outcomes.append({**result.to_dict(), "seconds": None, "repeat": ""})
    assert all(outcome == outcomes[0] for outcome in outcomes)


SCRIPT = """
import random
from dataclasses import dataclass
from ldp_auditor.testing import assert_ldp

@dataclass
class Report:
    bit: int

def randomize(value):
    assert __file__.endswith(".py")
    return Report(value if random.random() < 0.7 else 1 - value)

{guard}print(assert_ldp(randomize, [0, 1], epsilon=1.0, trials=2000, learn=False).verdict)
"""


@pytest.mark.parametrize("guard", ["", "if __name__ == '__main__': "])
def test_a_function_of_the_users_script(guard: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT.format(guard=guard))
    done = python(tmp_path, "script.py")
    assert done.stdout == "no-violation-found\n", done.stderr


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def test_tests_that_are_imported_from_their_path(tmp_path: Path) -> None:
    """What they define is found, what is wrong is shown without our frames."""
    (tmp_path / "test_mine.py").write_text(
        "import random\n"
        "def randomize(value):\n"
        "    return value if random.random() < 0.7 else 1 - value\n"
        "def broken(value):\n"
        "    raise ValueError('boom')\n"
        "def test_it(assert_ldp):\n"
        "    assert_ldp(randomize, [0, 1], epsilon=1.0, trials=2000, learn=False)\n"
        "def test_broken(assert_ldp):\n"
        "    assert_ldp(broken, [0, 1], epsilon=1.0, trials=2000)\n"
    )
    done = python(tmp_path, "-m", "pytest", "-q", "--import-mode=importlib", ".")
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "the target raised ValueError: boom in call 1 with value 0" in done.stdout
    assert "ldp_auditor/" not in done.stdout


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("generator", "returned a generator for value 0 (report 1); a report must be data"),
        ("open_file", "returned a TextIOWrapper for value 0 (report 1); a report must be data"),
        ("function", "returned a function for value 0 (report 1); a report must be data"),
        ("local_class", "Report for value 0 (report 1), which cannot be sent"),
        ("bad_message", "raised Silent (its message cannot be shown) in call 1 with value 0"),
        ("numpy_nan", "returned nan for value"),
        ("nan_inside", "returned nan for value 0 (report "),
        ("huge", "reports of value 0 take 9.5 MB each; up to 1.0 MB can be checked"),
        ("size_of_the_domain", "'size' is not the number of reports, say --no-batch"),
        ("Client", "Client is a class and missing a required argument: 'epsilon'; did you mean"),
    ],
)
def test_a_clear_line(target: str, reason: str) -> None:
    with pytest.raises(AuditError) as caught:
        quick(f"{HERE}:{target}", workers=1, call_seconds=5)
    assert reason in str(caught.value)


def test_a_generator_with_a_constant_seed_is_found_with_one_worker() -> None:
    with pytest.raises(AuditError, match="exactly the same reports"):
        quick(foreign.constant_seed, workers=1)


def test_a_constant_mechanism_is_no_violation() -> None:
    result = quick(foreign.constant, workers=1)
    assert result.verdict == "no-violation-found"
    assert result.findings == ()
    assert "all reports said the same" in str(result)
    assert result.to_dict()["findings"] == []
    assert quick(f"{HERE}:size_of_the_domain", batch=False, workers=1).verdict == (
        "no-violation-found"
    )


def test_legacy_generators() -> None:
    assert quick(foreign.legacy, epsilon=1.0, workers=1).verdict == "no-violation-found"
    assert quick(foreign.legacy, epsilon=0.3, workers=1).verdict == "violation"


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("forks_and_sleeps", "forks its process"),
        ("starts_a_program", None),
        ("starts_a_program_and_hangs", "did not come back"),
    ],
)
def test_nothing_is_left(
    target: str, reason: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LDP_AUDITOR_TEST_NOTES", str(tmp_path / "notes"))
    if reason is None:
        assert quick(f"{HERE}:{target}").verdict == "no-violation-found"
    else:
        with pytest.raises(AuditError, match=reason):
            quick(f"{HERE}:{target}", call_seconds=2, open_seconds=10)
    assert_gone(tmp_path / "notes")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_after_an_interrupt_or_a_kill(sent: signal.Signals, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    target = f"{HERE}:starts_a_program_and_hangs"
    command = ("check", target, "--epsilon", "1", "--values", "0,1", "--call-seconds", "99")
    with forked(*command, cwd=ROOT, variables={"LDP_AUDITOR_TEST_NOTES": str(notes)}) as process:
        wait_until(lambda: notes.exists() and notes.read_text().endswith("\n"), "it was not called")
        process.send_signal(sent)
        _, errors = process.communicate(timeout=120)
    if sent == signal.SIGINT:
        assert (process.returncode, errors) == (130, "ldp-auditor: interrupted\n")
    assert_gone(notes)
    wait_until(lambda: not session_of(process), "processes are left")


def assert_gone(notes: Path) -> None:
    """The processes that were noted have ended."""
    processes = notes.read_text().split()
    assert processes
    wait_until(lambda: not any(map(is_running, processes)), "processes are left")


def is_running(process: str) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}


def test_limits() -> None:
    with pytest.raises(AuditError, match="within 1 seconds while it was being opened"):
        quick(f"{HERE}:NeverOpened()", open_seconds=1)
    with pytest.raises(AuditError, match=r"not done after 3.5 seconds in all"):
        quick(foreign.slow, trials=2000, workers=1, total_seconds=3.5)  # of 4 in three parts
    for name in ("call_seconds", "total_seconds", "open_seconds"):
        with pytest.raises(AuditError, match=f"{name} must be positive, got {name}=-1"):
            quick(foreign.grr, **{name: -1})
    with pytest.raises(AuditError, match="workers must be at least 1"):
        quick(foreign.grr, workers=0)
    with pytest.raises(AuditError, match="the values must be different"):
        quick(foreign.grr, [0, 1, 0])


def test_our_own_work_is_not_limited() -> None:
    """Neither the search with its classifier nor counting is charged to the target's calls."""
    values = [0, 1, 2, 3]
    result = check(foreign.grr, values, epsilon=1.0, trials=40_000, call_seconds=1, workers=1)
    assert result.verdict == "no-violation-found"
    assert result.reports <= 40_000


PROGRAM = """
import json, random, sys, time
for number, line in enumerate(sys.stdin):
    value = json.loads(line)
    {body}
    print(json.dumps(value if random.random() < 0.7 else 1 - value), flush=True)
"""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("time.sleep(0.03)", ""),
        ("print(value, flush=True)", "answers more than once"),
        ("sys.exit('no more') if number == 40 else None", "exit code 1 after .*: no more$"),
        ("print('1' * 2_000_000, end='')", "a line of more than"),
    ],
)
def test_commands(body: str, reason: str, tmp_path: Path) -> None:
    """A slow program is not a hanging one: the limit is for a report, not for those at once."""
    from ldp_auditor.adapters.command import CommandTarget

    path = tmp_path / "client.py"
    path.write_text(PROGRAM.format(body=body))
    target = CommandTarget(f"{sys.executable} {path}")
    if not reason:
        assert quick(target, trials=200, call_seconds=1).verdict == "no-violation-found"
        return
    with pytest.raises(AuditError, match=reason):
        quick(target, trials=1000, call_seconds=5)


BAD_FILES = {
    "garbage.csv": (b"\x80\xff\x00", "not text in UTF-8"),
    "garbage.jsonl": (b"\x80\xff\x00", "not text in UTF-8"),
    "garbage.parquet": (b"\x80\xff\x00", "cannot read"),
    "short.csv": (b"value,report\n0,1\n1\n", "line 3: expected 2 fields, got 1"),
    "empty.csv": (b"value,report\n0,1\n1,\n", "line 3: the report is null"),
    "nan.csv": (b"value,report\n0,1\n1,nan\n", "line 3: the report is NaN"),
    "field.csv": (b"value,report\n0," + b"x" * 2**21, "line 2: field larger"),
    "null.jsonl": (b'{"value": 0, "report": null}', "line 1: the report is null"),
    "nan.jsonl": (b'{"value": 0, "report": [NaN]}', "line 1: the report is NaN"),
    "deep.jsonl": (b'{"value": 0, "report": ' + b"[" * 10**5, "line 1: nested too deeply"),
    "long.jsonl": (b'{"value": 0, "report": ' + b"9" * 10**4 + b"}", "line 1: a number is too"),
    "huge.jsonl": (
        b"".join(b'{"value": %d, "report": 1%s}\n' % (i % 2, b"0" * 400) for i in range(200)),
        "cannot be looked into|",
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_recorded_files_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    from ldp_auditor.adapters.report_files import read_recorded

    content, reason = BAD_FILES[name]
    (tmp_path / name).write_bytes(content)
    if reason.endswith("|"):  # readable, though the search may refuse it
        assert len(read_recorded(tmp_path / name)) == 2
        return
    with pytest.raises(AuditError, match=reason):
        check_recorded(name, read_recorded(tmp_path / name), claim=Claim(1.0))


def test_recorded_values(tmp_path: Path) -> None:
    """A byte order mark, spaces in the header, and values that only look the same."""
    from ldp_auditor.adapters.report_files import read_recorded

    (tmp_path / "a.csv").write_text("\ufeffvalue, report\n" + "0,1\n1,0\n" * 3)
    assert read_recorded(tmp_path / "a.csv") == [(0, [1] * 3), (1, [0] * 3)]
    (tmp_path / "a.csv").write_text("value,report\n" + "0,1if\n1,'\\d'\n")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert read_recorded(tmp_path / "a.csv") == [(0, ["1if"]), (1, ["\\d"])]
    assert not told
    (tmp_path / "a.jsonl").write_text(
        '{"value": 1, "report": 5}\n{"value": true, "report": 6}\n{"value": {"a": 1}, "report": 7}'
    )
    read = read_recorded(tmp_path / "a.jsonl")
    assert [(repr(value), reports) for value, reports in read] == [
        ("1", [5]),
        ("True", [6]),
        ("{'a': 1}", [7]),
    ]


def test_a_budget_in_seconds() -> None:
    result = assert_ldp(foreign.slow, [0, 1], epsilon=1.0, seconds=4, workers=1, learn=False)
    assert 900 <= result.reports <= 1000
    assert "trials=1000, alpha=1e-06, seed=42" in result.repeat
    with pytest.raises(AuditError, match="in trials or in seconds, not both"):
        assert_ldp(foreign.slow, [0, 1], epsilon=1.0, seconds=4, trials=1000)


def test_the_message_repeats_the_failure() -> None:
    settings: dict[str, Any] = {"trials": 20_000, "learn": False, "workers": 1, "stop": False}
    with pytest.raises(AssertionError) as caught:
        assert_ldp(foreign.laplace, [0.0, 1.0], epsilon=1.0, **settings)
    text = str(caught.value)
    assert "p-value against the claim < 1e-98" in text
    assert "learn=False, stop=False, workers=1)" in text
    assert "(a floating-point artefact: see docs/check.md)" in text
    assert "to repeat: assert_ldp(laplace, [0.0, 1.0], epsilon=1.0, delta=0.0, trials=20" in text


def test_the_message_names_the_score() -> None:
    result = assert_ldp(
        foreign.grr, [0, 1], epsilon=1.0, trials=2000, learn=False, score=foreign.lead
    )
    assert result.repeat.endswith("seed=42, learn=False, score=lead)")


def test_a_score_that_fails_is_told_so() -> None:
    def undecided(report: int, first: int, second: int) -> str:
        return "perhaps" if report == first else "not"

    with pytest.raises(AuditError, match=r"^the score raised TypeError: .* with values 0 and 1$"):
        quick(foreign.grr, [0, 1], trials=2000, score=foreign.grr)
    recorded = {value: [value, 1 - value] * 100 for value in (0, 1)}
    told = r"^the score raised ValueError: .*'(perhaps|not)' with values 0 and 1$"
    with pytest.raises(AuditError, match=told):
        check_recorded("file", recorded, claim=Claim(1.0), learn=False, score=undecided)


def test_the_command_says_how_to_repeat_it() -> None:
    arguments = (f"{HERE}:constant", "--epsilon", "1", "--values", "0,1", "--trials", "1e3")
    done = run("check", *arguments, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert f"to repeat: ldp-auditor check {' '.join(arguments)} --learn --seed 42" in done.stdout
