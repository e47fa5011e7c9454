"""What a check says that it would have found: held against exact chances."""

from __future__ import annotations

import math
from bisect import bisect_left

import pytest
from scipy.special import bdtr, bdtrc

from ldp_auditor.bounds.betting import log_wealth
from ldp_auditor.core import Claim, Counts
from ldp_auditor.results.check_result import CheckResult, Finding, deltas_of, power_of

N, PART, ALPHA = 300, 0.1, 0.01


def chance(claim: Claim, p: float, q: float, trials: int = N) -> float:
    """Exact probability that a bet on an event with these rates proves a violation."""
    likely = bisect_left(range(trials), 1e-4, key=lambda k: float(bdtr(k, trials, q)))
    needed = bisect_left(range(trials), 1, key=lambda h: _proves(claim, trials, h, likely))
    total = below = 0.0
    for alarms in range(likely, trials + 1):
        if alarms and bdtrc(alarms - 1, trials, q) < 1e-4:
            break
        while needed <= trials and not _proves(claim, trials, needed, alarms):
            needed += 1
        enough = float(bdtrc(needed - 1, trials, p)) if needed else 1.0
        total += (float(bdtr(alarms, trials, q)) - below) * enough
        below = float(bdtr(alarms, trials, q))
    return total


def _proves(claim: Claim, trials: int, hits: int, alarms: int) -> bool:
    won = log_wealth(Counts(trials, hits, alarms), claim.epsilon, claim.delta)
    return won + math.log(PART) >= -math.log(ALPHA)


@pytest.mark.parametrize("claim", [Claim(1.0), Claim(0.5, 0.01)])
def test_the_excess_is_proven_with_the_chance_that_is_told(claim: Claim) -> None:
    rows = power_of(claim, PART, ALPHA, 1000)
    told = [(p, excess) for p, excess in rows if excess < math.inf]
    assert len(told) >= 2
    for p, excess in told:
        q = (p - claim.delta) * math.exp(-claim.epsilon - excess)
        assert chance(claim, p, q, 1000) >= 0.9  # each count, one in twenty
        looser = (p - claim.delta) * math.exp(-claim.epsilon - 0.6 * excess)
        assert chance(claim, p, looser, 1000) < 0.9
    assert rows[-1].excess == math.inf  # one report proves nothing


@pytest.mark.parametrize("claim", [Claim(1.0), Claim(1.0, 1e-3)])
@pytest.mark.parametrize("trials", [N, 20_000])
def test_a_delta_is_seen_with_the_chance_that_is_told(claim: Claim, trials: int) -> None:
    seen, unseen = deltas_of(claim, PART, ALPHA, trials)
    assert seen is not None
    assert unseen is not None
    assert claim.delta < seen
    assert chance(claim, seen, 0.0, trials) == pytest.approx(0.9, abs=1e-6)
    assert chance(claim, unseen, 0.0, trials) == pytest.approx(0.1, abs=1e-6)


def test_no_delta_is_seen_with_too_few_reports() -> None:
    assert deltas_of(Claim(1.0, 0.01), 1e-4, 1e-6, 5) == (None, None)
    assert deltas_of(Claim(1.0, 0.01), PART, ALPHA, 0) == (None, None)


@pytest.mark.parametrize(
    ("delta", "seen", "words"),
    [
        (1e-3, 0.0021, "never has: a probability of 0.0021 (the claim allows 0.001)"),
        (1e-3, None, "no delta could have been seen with so few reports"),
        (0.0, 0.0021, ""),
    ],
)
def test_the_result_says_which_deltas_could_be_seen(
    delta: float, seen: float | None, words: str
) -> None:
    result = CheckResult(
        target="target",
        epsilon=1.0,
        delta=delta,
        values=(0, 1),
        alpha=0.01,
        seed=1,
        trials=100,
        findings=(Finding(0, 1, "report is 0", 100, 50, 40, 0.0, 1.0),),
        delta_seen=seen,
        delta_unseen=None if seen is None else seen / 2,
    )
    text = str(result)
    assert words in text
    assert ("delta" in text.split("what a bet")[1]) == bool(delta)
