"""Ranges as inputs of a check: how they are written, and which of their points are chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ldp_auditor import AuditError, Claim, check
from ldp_auditor.adapters.callables import ObjectTarget
from ldp_auditor.checks import scouting
from ldp_auditor.checks.bets import ChosenEvent
from ldp_auditor.checks.plan import CheckPlan
from ldp_auditor.checks.ranges import Range, with_ranges
from ldp_auditor.checks.sampling import OpenTarget
from ldp_auditor.checks.scouting import ends_of, refined
from ldp_auditor.cli.check import parse_values
from ldp_auditor.execution.contract import Engine, Job, Ticker
from ldp_auditor.inputs import Numbers, Places, UnitVectors

UNIT = Range((-1.0,), (1.0,))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("-1..1", (UNIT,)),
        ("[0.5 .. 1e3]", (Range((0.5,), (1000.0,)),)),
        ("-1..1,7", (UNIT, 7)),
        ("[[-1..1, 0..2.5], [3, 4]]", (Range((-1.0, 0.0), (1.0, 2.5), is_vector=True), [3, 4])),
        ("[[-1..1, 4]]", (Range((-1.0, 4.0), (1.0, 4.0), is_vector=True),)),
        ('["0..1", "b"]', ("0..1", "b")),
        ("0,1,2", (0, 1, 2)),
    ],
)
def test_how_ranges_are_written(text: str, values: tuple[Any, ...]) -> None:
    assert parse_values(text, None) == values


def test_in_python_they_are_kinds_of_inputs() -> None:
    assert with_ranges(Numbers(-1, 1)) == (UNIT,)
    assert with_ranges([0.5, Numbers(-1, 1)]) == (0.5, UNIT)
    assert with_ranges(Places(2, 0, 3)) == (Range((0.0, 0.0), (3.0, 3.0), is_vector=True),)
    for wrong in (UnitVectors(2), Places(2)):
        with pytest.raises(AuditError, match=r"needs values or a range|must be finite"):
            with_ranges(wrong)


@pytest.mark.parametrize(
    "text", ["1..-1", "2..2", "[[null, 0..1]]", "[[[1], 0..1]]", "[" * 10_000, "1" * 5000]
)
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(AuditError):
        parse_values(text, None)


def test_the_first_points_have_the_ends_and_round_numbers() -> None:
    points = [point[0] for point in Range((-2.0,), (4.0,)).first]
    assert points[:3] == [-2.0, 4.0, 1.0]
    assert {0.0, -1.0, 0.5, -0.5, 0.1, 3.7} <= set(points)
    assert ends_of((UNIT, 3.0)) == [-1.0, 1.0, 0.0, 3.0]
    corners = Range((0.0, 0.0), (1.0, 4.0), is_vector=True).first
    assert corners[:2] == [(0.0, 0.0), (1.0, 4.0)]
    assert {(0.0, 2.0), (1.0, 2.0), (0.5, 0.0), (0.5, 4.0)} < set(corners)


def test_neighbours_stay_inside_and_come_closer() -> None:
    assert [point[0] for point in UNIT.around((1.0,), 1)] == [0.95, 1.0]
    assert [point[0] for point in UNIT.around((0.0,), 2)] == [-0.025, 0.025]


class Here(Engine):
    """Carries out tasks in this process."""

    isolates = True

    def outcomes(self, job: Job, stay: Any) -> Iterator[tuple[Any, Any]]:
        """Carry out a `map`."""
        session = job.open_session()
        for task in job.tasks:
            yield task, session.run(task, Ticker())


def leaks_near_its_clipping_point(value: float, n: int, rng: np.random.Generator) -> Any:
    """Laplace noise for [-1, 1] at epsilon = 1, far too little of it close to 0.617."""
    scale = 2.0 * min(1.0, 0.2 + 8 * abs(value - 0.617))
    return np.round(np.clip(value, -1, 1) + rng.laplace(scale=scale, size=n), 3)


def test_points_come_ever_closer_to_the_worst_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a search that always finds it: the point nearest to 0.617 against the lowest one."""

    def events(scouts: Any, tried: Any, turn: int) -> list[ChosenEvent]:
        values = [one.value for one in tried]
        nearest = min(range(len(values)), key=lambda i: abs(values[i] - 0.617))
        return [ChosenEvent("", nearest, values.index(-1.0))]

    monkeypatch.setattr(scouting._Scouts, "events", events)
    plan = CheckPlan(name="target", values=(UNIT, 5.0), claim=Claim(1.0))
    fixed, _ = refined(plan, Here(), OpenTarget(None), None)
    assert fixed.values[1:] == (-1.0, 5.0, 1.0)
    assert fixed.values[0] == pytest.approx(0.617, abs=0.1 / 2**scouting.ROUNDS)


def test_points_near_a_clipping_point_are_found() -> None:
    plan = CheckPlan(name="target", values=(UNIT,), claim=Claim(1.0), trials=6_000, seed=3)
    opener = OpenTarget(ObjectTarget(leaks_near_its_clipping_point), learn=False)
    fixed, spent = refined(plan, Here(), opener, None)
    assert {-1.0, 1.0} < set(fixed.values)
    assert min(abs(value - 0.617) for value in fixed.values) < 0.025
    assert fixed.trials + spent == 6_000
    assert spent <= 1_200


def test_with_a_small_budget_it_is_the_ends_and_the_middle() -> None:
    plan = CheckPlan(name="target", values=(UNIT,), claim=Claim(1.0), trials=1000)
    opener = OpenTarget(ObjectTarget(leaks_near_its_clipping_point), learn=False)
    fixed, spent = refined(plan, Here(), opener, None)
    assert (fixed.values, spent) == ((-1.0, 1.0, 0.0), 0)


def test_of_very_many_values_some_are_checked() -> None:
    words = tuple(f"page {i}" for i in range(10**6))
    plan = CheckPlan(name="target", values=words, claim=Claim(1.0))
    assert (len(plan.values), plan.offered) == (20, 10**6)
    assert (plan.values[0], plan.values[-1]) == (words[0], words[-1])
    steps = np.diff([words.index(word) for word in plan.values])
    assert steps.max() - steps.min() <= 1
    again = CheckPlan(name="target", values=plan.values, claim=Claim(1.0))
    assert (again.values, again.offered) == (plan.values, None)
    all_of_them = CheckPlan(name="target", values=words[:2000], claim=Claim(1.0))
    assert (len(all_of_them.values), all_of_them.offered) == (2000, None)
    with pytest.raises(AuditError, match="trials must be at least 100000"):
        CheckPlan(name="target", values=words[:1000], claim=Claim(1.0), trials=99_999)


def test_a_check_tells_of_how_many_values_some_were_checked() -> None:
    result = check(one_bit, list(range(10**6)), 1.0, trials=20_000, seed=1, learn=False)
    assert result.verdict == "violation"
    assert "2 of 1,000,000 values, sure after" in str(result)
    assert result.repeat.startswith("check(one_bit, [0, 999999], epsilon=1.0")
    assert "domain_size=1000000" in result.repeat


def one_bit(value: int, rng: np.random.Generator) -> int:
    """Whether the value is in the upper half, nine times of ten."""
    return int((value >= 500_000) == (rng.random() < 0.9))
