"""Engines by their names: what is refused."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from ldp_auditor import AuditError, audit
from ldp_auditor.checks.interface import check
from ldp_auditor.execution.ray_cluster import ray_if_asked


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
