"""What is said of many audits together."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ldp_auditor.core import Claim, verdict_on
from ldp_auditor.results.violations import ViolationCount, explained_by_chance


def row(key: str, verdict: str = "no-violation-found", **more: Any) -> dict[str, Any]:
    usual = {"mechanism": "GRR", "reports": 1, "alpha": 0.01, "epsilon": 1.0}
    usual["bound"] = "clopper-pearson"
    return {**usual, "key": key, "verdict": verdict, **more}


def test_a_verdict_compares_what_is_proven_with_the_claim() -> None:
    assert verdict_on(Claim(1.0), 1.0) == "no-violation-found"
    assert verdict_on(Claim(1.0), math.nextafter(1.0, 2)) == "violation"
    assert verdict_on(Claim(math.inf), math.inf) == "no-violation-found"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([row("a")], "no violation found in 1 audit"),
        ([row("a"), row("a")], "no violation found in 1 audit"),
        ([row("a", epsilon=math.inf)], "1 audit without a claim, so that none could be broken"),
        (
            [row("a"), row("b", epsilon=math.inf)],
            "no violation found in 1 audit and 1 more without a claim",
        ),
        (
            [*(row(str(n)) for n in range(1998)), row("x", "violation"), row("y", "violation")],
            "2 violations in 2,000 audits; if every claim were true, chance alone would show 20 on "
            "average at most",
        ),
        (
            [row("a", "violation"), row("b", mechanism="OUE")],
            "1 violation in 2 audits (GRR 1); if every claim were true, chance alone would show "
            "0.02 on average at most",
        ),
        (
            [row(f"{n} {m}", "violation", mechanism=f"M{n}") for n in range(7) for m in range(n)],
            "21 violations in 21 audits (M6 6, M5 5, M4 4, M3 3, M2 2 and 1 more); if every claim "
            "were true, chance alone would show 0.21 on average at most",
        ),
        (
            [row("a", "violation", claimed_epsilon=5.0), row("a", reports=2, alpha=0.05)],
            "1 violation in 2 audits; if every claim were true, chance alone would show 0.06 on "
            "average at most",
        ),
        (
            [row("a", "violation", bound="jeffreys"), row("b")],
            "1 violation in 2 audits; if every claim were true, chance alone would show about 0.02",
        ),
        ([], "no audits"),
    ],
)
def test_the_count_in_words(rows: list[dict[str, Any]], words: str) -> None:
    assert ViolationCount.of_rows(rows).words == words


def test_what_chance_explains() -> None:
    assert explained_by_chance(20, 2000, 0.01)
    assert not explained_by_chance(40, 2000, 0.01)
    assert not explained_by_chance(1, 1, 0.01)
