"""Calls that depend on each other: found, told, and checked with fresh objects where it can be."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_auditor import AuditError
from ldp_auditor.checks.interface import check
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.testing import assert_ldp
from tests.end_to_end import dependent_targets as dependent

HERE = "tests.end_to_end.dependent_targets"


def quick(target: Any, **settings: Any) -> CheckResult:
    given = {"epsilon": 1.05, "trials": 2000, "learn": False, "workers": 1}
    return check(target, [0, 1], **{**given, **settings})


@pytest.mark.parametrize(("name", "seed"), [("cached", 2), ("lagging", 2), ("masked", 3)])
def test_without_a_class_it_is_asked_for(name: str, seed: int) -> None:
    """With seed 2 an answer and the one before are told by their order, not by comparing copies.

    A mask of one bit is seen in 39 of 40 seeds (not in seed 2), the other two in all.
    """
    why = "reports of one object are more alike than those of different objects"
    if name == "lagging":
        why = "report[1] follows what report[0] was in the call before"
    with pytest.raises(AuditError) as refused:
        quick(f"{HERE}:{name}", seed=seed)
    assert str(refused.value).startswith(f"calls of one object are not independent: {why}")
    assert "give its class, such as package.module:Class(arguments)" in str(refused.value)


@pytest.mark.parametrize("seed", [7, 42])
def test_a_verdict_after_a_few_reports_waits_for_calls_in_a_row(seed: int) -> None:
    """The few reports come in turns of the inputs, where an answer follows one of the other."""
    with pytest.raises(AuditError, match=r"report\[1\] follows what report\[0\] was"):
        quick(f"{HERE}:lagging", epsilon=1.0, trials=8000, seed=seed)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (f"{HERE}:Memoizing(epsilon=1.0)", "reports of one object are more alike"),
        (dependent.Numbering, "report['number'] rises from one call to the next"),
        (dependent.AsksForSeed, "reports of one object are more alike"),
    ],
)
def test_with_a_class_every_report_has_a_fresh_object(target: Any, why: str) -> None:
    result = quick(target)
    assert result.verdict == "no-violation-found"
    assert result.dependent.startswith(why)
    assert result.reports_each == 1
    assert "calls of one object are not independent (" in str(result)


def test_random_numbers_that_are_used_again_are_noticed() -> None:
    """Within the first 1000 calls; in 60 of 60 simulated clients within 698."""
    result = quick(dependent.Pooled, trials=20_000)
    assert result.dependent.startswith("the report is what it was some calls before")
    assert (result.verdict, result.reports_each) == ("no-violation-found", 1)


def test_what_begins_again_draws_anew() -> None:
    """Not what a check of fresh objects draws from its start on: the first game has seen that."""
    target = f"{HERE}:Memoizing(epsilon=1.0)"
    again, other, asked = quick(target), quick(target), quick(target, reports=1)
    assert (again.dependent != "", asked.dependent) == (True, "")
    assert again.findings == other.findings
    assert [f.counts for f in again.findings] != [f.counts for f in asked.findings]


def test_fresh_objects_do_not_hide_a_violation() -> None:
    result = quick(f"{HERE}:Memoizing(epsilon=2.0)")
    assert (result.verdict, result.reports_each) == ("violation", 1)


def test_what_objects_share_is_refused() -> None:
    with pytest.raises(AuditError, match="though each is made by a fresh object"):
        quick(dependent.SharingAnswers)


def test_objects_with_a_constant_seed_are_refused() -> None:
    with pytest.raises(AuditError, match="fresh objects of the target all make the same reports"):
        quick(dependent.ConstantSeed, reports=1)


def test_many_reports_of_one_object_are_checked_as_one() -> None:
    kept = assert_ldp(
        dependent.Memoizing, [0, 1], 1.05, reports=3, trials=2000, learn=False, workers=1
    )
    assert (kept.reports_each, kept.dependent) == (3, "")
    redrawn = quick(f"{HERE}:Redrawing(1.0)", reports=3, trials=5000)
    assert redrawn.verdict == "violation"
    assert "each report: 3 together of a fresh object" in str(redrawn)
    assert "reports=3" in redrawn.repeat
