"""The command `sweep`: killed, interrupted, starved of disk and memory, and continued."""

from __future__ import annotations

import csv
import ctypes
import json
import os
import random
import resource
import signal
import time
from pathlib import Path

import pytest

from ldp_auditor.execution.contract import TRIES
from ldp_auditor.results.journal import digest, line_of
from ldp_auditor.sweeps import Grid
from tests.end_to_end.command import run, run_json
from tests.end_to_end.sweeping import (
    keys,
    limited,
    lines,
    started,
    swept,
    table,
    wait_for_lines,
    wait_until,
    workers_of,
)

GRID = """
domain_size = 100
trials = 30_000
[[grid]]
protocol = ["GRR", "OUE", "SHE", "BLH"]
epsilon = [0.5, 1, 2]
seed = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
[[grid]]
protocol = "SUE"
epsilon = 1
reports = [1, 5]
"""
CELLS = 145
"""Short ones, of some milliseconds."""

LONG = 'protocol = "SHE"\nepsilon = 1\ndomain_size = 200\ntrials = 1_000_000_000\n'
ENDLESS = 'protocol = "SHE"\nepsilon = 7\ntrials = 100_000_000_000\n'
SHORT = 'protocol = ["GRR", "OUE"]\nepsilon = 1\ndomain_size = 5\ntrials = 1000\n'


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    path = tmp_path / "grid.toml"
    path.write_text(GRID)
    return path


def test_kills_at_random_moments_change_nothing(grid: Path, tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert swept(grid, whole)["run"] == CELLS
    endless = tmp_path / "endless.toml"  # a kill never comes too late, however fast the others are
    endless.write_text(GRID.replace("[[grid]]", f"[[grid]]\n{ENDLESS}[[grid]]", 1))
    moments = random.Random(20240)
    kills = 0
    for number in range(9):
        finished, timed = set(keys(lines(killed))), len(lines(killed, "timings.jsonl"))
        enough = len(finished) + 1 + moments.randrange(4)
        with started(endless, killed, "--workers", "2") as process:
            wait_until(lambda: workers_of(process), "no worker was started")
            if number % 3:  # else while the workers still import
                wait_for_lines(killed, min(enough, CELLS))
            time.sleep(moments.uniform(0, 0.06))
            process.kill()
            kills += process.wait() == -signal.SIGKILL
        assert finished <= set(keys(lines(killed)))
        assert not finished & set(keys(lines(killed, "timings.jsonl")[timed:])), "done again"
        if number == 4:  # as by a kill within the write
            journal = killed / "journal.jsonl"
            os.truncate(journal, journal.stat().st_size - 9)
    assert kills == 9
    before = keys(lines(killed))
    assert before
    done = run_json("sweep", str(grid), "--out", str(killed), "--workers", "3")
    assert done["run"] == CELLS - len(before)
    assert keys(lines(killed))[: len(before)] == before
    assert sorted(lines(killed)) == sorted(lines(whole))
    assert table(killed) == table(whole)
    assert swept(grid, killed)["run"] == 0


@pytest.mark.parametrize("early", [True, False])
def test_an_interrupt_is_one_line_and_leaves_nobody(early: bool, tmp_path: Path) -> None:
    grid, out = tmp_path / "grid.toml", tmp_path / "out"
    grid.write_text(f"[[grid]]\n{SHORT}[[grid]]\n{LONG}")
    with started(grid, out, "--workers", "2") as process:
        wait_until(lambda: workers_of(process), "no worker was started")
        if not early:
            wait_for_lines(out, 2)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        output, errors = process.communicate(timeout=20)
    assert (process.returncode, output, errors) == (130, "", "ldp-auditor: interrupted\n")
    grid.write_text(SHORT)
    told = swept(grid, out)
    assert told["run"] == (2 if early else 0)
    assert len(table(out)) == 2


def test_a_folder_belongs_to_one_run(tmp_path: Path) -> None:
    grid, out = tmp_path / "grid.toml", tmp_path / "out"
    grid.write_text(LONG)
    with started(grid, out, "--workers", "1") as first:
        wait_until(lambda: workers_of(first), "no worker was started")
        second = run("sweep", str(grid), "--out", str(out))
        assert (second.returncode, second.stdout) == (2, "")
        assert second.stderr == (
            f"ldp-auditor: another run works on {out} (process {first.pid}); wait for it, or "
            "choose another folder\n"
        )
        assert first.poll() is None


def test_a_changed_grid_adds_its_new_cells(tmp_path: Path) -> None:
    grid, out = tmp_path / "grid.toml", tmp_path / "out"
    for seeds, told in [("[1, 2]", 4), ("[2, 3]", 2), ("[3, 1, 2]", 0)]:
        grid.write_text(f"seed = {seeds}\n{SHORT}")
        assert swept(grid, out)["run"] == told
        assert [f"{row['seed']}" for row in table(out)[::2]] == seeds.strip("[]").split(", ")
    assert len(set(lines(out))) == len(lines(out)) == 6


def test_results_are_those_of_single_audits(tmp_path: Path) -> None:
    grid, out = tmp_path / "grid.toml", tmp_path / "out"
    grid.write_text(
        "domain_size = 9\ntrials = 1000\nseed = 7\n"
        '[[grid]]\nprotocol = "LHO"\nhash_range = 4\nattack = "optimal"\n'
        '[[grid]]\nprotocol = "OUE"\nepsilon = 2\nreports = [2, 5]\nbound = "jeffreys"\n'
    )
    done = run("sweep", str(grid), "--out", str(out), "--workers", "1")
    files = f"{out}/results.csv and {out}/results.parquet"
    assert done.stdout == (
        f"2 cells, 2 of them run now; table in {files}\n"
        "no violation found in 2 audits and 1 more without a claim\n"
    )
    assert (done.returncode, done.stderr) == (0, "")
    common = ("--domain-size", "9", "--trials", "1000", "--seed", "7")
    one = run_json("audit", "LHO", "--hash-range", "4", "--attack", "optimal", *common)
    two = run_json(
        *("audit", "OUE", "--epsilon", "2", "--reports", "2,5", "--bound", "jeffreys", *common)
    )
    assert (two["violations"], two["audits"]) == (0, 2)
    alone = [[one], two["results"]]
    by_key = {json.loads(line)["key"]: json.loads(line)["results"] for line in lines(out)}
    swept = [by_key[cell.key] for cell in Grid.read(grid).cells]
    for result in [result for results in alone for result in results]:
        del result["seconds"]
    for result in [result for results in swept for result in results]:
        del result["version"]
    assert swept == alone
    with (out / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["true_positives"] for row in rows] == [
        str(result["true_positives"]) for results in alone for result in results
    ]
    assert [row["epsilon"] for row in rows] == ["inf", "2.0", "2.0"]


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    grid, out = tmp_path / "grid.toml", tmp_path / "out"
    grid.write_text(f"{SHORT}seed = [1, 2, 3]\n")
    plans = [{"protocol": "another", "seed": seed} for seed in range(500)]
    other = [line_of({"key": digest(p), "plan": p, "results": [{"a": 1}]}) for p in plans]
    out.mkdir()
    (out / "journal.jsonl").write_bytes(b"".join(other))
    room = len(b"".join(other)) + 2000  # for two lines and a half

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    done = limited(limit, grid, out, "--workers", "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"ldp-auditor: cannot write to {out}/journal.jsonl: [Errno 27] File too large; the 502 "
        "finished cells in it are safe, the same command goes on from there\n"
    )
    kept = lines(out)
    assert kept[:500] == other
    assert len(keys(kept)) == len(kept) == 502
    assert swept(grid, out)["run"] == 4
    assert lines(out)[:502] == kept


def test_a_cell_that_fails_stops_no_other(tmp_path: Path) -> None:
    grid, out = tmp_path / "grid.toml", tmp_path / "out"
    grid.write_text(
        f"[[grid]]\n{SHORT}[[grid]]\n"
        'protocol = "SHE"\nepsilon = 1\ntrials = 10_000\ndomain_size = 4_294_967_295\n'
    )

    def limit() -> None:  # of a report of 32 GiB
        resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))

    done = limited(limit, grid, out, "--json", "--workers", "1")
    assert done.returncode == 2
    told = json.loads(done.stdout)
    assert (told["cells"], told["run"], len(told["failed"])) == (3, 2, 1)
    assert told["failed"][0].startswith("protocol=SHE, epsilon=1, trials=10000, domain_size=4294")
    assert "MemoryError" in told["failed"][0]
    assert done.stderr == f"ldp-auditor: a cell failed: {told['failed'][0]}\n"
    assert [row["mechanism"] for row in table(out)] == ["GRR", "OUE"]


def test_a_cell_of_which_workers_die_stops_no_other(tmp_path: Path) -> None:
    grid, out = tmp_path / "grid.toml", tmp_path / "out"
    grid.write_text(f"[[grid]]\n{SHORT}[[grid]]\n{LONG}")
    victims: set[int] = set()
    with started(grid, out, "--workers", "1") as process:
        for _ in range(TRIES):  # the long cell comes first
            wait_until(lambda: set(workers_of(process)) - victims, "no worker was started")
            (victim,) = set(workers_of(process)) - victims
            victims.add(victim)
            os.kill(victim, signal.SIGKILL)
        output, errors = process.communicate(timeout=120)
    assert process.returncode == 2
    assert output.startswith("3 cells, 2 of them run now; ")
    assert errors.startswith("ldp-auditor: a cell failed: protocol=SHE, ")
    assert "signal SIGKILL" in errors
    assert errors.count("\n") == 1
    assert len(lines(out)) == 2


def test_a_damaged_journal_is_told_and_mended(tmp_path: Path) -> None:
    grid, out = tmp_path / "grid.toml", tmp_path / "out"
    grid.write_text(SHORT)
    swept(grid, out)
    sound = lines(out)
    (out / "journal.jsonl").write_bytes(
        b"\0\xffnothing\n" + sound[0].replace(b"1", b"2") + sound[1]
    )
    done = run("sweep", str(grid), "--out", str(out), "--workers", "1", "--json")
    assert done.returncode == 0
    assert done.stderr == (
        "ldp-auditor: 2 damaged lines of the journal put aside in damaged.txt; their cells were "
        "run again\n"
    )
    told = json.loads(done.stdout)
    assert (told["run"], told["damaged"], told["failed"]) == (1, 2, [])
    assert told["files"] == [f"{out}/results.csv", f"{out}/results.parquet"]
    assert sorted(lines(out)) == sorted(sound)


def obey_permissions() -> None:
    """Make even root obey the modes of files: its next command cannot get CAP_DAC_*."""
    for capability in (1, 2):
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)


@pytest.mark.parametrize("what", ["folder", "journal"])
def test_what_may_not_be_written_or_read(what: str, tmp_path: Path) -> None:
    grid, out = tmp_path / "grid.toml", tmp_path / "out"
    grid.write_text(SHORT)
    out.mkdir()
    if what == "folder":
        out.chmod(0o555)
    else:
        (out / "journal.jsonl").touch(mode=0o000)
    done = limited(obey_permissions, grid, out)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ldp-auditor: cannot use the folder {out}: [Errno 13] ")
    assert done.stderr.count("\n") == 1


def test_bad_input_is_one_line_and_code_two(tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(SHORT)
    in_a_file = run("sweep", str(grid), "--out", str(grid))
    assert in_a_file.stderr.startswith(f"ldp-auditor: cannot use the folder {grid}: ")
    nowhere = run("sweep", str(tmp_path / "none"), "--out", str(tmp_path / "out"))
    assert nowhere.stderr.startswith(f"ldp-auditor: cannot read the grid {tmp_path / 'none'}: ")
    grid.write_text(f"{SHORT}trails = 3\n")
    wrong = run("sweep", str(grid), "--out", str(tmp_path / "out"))
    assert wrong.stderr.startswith(f"ldp-auditor: {grid}, line 5: no such setting: trails; ")
    for done in (in_a_file, nowhere, wrong):
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert not (tmp_path / "out").exists()
