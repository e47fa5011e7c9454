"""PI-RAPPOR: unary encoding whose bits are only pairwise independent, so that a seed tells them.

A report is a line a v + b over a prime field; it supports the values v that the line sends below a
threshold. Lines are drawn as if all were alike, given whether the true value is supported.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Floats, InputPair, Reports, Values
from ldp_auditor.errors import must, whole_number
from ldp_auditor.mechanisms.estimation import FrequencyEstimator
from ldp_auditor.mechanisms.frequency_oracle import TellingOracle
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream, next_word, scale_down, threshold
from ldp_auditor.portable_math import exp, log2
from ldp_auditor.theory.attack_success import is_uniform
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.lines import lines_that_avoid

FIELD = 4_294_967_291
"""The largest prime below 2**32: products of two of its elements fit a word."""

LINE = np.dtype([("slope", np.uint64), ("offset", np.uint64)])

TRIES = 256
"""Values that are tried at random before those that are supported are counted."""


@cache
def is_prime(number: int) -> bool:
    """Tell whether a number below 2**32 is prime."""
    return number > 1 and all(number % d for d in range(2, math.isqrt(number) + 1))


@dataclass(frozen=True, kw_only=True)
class PIRAPPOR(TellingOracle, FrequencyEstimator):
    """Pairwise independent RAPPOR [Feldman21]; a report is a line over a field of `field` elements.

    Another value is supported with probability q = limit / field, the true one with probability p.
    Because q is a fraction of the field, rounded up, p is a little above 1/2, and the loss of a
    report is epsilon exactly.
    """

    name = "PI-RAPPOR"
    summary = "unary encoding by a pairwise independent seed"
    family = "sketches"

    field: int = FIELD

    def __post_init__(self) -> None:
        super().__post_init__()
        field = whole_number("field", self.field, 2, FIELD)
        must(is_prime(field), "be a prime number", field=field)
        must(
            self.domain_size <= field, "be at most field", domain_size=self.domain_size, field=field
        )
        self._set("field", field)

    @property
    def limit(self) -> int:
        """Number of elements that support a value: field / (e^epsilon + 1), rounded up."""
        shrink = exp(-self.epsilon)
        return min(self.field - 1, max(1, math.ceil(self.field * (shrink / (1 + shrink)))))

    @property
    def q(self) -> float:
        """Probability that the report of a value supports another one."""
        return self.limit / self.field

    @property
    def p(self) -> float:
        """Probability that the report of a value supports it."""
        return self.q / (self.q + (1 - self.q) * exp(-self.epsilon))

    @property
    def absence(self) -> float:
        """Probability 1 - p."""
        shrunk = (1 - self.q) * exp(-self.epsilon)
        return shrunk / (self.q + shrunk)

    @property
    def report_bytes(self) -> int:
        return 32

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        reports = np.empty(n, LINE)
        _draw(
            fresh_stream(rng),
            np.uint64(self.check_value(value)),
            np.uint64(self.field),
            np.uint64(self.limit),
            threshold(self.p),
            reports,
        )
        return reports

    def guess(self, reports: Reports, rng: Generator) -> Values:
        chosen = np.empty(len(reports), np.int64)
        _guess(
            fresh_stream(rng),
            reports,
            np.uint64(self.field),
            np.uint64(self.limit),
            np.uint64(self.domain_size),
            chosen,
        )
        return chosen

    def supports(self, reports: Reports, value: int) -> NDArray[np.bool_]:
        scores = np.zeros((len(reports), 1))
        _add_supports(reports, np.uint64(self.field), np.uint64(self.limit), value, scores)
        return scores[:, 0] > 0

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        _add_supports(reports, np.uint64(self.field), np.uint64(self.limit), 0, totals)

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        # Any two values are supported independently, which is all that the loss of a pair needs.
        return OneLevelLaw(likely=self.p * (1 - self.q), unlikely=self.q * self.absence)

    @property
    def score_law(self) -> ScoreLaw:
        return ScoreLaw.of_bits(self.p, self.absence, self.q)

    def attack_success(self, prior: Floats | None = None) -> float | None:
        """Return how often any supported value is right; for given frequencies it is not known."""
        if prior is not None and not is_uniform(prior):
            return None
        blind = lines_that_avoid(self.field, self.limit, self.domain_size)
        if blind is None:
            return None
        missed = blind / self.field**2
        said = (1 - missed) * self.p / self.q + missed * self.absence / (1 - self.q)
        return said / self.domain_size

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        bits = 2 * log2(self.field)
        return 2 * math.ceil(bits / 2), None


@compiled
def on_line(report: Any, value: Any, field: Any) -> Any:
    """Return the element that a line sends a value to."""
    return ((report.slope * value) % field + report.offset) % field


@compiled
def _draw(stream: Any, value: Any, field: Any, limit: Any, truth: Any, reports: Any) -> None:
    """Draw the element of the true value, then a slope; the offset follows."""
    for i in range(reports.size):
        if next_word(stream) < truth:
            element = scale_down(next_word(stream), limit)
        else:
            element = limit + scale_down(next_word(stream), field - limit)
        slope = scale_down(next_word(stream), field)
        reports[i].slope = slope
        reports[i].offset = (element + field - (slope * value) % field) % field


@compiled
def _guess(
    stream: Any, reports: Any, field: Any, limit: Any, domain_size: Any, chosen: Any
) -> None:
    """Choose any supported value: by trying, or else by its rank; any value if none is."""
    for i in range(reports.size):
        found = domain_size
        for _ in range(min(TRIES, domain_size)):
            value = scale_down(next_word(stream), domain_size)
            if on_line(reports[i], value, field) < limit:
                found = value
                break
        if found == domain_size:
            members = _supported_below(reports[i], domain_size, field, limit)
            if members == np.uint64(0):
                found = scale_down(next_word(stream), domain_size)
            else:
                rank = scale_down(next_word(stream), members)
                low, high = np.uint64(0), domain_size  # halved: it is the last with so many before
                while high - low > np.uint64(1):
                    middle = (low + high) >> np.uint64(1)
                    if _supported_below(reports[i], middle, field, limit) <= rank:
                        low = middle
                    else:
                        high = middle
                found = low
        chosen[i] = np.int64(found)


@compiled
def _supported_below(report: Any, end: Any, field: Any, limit: Any) -> Any:
    """Return how many of the values below `end` a line supports.

    floor(x / field) - floor((x - limit) / field) is 1 where x is below the limit modulo the field,
    else 0.
    """
    start = report.offset + field - limit
    every = _sum_of_floors(end, field, report.slope, report.offset)
    return end + every - _sum_of_floors(end, field, report.slope, start)


@compiled
def _sum_of_floors(count: Any, divisor: Any, slope: Any, offset: Any) -> Any:
    """Return the sum of floor((slope i + offset) / divisor) over i below `count`, modulo 2^64.

    Whole parts are taken out; what is left counts points of a lattice below a line, which are
    counted along the other axis, as Euclid's algorithm goes on.
    """
    total = np.uint64(0)
    while True:
        pairs = (
            (count >> np.uint64(1)) * (count - np.uint64(1))
            if count & np.uint64(1) == np.uint64(0)
            else count * ((count - np.uint64(1)) >> np.uint64(1))
        )
        total += slope // divisor * pairs + offset // divisor * count
        slope, offset = slope % divisor, offset % divisor
        top = slope * count + offset
        if top < divisor:
            return total
        count, offset = top // divisor, top % divisor
        divisor, slope = slope, divisor


@compiled
def _add_supports(reports: Any, field: Any, limit: Any, first: int, totals: Any) -> None:
    """Add 1 for every supported value from `first` on, a column of totals for each."""
    users, values = totals.shape
    each = reports.size // users
    for i in range(users):
        for t in range(i * each, (i + 1) * each):
            for v in range(values):
                if on_line(reports[t], np.uint64(first + v), field) < limit:
                    totals[i, v] += 1.0
