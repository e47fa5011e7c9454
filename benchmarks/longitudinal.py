"""Seconds for T users who report tau times, all protocols, by the law of the sum and one by one.

    python benchmarks/longitudinal.py [--trials 1e6] [--reports 500] [--domain-size 100]

The time includes the exact theory and the tight composition that stand beside the measurement;
the ratio is that of simulating report by report to what `auto` chooses.
"""

from __future__ import annotations

import argparse
import time

from ldp_auditor import audit, mechanisms


def seconds(name: str, composition: str, attack: str, arguments: argparse.Namespace) -> float:
    """Time one audit; GM is defined up to epsilon 1 only."""
    started = time.perf_counter()
    audit(
        name,
        epsilon=None if mechanisms.find(name).promises_nothing else arguments.epsilon,
        domain_size=arguments.domain_size,
        trials=int(float(arguments.trials)),
        reports=arguments.reports,
        composition=composition,
        attack=attack,
    )
    return time.perf_counter() - started


def main() -> None:
    """Print a row per protocol."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", default="1e6")
    parser.add_argument("--reports", type=int, default=500)
    parser.add_argument("--domain-size", type=int, default=100)
    parser.add_argument("--epsilon", type=float, default=0.5)
    parser.add_argument("--attack", default="paper")
    parser.add_argument("protocols", nargs="*")
    arguments = parser.parse_args()
    audit("SUE", epsilon=1.0, domain_size=3, trials=10, reports=2)  # import the accountant
    print(f"{'protocol':10} {'auto':>8} {'simulate':>9} {'ratio':>7}")
    names = [n for n, protocol in mechanisms.available().items() if not protocol.memoizes]
    for name in arguments.protocols or names:
        warm = argparse.Namespace(**{**vars(arguments), "trials": "100"})
        times = []
        for composition in ("auto", "simulate"):
            seconds(name, composition, arguments.attack, warm)  # compile
            times.append(seconds(name, composition, arguments.attack, arguments))
        print(f"{name:10} {times[0]:7.1f}s {times[1]:8.1f}s {times[1] / times[0]:7.1f}", flush=True)


if __name__ == "__main__":
    main()
