"""Reports per second and memory for every protocol, and 10^8 trials of GRR.

python benchmarks/throughput.py [--trials 1000000]
"""

from __future__ import annotations

import argparse
import resource

from ldp_auditor import audit, mechanisms


def seconds(protocol: str, k: int, trials: int) -> float:
    """Wall time of an audit on all cores, compiled code loaded."""
    epsilon = None if mechanisms.find(protocol).promises_nothing else 1.0
    audit(protocol, epsilon=epsilon, domain_size=k, trials=1000)
    return audit(protocol, epsilon=epsilon, domain_size=k, trials=trials).seconds


def peak_megabytes() -> float:
    """Largest memory that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1_000_000)
    trials = parser.parse_args().trials
    print(f"T = {trials:,}, epsilon = 1, all cores: millions of reports a second")
    print(f"{'protocol':>9} {'k = 25':>8} {'k = 200':>8}")
    for protocol in (name for name, kind in mechanisms.available().items() if not kind.memoizes):
        rates = [2 * trials / seconds(protocol, k, trials) / 1e6 for k in (25, 200)]
        print(f"{protocol:>9} {rates[0]:>8.1f} {rates[1]:>8.1f}", flush=True)
    print(f"peak memory {peak_megabytes():.0f} MB")
    long_run = seconds("GRR", 25, 10**8)
    print(f"GRR, k = 25, T = 10^8: {long_run:.1f} s, peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()
