"""Coverage and tightness of every bound over the paper's grid, as a Markdown table.

    python benchmarks/bounds.py [--replications 4000]

Counts are drawn from the exact rates of an attack, so no report is simulated. A bound is wrong when
it exceeds the attack's own epsilon; tightness is the mean bound divided by that epsilon.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from functools import lru_cache

import numpy as np
from scipy import stats

from ldp_auditor import AuditPlan, Counts, mechanisms
from ldp_auditor.auditing import Audit
from ldp_auditor.bounds import BOUNDS

PROTOCOLS = ("GRR", "SS", "OUE", "BLH", "AGRR", "AGM")
EPSILONS = (0.25, 1.0, 4.0, 10.0)
DOMAIN_SIZES = (25, 200)
TRIALS = (1_000, 1_000_000)
ALPHAS = (0.01, 0.05)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=4000)
    replications = parser.parse_args().replications
    rng = np.random.default_rng(2026)
    wrong: defaultdict[tuple[str, int, float], list[int]] = defaultdict(list)
    tightness: defaultdict[tuple[str, int, float], list[float]] = defaultdict(list)
    for protocol in PROTOCOLS:
        for epsilon in EPSILONS:
            for k in DOMAIN_SIZES:
                for attack in ("paper", "optimal"):
                    for trials in TRIALS:
                        made = mechanisms.make(protocol, epsilon=epsilon, domain_size=k)
                        plan = AuditPlan(mechanism=made, attack=attack, trials=trials)
                        rates = Audit.of(plan).attack.rates()
                        assert rates is not None
                        truth = rates.epsilon(made.delta)
                        hits = rng.binomial(trials, rates.true_positive, replications)
                        alarms = rng.binomial(trials, rates.false_positive, replications)
                        for alpha in ALPHAS:
                            for name, bound in BOUNDS.items():
                                cached = lru_cache(maxsize=None)(bound)
                                values = [
                                    cached(Counts(trials, int(tp), int(fp)), alpha, made.delta)
                                    for tp, fp in zip(hits, alarms, strict=True)
                                ]
                                key = name, trials, alpha
                                wrong[key].append(sum(value > truth for value in values))
                                tightness[key].append(float(np.mean(values)) / truth)
    cells = len(next(iter(wrong.values())))
    print(f"{cells} cells a row, {replications} replications a cell\n")
    print(
        "| bound | guarantee | T | alpha | wrong, all cells | wrong, worst cell | p | tightness |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for (name, trials, alpha), counts in wrong.items():
        worst = max(counts)
        p_value = stats.binomtest(worst, replications, alpha, alternative="greater").pvalue
        print(
            f"| {name} | {BOUNDS[name].guarantee} | {trials:,} | {alpha} "
            f"| {sum(counts) / (cells * replications):.4f} | {worst / replications:.4f} "
            f"| {min(1.0, cells * p_value):.2g} "
            f"| {np.mean(tightness[name, trials, alpha]):.3f} |"
        )


if __name__ == "__main__":
    main()
