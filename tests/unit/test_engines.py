"""Engines by their names: the same counts, and what is refused."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from numpy.random import Generator

from ldp_auditor import AuditError, Claim, audit
from ldp_auditor.checking import check
from ldp_auditor.execution.ray_cluster import ray_if_asked


class Raising:
    """Fails for one value."""

    name, claim, domain_size = "Raising", Claim(epsilon=1.0), 2

    def privatize(self, value: int, n: int, rng: Generator) -> Any:
        if value == 1:
            raise ValueError("boom")
        return rng.integers(2, size=n)

    def guess(self, reports: Any, rng: Generator) -> Any:
        return reports


def test_processes_have_the_counts_of_threads() -> None:
    setting: dict[str, Any] = {"epsilon": 1.0, "domain_size": 25, "trials": 600_000}
    threads = audit("GRR", **setting)
    assert audit("GRR", **setting, engine="processes", workers=2).counts == threads.counts


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_what_a_mechanism_raises_is_told_with_its_value(engine: str) -> None:
    with pytest.raises(AuditError, match=r"^Raising raised ValueError: boom with value 1$"):
        audit(Raising(), trials=1000, engine=engine, workers=1)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"engine": "gpu"}, "engine must be one of threads, processes, ray, got 'gpu'"),
        ({"address": "auto"}, "an address is for the engine ray, not for threads"),
    ],
)
def test_what_is_refused(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(AuditError, match=reason):
        audit("GRR", epsilon=1.0, domain_size=5, trials=1000, **settings)


def test_threads_are_not_for_foreign_code() -> None:
    with (
        pytest.raises(AuditError, match="engine must be processes or ray here"),
        ray_if_asked("threads", None, None),
    ):
        pass


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"engine": "threads"}, "engine must be processes or ray here, got 'threads'"),
        ({"address": "auto"}, "an address is for the engine ray, not for processes"),
        ({"engine": "ray", "seconds": 1.0}, "a budget in seconds is for processes"),
    ],
)
def test_what_a_check_refuses(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(AuditError, match=reason):
        check(len, ["a", "bb"], epsilon=1.0, **settings)


def test_a_missing_ray_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(AuditError, match=r"pip install 'ldp-auditor\[ray\]'"):
        audit("GRR", epsilon=1.0, domain_size=5, trials=1000, engine="ray")
