"""`reproduce`: figures, tables, agreement; resumed without running anything again."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

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
