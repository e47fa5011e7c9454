"""The engine ray when workers, nodes, the head or the command are lost: what is told and left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.environments import with_ray
from tests.end_to_end.listening import listening
from tests.end_to_end.ray_running import OUE, RAY, TwoNodes, busy, counts, run, started, two_nodes
from tests.end_to_end.sweeping import lines, session_of, wait_for_lines, wait_until, workers_of

pytestmark = pytest.mark.cluster

SHORT = (*OUE, "--trials", "1e6")
LONG = (*OUE, "--trials", "3e7")
ENDLESS = (*OUE, "--trials", "1e11")

GRID = """
epsilon = 1
[[grid]]
protocol = "GRR"
domain_size = [25, 50]
trials = 1e5
[[grid]]
protocol = "SHE"
domain_size = 200
trials = 1e9
"""

OUT_OF_MEMORY = """
import os, sys, time
from ray._common.utils import get_system_memory
from ray._private.utils import get_used_memory
from ldp_auditor import AuditError, Claim, audit
from ldp_auditor.execution.engines import open_engine

class Greedy:
    '''Takes more and more, unless the file is there that it leaves.'''
    name, claim, domain_size = "Greedy", Claim(epsilon=1.0), 2
    def __init__(self, mark, room):
        self.mark, self.room = mark, room
    def privatize(self, value, n, rng):
        if not os.path.exists(self.mark):
            open(self.mark, "w").close()
            taken = []
            for _ in range(60):  # twice what is allowed: tests beside this one may give some back
                taken.append(bytearray(b"x") * (self.room // 30))
                time.sleep(0.1)
        return rng.integers(2, size=n)
    def guess(self, reports, rng):
        return reports

class AlwaysGreedy(Greedy):
    def privatize(self, value, n, rng):
        if os.path.exists(self.mark):
            os.remove(self.mark)
        return super().privatize(value, n, rng)

mark = sys.argv[1]
# Tests beside this one, and Ray itself, may take 2 GB or more meanwhile.
room = min(5 * 10**9, (get_system_memory() - get_used_memory()) // 3)
allowed = (get_used_memory() + room) / get_system_memory()
os.environ.update(RAY_memory_usage_threshold=str(allowed), RAY_memory_monitor_refresh_ms="50")
with open_engine("ray", workers=1) as engine:
    disturbed = audit(Greedy(mark, room), trials=100_000, engine=engine)
    print(disturbed.counts == audit(Greedy(mark, room), trials=100_000).counts)
    try:
        audit(AlwaysGreedy(mark, room), trials=100_000, engine=engine)
    except AuditError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return counts(run(*LONG))


def ended(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    out, err = process.communicate(timeout=300)
    return subprocess.CompletedProcess([], process.returncode, out, err)


def test_a_killed_worker_changes_nothing(expected: dict[str, Any]) -> None:
    with started(*LONG, *RAY) as process:
        killed: set[int] = set()
        for _ in range(3):  # both workers at least, and one that comes instead
            wait_until(lambda: set(busy(process)) - killed, "no worker is busy")
            victim = min(set(busy(process)) - killed)
            os.kill(victim, signal.SIGKILL)
            killed.add(victim)
        assert counts(ended(process)) == expected


def compiling(process: subprocess.Popen[str]) -> list[int]:
    """Worker processes that have what runs kernels: they are at their first task."""
    found = []
    for worker in workers_of(process):
        with suppress(OSError):  # not a worker, but what one has forked to run another program
            if "llvmlite" in Path(f"/proc/{worker}/maps").read_text():
                found.append(worker)
    return found


def test_a_killed_process_changes_nothing(expected: dict[str, Any]) -> None:
    with started(*LONG, "--engine", "processes") as process:
        wait_until(lambda: compiling(process), "no worker is busy")
        os.kill(min(compiling(process)), signal.SIGKILL)
        assert counts(ended(process)) == expected


def test_a_lost_node_changes_nothing(expected: dict[str, Any], cluster: TwoNodes) -> None:
    with started(*LONG, *RAY, "--address", cluster.address) as process:
        wait_until(lambda: len(cluster.busy()) == 2, "the workers are not busy")
        cluster.remove()
        try:
            assert counts(ended(process)) == expected
        finally:
            cluster.add()


@pytest.mark.parametrize(
    ("program", "lost"),
    [
        ("gcs_server", "the head of the cluster, {address}, has been gone for 20 seconds: "),
        ("raylet", "the Ray of this host, "),
    ],
    ids=["head", "host"],
)
def test_a_lost_head_is_one_line_and_what_is_finished_is_kept(
    program: str, lost: str, tmp_path: Path
) -> None:
    grid, out = tmp_path / "grid.toml", tmp_path / "out"
    grid.write_text(GRID)
    with two_nodes(tmp_path) as nodes:
        where = ("--out", str(out), *RAY, "--address", nodes.address)
        sweep = ("sweep", str(grid), *where)
        with started(*(sweep if program == "gcs_server" else (*ENDLESS, *where))) as process:
            wait_for_lines(out, 2)
            kept = lines(out)
            os.kill(nodes.first(program), signal.SIGKILL)
            done = ended(process)  # which Ray would end, too, after a while and with code 1
    assert lost.format(address=nodes.address) in done.stderr
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert lines(out)[: len(kept)] == kept


def test_a_worker_out_of_memory(tmp_path: Path) -> None:
    """Ray's own monitor kills it at so much memory; then it does without, or not."""
    script = tmp_path / "script.py"
    script.write_text(OUT_OF_MEMORY)
    done = subprocess.run(
        [str(with_ray() / "bin" / "python"), str(script), str(tmp_path / "mark")],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "True",
        "a worker died 4 times on the same task (OutOfMemory)",
    ]


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


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("own_cluster", [True, False])
def test_ctrl_c_cancels_the_work_and_leaves_nothing(
    own_cluster: bool, sent: signal.Signals, cluster: TwoNodes
) -> None:
    where = () if own_cluster else ("--address", cluster.address)
    with started(*ENDLESS, *RAY, *where) as process:

        def working() -> list[int]:
            return busy(process) if own_cluster else cluster.busy()

        wait_until(working, "no worker is busy")
        process.send_signal(sent)
        done = ended(process)
        assert (done.stderr, done.returncode) == ("ldp-auditor: interrupted\n", 130)
        assert done.stdout == ""
        wait_until(lambda: not working(), "workers are still busy")
        wait_until(lambda: not session_of(process), "processes are left")
    if not own_cluster:
        assert cluster.process.poll() is None
        counts(run(*SHORT, *RAY, "--address", cluster.address))


def test_a_killed_command_leaves_no_work() -> None:
    """Two agents of Ray itself, which do nothing any more, notice it only after a minute or so."""
    with started(*ENDLESS, *RAY) as process:
        wait_until(lambda: busy(process), "no worker is busy")
        process.kill()
        process.communicate()

        def left() -> list[str]:
            return [words for words in session_of(process).values() if "Agent" not in words]

        wait_until(lambda: not left(), "processes are left")


def refused(address: str) -> str:
    done = run(*SHORT, *RAY, "--address", address)  # `ray.init` would wait for ever
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("127.0.0.1:1", "no Ray cluster can be reached at 127.0.0.1:1: "),
        ("no-such-host.invalid:6379", "no Ray cluster can be reached at no-such-host.invalid:6379"),
        ("ray://127.0.0.1:10001", "with the address host:port of its head (port 6379 by default)"),
        ("127.0.0.1", "an address is written host:port, or auto, got '127.0.0.1'"),
    ],
)
def test_a_wrong_address_is_one_line(address: str, told: str) -> None:
    assert told in refused(address)


def test_another_port_of_a_cluster_is_told_so(cluster: TwoNodes) -> None:
    """It speaks as Ray does, but it is not the head."""
    port = int(listening([cluster.first("raylet")])[0].rpartition(":")[2], 16)
    host = cluster.address.rpartition(":")[0]
    assert "is not the head of a Ray cluster; give the port" in refused(f"{host}:{port}")


def test_what_is_not_ray_is_told_so() -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        port = server.stdout.readline().split(" port ")[1].split()[0]
        told = refused(f"127.0.0.1:{port}")
        server.kill()
    assert "what answers there is not Ray" in told
