"""What other projects put into their CI: the script of the action, in a project of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "ldp-auditor-check/run.sh"
CLIENT = """
def truthful(value, rng):
    return value


def fair(value, rng):
    return value if rng.random() < 0.6 else -value
"""
INPUTS = {
    "EPSILON": "1",
    "DELTA": "0",
    "VALUES": "-1,1",
    "DOMAIN_SIZE": "",
    "TRIALS": "2000",
    "ALPHA": "1e-6",
    "OPTIONS": "--no-learn\n--seed 7\n",
}


@pytest.mark.parametrize(
    ("target", "code", "shown"),
    [
        ("client:truthful", 1, "VIOLATION"),
        ("client:fair", 0, "no violation found"),
        ("client:missing", 2, "missing"),
    ],
)
def test_the_action_ends_as_the_check_does(
    tmp_path: Path, target: str, code: int, shown: str
) -> None:
    (tmp_path / "client.py").write_text(CLIENT)
    summary = tmp_path / "summary.md"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    inputs = {**INPUTS, "TARGET": target, "PATH": path, "GITHUB_STEP_SUMMARY": str(summary)}
    run = subprocess.run(
        ["bash", SCRIPT],
        cwd=tmp_path,
        env={**os.environ, **inputs},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == code
    assert shown in run.stdout
    assert run.stdout in summary.read_text()
    assert code == 2 or "--seed 7" in run.stdout
