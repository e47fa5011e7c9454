"""How often bets with chosen events disprove a claim that holds, looking after every pair.

    python benchmarks/false_alarms.py [--runs 5000] [--seed 0]

Every mechanism is exactly as private as it claims. A run draws 64 reports of every input. After 4,
8, 16 and 32 of each it places bets as a check does, on the three events, of all sets of
outputs that are likelier than the claim allows by what was seen and of all pairs of inputs, with
the largest excess. The money is looked at after every report. One run counts for both alphas: the
bets do not depend on alpha. The last columns are the 99.9% upper limits by Clopper and Pearson.
"""

from __future__ import annotations

import argparse
import itertools
import math

import numpy as np
from scipy import stats

from ldp_auditor.bounds.betting import Wealth
from ldp_auditor.checks.bets import SHARES, Bet, Bets, ChosenEvent
from ldp_auditor.core import Claim, Counts, Floats

SEARCHES = (4, 8, 16, 32)
REPORTS = 64
ALPHAS = (0.05, 0.2)


def randomized_response(k: int, epsilon: float) -> Floats:
    """The law of every value: `k` outputs, the true one e^epsilon times as likely."""
    rates = np.ones((k, k)) + np.eye(k) * (math.exp(epsilon) - 1)
    law: Floats = rates / rates.sum(axis=1, keepdims=True)
    return law


def unary(bits: int, epsilon: float) -> Floats:
    """Optimized unary encoding, an output for every vector of bits."""
    p, q = 0.5, 1 / (1 + math.exp(epsilon))
    rows = []
    for value in range(bits):
        rate = [p if i == value else q for i in range(bits)]
        every = itertools.product((0, 1), repeat=bits)
        chances = [
            math.prod(r if b else 1 - r for b, r in zip(v, rate, strict=True)) for v in every
        ]
        rows.append(chances)
    return np.array(rows)


def geometric(epsilon: float) -> Floats:
    """Two-sided geometric noise on 0 and 1, clipped to -4 to 5."""
    places = np.arange(-40, 42)
    rows = []
    for value in (0, 1):
        noise = np.exp(-epsilon * np.abs(places - value))
        clipped = np.bincount(np.clip(places, -4, 5) + 4, noise)
        rows.append(clipped / noise.sum())
    return np.array(rows)


def laplace(epsilon: float) -> Floats:
    """Laplace noise on 0 and 1, in bins that end at both."""
    edges = np.array([-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0])
    rows = [np.diff([0, *stats.laplace.cdf(edges, value, 1 / epsilon), 1]) for value in (0, 1)]
    return np.array(rows)


def revealing(epsilon: float, delta: float) -> Floats:
    """Randomized response that tells the truth aloud with probability delta."""
    quiet = (1 - delta) * randomized_response(2, epsilon)
    return np.hstack([quiet, delta * np.eye(2)])


MECHANISMS = {
    "GRR, k = 2": (Claim(1.0), randomized_response(2, 1.0)),
    "GRR, k = 4": (Claim(0.5), randomized_response(4, 0.5)),
    "OUE, 3 bits": (Claim(1.0), unary(3, 1.0)),
    "geometric": (Claim(0.3), geometric(0.3)),
    "Laplace, binned": (Claim(1.0), laplace(1.0)),
    "GRR, reveals with delta = 0.05": (Claim(1.0, 0.05), revealing(1.0, 0.05)),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print("| mechanism | runs | alpha 0.05: alarms | 0.2: alarms | limit | limit |")
    print("| --- | --- | --- | --- | --- | --- |")
    for number, (name, (claim, laws)) in enumerate(MECHANISMS.items()):
        wealth = log_wealth_table(claim)
        rng = np.random.default_rng((given.seed, number))
        most = np.array([largest_money(claim, laws, wealth, rng) for _ in range(given.runs)])
        alarms = [int(np.count_nonzero(most >= 1 / alpha)) for alpha in ALPHAS]
        limits = [
            stats.binomtest(n, given.runs).proportion_ci(0.998, method="exact").high for n in alarms
        ]
        shown = " | ".join([*map(str, alarms), *(f"{limit:.4f}" for limit in limits)])
        print(f"| {name} | {given.runs:,} | {shown} |", flush=True)


def log_wealth_table(claim: Claim) -> Floats:
    """Wealth of one gambler after every number of pairs, true and false positives."""
    size = REPORTS - SEARCHES[0] + 1
    table = np.zeros((size, size, size))
    for n, x in itertools.product(range(size), repeat=2):
        for y in range(n + 1 if x <= n else 0):
            counts = Counts(n, x, y)
            table[n, x, y] = math.exp(
                Wealth.of([(1.0, counts)], claim.delta).log_against(claim.epsilon)
            )
    return table


def largest_money(claim: Claim, laws: Floats, wealth: Floats, rng: np.random.Generator) -> float:
    """The largest sum of all money of a run, at any look."""
    outputs = laws.shape[1]
    made = np.array([rng.choice(outputs, REPORTS, p=law) for law in laws])
    bets = Bets(claim, ALPHAS[0], searches=len(SEARCHES))
    sets: dict[str, np.ndarray] = {}
    since: list[tuple[Bet, int]] = []
    most, ends = 1.0, (*SEARCHES[1:], REPORTS)
    for start, end in zip(SEARCHES, ends, strict=True):
        bets.place(proposed(claim, made[:, :start], outputs, sets))
        since += [(bet, start) for bet in bets.bets[len(since) :]]
        money = np.full(end - start, bets.cash)
        for bet, _ in since:
            before = bet.counts
            if bet in bets.live:
                event = sets[bet.event.words]
                hits, alarms = (
                    np.cumsum(event[made[i, start:end]])
                    for i in (bet.event.first, bet.event.second)
                )
                n = before.trials + np.arange(1, end - start + 1)
                money += (
                    bet.money
                    * wealth[n, before.true_positives + hits, before.false_positives + alarms]
                )
                bet.counts += Counts(end - start, int(hits[-1]), int(alarms[-1]))
            else:
                money += (
                    bet.money * wealth[before.trials, before.true_positives, before.false_positives]
                )
        most = max(most, float(money.max()))
    return most


def proposed(
    claim: Claim, seen: np.ndarray, outputs: int, sets: dict[str, np.ndarray]
) -> list[ChosenEvent]:
    """The events that exceed the claim the most on what was seen, for every pair of inputs."""
    counts = np.array([np.bincount(row, minlength=outputs) for row in seen])
    found = []
    for a, b in itertools.permutations(range(len(counts)), 2):
        gain = counts[a] - math.exp(claim.epsilon) * counts[b]
        event = gain > 0
        words = "".join(map(str, event.astype(int)))
        sets[words] = event
        found.append((-float(gain[event].sum()), words, a, b))
    return [
        ChosenEvent(words, a, b) for excess, words, a, b in sorted(found)[: len(SHARES)] if excess
    ]


if __name__ == "__main__":
    main()
