"""Values as Python users give them: numbers of NumPy, words, truth values, lists of any kind."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from ldp_auditor import (
    AuditError,
    AuditPlan,
    AuditResult,
    AuditResults,
    Choice,
    Claim,
    Comparison,
    Explanation,
    Grid,
    Simulation,
    Stopping,
    audit,
    audit_over_time,
    compare,
    estimation,
    make,
    sweep,
)
from ldp_auditor.errors import number, of_kind, whole_number

USUAL: dict[str, Any] = {"epsilon": 1.0, "domain_size": 4, "trials": 1000}


@pytest.mark.parametrize(
    "given",
    [
        {"trials": np.float32(1000), "seed": np.uint8(3), "domain_size": np.int64(4)},
        {"trials": np.float64(1000), "epsilon": np.float32(1), "alpha": np.float64(0.01)},
        {"epsilon": np.int8(1), "domain_size": 4.0, "workers": np.float16(1)},
    ],
)
def test_numbers_of_numpy_are_numbers(given: dict[str, Any]) -> None:
    settings = {**USUAL, "seed": 3}
    result = audit("OLH", **{**settings, **given}, hash_range=np.int16(3))
    assert result.counts == audit("OLH", **settings, hash_range=3).counts
    assert type(result.trials) is int
    assert json.loads(json.dumps(result.to_dict()))["hash_range"] == 3


@pytest.mark.parametrize("name", ["trials", "seed", "workers", "epsilon", "domain_size", "alpha"])
def test_truth_values_are_no_numbers(name: str) -> None:
    with pytest.raises(AuditError, match=f"{name} must be a (whole )?number, got {name}=True"):
        audit("GRR", **{**USUAL, name: True})
    with pytest.raises(AuditError, match=f"{name} must be a"):
        audit("GRR", **{**USUAL, name: "1"})


def test_what_is_a_number() -> None:
    assert number("x", np.float32(0.5)) == 0.5
    assert of_kind("gamma", float, "1e-1") == 0.1  # words are read as the command line gives them
    assert whole_number("x", np.float32(8), 1) == 8
    for wrong in (True, "8", 8.5, math.nan, math.inf, np.bool_(True), None, [8]):
        with pytest.raises(AuditError, match="x must be a whole number"):
            whole_number("x", wrong, 1)


@pytest.mark.parametrize("reports", [[5, 10], (5,), {5}, range(5, 6), np.array([5, 10])])
def test_several_numbers_of_reports_are_told_where_they_go(reports: Any) -> None:
    with pytest.raises(AuditError, match="audit_over_time takes several"):
        audit("OUE", reports=reports, **USUAL)
    taken = audit_over_time("OUE", reports, **USUAL)
    assert [result.reports for result in taken] == sorted(reports)


def test_one_number_of_reports_over_time() -> None:
    assert [result.reports for result in audit_over_time("OUE", 5, **USUAL)] == [5]


def test_audits_over_time_are_kept_in_a_folder(tmp_path: Path) -> None:
    first = audit_over_time("OUE", [1, 5], out=tmp_path, **USUAL)
    again = audit_over_time("OUE", [1, 5], out=tmp_path, **USUAL)
    assert again == first  # the seconds, too
    assert first[0].seconds > 0


@pytest.mark.parametrize("setting", ["bound", "attack"])
def test_a_list_is_no_name(setting: str) -> None:
    with pytest.raises(AuditError, match=f"unknown {setting}"):
        audit("GRR", **{**USUAL, setting: ["paper"]})


@pytest.mark.parametrize("wrong", ["GRR", None, 5])
def test_names_come_in_a_list(wrong: Any) -> None:
    with pytest.raises(AuditError, match="protocols must be a list of names"):
        compare(wrong, **USUAL)
    with pytest.raises(AuditError, match="among must be a list of names"):
        compare(among=wrong, **USUAL)


@pytest.mark.parametrize("wrong", ["grid.toml", {"protocol": "GRR"}, None])
def test_a_sweep_takes_a_grid(wrong: Any) -> None:
    with pytest.raises(AuditError, match="grid must be a Grid, as"):
        sweep(wrong)


def test_a_rule_of_stopping_is_a_setting_of_a_grid() -> None:
    rule = Stopping(0.1, 5000)
    (cell,) = Grid.of(protocol="GRR", epsilon=1, domain_size=4, trials=rule).cells
    by_words = Grid.of(
        protocol="GRR", epsilon=1, domain_size=4, trials="auto", precision=0.1, max_trials=5000
    )
    assert cell.key == by_words.cells[0].key


class Own:
    """A mechanism from elsewhere, whose options are not those of JSON."""

    name = "own"
    claim = Claim(1.0)
    domain_size = 3

    def __init__(self, **options: Any) -> None:
        self.options = options

    def privatize(self, value: int, n: int, rng: Generator) -> Any:
        return rng.integers(0, 3, n)

    def guess(self, reports: Any, rng: Generator) -> Any:
        return reports


def test_any_options_are_kept(tmp_path: Path) -> None:
    options = {
        "shift": np.int64(3),
        "large": 10**30,
        "unlimited": math.inf,
        "parts": [1, 2],
        "nested": {"a": 1},
    }
    result = audit(Own(**options), trials=100, out=tmp_path)
    assert result.options == {
        "shift": 3,
        "large": str(10**30),
        "unlimited": math.inf,
        "parts": (1, 2),
        "nested": "{'a': 1}",
    }
    assert audit(Own(**options), trials=100, out=tmp_path) == result
    assert audit(Own(**{**options, "shift": 4}), trials=100, out=tmp_path).options["shift"] == 4


def test_an_option_does_not_take_the_place_of_an_entry() -> None:
    result = audit(Own(epsilon=5.0, trials=7, option_x=1), trials=100)
    plain = result.to_dict()
    assert (plain["epsilon"], plain["trials"]) == (1.0, 100)
    assert (plain["option_epsilon"], plain["option_trials"]) == (5.0, 7)
    assert AuditResult.from_dict(plain) == result
    (row,) = result.to_rows()
    assert (row["epsilon"], row["option_epsilon"]) == (1.0, 5.0)


@pytest.mark.parametrize(
    "kind", [AuditResult, AuditResults, Comparison, Explanation, Choice, Simulation]
)
@pytest.mark.parametrize("wrong", [None, [], {}, {"results": [1]}, {"results": []}, "text"])
def test_what_is_no_result_is_refused(kind: Any, wrong: Any) -> None:
    if (kind, wrong) == (AuditResults, {"results": []}):
        return
    with pytest.raises(AuditError):
        kind.from_dict(wrong)


def test_a_changed_plan_is_checked_again() -> None:
    plan = AuditPlan(mechanism=make("GRR", epsilon=1, domain_size=4))
    given: dict[str, Any] = {"trials": 1e6, "seed": np.int32(7), "reports": range(1, 4)}
    changed = replace(plan, **given)
    assert (changed.trials, changed.seed, changed.reports) == (10**6, 7, (1, 2, 3))
    given = {"metric": lambda first, second: 2.0}
    assert (replace(plan, **given).distance, type(replace(plan, **given).metric)) == (2.0, str)
    wrong: dict[str, Any] = {
        "metric": 5,
        "trials": True,
        "seed": -1,
        "pair": (0, 9),
        "alpha": "small",
    }
    for name, value in wrong.items():
        with pytest.raises(AuditError, match="must"):
            replace(plan, **{name: value})


def test_a_named_protocol_that_cannot_take_part_is_told_with_the_others() -> None:
    found = compare(["GRR", "GM"], **{**USUAL, "epsilon": 2})
    assert "GM was left out: GM is defined for epsilon <= 1 only" in str(found)


def test_a_named_protocol_may_claim_nothing_in_a_comparison() -> None:
    settings: dict[str, Any] = {**USUAL, "epsilon": math.inf}
    (found,) = compare(["LHO"], **settings).results
    assert found.counts == audit("LHO", **settings).counts
    for refused in (["GRR"], []):
        with pytest.raises(AuditError, match="epsilon must be finite, got epsilon=inf"):
            compare(refused, **settings)


def test_truth_values_are_inputs() -> None:
    yes_or_no = make("GRR", epsilon=1, domain_size=2)
    assert yes_or_no.privatize(True, 3, np.random.default_rng(0)).shape == (3,)
    (found,) = estimation.simulate(yes_or_no, {True: 6, False: 2})
    assert found.frequencies.tolist() == [0.25, 0.75]
