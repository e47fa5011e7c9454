"""Hold the kernels against their exact laws with many draws, far into the tails.

    python benchmarks/laws.py [--draws 1000000000] [--seed 1]

Prints a line for every count: what was counted, how often, how often by the exact law, and the
p-value of the difference. Ends with exit code 1 if the smallest p-value times their number is below
one in a million. 10^9 draws of everything take some minutes of a core.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator, default_rng
from scipy import stats

from ldp_auditor import mechanisms
from ldp_auditor.mechanisms.kernels.bits import choose_member, fill_bernoulli
from ldp_auditor.mechanisms.kernels.noise import LAPLACE, NORMAL, draw_noise
from ldp_auditor.mechanisms.kernels.scores import choose_best
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_lanes, fresh_stream, threshold

BATCH = 2**18
FALSE_ALARM = 1e-6

Row = tuple[str, int, int, float]
"""What was counted, how often, out of how many, and its exact probability."""


def batches(draws: int) -> Iterator[int]:
    """Yield sizes of batches that add up to `draws`."""
    for start in range(0, draws, BATCH):
        yield min(BATCH, draws - start)


def noise(draws: int, rng: Generator) -> Iterator[Row]:
    """Both tails beyond levels of probability 1/2 to 5e-9, around the start of the tail too."""
    for name, shape, law in (("normal", NORMAL, stats.norm), ("Laplace", LAPLACE, stats.laplace)):
        levels = [float(law.isf(0.5 * 10.0**-e)) for e in np.arange(0.0, 8.5, 0.5)]
        levels = sorted([*levels, shape.tail_start])
        counts: Counter[tuple[int, int]] = Counter()
        for n in batches(draws):
            drawn = draw_noise(shape, 1.0, (1, n), rng)[0]
            for sign in (1, -1):
                beyond = sign * drawn
                for place, level in enumerate(levels):
                    beyond = beyond[beyond > level]
                    counts[sign, place] += beyond.size
        for sign, (place, level) in itertools.product((1, -1), enumerate(levels)):
            yield f"{name} beyond {sign * level:.4f}", counts[sign, place], draws, law.sf(level)


def bits(draws: int, rng: Generator) -> Iterator[Row]:
    """Ones, and pairs of ones in neighbouring bits and in words that share random words."""
    for q in (1e-6, 0.1, 0.268941421, 0.377540669, 0.5, 0.9):
        exact = int(threshold(q)) / 2.0**64
        counts: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for n in batches(draws // 64):
            words = np.empty(n, np.uint64)
            fill_bernoulli(fresh_lanes(rng), threshold(q), words)
            pairs = {"neighbours": words & (words >> np.uint64(1))}
            pairs |= {f"{d} words apart": words[d:] & words[:-d] for d in (1, 64, 128, 256)}
            counts["ones"] += int(np.bitwise_count(words).sum(dtype=np.int64))
            total["ones"] += 64 * n
            for name, both in pairs.items():
                counts[name] += int(np.bitwise_count(both).sum(dtype=np.int64))
                total[name] += (63 if name == "neighbours" else 64) * both.size
        for name in counts:
            yield f"bits of {q}: {name}", counts[name], total[name], exact ** (1 + (name != "ones"))


def subsets(draws: int, rng: Generator) -> Iterator[Row]:
    """Every subset of a small domain; members and pairs of members of larger ones."""
    small = mechanisms.make("SS", epsilon=1.0, domain_size=8)
    seen: Counter[int] = Counter()
    for n in batches(draws):
        found = np.bincount(small.privatize(3, n, rng)[:, 0].astype(np.int64), minlength=256)
        seen.update({word: int(count) for word, count in enumerate(found) if count})
    omega = small.omega
    for members in itertools.combinations(range(8), omega):
        share = small.p if 3 in members else 1 - small.p
        rate = share / math.comb(7, omega - (3 in members))
        yield f"subset {members} of 8", seen[sum(1 << v for v in members)], draws, rate
    for k in (25, 200, 1000):
        protocol = mechanisms.make("SS", epsilon=1.0, domain_size=k)
        counts = np.zeros(3, np.int64)
        for n in batches(draws // words_of(k)):
            sets = protocol.privatize(1, n, rng)
            first, true = sets[:, 0] & np.uint64(1), (sets[:, 0] >> np.uint64(1)) & np.uint64(1)
            last = (sets[:, -1] >> np.uint64((k - 1) % 64)) & np.uint64(1)
            counts += [int(part.sum()) for part in (true, last, first & last)]
        w, total = protocol.omega, draws // words_of(k)
        both = protocol.p * (w - 1) * (w - 2) + (1 - protocol.p) * w * (w - 1)
        rates = (protocol.p, protocol.q, both / ((k - 1) * (k - 2)))
        for name, count, rate in zip(("true value", "last", "pair"), counts, rates, strict=True):
            yield f"subsets of {k}: {name}", int(count), total, rate


def words_of(domain_size: int) -> int:
    """Words of a set: larger sets are drawn less often."""
    return -(-domain_size // 64)


def values(draws: int, rng: Generator) -> Iterator[Row]:
    """Every value of randomized response, every hash, and what the attacks guess."""
    response = mechanisms.make("GRR", epsilon=1.0, domain_size=25)
    hashing = mechanisms.make("OLH", epsilon=1.0, domain_size=25)
    encoding = mechanisms.make("SHE", epsilon=1.0, domain_size=25)
    unary = mechanisms.make("OUE", epsilon=1.0, domain_size=25)
    counts = {name: np.zeros(25, np.int64) for name in ("GRR", "OLH", "SHE guess", "OUE guess")}
    guesses = draws // 16
    for n in batches(draws):
        counts["GRR"] += np.bincount(response.privatize(4, n, rng), minlength=25)
    for n in batches(guesses):
        hashes = hashing.privatize(4, n, rng)["value"].astype(np.int64)
        counts["OLH"] += np.bincount(hashes, minlength=25)
        scores = encoding.privatize(4, n, rng)
        best = choose_best(fresh_stream(rng), scores, 0.0, 1.0)
        counts["SHE guess"] += np.bincount(best, minlength=25)
        member = choose_member(rng, unary.privatize(4, n, rng), 25)
        counts["OUE guess"] += np.bincount(member, minlength=25)
    for v in range(25):
        yield f"GRR {v}", int(counts["GRR"][v]), draws, response.p if v == 4 else response.q
    for v in range(hashing.hash_size):
        yield f"OLH hash {v}", int(counts["OLH"][v]), guesses, 1 / hashing.hash_size
    for name, protocol in (("SHE guess", encoding), ("OUE guess", unary)):
        rates = protocol.guess_rates()
        for v in range(25):
            rate = rates.true_positive if v == 4 else rates.false_positive
            yield f"{name} {v}", int(counts[name][v]), guesses, rate


def p_value(count: int, trials: int, rate: float) -> float:
    """Two-sided p-value of a binomial count."""
    law = stats.binom(trials, rate)
    return float(min(1.0, 2 * min(law.cdf(count), law.sf(count - 1))))


def main() -> int:
    """Print the counts of all kernels; return whether one of them is off."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--draws", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng, smallest, rows = default_rng(asked.seed), 1.0, 0
    for family in (noise, bits, subsets, values):
        for what, count, trials, rate in family(int(asked.draws), rng):
            p = p_value(count, trials, rate)
            smallest, rows = min(smallest, p), rows + 1
            print(f"{what:<40} {count:>13,} {trials * rate:>17,.1f}  p = {p:.3g}", flush=True)
    print(f"{rows} counts, smallest p-value {smallest:.3g}")
    return int(smallest * rows < FALSE_ALARM)


if __name__ == "__main__":
    sys.exit(main())
