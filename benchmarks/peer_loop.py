"""The peer: what users run today, one client call per report plus the attack, on all cores.

Runs inside the environment that `against_peer.py` makes. It reads one job a line from standard
input, {"protocol", "k", "epsilon", "delta", "seconds", "one_thread"}, and answers each with the
time per report, measured for about that many seconds: on the clock with every core busy, or
processor time of one thread.

Clients come from multi_freq_ldpy where it has them. The approximate protocols, which it lacks, and
the attacks are written here the way its own clients are: compiled by numba, one report a call.
"""

import json
import math
import multiprocessing
import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import xxhash
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.HE import HE_Client
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Client
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client
from numba import njit

warnings.simplefilter("ignore")  # numba's notes on the clients' code


@njit
def guess_any(subset):
    return np.random.choice(subset)


@njit
def guess_above(report, limit):
    supported = np.nonzero(report > limit)[0]
    if supported.size == 0:
        return np.random.randint(report.size)
    return np.random.choice(supported)


@njit
def guess_laplace(report, scale):
    k = report.size
    likelihood = np.empty(k)
    for v in range(k):
        histogram = np.zeros(k)
        histogram[v] = 1.0
        likelihood[v] = np.prod(np.exp(-np.abs(report - histogram) / scale) / (2 * scale))
    return np.random.choice(np.nonzero(likelihood == likelihood.max())[0])


@njit
def guess_gaussian(report, sigma):
    k = report.size
    likelihood = np.empty(k)
    for v in range(k):
        histogram = np.zeros(k)
        histogram[v] = 1.0
        likelihood[v] = np.exp(-np.sum((report - histogram) ** 2) / (2 * sigma**2))
    return np.random.choice(np.nonzero(likelihood == likelihood.max())[0])


def guess_hashed(report, k, g):
    hashed, seed = report
    supported = [v for v in range(k) if xxhash.xxh32(str(v), seed=seed).intdigest() % g == hashed]
    return np.random.choice(supported) if supported else np.random.randint(k)


@njit
def approximate_grr(value, k, p):
    if np.random.random() < p:
        return value
    domain = np.arange(k)
    return np.random.choice(domain[domain != value])


@njit
def unary(value, k, p, q):
    report = np.zeros(k)
    for v in range(k):
        if np.random.random() < (p if v == value else q):
            report[v] = 1.0
    return report


@njit
def gaussian(value, k, sigma):
    report = np.random.normal(0.0, sigma, k)
    report[value] += 1.0
    return report


def hashed_only(value, g):
    seed = np.random.randint(0, sys.maxsize, dtype=np.int64)
    return xxhash.xxh32(str(value), seed=seed).intdigest() % g, seed


def hashed_grr(value, g, p):
    hashed, seed = hashed_only(value, g)
    return approximate_grr(hashed, g, p), seed


def trial(protocol: str, k: int, epsilon: float, delta: float) -> Callable[[int], Any]:
    """Return the function that users call in a loop: privatize a value and guess it."""
    grow = math.exp(epsilon)
    olh = round(grow) + 1
    p_agrr = (grow + (k - 1) * delta) / (grow + k - 1)
    root = math.sqrt(grow * (1 - delta) + delta)
    p_asue, q_asue = (grow - root) / (grow - 1), (root - 1) / (grow - 1)
    sigma = math.sqrt(2) / epsilon * math.sqrt(2 * math.log(1.25 / delta))

    def p_alh(g: int) -> float:
        return (grow + (g - 1) * delta) / (grow + g - 1)

    return {
        "GRR": lambda v: GRR_Client(v, k, epsilon),
        "SS": lambda v: guess_any(SS_Client(v, k, epsilon)),
        "SUE": lambda v: guess_above(UE_Client(v, k, epsilon, False), 0.5),
        "OUE": lambda v: guess_above(UE_Client(v, k, epsilon, True), 0.5),
        "BLH": lambda v: guess_hashed(LH_Client(v, k, epsilon, False), k, 2),
        "OLH": lambda v: guess_hashed(LH_Client(v, k, epsilon, True), k, olh),
        "SHE": lambda v: guess_laplace(HE_Client(v, k, epsilon), 2 / epsilon),
        "THE": lambda v: guess_above(HE_Client(v, k, epsilon), 0.67),
        "AGRR": lambda v: approximate_grr(v, k, p_agrr),
        "ASUE": lambda v: guess_above(unary(v, k, p_asue, q_asue), 0.5),
        "ABLH": lambda v: guess_hashed(hashed_grr(v, 2, p_alh(2)), k, 2),
        "AOLH": lambda v: guess_hashed(hashed_grr(v, olh, p_alh(olh)), k, olh),
        "GM": lambda v: guess_gaussian(gaussian(v, k, sigma), sigma),
        "AGM": lambda v: guess_gaussian(gaussian(v, k, sigma), sigma),
        "LHO": lambda v: guess_hashed(hashed_only(v, 2), k, 2),
    }[protocol]


def count(job: dict[str, Any], reports: int) -> float:
    """Run the loop for a number of reports and return the seconds it took."""
    clock = time.process_time if job["one_thread"] else time.perf_counter
    attempt = trial(job["protocol"], job["k"], job["epsilon"], job["delta"])
    for _ in range(20):
        attempt(0)
    hits = 0
    started = clock()
    for _ in range(reports):
        hits += attempt(0) == 0
    return clock() - started


def measure(pool: Any, job: dict[str, Any]) -> float:
    """Return the seconds per report, with all cores busy or of one thread."""
    cores = 1 if job["one_thread"] else os.cpu_count() or 1
    pilot = 200
    pilot_seconds = max(pool.starmap(count, [(job, pilot)] * cores, chunksize=1))
    reports = max(pilot, int(pilot * job["seconds"] / pilot_seconds))
    seconds = max(pool.starmap(count, [(job, reports)] * cores, chunksize=1))
    return seconds / (reports * cores)


def main() -> None:
    """Answer the jobs on standard input."""
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        for line in sys.stdin:
            print(json.dumps(measure(pool, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
