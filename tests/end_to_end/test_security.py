"""A results folder is data: nothing in it is run. And without Ray no port is opened."""

from __future__ import annotations

import os
import pickle
import signal
import time
from pathlib import Path

import pytest

from tests.end_to_end.command import run, run_fresh
from tests.end_to_end.listening import listening
from tests.end_to_end.sweeping import session_of, started, wait_until, workers_of

GRID = """
trials = {trials}
epsilon = 1
domain_size = [25, 50]
protocol = ["GRR", "OUE"]
"""


class Bomb:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return (os.mkdir, (str(self.mark),))


def test_nothing_in_a_results_folder_is_run(tmp_path: Path) -> None:
    mark, out = tmp_path / "mark", tmp_path / "out"
    grid = tmp_path / "grid.toml"
    grid.write_text(GRID.format(trials=1000))
    assert run("sweep", str(grid), "--out", str(out), "--workers", "1").returncode == 0
    clean = sorted((out / "journal.jsonl").read_bytes().splitlines())
    bomb = pickle.dumps(Bomb(mark))
    code = f"__import__('os').mkdir({str(mark)!r})"
    names = ("sitecustomize.py", "usercustomize.py", "numpy.py", "ray.py", "conftest.py")
    for name in names:
        (out / name).write_text(code)
    for name in ("results.pkl", "results.parquet", "results.csv", "timings.jsonl", "lock"):
        (out / name).write_bytes(bomb)
    lines = [bomb, code.encode(), f'{{"key": "{code}"}}'.encode(), b'{"py/object": "os.mkdir"}']
    (out / "journal.jsonl").write_bytes(b"\n".join([*clean[:2], *lines]) + b"\n")
    for arguments in (
        ("sweep", str(grid), "--workers", "1"),
        ("audit", "GRR", "--epsilon", "1", "--domain-size", "25", "--trials", "1e4"),
    ):
        done = run_fresh(*arguments, "--out", str(out), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert not mark.exists()
    journal = (out / "journal.jsonl").read_bytes().splitlines()
    assert set(clean) <= set(journal)


@pytest.mark.parametrize("name", ["damaged.txt", "lock", "timings.jsonl", "results.csv"])
def test_a_link_in_a_results_folder_leads_nowhere(name: str, tmp_path: Path) -> None:
    """A damaged line is put aside; through a link it would be put into a file of the user."""
    out, profile = tmp_path / "out", tmp_path / "profile"
    out.mkdir()
    profile.write_text("precious\n")
    (out / "journal.jsonl").write_text("touch mark\n")
    (out / name).symlink_to(profile)
    audit = ("audit", "GRR", "--epsilon", "1", "--domain-size", "25", "--trials", "1e4")
    done = run(*audit, "--out", str(out))
    assert profile.read_text() == "precious\n"
    if name == "results.csv":  # the link itself is replaced
        assert done.returncode == 0, done.stderr
        assert not (out / name).is_symlink()
    else:
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            f"ldp-auditor: cannot use the folder {out}: {name} is a link, which is not followed\n"
        )


def test_no_port_is_opened(tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(GRID.format(trials=1e10))
    with started(grid, tmp_path / "out", "--workers", "2") as process:
        wait_until(lambda: workers_of(process), "no worker was started")
        time.sleep(1)
        assert listening(list(session_of(process))) == []
        process.send_signal(signal.SIGINT)
        process.communicate()
