"""Reports until a verdict against the least that any test needs, as a Markdown table.

    python benchmarks/time_to_verdict.py [--seeds 1000] [--alpha 0.01]
    python -m benchmarks.time_to_verdict --catalogue 8 [--alpha 0.01]

The first is about a known event: randomized response between two values that claims less than it
has, and the event "the report is the first value". A test of level alpha needs ln(1 / alpha) / KL
reports of each value on average, with KL the smallest divergence of the true rates from rates that
keep the claim. Beside the wealth of betting stands the paper's bound with looks at 1, 2, 4, ...
times 16 reports that share alpha.

With `--catalogue` the whole `check`, which has to find its event, meets every wrong mechanism of
tests/broken_mechanisms that must be caught, with as many seeds. The limit is that of the best event
of the exact law and the best pair of inputs. All reports are counted, also those of other inputs.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from ldp_auditor.audits.stopping import alpha_of_look
from ldp_auditor.bounds import find_bound
from ldp_auditor.bounds.betting import log_wealth
from ldp_auditor.bounds.likelihood_ratio import divergence
from ldp_auditor.core import Counts

SETTINGS = [(1.0, true) for true in (2.0, 1.5, 1.2, 1.1)] + [(0.25, 0.5), (3.0, 4.0), (3.0, 3.3)]
FIRST_LOOK = 16


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--alpha", type=float, default=0.01)
    parser.add_argument("--catalogue", type=int, metavar="SEEDS")
    parser.add_argument("--budget", type=float, default=1e6, help="reports at most")
    given = parser.parse_args()
    if given.catalogue:
        print_catalogue(given.catalogue, given.alpha, int(given.budget))
        return
    print(f"{given.seeds} seeds, alpha {given.alpha}\n")
    print(
        "| claim | true | limit | betting | 95% | ratio | paper's bound, looks paid for | ratio |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for claim, true in SETTINGS:
        rate = 1 / (1 + math.exp(-true))
        first, second = (rate, 1 - rate), (1 - rate, rate)
        limit = -math.log(given.alpha) / divergence(first, second, claim, 0.0)
        bet, paid = zip(
            *(until(claim, rate, given.alpha, limit, seed) for seed in range(given.seeds)),
            strict=True,
        )
        error = 1.96 * float(np.std(bet)) / math.sqrt(given.seeds) / limit
        print(
            f"| {claim} | {true} | {limit:,.0f} | {np.mean(bet):,.0f} | +- {error:.2f} "
            f"| {np.mean(bet) / limit:.2f} | {np.mean(paid):,.0f} | {np.mean(paid) / limit:.2f} |",
            flush=True,
        )


def until(claim: float, rate: float, alpha: float, limit: float, seed: int) -> tuple[int, int]:
    """Reports of each value until betting is sure, looking always, and until the bound is."""
    rng = np.random.default_rng(seed)
    most = math.ceil(40 * limit) + 1000
    hits, alarms = (np.cumsum(rng.random(most) < p) for p in (rate, 1 - rate))

    def counts(n: int) -> Counts:
        return Counts(n, int(hits[n - 1]), int(alarms[n - 1]))

    step = max(1, round(limit / 500))  # a fifth of a percent of the limit
    bet = next(
        n for n in range(step, most, step) if log_wealth(counts(n), claim, 0) >= -math.log(alpha)
    )
    paper = find_bound("clopper-pearson")
    looks = enumerate(FIRST_LOOK * 2**i for i in range(60))
    paid = next(
        n
        for look, n in looks
        if paper(counts(n), alpha_of_look(paper, alpha, look + 1), 0.0) > claim
    )
    return bet, paid


def print_catalogue(seeds: int, alpha: float, budget: int) -> None:
    """Print reports until the whole check is sure, for every wrong mechanism."""
    from tests.broken_mechanisms.catalogue import CATALOGUE
    from tests.broken_mechanisms.sampled import fewest_pairs, sampled_check

    print(f"{seeds} seeds, alpha {alpha}; ratio: reports / (2 * limit)\n")
    print("| mechanism | inputs | limit, pairs | reports of a check | ratio | 200,000 reports |")
    print("| --- | --- | --- | --- | --- | --- |")
    ratios = []
    for entry in CATALOGUE:
        if entry.must_be_caught:
            limit = fewest_pairs(entry, alpha)
            courses = [sampled_check(entry, "broken", budget, alpha, s) for s in range(seeds)]
            mean = float(np.mean([course.sure_after or budget for course in courses]))
            ratios.append(mean / 2 / limit)
            print(
                f"| {entry.name} | {len(entry.values)} | {limit:,.0f} | {mean:,.0f} "
                f"| {ratios[-1]:.2f} | {100_000 / limit:,.0f} |",
                flush=True,
            )
    ordered = sorted(ratios)
    quartiles = [ordered[len(ordered) * i // 4] for i in (1, 2, 3)]
    print("\nquartiles of the ratio: " + ", ".join(f"{ratio:.2f}" for ratio in quartiles))


if __name__ == "__main__":
    main()
