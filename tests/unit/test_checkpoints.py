"""Long audits: counted in portions, interrupted anywhere, the counts are the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from ldp_auditor import Claim, Stopping
from ldp_auditor.audits.checkpoints import gaps
from ldp_auditor.audits.interface import plan_audit
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.audits.run import run
from ldp_auditor.execution.threads import ThreadEngine
from ldp_auditor.results.folder import results_folder
from ldp_auditor.results.journal import Journal


class Bulky:
    """A coin whose reports are said to be so large that a chunk has few of them."""

    name, claim, domain_size, report_bytes = "Bulky", Claim(epsilon=1.0), 2, 2**16

    def privatize(self, value: int, n: int, rng: Generator) -> Any:
        return np.where(rng.random(n) < 0.7, value, 1 - value)

    def guess(self, reports: Any, rng: Generator) -> Any:
        return reports


class StoppedError(Exception):
    """The audit was stopped from outside."""


def stop_after(reports: int) -> Any:
    heard = 0

    def progress(more: int) -> None:
        nonlocal heard
        heard += more
        if heard > reports:
            raise StoppedError

    return progress


AUTO = Stopping(precision=1e-6, max_trials=4_000)


@pytest.mark.parametrize("trials", [4_000, AUTO])
@pytest.mark.parametrize("reports", [(1,), (2, 5)])
def test_an_interrupted_audit_goes_on(
    reports: tuple[int, ...], trials: int | Stopping, tmp_path: Path
) -> None:
    if reports == (1,):
        plan = plan_audit(Bulky(), trials=trials)
    else:
        plan = plan_audit("OUE", epsilon=1.0, domain_size=2000, trials=trials, reports=reports)
    straight = run(plan, engine=ThreadEngine(1))
    for share in (0.1, 0.5, 0.9):
        stop = stop_after(int(share * plan.most_trials))
        with pytest.raises(StoppedError), results_folder(tmp_path) as journal:
            run(plan, engine=ThreadEngine(2), journal=journal, progress=stop)
    heard: list[int] = []
    with results_folder(tmp_path) as journal:
        resumed = run(plan, engine=ThreadEngine(2), journal=journal, progress=heard.append)
    assert [replace(r, seconds=0.0) for r in resumed] == [replace(r, seconds=0.0) for r in straight]
    assert sum(heard) == 2 * plan.most_trials
    with results_folder(tmp_path) as journal:
        again = run(plan, journal=journal)
    assert again == resumed  # with the seconds that the journal has
    with Journal.open(tmp_path) as journal:
        portions = [e["plan"]["chunks"] for e in journal.entries.values() if "chunks" in e["plan"]]
        whole = [e for e in journal.entries.values() if "chunks" not in e["plan"]]
    assert len(portions) > 2
    assert len(whole) == 1
    assert list(gaps(sorted(map(tuple, portions)), 0, max(b for _, b in portions))) == []


def test_other_audits_are_not_mixed_in(tmp_path: Path) -> None:
    plans = [plan_audit("GRR", epsilon=1.0, domain_size=5, trials=10_000, seed=s) for s in (1, 2)]
    with results_folder(tmp_path) as journal:
        for plan in plans:
            assert run(plan, journal=journal)[0].counts == run(plan)[0].counts
    text = (tmp_path / "results.csv").read_text()
    assert text.count("\n") == 3


PORTIONS: list[tuple[Any, Any]] = [
    ([0, 10**6], {}),
    ([3, 2], {}),
    ([-4, 1], {}),
    ([0, 1, 2], {}),
    ([0.0, 1.0], {}),
    (["0", "1"], {}),
    ([[0], [1]], {}),
    ({"0": 1}, {}),
    ("01", {}),
    (7, {}),
    ([0, 1], {"trials": 5, "true_positives": 5}),
    ([0, 1], {"true_positives": "5"}),
    ([0, 1], {"true_positives": 0.5}),
    ([0, 1], {"true_positives": -1}),
    ([0, 1], {"true_positives": None}),
    ([0, 1], {"true_positives": 2**53}),
    ([0, 1], {"more": 1}),
]


def test_poisoned_portions_do_not_fit(tmp_path: Path) -> None:
    """What overlaps, reaches beyond the audit or has another shape is left out."""
    plan: AuditPlan = plan_audit("GRR", epsilon=1.0, domain_size=5, trials=1_000_000)
    counts = {"trials": 2**18, "true_positives": 0, "false_positives": 0}
    for number, (chunks, changed) in enumerate(PORTIONS):
        folder = tmp_path / str(number)
        with Journal.open(folder) as journal:
            journal.add({**plan.content, "chunks": chunks}, [{**counts, **changed}], 0.0)
        with results_folder(folder) as journal:
            found = run(plan, journal=journal)[0].counts
        assert found == run(plan)[0].counts, (chunks, changed)


def test_portions_with_other_looks_do_not_fit(tmp_path: Path) -> None:
    plan = plan_audit("GRR", epsilon=1.0, domain_size=5, trials=1_000_000)
    look = {"trials": 2**18, "true_positives": 0, "false_positives": 0}
    with Journal.open(tmp_path) as journal:
        journal.add({**plan.content, "chunks": [0, 1]}, [look, look], 0.0)
    with results_folder(tmp_path) as journal:
        assert run(plan, journal=journal)[0].counts == run(plan)[0].counts
