"""Coverage and tightness of every bound over the paper's grid, as a Markdown table.

    python benchmarks/bounds.py [--replications 4000]

Counts are drawn from the exact rates of an attack, so no report is simulated. A bound is wrong when
it exceeds the attack's own epsilon; tightness is the mean bound divided by that epsilon. The
p-value asks whether the worst cell is wrong more often than alpha, corrected for their number.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from functools import lru_cache

import numpy as np
from scipy import stats

from ldp_auditor import AuditPlan, Counts, mechanisms
from ldp_auditor.audits.run import fit_attack
from ldp_auditor.bounds import BOUNDS

PROTOCOLS = ("GRR", "OUE", "BLH", "AGM")
EPSILONS = (0.25, 1.0, 4.0)
DOMAIN_SIZES = (25, 200)
TRIALS = (1_000, 1_000_000)
ALPHAS = (0.01, 0.05)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=4000)
    replications = parser.parse_args().replications
    rng = np.random.default_rng(2026)
    wrong: defaultdict[tuple[str, int, float], list[float]] = defaultdict(list)
    tightness: defaultdict[tuple[str, int, float], list[float]] = defaultdict(list)
    for protocol in PROTOCOLS:
        for epsilon in EPSILONS:
            for k in DOMAIN_SIZES:
                for attack in ("paper", "optimal"):
                    for trials in TRIALS:
                        made = mechanisms.make(protocol, epsilon=epsilon, domain_size=k)
                        plan = AuditPlan(mechanism=made, attack=attack, trials=trials)
                        rates = fit_attack(plan).rates()
                        assert rates is not None
                        truth = rates.epsilon(made.delta)
                        hits = rng.binomial(trials, rates.true_positive, replications)
                        alarms = rng.binomial(trials, rates.false_positive, replications)
                        for alpha in ALPHAS:
                            for name, bound in BOUNDS.items():
                                n = replications // (10 if bound.guarantee == "credible" else 1)
                                cached = lru_cache(maxsize=None)(bound)
                                values = [
                                    cached(Counts(trials, int(tp), int(fp)), alpha, made.delta)
                                    for tp, fp in zip(hits[:n], alarms[:n], strict=True)
                                ]
                                key = name, trials, alpha
                                wrong[key].append(float(np.mean([v > truth for v in values])))
                                tightness[key].append(float(np.mean(values)) / truth)
    cells = len(next(iter(wrong.values())))
    print(f"{cells} cells a row, {replications} replications a cell, a tenth for credible bounds\n")
    print("| bound | guarantee | T | alpha | wrong, all cells | worst cell | p-value | tightness |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for (name, trials, alpha), shares in wrong.items():
        n = replications // (10 if BOUNDS[name].guarantee == "credible" else 1)
        worst = max(shares)
        test = stats.binomtest(round(worst * n), n, alpha, alternative="greater")
        print(
            f"| {name} | {BOUNDS[name].guarantee} | {trials:,} | {alpha} "
            f"| {np.mean(shares):.4f} | {worst:.4f} | {min(1.0, cells * test.pvalue):.2g} "
            f"| {np.mean(tightness[name, trials, alpha]):.3f} |"
        )


if __name__ == "__main__":
    main()
