"""Time every protocol against the loop that users run today; prints a table of ratios.

    python benchmarks/against_peer.py [--domain-sizes 25,200] [--epsilon 1] [--trials 1000000]
                                      [--protocols GM,SS] [--one-thread]

The peer lives in an environment of its own, made on first use in benchmarks/.peer. For every
protocol the two take turns, short ones, and the best of ten counts for each, so that a change in
the machine's speed hits both. Both exclude start-up and compilation. With --one-thread processor
time of one thread each is compared, which other programs disturb less than the time on the clock.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path

from ldp_auditor import audit, mechanisms

HERE = Path(__file__).parent
PEER = HERE / ".peer"
ROUNDS = 10
PEER_SECONDS = 0.2
"""Of a turn of the peer, at least."""

PURE_PEERS = ("GRR", "SS", "SUE", "OUE", "BLH", "OLH", "SHE", "THE")
WITH_PEER = (*PURE_PEERS, "AGRR", "ASUE", "ABLH", "AOLH", "GM", "AGM", "LHO")
PINS = ("multi-freq-ldpy==0.2.5", "xxhash<4", "numba", "numpy", "scipy")


def peer_python() -> Path:
    """Return the Python of the peer's environment, which is made if need be."""
    python = PEER / "bin" / "python"
    if not python.exists():
        print("making the peer's environment ...", file=sys.stderr)
        venv.create(PEER, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PINS], check=True)
    return python


def start_peer() -> subprocess.Popen[str]:
    """Start the peer's loop."""
    return subprocess.Popen(
        [peer_python(), HERE / "peer_loop.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def ask_peer(
    peer: subprocess.Popen[str], protocol: str, k: int, epsilon: float, one_thread: bool
) -> float:
    """Return the peer's seconds per report."""
    assert peer.stdin is not None
    assert peer.stdout is not None
    setting = {"protocol": protocol, "k": k, "epsilon": epsilon, "delta": 1e-5}
    job = {**setting, "seconds": PEER_SECONDS, "one_thread": one_thread}
    print(json.dumps(job), file=peer.stdin, flush=True)
    return float(json.loads(peer.stdout.readline()))


def our_seconds(protocol: str, k: int, epsilon: float, trials: int, one_thread: bool) -> float:
    """Return our seconds per report, on the clock and all cores or of one thread."""
    claim = None if mechanisms.find(protocol).promises_nothing else epsilon
    clock, workers = (time.process_time, 1) if one_thread else (time.perf_counter, None)
    started = clock()
    audit(protocol, epsilon=claim, domain_size=k, trials=trials, workers=workers)
    return (clock() - started) / (2 * trials)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--domain-sizes", default="25,200")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--trials", type=int, default=1_000_000)
    parser.add_argument("--protocols", default=",".join(WITH_PEER))
    parser.add_argument("--one-thread", action="store_true")
    arguments = parser.parse_args()
    epsilon, one_thread = arguments.epsilon, arguments.one_thread
    peer = start_peer()
    ratios = []
    print(
        f"T = {arguments.trials:,}, epsilon = {epsilon:g}; nanoseconds a report, "
        + ("processor time of one thread" if one_thread else "on the clock, all cores")
    )
    print(f"{'k':>5} {'protocol':>9} {'peer':>10} {'ours':>8} {'ratio':>7}")
    for k in map(int, arguments.domain_sizes.split(",")):
        for protocol in arguments.protocols.split(","):
            if protocol not in WITH_PEER or (protocol == "GM" and epsilon > 1):
                print(f"{k:>5} {protocol:>9}   no peer")
                continue
            our_seconds(protocol, k, epsilon, 1000, one_thread)  # loads the compiled code
            theirs = ours = math.inf
            for _ in range(ROUNDS):
                theirs = min(theirs, ask_peer(peer, protocol, k, epsilon, one_thread))
                ours = min(ours, our_seconds(protocol, k, epsilon, arguments.trials, one_thread))
            ratios.append(theirs / ours)
            print(
                f"{k:>5} {protocol:>9} {theirs * 1e9:>10,.0f} {ours * 1e9:>8,.1f} "
                f"{ratios[-1]:>7,.0f}",
                flush=True,
            )
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    print(f"smallest ratio {min(ratios):,.0f}, geometric mean {mean:,.0f}")
    assert peer.stdin is not None
    peer.stdin.close()  # which ends it
    peer.wait()


if __name__ == "__main__":
    main()
