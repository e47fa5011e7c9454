"""Time the server's side: reports to frequencies; prints a table of processor times.

    python benchmarks/estimation.py [--reports 10000000] [--domain-size 200] [--epsilon 1]

Batches are made, tallied and forgotten, so that memory stays that of a batch; only the tallies are
timed. Beside them, in the same run and on the same machine: NumPy on the same batches, as one
writes it (`bincount`, or `unpackbits` and a sum), and the aggregators of multi_freq_ldpy 0.2.5 in
the environment of `against_peer.py`, on fewer reports of their own clients' form.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from against_peer import HERE, peer_python
from ldp_auditor import make
from ldp_auditor.mechanisms.kernels.bits import unpack
from ldp_auditor.seeding import chunk_generator

BATCH = 65_536
PROTOCOLS = ("GRR", "SS", "OUE", "OLH", "SHE")
PEER_REPORTS = {"GRR": 200_000, "SS": 20_000, "OUE": 20_000, "OLH": 2_000}


def by_numpy(mechanism: Any, batch: Any) -> Any:
    """Scores of a batch, as one writes it with NumPy; None where nobody would."""
    if mechanism.name == "GRR":
        return np.bincount(batch, minlength=mechanism.domain_size)
    if mechanism.name == "SHE":
        return batch.sum(axis=0)
    if mechanism.name == "OLH":
        return None  # the hash functions are this package's own
    return unpack(batch, mechanism.domain_size).sum(axis=0)


def seconds(run: Callable[[], Any]) -> float:
    """Processor seconds of a call."""
    started = time.process_time()
    run()
    return time.process_time() - started


def nanoseconds(name: str, domain_size: int, epsilon: float, reports: int) -> tuple[float, float]:
    """Processor time per report of our tally, and of NumPy's on some of the batches."""
    mechanism = make(name, epsilon=epsilon, domain_size=domain_size)
    rng = chunk_generator(1, 0, 0, 0)
    total: Any = mechanism.tally(mechanism.privatize(0, 1, rng))  # compiles
    ours = theirs = 0.0
    compared = 0
    for start in range(0, reports, BATCH):
        batch = mechanism.privatize(start % domain_size, min(BATCH, reports - start), rng)
        started = time.process_time()
        total += mechanism.tally(batch)
        ours += time.process_time() - started
        if compared < 16 * BATCH:
            theirs += seconds(lambda batch=batch: by_numpy(mechanism, batch))  # type: ignore[misc]
            compared += len(batch)
    mechanism.frequencies_from(total, reports + 1)
    return 1e9 * ours / reports, 1e9 * theirs / compared


def peer_nanoseconds(name: str, domain_size: int, epsilon: float) -> float | None:
    """Processor time per report of the peer's aggregator, if it has one."""
    if name not in PEER_REPORTS:
        return None
    job = {"protocol": name, "k": domain_size, "epsilon": epsilon, "reports": PEER_REPORTS[name]}
    done = subprocess.run(
        [peer_python(), HERE / "peer_aggregator.py", json.dumps(job)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout) * 1e9


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--reports", type=float, default=1e7)
    parser.add_argument("--domain-size", type=int, default=200)
    parser.add_argument("--epsilon", type=float, default=1.0)
    arguments = parser.parse_args()
    reports, k, epsilon = int(arguments.reports), arguments.domain_size, arguments.epsilon
    print(f"{reports:,} reports, k = {k}, epsilon = {epsilon:g}; processor time on one core")
    print(f"{'protocol':>9} {'seconds':>8} {'ns each':>8} {'NumPy':>8} {'peer':>10} {'ratios':>14}")
    for name in PROTOCOLS:
        n = reports // 10 if name == "SHE" else reports  # k floats a report
        ours, numpys = nanoseconds(name, k, epsilon, n)
        peer = peer_nanoseconds(name, k, epsilon)
        shown = [f"{numpys:8.1f}" if name != "OLH" else f"{'-':>8}"]
        shown.append(f"{peer:10.0f}" if peer else f"{'-':>10}")
        ratios = "-" if name == "OLH" else f"{numpys / ours:.1f}"
        ratios += f" {peer / ours:.0f}" if peer else " -"
        print(f"{name:>9} {ours * reports / 1e9:8.2f} {ours:8.1f} {' '.join(shown)} {ratios:>14}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
