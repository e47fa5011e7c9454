"""The benchmark of releases compares codes on one machine, from git."""

from __future__ import annotations

import importlib
import subprocess
from pathlib import Path

import pytest

history = importlib.import_module("benchmarks.history")
ROOT = Path(__file__).parents[2]


def test_every_release_has_a_line_of_its_own() -> None:
    written = history.releases()
    versions = [line["version"] for line in written]
    assert len(set(versions)) == len(versions) >= 2
    assert all(line["commit"] and line["ratios"] for line in written)
    assert set(written[-1]["ratios"]) <= set(history.names())


def test_a_commit_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="the commit 0123456 is not in this clone"):
        history.source_of("0123456", tmp_path)


def test_two_codes_are_measured_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A code that takes twice as long in every run is the one that has lost."""
    ratios = {"before": [3.0, 2.0, 4.0], "now": [5.0, 4.0, 4.5]}
    asked: list[str] = []

    def run(command: list[str], *, env: dict[str, str], **_: object) -> object:
        label = Path(env["PYTHONPATH"]).parent.name
        asked.append(label)
        assert command[3:] == ["5", "GRR k=25"]
        printed = f'{{"GRR k=25": {ratios[label].pop()}}}'
        return subprocess.CompletedProcess(command, 0, stdout=printed)

    monkeypatch.setattr(subprocess, "run", run)
    sources = {label: tmp_path / label / "src" for label in ratios}
    found = history.side_by_side(sources, ["GRR k=25"])
    assert asked == ["before", "now"] * 3
    assert found == {"before": {"GRR k=25": 2.0}, "now": {"GRR k=25": 4.0}}
    assert history.lost(found["now"], found["before"]) == {"GRR k=25": 2.0}
