"""Coins that are fair if calls are independent: enumerated, and as dependent clients throw them."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest

from ldp_auditor.checks import repeats
from ldp_auditor.checks.dependence import (
    AGAIN,
    DRIFT,
    EARLY,
    ECHO,
    KINDS,
    WHOLE,
    Coin,
    Doubts,
    Flips,
    alike,
    compare_objects,
    leaves_of,
    log_money,
)
from ldp_auditor.checks.repeats import Repeats
from ldp_auditor.checks.watching import Watch, groups

ALPHABET = {0: 0.6, 1: 0.3, "x": 0.1}
"""Reports with their probabilities; what cannot be ordered is among them."""


Law = Mapping[Any, float]


def sequences(calls: int, law: Law) -> Iterator[tuple[tuple[Any, ...], float]]:
    """Every sequence of independent reports, with its probability."""
    for made in product(law, repeat=calls):
        yield made, math.prod(law[report] for report in made)


def test_the_money_has_mean_one_if_calls_are_independent() -> None:
    coins = [Coin(kind) for kind in KINDS if DRIFT not in kind and kind != EARLY]
    means = dict.fromkeys(coins, 0.0)
    for made, chance in sequences(6, ALPHABET):
        flips: Flips = Counter()
        watch = Watch(0)
        watch.add(made[:2], flips)
        watch.add(made[2:], flips)
        for coin in coins:
            means[coin] += chance * math.exp(log_money(flips[coin, True], flips[coin, False]))
    assert means == {coin: pytest.approx(1.0, abs=1e-7) for coin in coins}


@pytest.mark.parametrize("others", [0, 3])
def test_money_of_what_comes_again_has_mean_one(
    others: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever lag earlier reports have chosen; calls with other inputs may be between."""
    monkeypatch.setattr(repeats, "CLEAR", 0.5)
    monkeypatch.setattr(repeats, "BLOCK", 2)
    monkeypatch.setattr(repeats, "LAGS", np.arange(1, 9))
    coin, mean, fell = Coin(AGAIN), 0.0, 0
    for made, chance in sequences(8, {0: 0.6, 1: 0.4}):
        flips: Flips = Counter()
        seen = Repeats(0)
        seen.add(made[:4], 0, flips)
        seen.add(made[4:], 4 + others, flips)
        mean += chance * math.exp(log_money(flips[coin, True], flips[coin, False]))
        fell += flips.total()
    assert mean == pytest.approx(1.0, abs=1e-7)
    assert fell > 100


def test_a_lag_counts_the_calls_with_other_inputs() -> None:
    """Of a list of 37 random numbers that is used again and again, in runs as a check has them."""
    rng = random.Random(4)
    pool = [rng.getrandbits(1) for _ in range(37)]
    flips: Flips = Counter()
    seen, at = Repeats(0), 0
    for run in (2, 30, 32, *[44] * 6):
        seen.add([pool[call % 37] for call in range(at, at + run)], at, flips)
        at += 2 * run
    assert flips[Coin(AGAIN), True] > 60
    assert flips[Coin(AGAIN), False] < 5


def test_money_of_echoes_has_mean_one_if_calls_are_independent() -> None:
    law = {(0, 1): 0.6, (1, 0): 0.3, (0, "x"): 0.1}
    coins = [Coin(f"{ECHO}report[{i}]", f"report[{1 - i}]") for i in (0, 1)]
    means = dict.fromkeys(coins, 0.0)
    for made, chance in sequences(6, law):
        flips: Flips = Counter()
        watch = Watch(0)
        watch.add(made[:4], flips)
        watch.add(made[4:], flips)
        for coin in coins:
            means[coin] += chance * math.exp(log_money(flips[coin, True], flips[coin, False]))
    assert means == {coin: pytest.approx(1.0, abs=1e-7) for coin in coins}


def test_all_coins_together_have_money_one() -> None:
    doubts = Doubts(0.01, inputs=20)
    leaves = [WHOLE, *(f"{WHOLE}[{i}]" for i in range(12))]
    order = [Coin(kind, leaf, i) for leaf in leaves for kind in KINDS for i in range(8)]
    echoes = [Coin(ECHO + a, b, i) for a in leaves for b in leaves for i in range(8) if a != b]
    again = [Coin(AGAIN, input=i) for i in range(8)]
    coins = [Coin("objects"), Coin("pairs"), *order, *echoes, *again]
    doubts.add(Counter((coin, True) for coin in coins))
    assert math.fsum(math.exp(doubts.log_part(coin)) for coin in coins) == pytest.approx(1.0)


def test_money_of_objects_has_mean_one_if_they_are_alike_by_chance_only() -> None:
    mean = 0.0
    for made, chance in sequences(8, {0: 0.7, 1: 0.3}):
        flips: Flips = Counter()
        leaves = [leaves_of((report, 1)) for report in made]
        compare_objects(leaves[:4], leaves[4:], flips)
        pairs = Coin("pairs")
        mean += chance * math.exp(log_money(flips[pairs, True], flips[pairs, False]))
    assert mean == pytest.approx(1.0, abs=1e-7)


def test_exchanging_the_later_reports_of_two_objects_turns_the_coin_round() -> None:
    rng = random.Random(3)
    for _ in range(50):
        reports = [leaves_of((rng.gauss(0, 1), rng.randint(0, 1))) for _ in range(8)]
        a, b = reports[:4], reports[4:]
        assert alike(a, b) == -alike(a[:2] + b[2:], b[:2] + a[2:]) != 0


@pytest.mark.parametrize("kind", KINDS)
def test_no_call_is_in_two_groups_of_a_kind(kind: str) -> None:
    parts = [np.array(groups(kind, start, start + 7)) for start in range(0, 140, 7)]
    np.testing.assert_array_equal(np.hstack(parts), groups(kind, 0, 140))
    calls = np.hstack(parts).ravel().tolist()
    assert len(calls) == len(set(calls)) > 30


def test_the_money_is_that_of_the_mixture() -> None:
    assert log_money(0, 0) == pytest.approx(0.0, abs=1e-8)
    # 1/2 for the first side, then (1/2 + heads) / (1 + flips), against 1/2 each.
    assert math.exp(log_money(2, 1)) == pytest.approx(2**3 * (1 / 2) * (1.5 / 2) * (0.5 / 3))


def watched(client: Callable[[], Any], calls: int, inputs: int = 2) -> str:
    """The doubt that a client's reports of one input raise."""
    doubts, watch = Doubts(0.01, inputs), Watch(0)
    for _ in range(0, calls, 50):
        flips: Flips = Counter()
        watch.add([client() for _ in range(50)], flips)
        why = doubts.add(flips)
        if why:
            return why
    return ""


class Client:
    """Reports that depend on those before."""

    def __init__(self) -> None:
        self.rng = random.Random(5)
        self.calls = 0
        self.kept = 0.0
        self.pool: list[float] = []

    def numbered(self) -> Any:
        """Tell how many reports there were."""
        self.calls += 1
        return {"number": self.calls, "bit": self.rng.randint(0, 1)}

    def alternating(self) -> Any:
        """Take turns."""
        self.calls += 1
        return self.calls % 2

    def in_turn(self) -> Any:
        """Give four answers in turn, beside noise."""
        self.calls += 1
        return ("abcd"[self.calls % 4], self.rng.random())

    def sticky(self) -> Any:
        """Keep the answer for a while."""
        if self.rng.random() < 0.2:
            self.kept = self.rng.randint(0, 3)
        return self.kept

    def walking(self) -> Any:
        """Add noise to noise."""
        self.kept += self.rng.gauss(0, 1)
        return self.kept

    def drifting(self) -> Any:
        """Tell the truth more and more often."""
        self.calls += 1
        return int(self.rng.random() < 0.05 + 0.9 * min(1.0, self.calls / 1000))

    def spent(self) -> Any:
        """Answer until the budget is spent."""
        self.calls += 1
        return self.rng.randint(0, 1) if self.calls <= 30 else -1

    def pooled(self) -> Any:
        """Use 37 random numbers again and again."""
        self.pool = self.pool or [self.rng.random() for _ in range(37)]
        self.calls += 1
        return int(self.pool[self.calls % 37] < 0.7)

    def lagging(self) -> Any:
        """Tell an answer and the one before."""
        before, self.kept = self.kept, float(self.rng.random() < 0.7)
        return (self.kept, before)

    def late_text(self) -> Any:
        """Tell in words what was a number the call before."""
        before, self.kept = self.kept, self.rng.randint(0, 3)
        return {"noise": self.rng.random(), "now": "abcd"[self.kept], "then": "abcd"[int(before)]}

    def independent(self) -> Any:
        """Nothing of this kind."""
        return (self.rng.randint(0, 3), self.rng.gauss(0, 1), self.rng.choice("ab"))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("numbered", "report['number'] rises from one call to the next"),
        ("alternating", "the report takes turns from one call to the next"),
        ("in_turn", "report[0] takes turns from one call to the next"),
        ("sticky", "the report repeats, or is close to, what the call before returned"),
        ("walking", "the report drifts: later calls make it larger"),
        ("drifting", "the report drifts: later calls make it larger"),
        ("spent", "the report is larger in the first calls than later"),
        (
            "pooled",
            "the report is what it was some calls before, as if random numbers were used again",
        ),
        ("lagging", "report[1] follows what report[0] was in the call before"),
        ("late_text", "report['then'] follows what report['now'] was in the call before"),
        ("independent", ""),
    ],
)
def test_what_depends_on_earlier_calls_is_told(name: str, why: str) -> None:
    assert watched(getattr(Client(), name), 1000) == why


def test_only_the_first_parts_of_a_report_are_watched() -> None:
    doubts = Doubts(0.01, 2)
    for i in range(12):
        doubts.add(Counter({(Coin(KINDS[0], f"{WHOLE}[{i}]"), True): 1}))
    late = Coin(KINDS[0], f"{WHOLE}[11]")
    assert doubts.add(Counter({(late, True): 1000})) == ""
    early = Coin(KINDS[0], f"{WHOLE}[3]")
    assert "report[3] repeats" in doubts.add(Counter({(early, True): 1000}))
