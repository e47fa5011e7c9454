"""What random numbers cost: nanoseconds a report beside the words that it is made of.

A protocol's `least` words are the entropy of a report divided by 64 bits: no method can do with
less. Its `drawn` words are those of our method, for the report and the paper's attack on it;
SplitMix64 outputs of local hashing count as words. Their cost is measured in the same run, by the
generator of the kernels on one thread doing nothing else.

What the ratio does not say: a method that wastes words looks better by it, so that the ratio to the
least words stands beside it; the reference writes no report to memory, which noise must (8 bytes a
word); and an output of SplitMix64, two multiplications of 64 bits, costs more than a word.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import default_rng
from scipy import stats
from scipy.special import gammaln

from ldp_auditor import mechanisms
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.mechanisms.frequency_oracle import SupportOracle
from ldp_auditor.mechanisms.histogram_encoding import SHE, HistogramEncoding
from ldp_auditor.mechanisms.kernels.bits import fill_bernoulli, words_for
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.scores import GUESSES
from ldp_auditor.mechanisms.kernels.subsets import (
    MORE_ROUNDS,
    ROUNDS,
    WORDS_TO_HALVE,
    _start_density,
)
from ldp_auditor.mechanisms.kernels.xoshiro import (
    LANES,
    WORDS_AT_ONCE,
    advance,
    draw_words,
    fresh_lanes,
    threshold,
)
from ldp_auditor.mechanisms.local_hashing import LocalHashing
from ldp_auditor.mechanisms.randomized_response import GRR
from ldp_auditor.mechanisms.subset_selection import SS
from ldp_auditor.mechanisms.unary_encoding import UnaryEncoding

EPSILON = 1.0


@compiled
def _draw(lanes: Any, steps: int) -> None:
    """Draw words in all lanes into the same block of memory."""
    words = np.empty(WORDS_AT_ONCE * LANES, np.uint64)
    for _ in range(steps):
        draw_words(lanes, words)


def best_of(turns: int, work: Callable[[], object]) -> float:
    """Return the processor time of the fastest of several turns, after one that does not count."""
    work()
    taken = []
    for _ in range(turns):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


def nanoseconds_per_word() -> float:
    """Cost of a word of the kernels' generator, in vectorized lanes."""
    lanes, steps = fresh_lanes(default_rng(1)), 5_000
    return best_of(15, lambda: _draw(lanes, steps)) / (steps * WORDS_AT_ONCE * LANES) * 1e9


def nanoseconds_per_report(protocol: Any) -> float:
    """Cost of a report and the paper's attack on it, in batches as an audit makes them."""
    batch = AuditPlan(mechanism=protocol).batch_trials
    rng, turns = default_rng(3), 1 + 100_000 // (batch * words_for(protocol.domain_size))

    def work() -> None:
        for _ in range(turns):
            np.count_nonzero(protocol.guess(protocol.privatize(0, batch, rng), rng) == 0)

    return best_of(5, work) / (turns * batch) * 1e9


def _bits(*probabilities: float) -> float:
    return -sum(p * math.log2(p) for p in probabilities if p > 0)


def _log2_choose(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)) / math.log(2)


def least_words(protocol: Any) -> float:
    """Entropy of a report in words of 64 bits."""
    k = protocol.domain_size
    if isinstance(protocol, GRR):
        entropy = _bits(protocol.p) + (k - 1) * _bits(protocol.q)
    elif isinstance(protocol, SS):
        p, omega = protocol.p, protocol.omega
        entropy = _bits(p, 1 - p)
        entropy += p * _log2_choose(k - 1, omega - 1) + (1 - p) * _log2_choose(k - 1, omega)
    elif isinstance(protocol, UnaryEncoding):
        p, q = protocol.p, protocol.q
        entropy = _bits(p, 1 - p) + (k - 1) * _bits(q, 1 - q)
    elif isinstance(protocol, LocalHashing):
        g = protocol.hash_size
        entropy = 64 + _bits(protocol.p) + (g - 1) * _bits((1 - protocol.p) / (g - 1))
    else:
        entropy = k * _float_entropy(protocol)
    return float(entropy / 64)


def _float_entropy(protocol: HistogramEncoding) -> float:
    """Entropy of an entry with 53 significant bits: E[-log2 density] - E[log2 of its last bit]."""
    law = stats.laplace if isinstance(protocol, SHE) else stats.norm
    noise = law(scale=protocol.scale)
    exponents = np.arange(-120, 12)
    share = 2 * (noise.cdf(2.0 ** (exponents + 1)) - noise.cdf(2.0**exponents))
    return float(noise.entropy() / math.log(2) - np.sum(share * (exponents - 52)))


def drawn_words(protocol: Any) -> float:
    """Expected words that our kernels draw for a report and the guess."""
    k = protocol.domain_size
    if isinstance(protocol, GRR):
        return 2  # whether to keep the value, and another one
    member = 1  # its rank in the set
    if isinstance(protocol, SS):
        return float(member + _subset_words(protocol))
    if isinstance(protocol, UnaryEncoding):
        # Several reports of a small domain share a word of bits; 64 reports one of true bits.
        others: float = words_for(k) / max(1, 64 // k)
        return member + others * words_of_bits(protocol.q) + words_of_bits(protocol.p) / 64
    if isinstance(protocol, LocalHashing):
        report = 1 if protocol.p == 1 else 3
        digits = math.log2(protocol.hash_size)
        outputs = digits if digits.is_integer() else 8.0  # until all of 64 values are decided
        return float(member + report + (words_for(k) + 1) * outputs)
    if not isinstance(protocol, SHE):
        return float(k)
    digits = (k - 1).bit_length()
    return float(k + -(-GUESSES // (64 // digits)))


def _subset_words(protocol: SS) -> float:
    k, omega = protocol.domain_size, protocol.omega
    if words_for(k) == 1:
        return 1 + ROUNDS
    if words_for(k) <= WORDS_TO_HALVE:
        return 1 + MORE_ROUNDS * 2 * ((words_for(k) + 1) // 2)  # two by two
    start = int(_start_density(k, omega)) / 2.0**64
    sizes = np.arange(k)
    chances = stats.binom.pmf(sizes, k - 1, start)
    tries = 0.0
    for wanted, weight in ((omega - 1, protocol.p), (omega, 1 - protocol.p)):
        for size, chance in zip(sizes.tolist(), chances.tolist(), strict=True):
            for j in range(abs(size - wanted) if chance > 1e-12 else 0):
                left = size - j if size > wanted else k - 1 - size - j
                tries += weight * chance * (k - 1) / left
    return 1 + tries + words_for(k) * words_of_bits(start)


def words_of_bits(probability: float) -> float:
    """Count the random words of a word of bits: how far a lane is after many of them."""
    lanes = fresh_lanes(default_rng(2))
    start = lanes[:, 5].copy()
    out = np.empty(512 * 40, np.uint64)
    fill_bernoulli(lanes, threshold(probability), out)
    return float(_steps_between(start, lanes[:, 5].copy()) * LANES / out.size)


@compiled
def _steps_between(start: Any, end: Any) -> Any:
    """Return how many words a stream gave between two of its states."""
    a, b, c, d = start
    steps = 0
    while a != end[0] or b != end[1] or c != end[2] or d != end[3]:
        _, a, b, c, d = advance(a, b, c, d)
        steps += 1
    return steps


def print_table() -> None:
    """Print a line for every protocol and domain size, and the mean ratio."""
    print(f"epsilon = {EPSILON:g}, one thread, processor time; ns a report, words of 64 bits")
    print(f"{'k':>5} {'protocol':>9} {'ns':>9} {'least':>8} {'drawn':>8} {'their ns':>9} ratio")
    ratios, to_least = [], []
    for k in (25, 200, 2000):
        for name, kind in mechanisms.available().items():
            if kind.memoizes:
                continue
            claim = {} if kind.promises_nothing else {"epsilon": EPSILON}
            protocol = mechanisms.make(name, domain_size=k, **claim)
            if not isinstance(protocol, (GRR, SupportOracle, HistogramEncoding)):
                continue
            taken, drawn = nanoseconds_per_report(protocol), drawn_words(protocol)
            word, least = nanoseconds_per_word(), least_words(protocol)
            cost = drawn * word
            ratios.append(taken / cost)
            to_least.append(taken / (least * word))
            print(
                f"{k:>5} {name:>9} {taken:>9.1f} {least:>8.2f} {drawn:>8.2f} "
                f"{cost:>9.1f} {ratios[-1]:>5.1f}",
                flush=True,
            )
    for what, found in (("drawn", ratios), ("least", to_least)):
        mean = math.exp(float(np.mean(np.log(found))))
        print(f"ratio to the {what} words: largest {max(found):.1f}, geometric mean {mean:.1f}")
