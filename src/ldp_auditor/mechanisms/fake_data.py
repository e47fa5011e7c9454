"""Random sampling plus fake data: one attribute is reported, the others are made up [Arcolezi21].

Nobody is told which attribute was drawn, so it is reported under a larger budget,
ln(d (e^epsilon - 1) + 1). For which records that keeps epsilon, and for which it does not, is shown
in `docs/multidimensional.md`.
"""

import math
from abc import ABC, abstractmethod
from functools import cache
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Record, Reports
from ldp_auditor.mechanisms.capabilities import KnowsScoreLaw, needed
from ldp_auditor.mechanisms.frequency_oracle import FrequencyOracle
from ldp_auditor.mechanisms.kernels.bits import contains, count_members
from ldp_auditor.mechanisms.kernels.xoshiro import draw_values
from ldp_auditor.mechanisms.randomized_response import GRR
from ldp_auditor.mechanisms.record_estimation import Frequencies, RecordEstimator
from ldp_auditor.mechanisms.records import attribute_of, join_attributes, rows_of_each
from ldp_auditor.mechanisms.unary_encoding import (
    OUE,
    SUE,
    UnaryEncoding,
    randomize_one_hot,
    randomize_random_one_hot,
)
from ldp_auditor.portable_math import expm1, log1p
from ldp_auditor.theory.attack_success import (
    independent_success,
    mixed_success,
    randomized_response_success,
)
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.fake_data import Kinds, largest_loss, law_of_loss
from ldp_auditor.theory.guessing import binomial
from ldp_auditor.theory.loss_law import LossLaw


class FakeData(ABC):
    """How the attributes that were not drawn are made up, and how likely that looks."""

    sign: ClassVar[str]
    """What it adds to the name of a mechanism."""
    words: ClassVar[str]

    @abstractmethod
    def draw(self, part: Any, n: int, rng: Generator) -> Reports:
        """Return `n` made-up reports of an attribute."""

    @abstractmethod
    def ratio(self, part: Any, reports: Reports, value: int) -> Floats:
        """Return how much likelier every report is if the attribute was drawn than if made up."""

    @abstractmethod
    def support_rate(self, part: Any) -> float:
        """Return how often a made-up report supports a given value."""

    @abstractmethod
    def success(self, part: Any, prior: Floats, drawn: float) -> float:
        """Return how often the best guess is right if the attribute is drawn that often."""

    @abstractmethod
    def kinds(self, part: Any, differs: bool) -> Kinds:
        """Return the kinds of outcomes of an attribute whose values differ, or are the same."""


class UniformValue(FakeData):
    """A uniform value."""

    sign, words = "", "uniform fake values"

    def draw(self, part: GRR, n: int, rng: Generator) -> Reports:
        return draw_values(rng, part.domain_size, n)

    def ratio(self, part: GRR, reports: Reports, value: int) -> Floats:
        ratios = part.domain_size * np.array([part.q, part.p])
        ratio: Floats = ratios[(reports == value).astype(np.int8)]
        return ratio

    def support_rate(self, part: GRR) -> float:
        return 1 / part.domain_size

    def success(self, part: GRR, prior: Floats, drawn: float) -> float:
        made_up = (1 - drawn) / part.domain_size
        return randomized_response_success(
            prior, drawn * part.p + made_up, drawn * part.q + made_up
        )

    def kinds(self, part: GRR, differs: bool) -> Kinds:
        k, high, low = part.domain_size, part.domain_size * part.p, part.domain_size * part.q
        if differs:
            return Kinds((high, low, low), (low, high, low), (1 / k, 1 / k, (k - 2) / k))
        return Kinds((high, low), (high, low), (1 / k, (k - 1) / k))


def bit_ratios(part: UnaryEncoding) -> tuple[float, float]:
    """How much likelier a bit 0, and a bit 1, is at the true value than at another one."""
    return part.absence / (1 - part.q), part.p / part.q


class ZeroVector(FakeData):
    """A vector of zeros, randomized like any other."""

    sign, words = "-z", "randomized zero vectors"

    def draw(self, part: UnaryEncoding, n: int, rng: Generator) -> Reports:
        return randomize_one_hot(0, part.domain_size, part.q, part.q, n, rng)

    def ratio(self, part: UnaryEncoding, reports: Reports, value: int) -> Floats:
        return np.array(bit_ratios(part))[contains(reports, value).astype(np.int8)]

    def support_rate(self, part: UnaryEncoding) -> float:
        return part.q

    def success(self, part: UnaryEncoding, prior: Floats, drawn: float) -> float:
        low, high = (drawn * ratio + 1 - drawn for ratio in bit_ratios(part))
        return independent_success(prior, high, low, part.q)

    def kinds(self, part: UnaryEncoding, differs: bool) -> Kinds:
        ratios, chances = bit_ratios(part), (1 - part.q, part.q)
        every = list(product((0, 1), repeat=2 if differs else 1))
        return Kinds(
            tuple(ratios[bits[0]] for bits in every),
            tuple(ratios[bits[-1]] for bits in every),
            tuple(math.prod(chances[bit] for bit in bits) for bits in every),
        )


class RandomVector(FakeData):
    """A random one-hot vector, randomized like any other."""

    sign, words = "-r", "randomized random one-hot vectors"

    def draw(self, part: UnaryEncoding, n: int, rng: Generator) -> Reports:
        return randomize_random_one_hot(part.domain_size, part.p, part.q, n, rng)

    def ratio(self, part: UnaryEncoding, reports: Reports, value: int) -> Floats:
        low, high = bit_ratios(part)
        ones = count_members(reports)
        mean = low + (high - low) * ones / part.domain_size
        return np.where(contains(reports, value), high, low) / mean

    def support_rate(self, part: UnaryEncoding) -> float:
        return part.q + (part.p - part.q) / part.domain_size

    def success(self, part: UnaryEncoding, prior: Floats, drawn: float) -> float:
        low, high = bit_ratios(part)
        return mixed_success(prior, high, low, part.q, drawn)

    def kinds(self, part: UnaryEncoding, differs: bool) -> Kinds:
        ratios, chances = bit_ratios(part), (1 - part.q, part.q)
        known = 2 if differs else 1
        others = part.domain_size - known
        ones = np.arange(others + 1)
        spread = binomial(others, part.q, 1 - part.q)
        first, second, fake = [], [], []
        for bits in product((0, 1), repeat=known):
            low, high = ratios
            mean = low + (high - low) * (ones + sum(bits)) / part.domain_size
            first += (ratios[bits[0]] / mean).tolist()
            second += (ratios[bits[-1]] / mean).tolist()
            fake += (math.prod(chances[b] for b in bits) * spread * mean).tolist()
        return Kinds(tuple(first), tuple(second), tuple(fake))


class SamplingPlusFakeData(RecordEstimator):
    """One attribute is drawn and reported, the others are made up, and nobody knows which."""

    fake: ClassVar[FakeData]

    def __init_subclass__(
        cls, *, protocol: Any = None, fake: FakeData | None = None, listed: bool = True
    ) -> None:
        if fake is not None:
            cls.protocol, cls.fake = protocol, fake
            cls.name = f"RS+FD[{protocol.name}{fake.sign}]"
            cls.summary = f"one attribute by {protocol.name}, {fake.words} elsewhere"
        super().__init_subclass__(listed=listed)

    def part(self, domain_size: int) -> FrequencyOracle:
        # ln(d (e^epsilon - 1) + 1)
        amplified = self.epsilon + log1p((self.attributes - 1) * -expm1(-self.epsilon))
        return self.protocol(epsilon=amplified, domain_size=domain_size)

    def privatize(self, value: Record, n: int, rng: Generator) -> Reports:
        drawn = draw_values(rng, self.attributes, n)
        columns = []
        all_rows = rows_of_each(drawn, self.attributes)
        for part, v, rows in zip(self.parts, value, all_rows, strict=True):
            column = self.fake.draw(part, n, rng)
            if rows.size:
                column[rows] = part.privatize(v, rows.size, rng)
            columns.append(column)
        return join_attributes(columns)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return the ratio, summed over which attribute may have been drawn."""
        first, second = np.zeros((2, len(reports)))
        for j, (part, a, b) in enumerate(zip(self.parts, pair.first, pair.second, strict=True)):
            column = attribute_of(reports, j)
            ratio = self.fake.ratio(part, column, a)
            first += ratio
            second += ratio if a == b else self.fake.ratio(part, column, b)
        return np.log(first / second)

    def success_of(self, part: FrequencyOracle, prior: Floats) -> float | None:
        return self.fake.success(part, prior, 1 / self.attributes)

    def guess_rates(self, pair: InputPair) -> Rates | None:
        rates = super().guess_rates(pair)
        if rates is None:
            return None
        # The attribute was drawn with probability 1/d; made-up data favours no value.
        luck = float(np.mean([1 / size for size in self.domain_sizes]))
        drawn = 1 / self.attributes
        return Rates(
            drawn * rates.true_positive + (1 - drawn) * luck,
            drawn * rates.false_positive + (1 - drawn) * luck,
        )

    def _kinds(self, pair: InputPair) -> list[Kinds]:
        kinds = cache(self.fake.kinds)  # attributes of the same size have the same ones
        values = zip(self.parts, pair.first, pair.second, strict=True)
        return [kinds(part, a != b) for part, a, b in values]

    def loss_law(self, pair: InputPair) -> LossLaw | None:
        return law_of_loss(self._kinds(pair))

    def worst_case(self, pair: InputPair) -> float | None:
        return largest_loss(self._kinds(pair)) if self.delta == 0 else super().worst_case(pair)

    def score_law_of(self, attribute: int) -> ScoreLaw:
        """Mean and variance of the support of a value of an attribute, drawn or made up."""
        part = self.parts[attribute]
        law = needed(part, KnowsScoreLaw, f"estimate of {self.name}").score_law
        drawn, made_up = 1 / self.attributes, self.fake.support_rate(part)
        p = drawn * law.held_mean + (1 - drawn) * made_up
        return ScoreLaw.of_bits(p, 1 - p, drawn * law.other_mean + (1 - drawn) * made_up)

    def _frequencies(self, tallies: list[Floats], reports: int) -> Frequencies:
        # [Arcolezi21] section 4: the support that made-up reports give is subtracted, too.
        return tuple(
            self.score_law_of(j).frequencies(tally / reports) for j, tally in enumerate(tallies)
        )

    def _variance(self, senders: int, frequency: Floats, attribute: int) -> Floats:
        return self.score_law_of(attribute).variance(senders, frequency)


class RSFDGRR(SamplingPlusFakeData, protocol=GRR, fake=UniformValue()):
    """RS+FD with GRR [Arcolezi21]."""


class RSFDSUEZero(SamplingPlusFakeData, protocol=SUE, fake=ZeroVector()):
    """RS+FD with SUE and zero vectors [Arcolezi21]."""


class RSFDSUERandom(SamplingPlusFakeData, protocol=SUE, fake=RandomVector()):
    """RS+FD with SUE and random vectors [Arcolezi21]."""


class RSFDOUEZero(SamplingPlusFakeData, protocol=OUE, fake=ZeroVector()):
    """RS+FD with OUE and zero vectors [Arcolezi21]."""


class RSFDOUERandom(SamplingPlusFakeData, protocol=OUE, fake=RandomVector()):
    """RS+FD with OUE and random vectors [Arcolezi21]."""
