"""What random numbers cost: nanoseconds a report beside the words that it is made of.

A protocol's `least` words are the entropy of a report divided by 64 bits: no method can do with
less. The words that our method draws are those of xoshiro256++ and, in local hashing, outputs of
SplitMix64, by which a seed gives every value its hash. What both cost is measured in the same run,
in turn with the protocol, on one thread, in two ways:

drawn    all words go to the same 2 KB, which nobody reads;
written  as many words as a report has go to an array of reports of its own, one for every batch as
         `privatize` makes it, the others to the 2 KB.

An attack reads reports from memory, so that no method can spare `written`; `drawn` is less than any
method can do with. Both draw 64 streams side by side, as our kernels do. The third ratio, `plain`,
takes the words of one stream in a plain loop, as somebody from outside would measure them, and as
the aim (3 times, 2 in the mean) was planned with. A method that wastes words looks better by all
of them; the ratio to the least words tells.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import PCG64, default_rng
from scipy import stats
from scipy.special import gammaln

from ldp_auditor import mechanisms
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.execution.threads import keep_freed_memory
from ldp_auditor.mechanisms.frequency_oracle import SupportOracle
from ldp_auditor.mechanisms.histogram_encoding import SHE, HistogramEncoding
from ldp_auditor.mechanisms.kernels.bits import fill_bernoulli, words_for
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.eights import draw_lanes
from ldp_auditor.mechanisms.kernels.scores import GUESSES
from ldp_auditor.mechanisms.kernels.subsets import (
    MORE_ROUNDS,
    ROUNDS,
    WORDS_TO_HALVE,
    _start_density,
)
from ldp_auditor.mechanisms.kernels.xoshiro import (
    LANES,
    advance,
    aligned_words,
    fresh_lanes,
    fresh_stream,
    own_lanes,
    raw_words,
    threshold,
)
from ldp_auditor.mechanisms.local_hashing import LocalHashing, digits_of_block, sure_digits
from ldp_auditor.mechanisms.randomized_response import GRR
from ldp_auditor.mechanisms.subset_selection import SS
from ldp_auditor.mechanisms.unary_encoding import UnaryEncoding

EPSILON = 1.0

STEP = 4
"""Words of every lane that are drawn at a time where nobody reads them."""

TURNS = 12
"""Of which the fastest counts."""


@dataclass(frozen=True)
class Drawn:
    """Random words that something takes, and outputs of SplitMix64."""

    words: float
    outputs: float = 0.0

    def __add__(self, other: Drawn) -> Drawn:
        return Drawn(self.words + other.words, self.outputs + other.outputs)


@compiled
def _draw(lanes: Any, steps: int) -> None:
    """Draw words in all lanes into the same block of memory."""
    state, words = own_lanes(lanes), aligned_words(STEP * LANES)
    for _ in range(steps):
        draw_lanes(state, words)


@compiled
def _write(lanes: Any, drawn: int, reports: Any) -> None:
    """Draw words into an array; the rest of it are hashes, whose outputs are counted apart."""
    draw_lanes(own_lanes(lanes), reports[:drawn])
    for i in range(drawn, reports.size):
        reports[i] = np.uint64(i)


@compiled
def _one_by_one(stream: Any, words: Any) -> None:
    """Write the words of one stream, as a loop of anybody's does."""
    a, b, c, d = stream
    for i in range(words.size):
        word, a, b, c, d = advance(a, b, c, d)
        words[i] = word


@compiled
def _hash(seeds: Any, steps: int, outputs: Any) -> None:
    """Work out an output of SplitMix64 for every seed, again and again."""
    for step in range(np.uint64(steps)):
        for lane in range(seeds.size):
            outputs[lane] ^= digits_of_block(seeds[lane], np.uint64(0), step)


def least_of(turns: int, *works: Callable[[], object]) -> list[float]:
    """Return the processor time of the fastest of several turns of each work, in turn.

    The first turn does not count.
    """
    taken: list[list[float]] = [[] for _ in works]
    for _ in range(turns + 1):
        for work, times in zip(works, taken, strict=True):
            started = time.process_time()
            work()
            times.append(time.process_time() - started)
    return [min(times[1:]) for times in taken]


def print_words() -> float:
    """Print what a word costs, ours and by generators that anybody could take.

    Returns seconds of a word of one stream in a plain loop.
    """
    lanes, stream, numpys = fresh_lanes(default_rng(1)), fresh_stream(default_rng(1)), PCG64(1)
    size = 2**18  # 2 MiB, as a batch
    steps = size // (STEP * LANES)
    times = least_of(
        TURNS,
        lambda: _draw(lanes, steps),
        lambda: _write(lanes, size, np.empty(size, np.uint64)),
        lambda: _one_by_one(stream, np.empty(size, np.uint64)),
        lambda: numpys.random_raw(size),
    )
    names = ("drawn", "written", "xoshiro256++, one stream", "PCG64 of NumPy, random_raw")
    told = (f"{name} {taken / size * 1e9:.3f}" for name, taken in zip(names, times, strict=True))
    print(f"ns a word: {'; '.join(told)}")
    return times[2] / size


@dataclass(frozen=True)
class Costs:
    """Nanoseconds of a report, of one with the attack on it, and of references of the same run."""

    report: float
    attacked: float
    word: float
    output: float
    written: float
    """The words of a report, as many as it has in an array of its own."""


def costs_of(protocol: Any) -> Costs:
    """Measure a protocol and its references in turn, in batches as of an audit."""
    batch = AuditPlan(mechanism=protocol).batch_trials
    rng, lanes = default_rng(3), fresh_lanes(default_rng(1))
    turns = 1 + 100_000 // (batch * words_for(protocol.domain_size))
    words = words_of_report(protocol).words
    size = protocol.privatize(0, 1, rng).nbytes // 8
    kept = int(batch * min(words, size)) // LANES * LANES
    others = int(batch * max(0.0, words - size)) // (STEP * LANES)
    seeds, outputs = raw_words(rng, LANES), np.zeros(LANES, np.uint64)
    steps = 5_000

    def repeated(work: Callable[[], object]) -> Callable[[], None]:
        def turn() -> None:
            for _ in range(turns):
                work()

        return turn

    def attack() -> None:
        np.count_nonzero(protocol.guess(protocol.privatize(0, batch, rng), rng) == 0)

    def write() -> None:
        _write(lanes, kept, np.empty(batch * size, np.uint64))
        _draw(lanes, others)

    report, attacked, written, word, output = least_of(
        TURNS,
        repeated(lambda: protocol.privatize(0, batch, rng)),
        repeated(attack),
        repeated(write),
        lambda: _draw(lanes, steps),
        lambda: _hash(seeds, steps, outputs),
    )
    each = 1e9 / (turns * batch)
    return Costs(
        report * each,
        attacked * each,
        word / (steps * STEP * LANES) * 1e9,
        output / (steps * LANES) * 1e9,
        written * each,
    )


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


def words_of_report(protocol: Any) -> Drawn:
    """Expected words that our kernels draw for a report."""
    k = protocol.domain_size
    if isinstance(protocol, GRR):
        return Drawn(2)  # whether to keep the value, and another one
    if isinstance(protocol, SS):
        return Drawn(_subset_words(protocol))
    if isinstance(protocol, UnaryEncoding):
        # Several reports of a small domain share a word of bits; 64 reports one of true bits.
        others: float = words_for(k) / max(1, 64 // k)
        return Drawn(others * words_of_bits(protocol.q) + words_of_bits(protocol.p) / 64)
    if isinstance(protocol, LocalHashing):
        digits = float(sure_digits(np.uint64(protocol.hash_size)))
        return Drawn(1 if protocol.p == 1 else 3, digits)  # a seed, and as randomized response
    return Drawn(k)


def words_of_guess(protocol: Any) -> Drawn:
    """Expected words that our kernels draw for the paper's attack on a report."""
    k = protocol.domain_size
    if isinstance(protocol, SHE):
        return Drawn(-(-GUESSES // (64 // (k - 1).bit_length())))
    if isinstance(protocol, LocalHashing):
        digits = math.log2(protocol.hash_size)
        outputs = digits if digits.is_integer() else 8.0  # until all of 64 values are decided
        return Drawn(1, words_for(k) * outputs)
    return Drawn(1 if isinstance(protocol, SupportOracle) else 0)  # the rank of a member of a set


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


def compared() -> Iterator[tuple[int, str, Any]]:
    """Yield the domain size, name and protocol of every line of the table."""
    for k in (25, 200, 2000):
        for name, kind in mechanisms.available().items():
            if kind.memoizes:
                continue
            claim = {} if kind.promises_nothing else {"epsilon": EPSILON}
            protocol = mechanisms.make(name, domain_size=k, **claim)
            if isinstance(protocol, (GRR, SupportOracle, HistogramEncoding)):
                yield k, name, protocol


def print_table() -> None:
    """Print a line for every protocol and domain size, and the mean ratios."""
    keep_freed_memory()  # as an audit does
    print(f"epsilon = {EPSILON:g}, one thread, processor time; ns a report, words of 64 bits")
    plain_word = print_words() * 1e9
    print(
        f"{'':>15} {'':>34} {'drawn':^14} {'written':^14} plain {'with the attack':^23}\n"
        f"{'k':>5} {'protocol':>9} {'ns':>9} {'least':>8} {'words':>7} {'outputs':>7} {'ns':>8} "
        f"{'ratio':>5} {'ns':>8} {'ratio':>5} {'ratio':>5} {'ns':>8} {'written':>8} {'ratio':>5}"
    )
    ratios: dict[str, list[float]] = {}
    for k, name, protocol in compared():
        taken = costs_of(protocol)
        report, guess = words_of_report(protocol), words_of_guess(protocol)
        drawn = report.words * taken.word + report.outputs * taken.output
        written = taken.written + report.outputs * taken.output
        plain = report.words * plain_word + report.outputs * taken.output
        attacked = written + guess.words * taken.word + guess.outputs * taken.output
        least = least_words(protocol)
        found = {
            "report to its words, drawn": taken.report / drawn,
            "report to its words, written": taken.report / written,
            "report to its words, plain": taken.report / plain,
            "report and attack to their words, written": taken.attacked / attacked,
            "report to the least words, drawn": taken.report / (least * taken.word),
        }
        for what, ratio in found.items():
            ratios.setdefault(what, []).append(ratio)
        print(
            f"{k:>5} {name:>9} {taken.report:>9.1f} {least:>8.2f} {report.words:>7.2f} "
            f"{report.outputs:>7.2f} {drawn:>8.1f} {taken.report / drawn:>5.1f} "
            f"{written:>8.1f} {taken.report / written:>5.1f} {taken.report / plain:>5.1f} "
            f"{taken.attacked:>8.1f} {attacked:>8.1f} {taken.attacked / attacked:>5.1f}",
            flush=True,
        )
    for what, each in ratios.items():
        mean = math.exp(float(np.mean(np.log(each))))
        print(f"{what}: largest {max(each):.1f}, geometric mean {mean:.1f}")
    print("The aim is 3 at most and 2 in the mean; it was planned with plain words.")
