"""Threads and processes have the same counts and tell the same."""

from __future__ import annotations

from typing import Any

import pytest
from numpy.random import Generator

from ldp_auditor import AuditError, Claim, audit


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
