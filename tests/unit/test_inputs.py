"""Kinds of inputs: what they take, how pairs are written, which input a guess names."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, default_rng

from ldp_auditor import AuditError, AuditPlan, AuditResult, Claim, Grid, InputPair, audit
from ldp_auditor.inputs import (
    Ball,
    Categories,
    Cells,
    Inputs,
    Names,
    Numbers,
    Places,
    Records,
    UnitVectors,
    in_words,
)
from ldp_auditor.results.table import result_of, rows_of

KINDS: dict[str, tuple[Inputs, Any, str]] = {
    "categories": (Categories(5), (3, 1), "3,1"),
    "records": (Records((3, 4)), ((0, 3), (2, 0)), "0,3:2,0"),
    "numbers": (Numbers(-1, 1), (-0.25, 1.0), "-0.25,1"),
    "unit vectors": (UnitVectors(3), ((1.0, 0.0, 0.0), (0.0, 0.6, -0.8)), "[1,0,0]:[0,0.6,-0.8]"),
    "ball": (Ball(2, "l1"), ((0.5, -0.5), (0.0, 0.0)), "[0.5,-0.5]:[0,0]"),
    "places": (Places(2, 0, 10), ((1.5, 2.0), (9.0, 10.0)), "[1.5,2]:[9,10]"),
}

kinds = pytest.mark.parametrize(("inputs", "pair", "written"), KINDS.values(), ids=list(KINDS))


@kinds
def test_a_pair_is_read_in_any_form(inputs: Inputs, pair: Any, written: str) -> None:
    expected = InputPair(*pair)
    listed = json.loads(json.dumps(pair))
    forms = [pair, expected, listed, [np.array(side) for side in pair], written]
    assert [inputs.pair(form) for form in forms] == [expected] * len(forms)
    assert str(expected) == written
    assert inputs.pair(str(inputs.default_pair)) == inputs.default_pair
    assert type(inputs.pair(written).first) is type(expected.first)
    assert in_words(expected)


@kinds
def test_inputs_of_another_kind_are_refused(inputs: Inputs, pair: Any, written: str) -> None:
    bad: list[Any] = [3, "1", (0, 1, 2), ("a", "b"), ((0, 1, 2, 3), 1), (math.nan, 0), (None, 0)]
    for given in [*bad, (pair[0], pair[0]), (pair[0], 1e300)]:
        with pytest.raises(AuditError) as refusal:
            inputs.pair(given)
        assert refusal.value.argument == "pair"


WORDS = {
    "apple:pear": ("apple", "pear"),
    "apple,pear": ("apple", "pear"),
    "\u00e9t\u00e9:nan": ("\u00e9t\u00e9", "nan"),
    '"1":"2"': ("1", "2"),
    '"a, b: c":"say \\"d:e\\""': ("a, b: c", 'say "d:e"'),
    "https,ftp": ("https", "ftp"),
}


@pytest.mark.parametrize(("written", "words"), WORDS.items())
def test_words_are_read_in_any_form(written: str, words: tuple[str, str]) -> None:
    inputs, expected = Names(5), InputPair(*words)
    assert inputs.pair(written) == inputs.pair(list(words)) == expected
    assert inputs.pair(str(expected)) == expected
    assert words[0] in in_words(expected)
    assert inputs.pair("3,1") == InputPair(3, 1)


@pytest.mark.parametrize(
    "given", ["apple,1", "0.5,1.5", '"",b', "a", "a:b:c", ("a", "b\n"), ("a", "x" * 10_001), "9,1"]
)
def test_what_is_no_pair_of_words_is_refused(given: Any) -> None:
    with pytest.raises(AuditError) as refusal:
        Names(5).pair(given)
    assert refusal.value.argument == "pair"
    assert "\n" not in str(refusal.value)


def test_words_in_grids_and_tables() -> None:
    common: dict[str, Any] = {"protocol": "CMS", "epsilon": 1, "domain_size": 9, "trials": 100}
    written, listed = Grid.of(pair='"a b":c', **common), Grid.of(pair=["a b", "c"], **common)
    assert written.cells[0].key == listed.cells[0].key
    plain = audit("CMS", epsilon=1, domain_size=9, trials=100, pair=("a b", "c")).to_dict()
    (row,) = rows_of({"results": [plain], "key": "k"}, 1.0)
    assert result_of(row).pair == InputPair("a b", "c")


def test_a_guess_names_a_word_by_its_number() -> None:
    accused = Names(5, ("apple", "pear")).attributed(
        np.array([0, 1, 2, 1]), InputPair("pear", "apple"), default_rng(1)
    )
    assert accused.tolist() == [False, True, False, True]


@pytest.mark.parametrize(
    ("inputs", "given", "message"),
    [
        (Categories(5), (0, 5), r"an input must lie in 0\.\.4 \(domain_size=5\), got 5"),
        (Categories(5), "0,x", "an input must be a whole number, got 'x'"),
        (Records((2, 3)), "0,1", "an input must be a record of 2 values"),
        (Numbers(-1, 1), "-1,2", r"an input must lie in \[-1, 1\], got 2.0"),
        (Numbers(-1, 1), "-1", "pair must be two numbers such as -1,1, got -1"),
        (UnitVectors(2), "[1,0]:[1,1]", "must have length 1, got length 1.41421; divide it by"),
        (Ball(2, "linf"), "[1,0]:[0,1.5]", "must have linf norm 1 at most, got norm 1.5"),
        (Ball(2, "l1"), "[1,0]:[1,0.5]", "must have l1 norm 1 at most, got norm 1.5"),
        (Places(2, 0, 1), "[0,0]:[0,2]", r"a coordinate of an input must lie in \[0, 1\]"),
        (Cells(2, 4), "[0,0]:[0,4]", "a coordinate of an input must be at most 3, got 4$"),
        (Places(2), "[0]:[0,2]", "an input must be a list of 2 numbers"),
        (Places(2), "[0,0:[1,2]", r"an input must be a list of 2 numbers, got \[0,0"),
        (Places(2), "[0,0]:1,2]", r"an input must be a list of 2 numbers, got 1,2\]"),
        (Places(2), "[0,0]:[1,2]]", "a coordinate of an input must be a number"),
    ],
)
def test_what_is_wrong_is_said(inputs: Inputs, given: Any, message: str) -> None:
    with pytest.raises(AuditError, match=message):
        inputs.pair(given)


def test_the_default_pair_is_as_far_apart_as_can_be() -> None:
    assert Numbers(-1, 1).default_pair == InputPair(-1.0, 1.0)
    assert UnitVectors(3).default_pair == InputPair((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    assert Ball(2, "linf", 3.0).default_pair == InputPair((-3.0, -3.0), (3.0, 3.0))
    assert Ball(2, "l1").default_pair == InputPair((-1.0, 0.0), (1.0, 0.0))
    assert Places(2, 0, 5).default_pair == InputPair((0.0, 0.0), (5.0, 5.0))
    assert Categories(9).default_pair == InputPair(0, 1)
    sizes = [kind.size for kind in (Categories(9), Records((2, 7)), Numbers(), UnitVectors(2))]
    assert sizes == [9, 7, None, None]


def test_a_guess_names_the_nearer_input() -> None:
    guesses = np.array([-7.0, 0.2, 0.3, 5.0])
    named = Numbers(-1, 1).attributed(guesses, InputPair(0.0, 0.5), default_rng(0))
    assert named.tolist() == [True, True, False, False]
    points = np.array([[0.0, 3.0], [3.0, 0.1], [-1.0, -1.0]])
    near = UnitVectors(2).attributed(points, InputPair((0.0, 1.0), (1.0, 0.0)), default_rng(0))
    assert near.tolist()[:2] == [True, False]
    ties = Numbers(-1, 1).attributed(np.zeros(64), InputPair(-1.0, 1.0), default_rng(1))
    assert 0 < np.count_nonzero(ties) < 64


@dataclass(frozen=True)
class Rounding:
    """A user's own mechanism for numbers, which sends the sign of what it is given."""

    epsilon: float = 1.0
    name = "Rounding"
    inputs = Numbers(-1, 1)

    @property
    def claim(self) -> Claim:
        return Claim(self.epsilon)

    def privatize(self, value: float, n: int, rng: Generator) -> Any:
        return np.where(rng.random(n) < (1 + value) / 2, 1.0, -1.0)

    def guess(self, reports: Any, rng: Generator) -> Any:
        return reports


def test_a_mechanism_for_numbers_is_audited() -> None:
    result = audit(Rounding(), trials=1000, pair="-0.5,0.5")
    plain = json.loads(json.dumps(result.to_dict()))
    assert (plain["domain_size"], plain["pair"]) == (None, [-0.5, 0.5])
    assert AuditResult.from_dict(plain).to_dict() == plain
    assert result.to_rows()[0]["pair"] == "-0.5 0.5"
    assert "Rounding, attack paper on numbers -0.5 and 0.5" in str(result)
    default = AuditPlan(mechanism=Rounding())
    assert default.pair == InputPair(-1.0, 1.0)
    assert default.stream == AuditPlan(mechanism=Rounding(), pair="-1,1").stream  # type: ignore[arg-type]
    assert default.stream != AuditPlan(mechanism=Rounding(), pair=InputPair(1.0, -1.0)).stream
    with pytest.raises(AuditError, match="domain_size: its inputs are no categories"):
        audit("tests.unit.test_inputs:Rounding", epsilon=1, domain_size=5, trials=10)


def test_pairs_of_grids_are_those_of_the_command_line() -> None:
    common: dict[str, Any] = {"protocol": "tests.unit.test_inputs:Rounding", "epsilon": 1}
    written, listed = Grid.of(pair="-1,0.5", **common), Grid.of(pair=[-1, 0.5], **common)
    assert written.cells[0].key == listed.cells[0].key
    assert len(Grid.of(pair=[[-1, 1], [-1, 0]], **common).cells) == 2
    records: dict[str, Any] = {"protocol": "SPL[GRR]", "epsilon": 1, "domain_sizes": [3, 4]}
    written = Grid.of(pair="0,3:1,0", **records)
    assert written.cells[0].key == Grid.of(pair=[[[0, 3], [1, 0]]], **records).cells[0].key
