"""Threads and processes keep one contract, have the same counts and tell the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numpy.random import Generator

from ldp_auditor import AuditError, Claim, audit
from tests.end_to_end.environments import with_ray

ALWAYS = {"once": True, "most": True, "raises": "it raises", "after that": [49]}
ISOLATED = {
    **{"stays": True, "another": True, "another opener": True},
    **{"killed": [[1, 4, 9], "killed"], "tries": True, "crashes": [[1, 4, 9], "crashes"]},
    "died": "the target's process died (exit code 3) in a task of a test",
    "limits": "the target did not come back within 1 seconds in a task of a test",
}


class Raising:
    """Fails for one value."""

    name, claim, domain_size = "Raising", Claim(epsilon=1.0), 2

    def privatize(self, value: int, n: int, rng: Generator) -> Any:
        if value == 1:
            raise ValueError("boom")
        return rng.integers(2, size=n)

    def guess(self, reports: Any, rng: Generator) -> Any:
        return reports


def promises(engine: str, python: Path | str = sys.executable) -> Any:
    """What an engine keeps of the contract."""
    script = Path(__file__).with_name("engine_contract.py")
    done = subprocess.run(
        [str(python), str(script), engine], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_threads_keep_the_contract() -> None:
    refused = {"limits": "threads keep no limits; foreign code needs processes or ray"}
    assert promises("threads") == {**ALWAYS, **refused}


def test_processes_keep_the_contract() -> None:
    assert promises("processes") == {**ALWAYS, **ISOLATED}


@pytest.mark.cluster
def test_ray_keeps_the_contract() -> None:
    assert promises("ray", with_ray() / "bin" / "python") == {**ALWAYS, **ISOLATED}


def test_processes_have_the_counts_of_threads() -> None:
    setting: dict[str, Any] = {"epsilon": 1.0, "domain_size": 25, "trials": 600_000}
    threads = audit("GRR", **setting)
    assert audit("GRR", **setting, engine="processes", workers=2).counts == threads.counts


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_what_a_mechanism_raises_is_told_with_its_value(engine: str) -> None:
    with pytest.raises(AuditError, match=r"^Raising raised ValueError: boom with value 1$"):
        audit(Raising(), trials=1000, engine=engine, workers=1)
