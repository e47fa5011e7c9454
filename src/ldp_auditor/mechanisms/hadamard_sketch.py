"""Hadamard Count-Mean Sketch: one entry of the Hadamard transform of a row of the sketch."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports, Values
from ldp_auditor.errors import must, require
from ldp_auditor.mechanisms.frequency_oracle import TellingOracle
from ldp_auditor.mechanisms.hashed_rows import HashedRows
from ldp_auditor.mechanisms.kernels.bloom import TRIES, key_at, tries_among
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.hadamard import is_odd
from ldp_auditor.mechanisms.kernels.xoshiro import (
    Words,
    advance,
    fresh_stream,
    next_word,
    scale_down,
    threshold,
)
from ldp_auditor.mechanisms.local_hashing import hash_value
from ldp_auditor.mechanisms.local_mechanism import CHOSEN
from ldp_auditor.mechanisms.unary_encoding import flip_probability
from ldp_auditor.portable_math import log2
from ldp_auditor.theory.attack_success import uniform
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.guessing import independent_count_rates
from ldp_auditor.theory.sketch_success import hadamard_sketch_success

ENTRY = np.dtype([("row", np.uint64), ("column", np.uint64), ("odd", np.uint64)])


@dataclass(frozen=True, kw_only=True)
class HCMS(HashedRows, TellingOracle):
    """Apple's Hadamard Count-Mean Sketch [Apple17]; a report is a row, a column and one bit.

    The function of the row hashes the value to one of `width` numbers; the bit is the entry of the
    Hadamard matrix there, flipped with probability 1 / (e^epsilon + 1). A report supports the
    values whose hash has that entry in the column. Rows are those of `CMS`.
    """

    name = "HCMS"
    summary = "Hadamard count-mean sketch"

    def __post_init__(self) -> None:
        super().__post_init__()
        must(self.width & (self.width - 1) == 0, "be a power of two", width=self.width)

    @property
    def flip(self) -> float:
        """Probability that the entry is flipped."""
        return flip_probability(self.epsilon)

    @property
    def report_bytes(self) -> int:
        return 48

    def privatize(self, value: Any, n: int, rng: Generator) -> Reports:
        reports = np.empty(n, ENTRY)
        _draw(
            fresh_stream(rng),
            self.key(value),
            np.uint64(self.rows),
            np.uint64(self.width),
            threshold(self.flip),
            reports,
        )
        return reports

    def guess(self, reports: Reports, rng: Generator) -> Values:
        chosen = np.empty(len(reports), np.int64)
        size, width = np.uint64(self.domain_size), np.uint64(self.width)
        _guess(fresh_stream(rng), reports, width, size, self.keys, chosen)
        return chosen

    def add_supports(self, reports: Reports, keys: Words, totals: Floats) -> None:
        _add_supports(reports, np.uint64(self.width), keys, totals)

    def collisions(self, pair: InputPair) -> float:
        """Return the share of the rows in which two values have the same hash."""
        if self.rows == CHOSEN:
            return 1 / self.width
        first, second = self.key(pair.first), self.key(pair.second)
        return int(_count_collisions(self.rows, np.uint64(self.width), first, second)) / self.rows

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        # Different hashes have different entries in half of the columns.
        apart = (1 - self.collisions(pair)) / 2
        require(
            apart > 0,
            f"values {pair.first} and {pair.second} collide in all {self.rows} rows: no report "
            "tells them apart; choose another pair",
            argument="pair",
        )
        return OneLevelLaw(likely=apart * (1 - self.flip), unlikely=apart * self.flip)

    @property
    def default_pair(self) -> InputPair:
        """The first pair with 0 that some row tells apart."""
        others = (InputPair(0, value) for value in range(1, self.domain_size))
        return next((p for p in others if self.collisions(p) < 1), InputPair(0, 1))

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        if reports > 1 or self.rows != CHOSEN:
            return None  # what a given family of functions does is not known in advance
        bit, coin = np.array([self.flip, 1 - self.flip]), np.array([0.5, 0.5])
        rates = independent_count_rates(self.domain_size, bit, coin)
        # All entries of column 0 are 1, so that it supports all values or none.
        blind = 1 / (self.width * self.domain_size)
        said = 1 - 1 / self.width
        return Rates(blind + said * rates.true_positive, blind + said * rates.false_positive)

    @property
    def score_law(self) -> ScoreLaw:
        other = 0.5 + (0.5 - self.flip) / self.width
        return ScoreLaw.of_bits(1 - self.flip, self.flip, other)

    def attack_success(self, prior: Floats | None = None) -> float | None:
        if self.rows != CHOSEN:
            return None  # what a given family of functions does is not known in advance
        prior = uniform(self.domain_size) if prior is None else prior
        return hadamard_sketch_success(prior, self.width, self.flip)

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        least = self.row_bits + log2(self.width) + 1
        return math.ceil(least), least


@compiled
def _draw(stream: Any, value: Any, rows: Any, width: Any, flip: Any, reports: Any) -> None:
    a, b, c, d = stream
    for i in range(reports.size):
        row, a, b, c, d = advance(a, b, c, d)
        choice, a, b, c, d = advance(a, b, c, d)
        coin, a, b, c, d = advance(a, b, c, d)
        if rows != np.uint64(0):
            row = scale_down(row, rows)
        column = choice & (width - np.uint64(1))
        reports[i].row = row
        reports[i].column = column
        reports[i].odd = is_odd(hash_value(row, value, width), column) ^ np.uint64(coin < flip)


@compiled
def supported(report: Any, value: Any, width: Any) -> Any:
    """Tell whether the hash of a value has the reported entry."""
    return is_odd(hash_value(report.row, value, width), report.column) == report.odd


@compiled
def _guess(stream: Any, reports: Any, width: Any, domain_size: Any, keys: Any, chosen: Any) -> None:
    """Choose any supported value: by trying, or else among all; any value if none is."""
    for i in range(reports.size):
        found = domain_size
        # Column 0 supports all or none, any other one half of the values, up to chance.
        blind = reports[i].column == np.uint64(0)
        for _ in range(TRIES if blind else tries_among(domain_size)):
            value = scale_down(next_word(stream), domain_size)
            if supported(reports[i], key_at(keys, value), width):
                found = value
                break
        if found == domain_size and not blind:
            members = np.uint64(0)
            for value in range(domain_size):
                if supported(reports[i], key_at(keys, value), width):
                    members += np.uint64(1)
                    if scale_down(next_word(stream), members) == np.uint64(0):
                        found = value
        if found == domain_size:
            found = scale_down(next_word(stream), domain_size)
        chosen[i] = np.int64(found)


@compiled
def _add_supports(reports: Any, width: Any, keys: Any, totals: Any) -> None:
    """Add 1 for every supported value, a column of totals for each."""
    users, values = totals.shape
    each = reports.size // users
    for i in range(users):
        for t in range(i * each, (i + 1) * each):
            for v in range(values):
                if supported(reports[t], key_at(keys, np.uint64(v)), width):
                    totals[i, v] += 1.0


@compiled
def _count_collisions(rows: int, width: Any, first: Any, second: Any) -> Any:
    found = 0
    for row in range(rows):
        if hash_value(np.uint64(row), first, width) == hash_value(np.uint64(row), second, width):
            found += 1
    return found
