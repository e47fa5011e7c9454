"""Throughput of the engine ray beside that of threads, from one run on one machine.

The best of several rounds in turn; the ratio is Ray's throughput in units of that of threads,
without the start of Ray and with it. (A script named ray.py would hide the package from itself.)

python benchmarks/ray_engine.py [--trials 100000000] [--protocols GRR OUE OLH SHE]
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import Any

from ldp_auditor import audit
from ldp_auditor.execution.engines import open_engine
from ldp_auditor.results.audit_result import AuditResult


def megabytes() -> float:
    """Largest memory that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the table: both engines one after the other for every protocol."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=lambda text: int(float(text)), default=10**8)
    parser.add_argument("--protocols", nargs="+", default=["GRR", "OUE", "OLH", "SHE"])
    parser.add_argument("--domain-size", type=int, default=25)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    started = time.perf_counter()
    with open_engine("ray") as engine:
        audit("GRR", epsilon=1.0, domain_size=5, trials=1000, engine=engine)
        start_up = time.perf_counter() - started
        print(f"T = {asked.trials:,}, k = {asked.domain_size}, {engine.workers} cores")
        print(f"start of Ray and its first task: {start_up:.1f} s")
        print(
            f"{'protocol':>9} {'threads s':>10} {'ray s':>8} {'ratio':>6} {'with start':>11} "
            f"{'driver MB':>10}"
        )
        for protocol in asked.protocols:

            def run(where: Any, trials: int, name: str = protocol) -> AuditResult:
                k = asked.domain_size
                return audit(name, epsilon=1.0, domain_size=k, trials=trials, engine=where)

            for where in ("threads", engine):
                run(where, 10**6)  # compiled code loaded
            seconds: dict[str, list[float]] = {"threads": [], "ray": []}
            counts = set()
            for _ in range(asked.rounds):  # in turn, because the machine has other things to do
                for name, where in (("threads", "threads"), ("ray", engine)):
                    started = time.perf_counter()
                    result = run(where, asked.trials)
                    seconds[name].append(time.perf_counter() - started)
                    counts.add(result.counts)
            assert len(counts) == 1
            by_threads, by_ray = min(seconds["threads"]), min(seconds["ray"])
            print(
                f"{protocol:>9} {by_threads:>10.1f} {by_ray:>8.1f} {by_threads / by_ray:>6.2f} "
                f"{by_threads / (by_ray + start_up):>11.2f} {megabytes():>10.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
