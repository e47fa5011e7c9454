"""The engine ray: the counts of other engines, code that reaches the workers, no open ports."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.environments import with_ray
from tests.end_to_end.listening import listening
from tests.end_to_end.ray_running import OUE, RAY, TwoNodes, counts, run
from tests.end_to_end.sweeping import keys, lines, session_of, wait_until

pytestmark = pytest.mark.cluster

SHORT = (*OUE, "--trials", "1e6")
LOOPBACK = ("0100007F", "0000000000000000FFFF00000100007F")

GRID = """
trials = 2e5
epsilon = 1
domain_size = [25, 50]
protocol = ["GRR", "OUE", "OLH"]
"""

OWN = """
import subprocess, time
import own_helper
subprocess.Popen(["sleep", "1000"])
def answer(value, rng):
    return own_helper.flip(value, rng)
def raises(value):
    raise ValueError("boom")
def hangs(value):
    time.sleep(1000)
"""

HELPER = """
def flip(value, rng):
    return value if rng.random() < 0.9 else 1 - value
"""

IN_PYTHON = """
import sys
import ray
from ldp_auditor import AuditError, Claim, audit
from ldp_auditor.checks.interface import check
from ldp_auditor.execution.engines import open_engine

class Raising:
    name, claim, domain_size = "Raising", Claim(epsilon=1.0), 2
    def privatize(self, value, n, rng):
        if value == 1:
            raise ValueError("boom")
        return rng.integers(2, size=n)
    def guess(self, reports, rng):
        return reports

class Fair(Raising):
    def __init__(self, size):
        self.table = bytes(size)
    def privatize(self, value, n, rng):
        return rng.integers(2, size=n)

def flip(value, rng):
    return value if rng.random() < 0.9 else 1 - value

puts, put = [], ray.put
ray.put = lambda value: puts.append(1) or put(value)
with open_engine("ray", workers=1) as engine:
    try:
        audit(Raising(), trials=1000, engine=engine)
    except AuditError as error:
        print(error)
    found = [check(flip, [0, 1], epsilon=1.0, trials=20_000, engine=where).findings
             for where in ("processes", engine)]
    print(found[0] == found[1] != ())
    for size in (10, 10**6):
        fair = [audit(Fair(size), trials=1000, engine=e).counts for e in ("threads", engine)]
        print(fair[0] == fair[1], len(puts))
    try:
        audit("GRR", epsilon=1.0, domain_size=5, engine="ray", address="127.0.0.1:1")
    except AuditError as error:
        print(error)
    print("ready", flush=True)
    sys.stdin.read()
"""


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


def own_code(folder: Path) -> Path:
    (folder / "own.py").write_text(OWN)
    (folder / "own_helper.py").write_text(HELPER)
    return folder


def test_a_target_of_ones_own_reaches_the_workers(cluster: TwoNodes, tmp_path: Path) -> None:
    """It lies where the workers do not look; a module that it imports comes with the folder."""
    own_code(tmp_path)
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
    wait_until(lambda: not cluster.running("sleep 1000"), "what the target started is left")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("raises", "raised ValueError: boom in call 1 with value"),
        ("hangs", "the target did not come back within 15 seconds in call 1 with value"),
    ],
)
def test_a_target_that_fails_is_told_once(
    name: str, told: str, cluster: TwoNodes, tmp_path: Path
) -> None:
    done = run(
        *("check", f"own:{name}", "--epsilon", "1", "--values", "0,1", "--trials", "2e4"),
        *("--open-seconds", "15", *RAY, "--address", cluster.address),
        *("--working-dir", str(own_code(tmp_path))),
        path=tmp_path,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert told in done.stderr
    wait_until(lambda: not cluster.busy(), "workers are still busy")
    wait_until(lambda: not cluster.running("sleep 1000"), "what the target started is left")


def test_python_has_it_and_nothing_listens_but_on_loopback(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(IN_PYTHON)
    with subprocess.Popen(
        [with_ray() / "bin" / "python", str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline().strip() for _ in range(6)]
        found = listening(list(session_of(process)))
        _, errors = process.communicate("")
    assert said[:2] == ["Raising raised ValueError: boom with value 1", "True"]
    assert said[2:4] == ["True 0", "True 1"]  # only what is large goes through shared memory
    assert "connected to the Ray cluster 127.0.0.1:" in said[4]
    assert said[5] == "ready"
    assert (process.returncode, errors) == (0, "")
    assert found
    assert [place for place in found if not place.startswith(LOOPBACK)] == []
    wait_until(lambda: not session_of(process), "processes are left")
