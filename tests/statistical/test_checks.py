"""Checks of correct mechanisms, looked at again and again: false alarms are as rare as said."""

from __future__ import annotations

import math

import numpy as np

from ldp_auditor.checks.bets import Bets, ChosenEvent
from ldp_auditor.checks.plan import CheckPlan
from ldp_auditor.checks.recorded_reports import Recorded
from ldp_auditor.checks.sequence import conduct
from ldp_auditor.core import Claim, Counts
from tests.statistical.evidence import at_most

KEEP = np.e / (1 + np.e)
"""Randomized response between two values that is exactly as private as it claims: epsilon 1."""


def test_looking_always_at_what_was_chosen_last_is_wrong_seldom() -> None:
    """Null hypothesis: the claim holds and a verdict falls with probability alpha at most.

    Eighty runs, with a look after every pair of reports. After 4, 8 and 16 pairs the event that
    looks best so far is bet on. `benchmarks/false_alarms.py` has many more.
    """
    most = [largest_money(KEEP, seed) for seed in range(80)]
    for alpha in (0.05, 0.2):
        assert at_most(sum(money >= 1 / alpha for money in most), 80, alpha)
    assert largest_money(0.95, seed=0) >= 1 / 0.05


def largest_money(keep: float, seed: int) -> float:
    """The most that the bets of a run of 32 pairs of reports had at any look."""
    rng = np.random.default_rng(seed)
    ones = (rng.random((2, 32)) < np.array([[keep], [1 - keep]])).astype(int)
    bets = Bets(Claim(1.0), 0.05, searches=3)
    for t in range(4, 32):
        if t in (4, 8, 16):
            more = int(ones[0, :t].sum() < ones[1, :t].sum())
            bets.place([ChosenEvent("1", more, 1 - more), ChosenEvent("0", 1 - more, more)])
        counted = []
        for bet in bets.live:
            hit, alarm = (int(ones[i, t] == int(bet.event.words)) for i in _inputs(bet.event))
            counted.append((bet, Counts(1, hit, alarm)))
        bets.add(counted)
    return math.exp(bets.most)


def _inputs(event: ChosenEvent) -> tuple[int, int]:
    return event.first, event.second


def test_whole_checks_with_their_search_are_wrong_seldom() -> None:
    """Null hypothesis: the claim holds and a verdict falls with probability 0.2 at most."""
    alarms = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        plan = CheckPlan(name="bit", values=(0, 1), claim=Claim(1.0), alpha=0.2, seed=seed)
        made = [(rng.random(200) < rate).tolist() for rate in (KEEP, 1 - KEEP)]
        course = conduct(plan, Recorded(plan, made, None, learn=False))
        alarms += course.sure_after is not None
    assert at_most(alarms, 30, 0.2)
