"""Which words the evidence has: those that a maintainer understands at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ldp_auditor import Claim
from ldp_auditor.adapters.canonical import shortened, texts_of
from ldp_auditor.checks.bets import Bet, Bets, ChosenEvent
from ldp_auditor.checks.evidence import result_of
from ldp_auditor.checks.plan import CheckPlan
from ldp_auditor.checks.search.events import Beyond, Both, Equals, Event, Not, OddSum
from ldp_auditor.checks.search.finder import Pilot
from ldp_auditor.checks.search.layout import Column
from ldp_auditor.checks.searching import search
from ldp_auditor.core import Counts

TRUTH = 0.73


def types(value: int, rng: np.random.Generator) -> Any:
    """The truth as an int, and what replaces it as NumPy has it."""
    return value if rng.random() < TRUTH else np.int64(1 - value)


def inside(value: int, rng: np.random.Generator) -> Any:
    """The same in a list."""
    return [types(value, rng)]


def multiples(value: int, rng: np.random.Generator) -> Any:
    """Value 1 has more multiples of 16."""
    wide = int(rng.integers(1 << 24))
    return wide // 16 * 16 if value and rng.random() < 0.3 else wide


def named(value: int, rng: np.random.Generator) -> Any:
    """Value 1 says a word of another length."""
    return "no" if value and rng.random() < 0.5 else f"ab{rng.integers(50)}"


@pytest.mark.parametrize(
    ("make", "words", "n"),
    [
        (types, "the report is one of 1 of type int, 0 of type int64", 32),
        (inside, "the report is one of [1], [np.int64(0)]", 32),
        (multiples, "report mod 16 is 0", 1000),
        (named, "report is 'no'", 64),
    ],
)
def test_the_clearest_words_are_shown(make: Callable[..., Any], words: str, n: int) -> None:
    rng = np.random.default_rng(4)
    reports = [[make(value, rng) for _ in range(n)] for value in (0, 1)]
    _, events, chosen = search(Pilot(reports, Claim(1.05), (0, 1)), False, 0)
    assert next(event.words for event in chosen if event.first == 1) == words
    assert [event.words for event in events] == [event.words for event in chosen]


def test_reports_that_are_written_alike_have_their_types() -> None:
    assert texts_of([1, np.int64(1), "a"]) == ["1 of type int", "1 of type int64", "'a'"]
    assert texts_of([1, 2.5], among=[np.float64(1)]) == ["1", "2.5 of type float"]
    assert texts_of([np.int64(1), np.int64(1)]) == ["1", "1"]
    assert texts_of([[1], [np.int64(1)], [2]]) == ["[1]", "[np.int64(1)]", "[2]"]
    assert texts_of([True, 1, None]) == ["True", "1", "None"]


def test_an_array_is_written_in_one_line() -> None:
    assert shortened(np.arange(60)).startswith("array([ 0,  1,  2,")
    assert "\n" not in shortened(np.arange(60))
    assert shortened("a\n  b") == r"'a\n  b'"


def test_the_code_of_a_category_is_no_bit() -> None:
    type_column = Column("report", "type(report)", "category", {"int": 0, "int64": 1})
    both = OddSum((Equals(type_column, 1.0), Equals(Column("report", "report", "number"), 1.0)))
    assert both.words == "just one of two: type(report) is 'int64'; report is 1"


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (lambda a, b: Not(Both(Not(a), b)), "report[0] is 1 or report[1] is not 1"),
        (lambda a, b: Not(Beyond(a.column, 3.0, at_least=True)), "not (report[0] >= 3)"),
        (
            lambda a, b: Not(Beyond(replace(a.column, is_everywhere=True), 3.0, at_least=True)),
            "report[0] < 3",
        ),
        (lambda a, b: Not(Both(a, b)), "not (report[0] is 1 and report[1] is 1)"),
        (lambda a, b: Beyond(a.column, 3.0, at_least=True), "report[0] >= 3"),
        (lambda a, b: Beyond(a.column, -0.0, at_least=False), "report[0] <= -0.0"),
        (lambda a, b: Beyond(a.column, 1e300, at_least=True), "report[0] >= 1e+300"),
    ],
)
def test_no_double_negation_and_no_point_of_whole_numbers(
    event: Callable[[Equals, Equals], Event], words: str
) -> None:
    bits = [Equals(Column("report", f"report[{i}]", "number"), 1.0) for i in (0, 1)]
    assert event(*bits).words == words


def test_what_was_seen_less_often_is_not_the_strongest() -> None:
    """A rare event loses little, so its bet may be worth more than one that won nothing yet."""
    claim = Claim(1.0)
    seen = [Counts(200, 1, 3), Counts(200, 80, 40)]
    bets = [
        Bet(ChosenEvent(f"event {i}", 0, 1), 0, i, 0.3, counts=counts)
        for i, counts in enumerate(seen)
    ]
    assert bets[0].rank(claim) > bets[1].rank(claim)
    result = result_of(course_of(claim, bets), 0.0, False)
    assert [finding.event for finding in result.findings] == ["event 1", "event 0"]
    assert result.best.event == "event 1"


def course_of(claim: Claim, made: list[Bet]) -> Any:
    """A course whose bets have come to an end."""
    bets = Bets(claim, 0.01, 1, cash=0.5, bets=made, live=list(made), last_money=0.3)
    bets.add([])
    bets.prove()
    return SimpleNamespace(
        plan=CheckPlan(name="x", values=(0, 1), claim=claim),
        bets=bets,
        since_search=200,
        searched=32,
        source=SimpleNamespace(reports=464, notes=()),
        sure_after=464 if bets.is_sure else None,
    )


@pytest.mark.parametrize(("alarms", "is_told"), [(0, True), (90, False)])
def test_an_artefact_is_told_where_it_breaks_the_claim(alarms: int, is_told: bool) -> None:
    event = ChosenEvent("lowest bit of report <= -52", 0, 1)
    bet = Bet(event, 0, 0, 0.5, counts=Counts(200, 100, alarms))
    text = str(result_of(course_of(Claim(1.0), [bet]), 0.0, False))
    assert ("VIOLATION" in text) == ("a floating-point artefact" in text) == is_told
