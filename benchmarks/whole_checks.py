"""How often whole checks disprove a claim that holds, and doubt calls that are independent.

    python benchmarks/whole_checks.py [--scale 1.0] [--seed 0] [--only NAME]

First table: every run is a check with its own search, of 128 reports of each of two inputs that are
exactly as private as claimed, with searches at 32 and 64 and a look after every pair of reports.
Second table: every run watches 24 objects and 400 calls of each of two inputs, as the first worker
of a check does, with a look after every 50 calls; the money is that of all coins together. One run
counts for both alphas. The last columns are 99.9% upper limits by Clopper and Pearson. `--scale`
multiplies the numbers of runs.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy import stats

from ldp_auditor.bounds.betting import log_wealth
from ldp_auditor.checks.bets import Bet, Bets
from ldp_auditor.checks.dependence import Doubts, Flips, compare_objects, leaves_of
from ldp_auditor.checks.plan import CheckPlan
from ldp_auditor.checks.recorded_reports import Recorded
from ldp_auditor.checks.sequence import Course
from ldp_auditor.checks.watching import Watch
from ldp_auditor.core import Claim, Counts

CLAIM = Claim(1.0)
REPORTS = 128
ALPHAS = (0.05, 0.2)
TRUTH = math.e / (1 + math.e)

Rng = np.random.Generator


@cache
def wealth(trials: int, hits: int, alarms: int) -> float:
    """What a bet has made of 1."""
    return math.exp(log_wealth(Counts(trials, hits, alarms), CLAIM.epsilon, CLAIM.delta))


class Continuously(Recorded):
    """Reports that are there, with a look at all money after every pair."""

    def __init__(self, plan: CheckPlan, made: Sequence[Sequence[Any]], bets: Bets) -> None:
        super().__init__(plan, made, None, learn=False)
        self.bets = bets
        self.most = 1.0

    def draw(
        self, inputs: Sequence[int], n: int, bets: Sequence[Bet], keep: bool
    ) -> Iterator[list[tuple[Bet, Counts]]]:
        """Look at `n` more reports of each of these inputs, one by one."""
        parts = {i: self.following(i, n, keep) for i in inputs}
        self.reports += n * len(inputs)
        ended = [bet for bet in self.bets.bets if bet not in bets]
        money = np.full(n, self.bets.cash + sum(worth(bet, bet.counts) for bet in ended))
        counted = []
        for bet in bets:
            layout, events = self.found[bet.search]
            both = (parts[i] for i in (bet.event.first, bet.event.second))
            held = (events[bet.place].holds(part, layout.table(part)) for part in both)
            hits, alarms = (np.cumsum(one).tolist() for one in held)
            path = [Counts(t + 1, hits[t], alarms[t]) for t in range(n)]
            money += [worth(bet, bet.counts + counts) for counts in path]
            counted.append((bet, path[-1]))
        self.most = max(self.most, float(money.max()))
        if bets:
            yield counted


def worth(bet: Bet, counts: Counts) -> float:
    """What a bet is worth after these reports."""
    return bet.money * wealth(counts.trials, counts.true_positives, counts.false_positives)


def bit(value: int, n: int, rng: Rng) -> list[Any]:
    """Randomized response between two values, epsilon 1."""
    return list(map(int, rng.random(n) < (TRUTH if value else 1 - TRUTH)))


def category(value: int, n: int, rng: Rng) -> list[Any]:
    """Randomized response over four values, epsilon 1, as strings."""
    kept = rng.random(n) < math.e / (3 + math.e)
    other = rng.integers(1, 4, n)
    return [f"v{v}" for v in np.where(kept, value, (value + other) % 4)]


def bits(value: int, n: int, rng: Rng) -> list[Any]:
    """Optimized unary encoding of four values, epsilon 1."""
    made = rng.random((n, 4)) < 1 / (1 + math.e)
    made[:, value] = rng.random(n) < 0.5
    return list(made.astype(int).tolist())


def number(value: int, n: int, rng: Rng) -> list[Any]:
    """Laplace noise on 0 and 1, epsilon 1, in hundredths."""
    return list(np.round(value + rng.laplace(size=n), 2).tolist())


def pair(value: int, n: int, rng: Rng) -> list[Any]:
    """Two answers of epsilon 1/2 each, in one tuple."""
    truth = 1 / (1 + math.exp(-0.5))
    answers = rng.random((n, 2)) < (truth if value else 1 - truth)
    return list(map(tuple, answers.astype(int).tolist()))


def message(value: int, n: int, rng: Rng) -> list[Any]:
    """Randomized response in a mapping, with a nonce."""
    nonces = rng.integers(0, 2**32, n).tolist()
    return [{"nonce": x, "answer": b} for x, b in zip(nonces, bit(value, n, rng), strict=True)]


def raw(value: int, n: int, rng: Rng) -> list[Any]:
    """Randomized response in the lowest bit of three random bytes."""
    made = rng.integers(0, 256, (n, 3), dtype=np.uint8)
    made[:, 1] = made[:, 1] & 254 | np.array(bit(value, n, rng), dtype=np.uint8)
    return [row.tobytes() for row in made]


CHECKS = {bit: 9000, category: 4000, bits: 2500, number: 1200, pair: 4000, message: 1000, raw: 800}
"""Kinds of reports, and how many checks of each."""

WATCHED = {bit: 400, category: 300, bits: 300, number: 400, pair: 400, message: 200, raw: 200}
"""The same for the order of calls and the objects."""


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    for title, runs, most in (("checks", CHECKS, checked), ("watched", WATCHED, doubted)):
        print(f"| {title} | runs | alarms at 0.05 | at 0.2 | limit at 0.05 | at 0.2 | CPU s |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for place, (kind, usual) in enumerate(runs.items()):
            if given.only in ("", title, f"{title} {kind.__name__}"):
                rng = np.random.default_rng((given.seed, place))
                print(row(kind, round(usual * given.scale), most, rng), flush=True)


def row(
    kind: Callable[..., Any], runs: int, most: Callable[[Any, Rng, int], float], rng: Rng
) -> str:
    """Alarms among some runs; `most` is the largest log of the money of one."""
    started = time.process_time()
    money = np.array([most(kind, rng, i) for i in range(runs)])
    alarms = [int(np.count_nonzero(money >= -math.log(alpha))) for alpha in ALPHAS]
    limits = [stats.binomtest(n, runs).proportion_ci(0.998, method="exact").high for n in alarms]
    shown = " | ".join([*map(str, alarms), *(f"{limit:.4f}" for limit in limits)])
    return f"| {kind.__name__} | {runs:,} | {shown} | {time.process_time() - started:.0f} |"


def checked(kind: Callable[..., Any], rng: Rng, run: int) -> float:
    """The largest log of all money of a check."""
    made = [kind(value, REPORTS, rng) for value in (0, 1)]
    plan = CheckPlan(name="", values=(0, 1), claim=CLAIM, alpha=1e-9, seed=run)
    sizes = plan.searches(REPORTS // 2)
    bets = Bets(plan.claim, plan.alpha, len(sizes))
    source = Continuously(plan, made, bets)
    Course(plan, source, bets).run(sizes)
    most = math.log(source.most)
    assert bets.most <= most + 1e-9, (bets.most, most)  # looks of the check itself are among ours
    return most


def doubted(kind: Callable[..., Any], rng: Rng, run: int) -> float:
    """The largest log of the money of all coins of a check."""
    doubts = Doubts(0.01, inputs=2)
    most = 0.0
    objects = [
        [[leaves_of(report) for report in kind(value, 16, rng)] for value in (0, 1)]
        for _ in range(24)
    ]
    for first, second in zip(objects[::2], objects[1::2], strict=True):
        flips: Flips = Counter()
        for one, other in zip(first, second, strict=True):
            compare_objects(one, other, flips)
        most = max(most, _added(doubts, flips))
    watches = [Watch(0), Watch(1)]
    for _ in range(8):
        for value, watch in enumerate(watches):
            flips = Counter()
            watch.add(kind(value, 50, rng), flips)
            most = max(most, _added(doubts, flips))
    return most


def _added(doubts: Doubts, flips: Flips) -> float:
    """Log of all money after more flips; what is not bet yet is money too."""
    doubts.add(flips)
    coins = {coin for coin, _ in doubts.flips}
    worth = sum(math.exp(min(600.0, doubts.log_money(coin))) for coin in coins)
    unused = 1.0 - sum(math.exp(doubts.log_part(coin)) for coin in coins)
    return math.log(worth + unused)


if __name__ == "__main__":
    main()
