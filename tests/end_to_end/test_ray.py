"""The engine ray: the counts of other engines, through kills and lost nodes, and no leftovers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.environments import with_ray
from tests.end_to_end.listening import listening
from tests.end_to_end.ray_running import TwoNodes, busy, run, started, two_nodes
from tests.end_to_end.sweeping import keys, lines, session_of, wait_until

pytestmark = pytest.mark.cluster

OUE = ("audit", "OUE", "--epsilon", "1", "--domain-size", "200", "--json")
SHORT = (*OUE, "--trials", "1e6")
LONG = (*OUE, "--trials", "3e7")
RAY = ("--engine", "ray")
LOOPBACK_6 = "0000000000000000FFFF00000100007F"

GRID = """
trials = 2e5
epsilon = 1
domain_size = [25, 50]
protocol = ["GRR", "OUE", "OLH"]
"""

OWN = """
import own_helper
def answer(value, rng):
    return own_helper.flip(value, rng)
def raises(value):
    raise ValueError("boom")
"""

HELPER = """
def flip(value, rng):
    return value if rng.random() < 0.9 else 1 - value
"""

LISTENING = """
import os, sys, time
from ldp_auditor.execution.ray_cluster import ray_engine
with ray_engine(workers=1) as engine:
    assert list(engine.map(abs, [-1, -2, -3])) and print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoNodes]:
    with two_nodes(tmp_path_factory.mktemp("cluster")) as nodes:
        yield nodes


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return counts(run(*LONG))


def counts(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    result: dict[str, Any] = json.loads(done.stdout)
    del result["seconds"]
    return result


def test_every_engine_has_the_same_counts(cluster: TwoNodes) -> None:
    threads = counts(run(*SHORT))
    assert counts(run(*SHORT, "--engine", "processes")) == threads
    assert counts(run(*SHORT, *RAY)) == threads
    assert counts(run(*SHORT, *RAY, "--address", cluster.address)) == threads
    assert counts(run(*SHORT, *RAY, "--address", cluster.address, "--workers", "1")) == threads


def test_a_sweep_has_the_same_journal(cluster: TwoNodes, tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(GRID)
    for name, options in {
        "processes": (),
        "local": RAY,
        "cluster": (*RAY, "--address", cluster.address),
    }.items():
        done = run("sweep", str(grid), "--out", str(tmp_path / name), *options)
        assert done.returncode == 0, done.stderr
    journals = [sorted(lines(tmp_path / n)) for n in ("processes", "local", "cluster")]
    assert len(keys(journals[0])) == 6
    assert journals[0] == journals[1] == journals[2]


def test_a_killed_worker_changes_nothing(expected: dict[str, Any]) -> None:
    with started(*LONG, *RAY) as process:
        for _ in range(2):
            wait_until(lambda: busy(process), "no worker is busy")
            os.kill(busy(process)[0], signal.SIGKILL)
            time.sleep(0.5)
        out, err = process.communicate(timeout=300)
    assert counts(subprocess.CompletedProcess([], process.returncode, out, err)) == expected


def test_a_killed_process_changes_nothing(expected: dict[str, Any]) -> None:
    with started(*LONG, "--engine", "processes") as process:
        wait_until(lambda: len(session_of(process)) > 2, "no worker was started")
        time.sleep(2)
        victims = [p for p, words in session_of(process).items() if "spawn_main" in words]
        os.kill(victims[0], signal.SIGKILL)
        out, err = process.communicate(timeout=300)
    assert counts(subprocess.CompletedProcess([], process.returncode, out, err)) == expected


def test_a_lost_node_changes_nothing(expected: dict[str, Any], tmp_path: Path) -> None:
    with (
        two_nodes(tmp_path) as nodes,
        started(*LONG, *RAY, "--address", nodes.address) as process,
    ):
        wait_until(lambda: len(nodes.busy()) == 2, "the workers are not busy")
        nodes.remove()
        out, err = process.communicate(timeout=300)
    assert counts(subprocess.CompletedProcess([], process.returncode, out, err)) == expected


def test_want_of_memory_is_told_and_what_is_finished_is_kept(tmp_path: Path) -> None:
    """Ray is told to kill workers at a use of memory that every machine has."""
    out = ("--out", str(tmp_path / "out"))
    short = counts(run(*SHORT, *out))
    kept = lines(tmp_path / "out")
    greedy = {"RAY_memory_usage_threshold": "0.01", "RAY_memory_monitor_refresh_ms": "50"}
    done = run(*LONG, *out, *RAY, variables=greedy)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "a worker died 4 times on the same task (OutOfMemory)" in done.stderr
    assert lines(tmp_path / "out")[: len(kept)] == kept
    assert counts(run(*SHORT, *out)) == short


@pytest.mark.parametrize("own_cluster", [True, False])
def test_ctrl_c_cancels_the_work_and_leaves_nothing(own_cluster: bool, cluster: TwoNodes) -> None:
    where = () if own_cluster else ("--address", cluster.address)
    with started(*OUE, "--trials", "1e11", *RAY, *where) as process:

        def working() -> list[int]:
            return busy(process) if own_cluster else cluster.busy()

        wait_until(working, "no worker is busy")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert err.strip() == "ldp-auditor: interrupted"
        wait_until(lambda: not working(), "workers are still busy")
        wait_until(lambda: not session_of(process), "processes are left")
    if not own_cluster:
        assert cluster.process.poll() is None
        counts(run(*SHORT, *RAY, "--address", cluster.address))


def test_a_killed_command_leaves_no_work() -> None:
    """Two agents of Ray itself, which do nothing any more, notice it only after a minute or so."""
    with started(*OUE, "--trials", "1e11", *RAY) as process:
        wait_until(lambda: busy(process), "no worker is busy")
        process.kill()
        process.communicate()

        def left() -> list[str]:
            return [words for words in session_of(process).values() if "Agent" not in words]

        wait_until(lambda: not left(), "processes are left")


def test_an_unreachable_address_is_one_line() -> None:
    began = time.monotonic()
    done = run(*SHORT, *RAY, "--address", "127.0.0.1:1")
    assert time.monotonic() - began < 15
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "no Ray cluster can be reached at 127.0.0.1:1" in done.stderr


def test_what_is_not_ray_is_told_so() -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        port = server.stdout.readline().split(" port ")[1].split()[0]
        done = run(*SHORT, *RAY, "--address", f"127.0.0.1:{port}")
        server.kill()
    assert done.returncode == 2
    assert "is not a Ray cluster" in done.stderr


def test_a_target_of_ones_own_reaches_the_workers(cluster: TwoNodes, tmp_path: Path) -> None:
    """It lies where the workers do not look; a module that it imports comes with the folder."""
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "own_helper.py").write_text(HELPER)
    check = ("check", "own:answer", "--epsilon", "1", "--values", "0,1", "--trials", "2e4")
    ray = (*RAY, "--address", cluster.address)
    here = run(*check, "--json", path=tmp_path)
    assert here.returncode == 1, here.stderr
    there = run(*check, *ray, "--working-dir", str(tmp_path), "--json", path=tmp_path)
    assert there.returncode == 1, there.stderr
    told = [json.loads(done.stdout) for done in (here, there)]
    assert told[0]["findings"] == told[1]["findings"]
    alone = run(*check, *ray, path=tmp_path)
    assert alone.returncode == 2
    assert "own_helper" in alone.stderr


def test_what_a_target_raises_is_told_once(cluster: TwoNodes, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "own_helper.py").write_text(HELPER)
    check = ("check", "own:raises", "--epsilon", "1", "--values", "0,1", "--trials", "2e4")
    done = run(
        *check, *RAY, "--address", cluster.address, "--working-dir", str(tmp_path), path=tmp_path
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "raised ValueError: boom in call 1 with value" in done.stderr


def test_nothing_listens_but_on_loopback() -> None:
    with subprocess.Popen(
        [with_ray() / "bin" / "python", "-c", LISTENING],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "ready"
        found = listening(list(session_of(process)))
        process.communicate("")
    assert found
    assert [place for place in found if not place.startswith(("0100007F", LOOPBACK_6))] == []
    wait_until(lambda: not session_of(process), "processes are left")
