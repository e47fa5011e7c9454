"""What `explore` answers besides curves: which epsilon keeps a limit, bets, views to take along."""

from __future__ import annotations

import itertools
import math
import shlex
from typing import Any
from urllib.parse import parse_qsl

import pytest

from ldp_auditor.audits.chunks import Chunks, Piece
from ldp_auditor.audits.interface import plan_audit
from ldp_auditor.bounds.betting import betting_bound, log_wealth
from ldp_auditor.core import Counts
from ldp_auditor.errors import AuditError
from ldp_auditor.exploring.curves import GRIDS
from ldp_auditor.exploring.exact import exact_at
from ldp_auditor.exploring.finding import limiting_epsilons, read_limit
from ldp_auditor.exploring.settings import read_setting
from ldp_auditor.exploring.view import START, view
from ldp_auditor.exploring.wealth import Bet, wealth_for_page
from tests.exploring import ASKED


def setting(**changed: Any) -> Any:
    return read_setting({**ASKED, **changed})


def found(limited: str, most: float, **changed: Any) -> dict[str, Any]:
    rows = limiting_epsilons(setting(**changed), limited, most)["rows"]
    return {row["protocol"]: row for row in rows}


def test_the_largest_epsilon_keeps_the_limit_and_the_next_one_does_not() -> None:
    names = ["GRR", "OUE", "THE", "L-SUE", "SMP[GRR]"]
    for name, row in found("attack", 1.5, protocols=names).items():
        epsilon = row["epsilon"]
        assert row["words"] == f"{epsilon:.4f}"
        at, beyond = (
            exact_at(setting(protocols=[name], epsilon=each), name).attack
            for each in (epsilon, epsilon + 1e-4)
        )
        assert at is not None
        assert beyond is not None
        assert at <= 1.5 < beyond


def test_the_worst_case_of_grr_is_its_epsilon() -> None:
    row = found("worst", 3.21, protocols=["GRR"])["GRR"]
    assert row["epsilon"] == pytest.approx(3.21, abs=1e-4)


def test_the_smallest_epsilon_keeps_the_error_and_a_smaller_one_does_not() -> None:
    # L-SUE is defined below its epsilon of all reports, GM up to 1.
    for name, row in found("error", 0.05, protocols=["GRR", "OUE", "L-SUE", "GM"]).items():
        at, below = (
            exact_at(setting(protocols=[name], epsilon=each), name).error
            for each in (row["epsilon"], row["epsilon"] - 1e-4)
        )
        assert at is not None
        assert below is not None
        assert at <= 0.05 < below
    assert found("error", 1e-9)["GRR"]["words"] == "none up to 10"
    assert found("error", 1e9)["GRR"]["words"] == "0.01 and less"


def test_limits_that_all_or_none_keep() -> None:
    assert found("attack", 11)["GRR"] == {
        "protocol": "GRR",
        "epsilon": 10.0,
        "words": "10 and more",
    }
    nothing = found("worst", 0.005)["GRR"]
    assert (nothing["epsilon"], nothing["words"]) == (None, "none from 0.01")
    unknown = found("attack", 1, protocols=["PI-RAPPOR"])["PI-RAPPOR"]
    assert (unknown["epsilon"], unknown["words"]) == (None, "not known here")
    assert found("attack", 1, protocols=["LHO", "GRR"]).keys() == {"GRR"}


@pytest.mark.parametrize(
    ("limited", "most", "argument"),
    [("attack", 0, "most"), ("attack", None, "most"), ("worst", "2", "most"), ("x", 1, "limited")],
)
def test_wrong_limits_name_their_field(limited: Any, most: Any, argument: str) -> None:
    with pytest.raises(AuditError) as raised:
        read_limit({"limited": limited, "most": most})
    assert raised.value.argument == argument


def bet_on(hits: tuple[int, int], trials: int = 900_000) -> Bet:
    """A bet on an audit of GRR of which every chunk has the same hits."""
    plan = plan_audit("GRR", epsilon=1.0, domain_size=2, trials=trials, bound="betting")
    chunks = Chunks(plan, ())
    bet = Bet(chunks, "GRR", 0, 1.0, 0.8)
    for chunk, side in itertools.product(range(chunks.chunks), (1, 0)):
        bet.add(Piece(side, chunk, chunk + 1), hits[side])
    return bet


def test_a_bet_has_the_wealth_of_its_counts() -> None:
    bet = bet_on((60_000, 30_000))
    assert bet.chunks.chunks == 4
    assert bet.counts == Counts(900_000, 240_000, 120_000)
    assert bet.trials == [262_144, 524_288, 786_432, 900_000]
    assert bet.proven == pytest.approx(betting_bound(bet.counts, 0.01, 0.0))
    for epsilon, log in zip(bet.against, bet.logs[-1], strict=True):
        assert log * math.log(10) == pytest.approx(log_wealth(bet.counts, epsilon, 0.0))
    assert bet.logs[-1][0] < 0 < bet.logs[-1][1]
    assert bet.words.startswith("GRR, 900,000 trials: proven so far ε ≥ 0.6")


def test_what_was_proven_earlier_says_after_how_many_trials() -> None:
    """The first two chunks find much, the others nothing more than chance."""
    chunks = bet_on((0, 0)).chunks
    bet = Bet(chunks, "GRR", 0, 1.0, 0.8)
    for chunk, found in enumerate([(60_000, 30_000)] * 2 + [(40_000, 40_000)] * 2):
        for side in (0, 1):
            bet.add(Piece(side, chunk, chunk + 1), found[side])
    assert "ε ≥ 0.6" in bet.words
    assert " (after 524,288 of them); a bet of 1 against the claim ε = 1 is now " in bet.words


def test_bets_are_placed_in_the_order_of_the_chunks() -> None:
    chunks = bet_on((0, 0)).chunks
    bet = Bet(chunks, "GRR", 0, 1.0, 0.8)
    bet.add(Piece(0, 1, 2), 9)
    bet.add(Piece(1, 1, 2), 4)
    bet.add(Piece(0, 0, 1), 5)
    assert not bet.has_begun
    assert wealth_for_page([bet]) is None
    bet.add(Piece(1, 0, 1), 2)
    assert bet.trials == [524_288]
    assert bet.counts == Counts(524_288, 14, 6)


def test_the_wealth_is_drawn_up_to_what_matters() -> None:
    claim, *weaker, enough = bet_on((90_000, 1_000)).figure.lines
    assert (claim.role, enough.role) == ("claimed", "limit")
    assert list(enough.y) == pytest.approx([2.0] * len(enough.y))
    assert all(list(line.y) == pytest.approx([0.0, 8.0, 8.0, 8.0, 8.0]) for line in weaker)
    assert [line.name.split(",")[0] for line in weaker] == [
        f"against {part}% of what the attack shows" for part in (50, 90, 99)
    ]
    shown = wealth_for_page([bet_on((60_000, 30_000)), bet_on((60_000, 30_000))])
    assert shown is not None
    assert (len(shown["words"]), shown["figure"]["start"]) == (2, 1)


def test_a_view_has_a_row_for_every_place() -> None:
    shown = view(["GRR", "LHO"], over="reports", epsilon=0.5, reports=7, domain_size=2)
    assert len(shown.rows) == 2 * (len(GRIDS["reports"]) + 1)
    rows = {(row["mechanism"], row["reports"]): row for row in shown.rows}
    assert rows["GRR", 7]["claimed_epsilon"] == 3.5
    assert rows["LHO", 7]["claimed_epsilon"] == math.inf
    assert shown.to_dict()["rows"][-1]["claimed_epsilon"] == "inf"
    drawn = {line.name: line for line in shown.figure().lines}
    at = list(drawn["GRR, attack"].x).index(7)
    assert drawn["GRR, attack"].y[at] == rows["GRR", 7]["attack_epsilon"]
    (error, *_) = shown.figure("error").lines
    assert error.y[at] == rows["GRR", 7]["standard_error"]


def test_a_view_tells_what_decides_its_numbers() -> None:
    paper = view(["GRR"], epsilon=2.5)
    words = shlex.split(paper.command)
    assert words[:5] == ["ldp-auditor", "explore", "GRR", "--over", "epsilon"]
    assert "--delta" not in words
    assert "--trials" not in words
    optimal = view(["AGRR"], attack="optimal").command
    assert "--delta 1e-05" in optimal
    assert "--trials 1000000" in optimal


def test_the_address_has_the_whole_view() -> None:
    shown = view(["RS+FD[GRR]", "GRR"], over="domain_size", attributes=4)
    told = dict(parse_qsl(shown.fragment, strict_parsing=True))
    assert told["protocols"] == "GRR,RS+FD[GRR]"
    assert told.keys() == {*START, "axis"}
    assert (told["attributes"], told["axis"], told["delta"]) == ("4", "domain_size", "1e-05")
