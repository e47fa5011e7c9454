"""Bets of a check: what Ville's inequality needs, enumerated with the choice of events."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from functools import cache

import pytest
from scipy import stats

from ldp_auditor.bounds.betting import log_wealth
from ldp_auditor.checks.bets import Bets, ChosenEvent
from ldp_auditor.core import Claim, Counts

STAGES = (2, 1, 2)
"""Pairs of reports of every stage."""

Ones = tuple[int, int]
"""Reports of 1 among those of the inputs 0 and 1."""


@cache
def outcomes(pairs: int, rates: tuple[float, float]) -> list[tuple[Ones, float]]:
    """Every count of ones among reports of the two inputs, with its probability."""
    laws = [[float(stats.binom.pmf(n, pairs, p)) for n in range(pairs + 1)] for p in rates]
    return [((a, b), p * q) for a, p in enumerate(laws[0]) for b, q in enumerate(laws[1])]


EVENTS = [ChosenEvent(f"report is {bit}", i, 1 - i) for bit in (0, 1) for i in (0, 1)]


def proposed(pairs: int, seen: Ones) -> list[ChosenEvent]:
    """The events that would have won on the reports seen so far, the best one first."""
    won = {event: counted(event, pairs, seen) for event in EVENTS}
    excess = {event: c.true_positives - math.e * c.false_positives for event, c in won.items()}
    return sorted((e for e in EVENTS if excess[e] > 0), key=lambda e: -excess[e])


def counted(event: ChosenEvent, pairs: int, ones: Ones) -> Counts:
    """Counts of an event among new reports."""
    hits, alarms = ones[event.first], ones[event.second]
    if event.words == "report is 0":
        hits, alarms = pairs - hits, pairs - alarms
    return Counts(pairs, hits, alarms)


@cache
def made_of_one(counts: Counts, at: float) -> float:
    """What betting on one event makes of 1, against `at`."""
    return math.exp(log_wealth(counts, at, 0.0))


def money(bets: Bets, at: float) -> float:
    """All money against `at`, bet by bet."""
    return bets.cash + sum(bet.money * made_of_one(bet.counts, at) for bet in bets.bets)


def after(bets: Bets, pairs: int, ones: Ones) -> Bets:
    """A copy of the bets after more reports."""
    later = replace(bets, bets=[replace(bet) for bet in bets.bets])
    later.live = [later.bets[bets.bets.index(bet)] for bet in bets.live]
    for bet in later.live:
        bet.counts += counted(bet.event, pairs, ones)
    return later


def expected(bets: Bets, seen: Ones, stage: int, rates: tuple[float, float], at: float) -> float:
    """Mean of the money against `at` at the end, after it was seen to fall at every step."""
    before = money(bets, at)
    pairs = STAGES[stage]
    total = next_step = 0.0
    for new, chance in outcomes(pairs, rates):
        later = after(bets, pairs, new)
        next_step += chance * money(later, at)
        both = seen[0] + new[0], seen[1] + new[1]
        if stage + 1 < len(STAGES):
            later.place(proposed(sum(STAGES[: stage + 1]), both))
            total += chance * expected(later, both, stage + 1, rates, at)
    assert next_step <= before * (1 + 1e-12)
    return total if stage + 1 < len(STAGES) else next_step


EDGE = (math.e / (1 + math.e), 1 / (1 + math.e))
"""Rates of randomized response with epsilon 1."""


@pytest.mark.parametrize(("rates", "at"), [(EDGE, 1.0), (EDGE[::-1], 1.5)])
def test_no_choice_of_events_wins_against_a_claim_that_holds(
    rates: tuple[float, float], at: float
) -> None:
    """On average, at every step from every past, against the true epsilon and any larger one."""
    mean = expected(Bets(Claim(1.0), 0.05, searches=2), (0, 0), 0, rates, at)
    assert 0.5 < mean <= 1 + 1e-12


def crossing(
    bets: Bets, pairs: int, seen: Ones, stages: tuple[int, ...], rates: tuple[float, float]
) -> float:
    """Probability that the money reaches 1 / alpha at a look, one after every pair of reports.

    Between two choices of events the money depends on the counts of the stage alone, so that paths
    with the same counts are one state. Before there were `pairs`, with these ones `seen`.
    """
    kept = bets.cash + sum(
        bet.money * made_of_one(bet.counts, bets.claim.epsilon)
        for bet in bets.bets
        if bet not in bets.live
    )

    def is_sure(new: int, ones: Ones) -> bool:
        won = [(bet.money, bet.counts + counted(bet.event, new, ones)) for bet in bets.live]
        at = bets.claim.epsilon
        return kept + sum(part * made_of_one(c, at) for part, c in won) >= 1 / bets.alpha

    crossed = 0.0
    states: dict[Ones, float] = {(0, 0): 1.0}
    for new in range(1, stages[0] + 1):
        following: defaultdict[Ones, float] = defaultdict(float)
        for ones, probability in states.items():
            for more, chance in outcomes(1, rates):
                following[ones[0] + more[0], ones[1] + more[1]] += probability * chance
        sure = [ones for ones in following if is_sure(new, ones)]
        crossed += sum(following.pop(ones) for ones in sure)
        states = following
    for ones, probability in states.items() if len(stages) > 1 else ():
        later = after(bets, stages[0], ones)
        both = seen[0] + ones[0], seen[1] + ones[1]
        later.place(proposed(pairs + stages[0], both))
        crossed += probability * crossing(later, pairs + stages[0], both, stages[1:], rates)
    return crossed


CORRECT = 1 / (1 + math.exp(-0.1))
"""How often randomized response with epsilon 0.1 tells the truth."""


@pytest.mark.parametrize(("alpha", "keep"), [(0.2, CORRECT), (0.5, CORRECT), (0.2, 0.98)])
def test_looking_always_at_events_of_ones_choice_is_wrong_seldom(alpha: float, keep: float) -> None:
    """By dynamic programming over all paths, events being chosen after one and after four pairs."""
    bets = Bets(Claim(0.1), alpha, searches=2)
    crossed = crossing(bets, 0, (0, 0), (1, 3, 4), (keep, 1 - keep))
    assert crossed > 0.5 if keep > CORRECT else 0 < crossed <= alpha


def test_all_money_is_the_sum_of_what_bets_made() -> None:
    bets = Bets(Claim(1.0), 0.05, searches=2)
    bets.place(proposed(5, (5, 0)))
    bets = after(bets, 7, (6, 1))
    bets.place(proposed(5, (0, 5)))
    bets.add([(bet, counted(bet.event, 9, (1, 4))) for bet in bets.live])
    assert len(bets.bets) == 4
    assert math.exp(bets.wealth.log_against(1.3)) == pytest.approx(money(bets, 1.3), rel=1e-12)


def test_a_larger_epsilon_is_disproved_later() -> None:
    """So that the largest epsilon that is disproved is a bound."""
    bets = Bets(Claim(1.0), 0.05, searches=3)
    bets.place(proposed(5, (5, 0)))
    bets.add([(bet, counted(bet.event, 40, (35, 3))) for bet in bets.live])
    money = [bets.wealth.log_against(0.1 * i) for i in range(60)]
    assert money == sorted(money, reverse=True)
    assert money[0] > 0 > money[-1]


def test_money_is_divided_before_it_is_bet_and_never_added() -> None:
    bets = Bets(Claim(1.0), 0.05, searches=4)
    for seen in ((3, 0), (0, 3), (3, 0), (3, 3)):
        bets.place(proposed(3, seen))
        assert bets.cash + sum(bet.money for bet in bets.bets) == pytest.approx(1, abs=1e-12)
    assert len(bets.bets) == 4  # what was proposed again goes on
    assert bets.cash > 0
    assert math.exp(bets.wealth.log_against(0.0)) <= 1


def test_a_bet_that_ends_keeps_what_it_has() -> None:
    bets = Bets(Claim(1.0), 0.01, searches=9)
    for i in range(6):
        bets.place([ChosenEvent(f"event {i}", 0, 1)])
        bets.add([(bet, Counts(10, 9, 1 if i else 0)) for bet in bets.live])
    ended = [bet for bet in bets.bets if bet not in bets.live]
    assert len(ended) == 2
    before = bets.wealth.log_against(1.0)
    bets.live = []
    assert bets.add([]) == (before >= math.log(100))
    assert bets.wealth.log_against(1.0) == before


def test_what_is_proposed_twice_in_the_same_words_is_counted_once() -> None:
    bets = Bets(Claim(1.0), 0.01, searches=3)
    event, other = ChosenEvent("report is 1", 0, 1), ChosenEvent("report is 2", 0, 1)
    bets.place([event])
    bets.place([event, other, event])
    assert [bet.event for bet in bets.live] == [event, other]


def test_the_verdict_stays() -> None:
    """It fell when the money was there; what is lost afterwards takes nothing back."""
    bets = Bets(Claim(1.0), 0.01, searches=1)
    bets.place([ChosenEvent("report is 1", 0, 1)])
    assert bets.add([(bets.bets[0], Counts(60, 57, 3))])
    bets.prove()
    p_value, bound = bets.p_value, bets.bound
    assert (p_value < 0.01, bound > 1) == (True, True)
    assert bets.add([(bets.bets[0], Counts(400, 200, 200))])
    bets.prove()
    assert (bets.p_value, bets.bound) == (p_value, bound)
    assert bets.wealth.log_against(1.0) < 0
