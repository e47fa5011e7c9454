"""Long audits: counted in portions, interrupted anywhere, the counts are the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from ldp_auditor import Claim, Study, run
from ldp_auditor.auditing import AuditPlan
from ldp_auditor.execution.threads import ThreadEngine
from ldp_auditor.interface import plan_audit
from ldp_auditor.longitudinal import carry_out
from ldp_auditor.sweeps.checkpoints import gaps
from ldp_auditor.sweeps.journal import Journal
from ldp_auditor.sweeps.recording import recorder


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


@pytest.mark.parametrize("study", [None, Study(reports=(2, 5))])
def test_an_interrupted_audit_goes_on(study: Study | None, tmp_path: Path) -> None:
    trials = 10_000
    if study is None:
        plan = plan_audit(Bulky(), trials=trials)
    else:
        plan = plan_audit("OUE", epsilon=1.0, domain_size=2000, trials=trials)
    straight = carry_out(plan, study, ThreadEngine(1))
    for share in (0.1, 0.5, 0.9):
        with pytest.raises(StoppedError), recorder(tmp_path) as record:
            record.carry_out(plan, study, ThreadEngine(2), stop_after(int(share * trials)))
    heard: list[int] = []
    with recorder(tmp_path) as record:
        resumed = record.carry_out(plan, study, ThreadEngine(2), heard.append)
    assert [r.counts for r in resumed] == [r.counts for r in straight]
    assert sum(heard) == 2 * trials
    with Journal.open(tmp_path) as journal:
        portions = [e["plan"]["chunks"] for e in journal.entries.values() if "chunks" in e["plan"]]
        whole = [e for e in journal.entries.values() if "chunks" not in e["plan"]]
    assert len(portions) > 2
    assert len(whole) == 1
    assert list(gaps(sorted(map(tuple, portions)), max(b for _, b in portions))) == []


def test_other_audits_are_not_mixed_in(tmp_path: Path) -> None:
    plans = [plan_audit("GRR", epsilon=1.0, domain_size=5, trials=10_000, seed=s) for s in (1, 2)]
    with recorder(tmp_path) as record:
        for plan in plans:
            assert record.carry_out(plan, None)[0].counts == run(plan).counts
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
    from ldp_auditor.sweeps.cells import content_of

    counts = {"trials": 2**18, "true_positives": 0, "false_positives": 0}
    for number, (chunks, changed) in enumerate(PORTIONS):
        folder = tmp_path / str(number)
        with Journal.open(folder) as journal:
            journal.add({**content_of(plan, None), "chunks": chunks}, [{**counts, **changed}], 0.0)
        with recorder(folder) as record:
            assert record.carry_out(plan, None)[0].counts == run(plan).counts, (chunks, changed)


def test_portions_with_other_looks_do_not_fit(tmp_path: Path) -> None:
    from ldp_auditor.sweeps.cells import content_of

    plan = plan_audit("GRR", epsilon=1.0, domain_size=5, trials=1_000_000)
    look = {"trials": 2**18, "true_positives": 0, "false_positives": 0}
    with Journal.open(tmp_path) as journal:
        journal.add({**content_of(plan, None), "chunks": [0, 1]}, [look, look], 0.0)
    with recorder(tmp_path) as record:
        assert record.carry_out(plan, None)[0].counts == run(plan).counts
