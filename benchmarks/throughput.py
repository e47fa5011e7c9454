"""Reports per second and memory for every protocol, and 10^8 trials of GRR.

python benchmarks/throughput.py [--trials 1000000] [--per-core | --words]

With --per-core: the table of `docs/cluster-sizes.md`, made of the trials per second of processor
time on one thread, which other programs on the machine disturb less than the time on the clock.
With --words: every protocol beside the cost of its random words (`random_words.py`).
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import Any

from against_peer import WITH_PEER
from ldp_auditor import audit, mechanisms
from ldp_auditor.inputs import Ball, Numbers, UnitVectors
from random_words import print_table


def seconds(protocol: str, k: int | None, trials: int, **options: Any) -> float:
    """Wall time of an audit on all cores, compiled code loaded."""
    epsilon = None if mechanisms.find(protocol).promises_nothing else 1.0
    audit(protocol, epsilon=epsilon, domain_size=k, trials=1000, **options)
    return audit(protocol, epsilon=epsilon, domain_size=k, trials=trials, **options).seconds


def processor_seconds(protocol: str, k: int | None, trials: int, **options: Any) -> float:
    """Processor time of an audit on one thread, compiled code loaded; the best of three."""
    epsilon = None if mechanisms.find(protocol).promises_nothing else 1.0
    taken = []
    audit(protocol, epsilon=epsilon, domain_size=k, trials=1000, workers=1, **options)
    for _ in range(3):
        started = time.process_time()
        audit(protocol, epsilon=epsilon, domain_size=k, trials=trials, workers=1, **options)
        taken.append(time.process_time() - started)
    return min(taken)


def peak_megabytes() -> float:
    """Largest memory that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def duration(seconds: float) -> str:
    """Write a time in a unit that suits it.

    >>> [duration(seconds) for seconds in (0.3, 35.4, 300, 10_000)]
    ['< 1 s', '35 s', '5 min', '3 h']
    """
    units = ((1, "< 1 s"), (120, f"{seconds:.0f} s"), (7200, f"{seconds / 60:.0f} min"))
    return next((told for most, told in units if seconds < most), f"{seconds / 3600:.0f} h")


def print_sizes(trials: int) -> None:
    """Print how long 10^10 trials take on many cores: of protocols for categories, no sketches."""
    print("| protocol | k | trials / s / core | 10^10 on 2 cores | on 64 | on 1,024 |")
    print("| --- | --- | --- | --- | --- | --- |")
    for protocol in WITH_PEER:
        for k in (25, 200):
            rate = trials / processor_seconds(protocol, k, trials)
            times = " | ".join(duration(1e10 / (rate * cores)) for cores in (2, 64, 1024))
            told = f"{rate / 1e6:.0f}" if rate >= 1e7 else f"{rate / 1e6:.1f}"
            print(f"| {protocol} | {k} | {told} M | {times} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1_000_000)
    parser.add_argument("--per-core", action="store_true")
    parser.add_argument("--words", action="store_true")
    asked = parser.parse_args()
    if asked.words:
        print_table()
        return
    trials = asked.trials
    if asked.per_core:
        print_sizes(trials)
        return
    print(f"T = {trials:,}, epsilon = 1, all cores: millions of reports a second")
    print(f"{'protocol':>9} {'k = 25':>8} {'k = 200':>8}")
    for protocol in (name for name, kind in mechanisms.available().items() if not kind.memoizes):
        rates = [2 * trials / seconds(protocol, k, trials) / 1e6 for k in (25, 200)]
        print(f"{protocol:>9} {rates[0]:>8.1f} {rates[1]:>8.1f}", flush=True)
    print("protocols for numbers")
    for protocol in mechanisms.available(Numbers):
        rate = 2 * trials / seconds(protocol, None, trials) / 1e6
        print(f"{protocol:>9} {rate:>8.1f}", flush=True)
    print(f"protocols for vectors {'d = 3':>8} {'d = 128':>8}")
    for protocol in (*mechanisms.available(UnitVectors), *mechanisms.available(Ball)):
        rates = [2 * trials / seconds(protocol, None, trials, dimension=d) / 1e6 for d in (3, 128)]
        print(f"{protocol:>21} {rates[0]:>8.1f} {rates[1]:>8.2f}", flush=True)
    print(f"peak memory {peak_megabytes():.0f} MB")
    print_table()
    long_run = seconds("GRR", 25, 10**8)
    print(f"GRR, k = 25, T = 10^8: {long_run:.1f} s, peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()
