"""Engines by their names: what is refused."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from ldp_auditor import AuditError, audit
from ldp_auditor.checks.interface import check
from ldp_auditor.execution.engines import open_engine
from ldp_auditor.sweeps import Grid, sweep


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"engine": "gpu"}, "engine must be one of threads, processes, ray, got 'gpu'"),
        ({"engine": 3}, "engine must be one of threads, processes, ray, got 3"),
        ({"address": "auto"}, "an address is for the engine ray, not for threads"),
    ],
)
def test_what_is_refused(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(AuditError, match=reason):
        audit("GRR", epsilon=1.0, domain_size=5, trials=1000, **settings)


def test_threads_are_not_for_what_may_hang_or_crash() -> None:
    reason = "engine must be processes or ray.*: what may hang or crash needs processes of its own"
    grid = Grid.of(protocol="GRR", epsilon=1, domain_size=5, trials=1000)
    with open_engine("threads") as threads:
        for engine in ("threads", threads):
            with pytest.raises(AuditError, match=reason):
                check(len, ["a", "bb"], epsilon=1.0, engine=engine)
            with pytest.raises(AuditError, match=reason):
                sweep(grid, engine=engine)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"engine": "gpu"}, "engine must be one of threads, processes, ray, got 'gpu'"),
        ({"address": "auto"}, "an address is for the engine ray, not for processes"),
        ({"seconds": 0.0}, "seconds must be positive, got seconds=0"),
    ],
)
def test_what_a_check_refuses(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(AuditError, match=reason):
        check(len, ["a", "bb"], epsilon=1.0, **settings)


def test_a_missing_ray_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(AuditError, match=r"pip install 'ldp-auditor\[ray\]'"):
        audit("GRR", epsilon=1.0, domain_size=5, trials=1000, engine="ray")
