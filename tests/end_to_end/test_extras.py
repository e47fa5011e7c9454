"""Without the extras: what needs one says so in a line, and nothing that was computed is lost."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from ldp_auditor.extras import EXTRAS

ROOT = Path(__file__).parents[2]
WITHOUT = (
    "import sys; sys.modules |= dict.fromkeys(['matplotlib', 'plotly', 'pyarrow']);"
    "from ldp_auditor.cli import main; main()"
)
"""The command in an interpreter in which no extra can be imported."""
SMALL = "--epsilon 1 --domain-size 5 --trials 1000"


def run_without(words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *words.split()],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


def test_results_are_kept_without_the_packages_of_figures_and_tables(tmp_path: Path) -> None:
    done = run_without(f"compare GRR OUE {SMALL} --out results", tmp_path)
    assert done.returncode == 0
    assert " OUE " in done.stdout
    assert "no figure: compare.png needs matplotlib: pip install 'ldp-auditor[figures]'" in (
        done.stderr
    )
    assert "Parquet needs pyarrow: pip install 'ldp-auditor[tables]'" in done.stderr
    assert {"results.csv", "journal.jsonl"} <= {path.name for path in tmp_path.glob("results/*")}
    assert not list(tmp_path.rglob("*.p*"))  # neither PNG nor Parquet
    page = run_without("report results", tmp_path)
    assert page.returncode == 2
    assert page.stderr == (
        "ldp-auditor: a page with figures needs plotly: pip install 'ldp-auditor[page]'\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("profile GRR --epsilon 1 --domain-size 5 --figure a.png", "a figure needs matplotlib"),
        ("reproduce figure-2 --quick", "a figure of the paper needs matplotlib"),
        ("check --recorded r.parquet --epsilon 1", "a Parquet file needs pyarrow"),
    ],
)
def test_what_cannot_be_done_is_told_before_it_is_begun(
    tmp_path: Path, words: str, message: str
) -> None:
    (tmp_path / "r.parquet").touch()
    done = run_without(words, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ldp-auditor: {message}: pip install 'ldp-auditor[")
    assert [path.name for path in tmp_path.iterdir()] == ["r.parquet"]


def test_every_extra_that_is_named_brings_its_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for package, extra in EXTRAS.items():
        assert [need.split(">=")[0] for need in extras[extra]] == [package]
        assert not any(need.startswith(package) for need in project["dependencies"])
    assert extras["all"] == [f"ldp-auditor[{','.join(sorted(EXTRAS.values()))}]"]


@pytest.mark.parametrize("extra", ["figures", "page", "tables", "dev", "docs", "package"])
def test_the_lock_has_what_ci_installs(extra: str) -> None:
    """A dependency that is new, or has a new lowest version, needs `make lock`."""
    lines = (ROOT / ".ci" / "lock.txt").read_text().splitlines()
    pins = [line.partition(" ")[0].split("==") for line in lines]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"][extra]]
    for need in map(Requirement, wanted):
        locked = [version for name, version in pins if name == need.name.lower()]
        assert need.name == "ldp-auditor" or locked, f"make lock: {need}"
        assert all(version in need.specifier for version in locked), f"make lock: {need}"
