"""dBitFlipPM: a few permanent bits about the bucket of the value, sent again and again [Ding17]."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import must, whole_number
from ldp_auditor.mechanisms.estimation import FrequencyEstimator
from ldp_auditor.mechanisms.frequency_oracle import SetOracle
from ldp_auditor.mechanisms.kernels.bits import contains, words_for
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.subsets import select_subsets
from ldp_auditor.mechanisms.kernels.sums import add_sets
from ldp_auditor.mechanisms.kernels.xoshiro import Words
from ldp_auditor.mechanisms.memoization import RepeatedForever
from ldp_auditor.mechanisms.unary_encoding import flip_probability, randomize_one_hot
from ldp_auditor.portable_math import log, log2
from ldp_auditor.theory.attack_success import bucket_success, entropy_by_ones, uniform
from ldp_auditor.theory.discrete_laws import DiscreteLaw
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.guessing import NEGLIGIBLE, binomial
from ldp_auditor.theory.quadrature import integrate


@dataclass(frozen=True, kw_only=True)
class BitFlipsOfBuckets(SetOracle, FrequencyEstimator):
    """One report: which `bits` of the `buckets` were drawn, and a randomized bit for each of them.

    Value v is in bucket v * buckets // domain_size. A report is two sets of buckets as bits (see
    `kernels.bits`), one beside the other: those drawn, and those of them whose bit is 1. It
    supports the values of the latter.
    """

    buckets: int
    bits: int

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("buckets", whole_number("buckets", self.buckets, 2))
        self._set("bits", whole_number("bits", self.bits, 1))
        values, buckets, bits = self.domain_size, self.buckets, self.bits
        must(buckets <= values, "not be more than domain_size", buckets=buckets, domain_size=values)
        must(bits <= buckets, "not be more than buckets", bits=bits, buckets=buckets)

    @property
    def default_pair(self) -> InputPair:
        """The ends of the domain; neighbours may share a bucket."""
        return InputPair(0, self.domain_size - 1)

    @property
    def flip(self) -> float:
        """Probability that a bit is flipped."""
        return flip_probability(self.epsilon / 2)

    @property
    def report_bytes(self) -> int:
        return 16 * words_for(self.buckets) + 8 * words_for(self.domain_size)

    def bucket(self, value: int) -> int:
        """Bucket of a value."""
        return value * self.buckets // self.domain_size

    def size_of(self, bucket: int) -> int:
        """Number of values in a bucket."""
        first = -(-bucket * self.domain_size // self.buckets)
        last = -(-(bucket + 1) * self.domain_size // self.buckets)
        return last - first

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        bucket = self.bucket(self.check_value(value))
        drawn = select_subsets(bucket, self.buckets, self.bits, self.bits / self.buckets, n, rng)
        ones = randomize_one_hot(bucket, self.buckets, 1 - self.flip, self.flip, n, rng)
        return np.concatenate([drawn, drawn & ones], axis=1)

    def _parts(self, reports: Reports) -> tuple[Words, Words]:
        """Buckets that were drawn, and those of them whose bit is 1."""
        words = words_for(self.buckets)
        return reports[:, :words], reports[:, words:]

    def support(self, reports: Reports) -> Words:
        sets = np.zeros((len(reports), words_for(self.domain_size)), np.uint64)
        _spread_out(self._parts(reports)[1], self.buckets, self.domain_size, sets)
        return sets

    def attack_success(self, prior: Floats | None = None) -> float | None:
        prior = uniform(self.domain_size) if prior is None else prior
        starts = -(-np.arange(self.buckets) * self.domain_size // self.buckets)
        return bucket_success(np.maximum.reduceat(prior, starts), self.bits, self.flip)

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        """Return bits of a report; which buckets were drawn is sent once."""
        d, b, flip = self.bits, self.buckets, self.flip
        names = 0 if d == b else d * math.ceil(log2(b))
        others, none = binomial(d - 1, flip, 1 - flip), binomial(d, flip, 1 - flip)
        own = (1 - flip) * np.append(0.0, others) + flip * np.append(others, 0.0)
        drawn = float(_choose(b, np.array(d))) / log(2.0)
        least = entropy_by_ones(d / b * own + (1 - d / b) * none)
        return d + names / reports, least + drawn / reports

    @property
    def score_law(self) -> ScoreLaw:
        # [Ding17] section 4: a drawn bit, without its bias, counts buckets / bits times, so that
        # its mean is 1 for those in the bucket and 0 for the others.
        weight, flip = self.buckets / self.bits, self.flip
        bit_variance = flip * (1 - flip) / (1 - 2 * flip) ** 2
        return ScoreLaw(1.0, 0.0, weight * (1 + bit_variance) - 1, weight * bit_variance)

    @property
    def tally_size(self) -> int:
        return 2 * self.buckets

    def add_to_tally(self, reports: Reports, tally: Floats) -> None:
        """Count how often every bucket was drawn, and how often its bit was 1."""
        for part, counts in zip(self._parts(reports), np.split(tally, 2, axis=1), strict=True):
            add_sets(part, counts)

    def grouped(self, frequencies: Floats) -> Floats:
        """Return the frequencies of the buckets, given those of the values."""
        first = [-(-bucket * self.domain_size // self.buckets) for bucket in range(self.buckets)]
        return np.add.reduceat(frequencies, first)

    def frequencies_from(self, tally: Floats, reports: int) -> Floats:
        """Estimate the frequency of every bucket; values of one cannot be told apart."""
        reports = self.check_tally(tally, reports)
        drawn, ones = np.split(np.asarray(tally), 2)
        unbiased = (ones - self.flip * drawn) / (1 - 2 * self.flip)
        return self.score_law.frequencies(self.buckets / self.bits * unbiased / reports)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return the ratio: each of the two buckets tells epsilon / 2 for or against its value."""
        if self.bucket(pair.first) == self.bucket(pair.second):
            return np.zeros(len(reports))
        drawn, ones = self._parts(reports)

        def evidence(value: int) -> Floats:
            bucket = self.bucket(value)
            is_one: Floats = contains(ones, bucket).astype(np.float64)
            return contains(drawn, bucket) * (2 * is_one - 1)

        return self.epsilon / 2 * (evidence(pair.first) - evidence(pair.second))

    def loss_law(self, pair: InputPair) -> DiscreteLaw:
        if self.bucket(pair.first) == self.bucket(pair.second):
            return DiscreteLaw.of(np.zeros(1), np.ones(1), np.ones(1))
        d, b, flip = self.bits, self.buckets, self.flip
        both = d * (d - 1) / (b * (b - 1))
        one = d / b - both  # one given bucket of the two is drawn and the other is not
        half = self.epsilon / 2
        steps = np.array([-2, -1, 0, 1, 2])
        neither = 1 - both - 2 * one
        likely = np.array(
            [
                both * flip**2,
                2 * one * flip,
                neither + 2 * both * flip * (1 - flip),
                2 * one * (1 - flip),
                both * (1 - flip) ** 2,
            ]
        )
        possible = likely + likely[::-1] > 0
        return DiscreteLaw.of(
            half * steps[possible], likely[possible], likely[::-1][possible].copy()
        )

    def worst_case(self, pair: InputPair) -> float:
        """Return the exact smallest epsilon over all pairs; a shared bucket loses nothing."""
        return self.loss_law(self.default_pair).epsilon(self.delta)

    def worst_case_over(self, pair: InputPair, reports: int) -> float | None:
        return self.worst_case(pair)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        first, second = self.bucket(pair.first), self.bucket(pair.second)
        return Rates(self._chance(first, true=first), self._chance(first, true=second))

    def _chance(self, bucket: int, true: int) -> float:
        """Probability of guessing a given value of a bucket if the truth is in bucket `true`.

        The value is drawn among X + s supported ones, s of its own bucket and X of others:
        E[1 / (s + X)] is the integral of u^(s - 1) E[u^X] over u in (0, 1). Where no drawn bucket
        has a 1, any value is guessed.
        """
        d, b, flip = self.bits, self.buckets, self.flip
        rest = [self.size_of(i) for i in range(b) if i not in (bucket, true)]

        def generating(u: Floats) -> Floats:
            """E[u^X] given that the guessed value's bucket is drawn."""
            if bucket == true:
                return _mean_product(rest, d - 1, flip, u)
            of_true = flip + (1 - flip) * u ** self.size_of(true)
            drawn = (d - 1) / (b - 1)
            return (1 - drawn) * _mean_product(rest, d - 1, flip, u) + (
                drawn * of_true * _mean_product(rest, d - 2, flip, u)
            )

        own = (1 - flip) if bucket == true else flip
        size = self.size_of(bucket)
        edges = np.append(1 - 0.5 ** np.arange(40), 1.0)
        share = integrate(lambda u: u ** (size - 1) * generating(u), edges)
        none = (d / b) * flip * (1 - flip) ** (d - 1) + (1 - d / b) * (1 - flip) ** d
        return d / b * own * share + none / self.domain_size


def _mean_product(sizes: list[int], drawn: int, flip: float, u: Floats) -> Floats:
    """Mean of the product of 1 - flip + flip u^size over a uniform choice of `drawn` buckets.

    Sizes differ by one at most, so that only the number of larger ones in the choice matters.
    """
    if not 0 <= drawn <= len(sizes):
        return np.zeros_like(u)
    small = min(sizes, default=1)
    larger = sum(size > small for size in sizes)
    j = np.arange(max(0, drawn - (len(sizes) - larger)), min(drawn, larger) + 1)
    shares = _choose(larger, j) + _choose(len(sizes) - larger, drawn - j)
    shares = np.exp(shares - _choose(len(sizes), np.array(drawn)))
    logs = [np.log(1 - flip + flip * u**size) for size in (small, small + 1)]
    mean = np.zeros_like(u)
    for number, share in zip(j[shares > NEGLIGIBLE], shares[shares > NEGLIGIBLE], strict=True):
        mean += share * np.exp(number * logs[1] + (drawn - number) * logs[0])
    return mean


def _choose(n: int, k: NDArray[np.int64]) -> Floats:
    """Log of the number of ways to choose k out of n."""
    from scipy.special import gammaln

    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


@compiled
def _spread_out(bucket_sets: Any, buckets: int, domain_size: int, sets: Any) -> None:
    """Write the values of every set of buckets."""
    for i in range(sets.shape[0]):
        for v in range(domain_size):
            bucket = v * buckets // domain_size
            bit = (bucket_sets[i, bucket >> 6] >> np.uint64(bucket & 63)) & np.uint64(1)
            sets[i, v >> 6] |= bit << np.uint64(v & 63)


class DBitFlipPM(RepeatedForever, BitFlipsOfBuckets):
    """dBitFlipPM [Ding17]: the drawn buckets and their bits are kept for ever."""

    name = "dBitFlipPM"
    summary = "permanent bits about a few buckets of values"
