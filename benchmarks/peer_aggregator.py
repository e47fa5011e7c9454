"""The peer's server: aggregates reports of one protocol and prints processor seconds per report.

Runs inside the environment that `against_peer.py` makes; its only argument is a job, {"protocol",
"k", "epsilon", "reports"}. Reports have the form that the package's clients give them.
"""

import json
import sys
import time

import numpy as np
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI

job = json.loads(sys.argv[1])
protocol, k, epsilon, n = job["protocol"], job["k"], job["epsilon"], job["reports"]
rng = np.random.default_rng(1)
if protocol == "GRR":
    reports = list(rng.integers(k, size=n))
    aggregate = lambda some: GRR_Aggregator_MI(some, k, epsilon)
elif protocol == "OUE":
    reports = list((rng.random((n, k)) < 0.3).astype(float))
    aggregate = lambda some: UE_Aggregator_MI(some, epsilon)
elif protocol == "SS":
    reports = [SS_Client(0, k, epsilon) for _ in range(n)]
    aggregate = lambda some: SS_Aggregator_MI(some, k, epsilon)
else:
    hashes = round(np.exp(epsilon)) + 1
    seeds = rng.integers(2**31, size=n)
    reports = [(int(h), int(s)) for h, s in zip(rng.integers(hashes, size=n), seeds, strict=True)]
    aggregate = lambda some: LH_Aggregator_MI(some, k, epsilon)
aggregate(reports[:10])
started = time.process_time()
aggregate(reports)
print((time.process_time() - started) / n)
