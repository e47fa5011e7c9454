"""`reproduce`: figures, tables, agreement; resumed without running anything again."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from ldp_auditor import reproduce
from ldp_auditor.studies.environment import Environment, UnavailableError
from tests.end_to_end.command import run, run_fresh

FIGURE_5 = ("reproduce", "figure-5", "--trials", "2000", "--seeds", "2", "--optimal", "--out")


def test_a_figure_with_both_attacks(tmp_path: Path) -> None:
    done = run(*FIGURE_5, str(tmp_path))
    assert done.returncode == 0, done.stderr
    for stem in ("figure-5", "figure-5-optimal"):
        assert (tmp_path / f"{stem}.png").read_bytes().startswith(b"\x89PNG")
        assert (tmp_path / f"{stem}.pdf").read_bytes().startswith(b"%PDF")
    assert "200 counts against exact rates: largest |z| = " in done.stdout
    with (tmp_path / "figure-5.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5 * 5 * 2 * 2
    assert {row["mechanism"] for row in rows} == {"LHO"}
    journal = (tmp_path / "journal.jsonl").read_bytes()
    again = run_fresh(*FIGURE_5, str(tmp_path))
    assert again.stdout == done.stdout
    assert (tmp_path / "journal.jsonl").read_bytes() == journal


def test_bars_of_the_first_figure(tmp_path: Path) -> None:
    setting = ("--quick", "--trials", "1000", "--workers", "1")
    done = run("reproduce", "figure-1", *setting, "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "figure-1.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("figure-9",), "there is no study 'figure-9'; they are: figure-1,"),
        (("claims", "figure-99", "--quick"), "there is no study 'figure-99'; they are: figure-1,"),
        (("figure-2", "--document", "claims.md"), "--document is for claims"),
        (("figure-2", "--trials", "none"), "trials must be a whole number"),
        (("figure-2", "--trials", "0"), "trials must be at least 1"),
        (("figure-2", "--out", "/proc/nowhere"), "cannot use the folder"),
    ],
)
def test_bad_requests(arguments: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    done = run("reproduce", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert reason in done.stderr


def test_from_python_as_from_the_command_line(tmp_path: Path) -> None:
    command = run(*FIGURE_5, str(tmp_path))
    found = reproduce("figure-5", out=tmp_path, trials=2000, seeds=2, optimal=True)
    assert f"{found}\n" == command.stdout
    assert found["figure-5"].sweep.run == 0
    assert len(found.to_rows()) == 5 * 5 * 2 * 2
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["studies"][0]["study"] == "figure-5"
    assert plain["audits"] == 0
    assert "figure-5: 200 counts against exact rates" in found._repr_html_()
    found.plot(tmp_path / "again.png")
    assert (tmp_path / "again.png").read_bytes() == (tmp_path / "figure-5.png").read_bytes()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "ldp-auditor"


def test_a_package_that_cannot_be_had_is_told(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip finds nothing: there is a reason, and no folder that looks finished."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(UnavailableError, match=r"needs pure-ldp 1\.1\.2, .*pure-ldp==1\.1\.2"):
        Environment("pure-ldp", "1.1.2").python()
    assert list(cache.iterdir()) == []
    done = run("reproduce", "figure-8", "--quick", "--out", str(cache / "out"))
    assert done.returncode == 2
    assert "figure-8 was left out: it needs pure-ldp 1.1.2, which cannot be inst" in done.stderr


@pytest.mark.environments
def test_figure_8_runs_in_an_environment_of_its_own(cache: Path, tmp_path: Path) -> None:
    """Only what is lacking is installed, once, and nothing of it is imported here."""
    path = list(sys.path)
    found = reproduce("figure-8", out=tmp_path / "out", quick=True, trials=50)
    assert found["figure-8"].sweep.run == 2 * 8 * 5
    beyond = {row["epsilon"] for row in found.rows if row["attack_epsilon"] > row["epsilon"]}
    assert {0.25, 0.5} <= beyond, "that is how the old version behaves"
    assert sys.path == path
    assert "pure_ldp" not in sys.modules
    (environment,) = cache.iterdir()
    (own,) = environment.glob("lib/*/site-packages")
    assert (own / "pure_ldp").is_dir()
    assert not (own / "numpy").exists()
    made = environment.stat().st_mtime_ns
    again = reproduce("figure-8", out=tmp_path / "out", quick=True, trials=50)
    assert (again["figure-8"].sweep.run, environment.stat().st_mtime_ns) == (0, made)
