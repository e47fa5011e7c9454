"""The one-bit Hadamard mechanism: report an entry of the value's row of a Hadamard matrix.

Any two rows agree in half of the columns, which makes every pair of values as hard to tell apart as
any other, and the estimates of all frequencies one fast transform.
"""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Floats, InputPair, Rates, Reports, Values
from ldp_auditor.mechanisms.estimation import FrequencyEstimator
from ldp_auditor.mechanisms.frequency_oracle import TellingOracle
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.hadamard import (
    MOST_COLUMNS,
    checked_columns,
    choose_row,
    column_sums,
    is_odd,
    signs,
    transformed,
)
from ldp_auditor.mechanisms.kernels.xoshiro import (
    advance,
    fresh_stream,
    next_word,
    scale_down,
    threshold,
)
from ldp_auditor.mechanisms.unary_encoding import flip_probability
from ldp_auditor.portable_math import log2
from ldp_auditor.theory.attack_success import uniform
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.sketch_success import hadamard_entry_success

ENTRY = np.dtype([("column", np.uint64), ("odd", np.uint64)])


class HRR(TellingOracle, FrequencyEstimator):
    """Hadamard randomized response [Nguyen16, Cormode21]: a random entry of the value's row.

    A report is a column, drawn at random, and whether the entry is said to be -1; it supports the
    values whose rows have that entry there.
    """

    name = "HRR"
    summary = "one-bit Hadamard mechanism (Hadamard randomized response)"
    family = "sketches"

    @property
    def columns(self) -> int:
        """Number K of columns: the least power of two with a row for every value."""
        return 1 << (self.domain_size - 1).bit_length()

    @property
    def flip(self) -> float:
        """Probability that the entry is flipped."""
        return flip_probability(self.epsilon)

    @property
    def report_bytes(self) -> int:
        return 32

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        reports = np.empty(n, ENTRY)
        row, mask = np.uint64(self.check_value(value)), np.uint64(self.columns - 1)
        _draw_entries(fresh_stream(rng), row, mask, threshold(self.flip), reports)
        return reports

    def guess(self, reports: Reports, rng: Generator) -> Values:
        chosen = np.empty(len(reports), np.int64)
        _guess_entries(fresh_stream(rng), reports, np.uint64(self.domain_size), chosen)
        return chosen

    def supports(self, reports: Reports, value: int) -> NDArray[np.bool_]:
        odd = np.bitwise_count(reports["column"] & np.uint64(value)) & 1
        supported: NDArray[np.bool_] = odd == reports["odd"]
        return supported

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        _add_entries(reports, self.domain_size, totals)

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        # In half of the columns the rows agree, and the report says nothing.
        return OneLevelLaw(likely=(1 - self.flip) / 2, unlikely=self.flip / 2)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        if reports > 1 or self.columns > MOST_COLUMNS:
            return None
        columns = np.arange(self.columns)
        lead = column_sums(0, self.domain_size, self.columns)
        of_first, of_second = (signs(value, columns) for value in (pair.first, pair.second))

        def rate(own: Floats) -> float:
            """How often the first value is named if the entries of the true one are `own`."""
            total = 0.0
            for entry in (1.0, -1.0):
                chance = np.where(own == entry, 1 - self.flip, self.flip) / self.columns
                supported = (self.domain_size + entry * lead) / 2
                share = np.where(of_first == entry, 1 / np.maximum(supported, 1), 0.0)
                total += float(chance @ np.where(supported > 0, share, 1 / self.domain_size))
            return total

        return Rates(rate(of_first), rate(of_second))

    @property
    def score_law(self) -> ScoreLaw:
        return ScoreLaw.of_bits(1 - self.flip, self.flip, 0.5)

    @property
    def tally_size(self) -> int:
        return self.columns

    def add_to_tally(self, reports: Reports, tally: Floats) -> None:
        """Add the reported entries of every column."""
        columns = checked_columns(reports["column"], self.columns)
        entries = 1.0 - 2.0 * reports["odd"].astype(np.float64)
        tally[0] += np.bincount(columns, weights=entries, minlength=self.columns)

    def frequencies_from(self, tally: Floats, reports: int) -> Floats:
        reports = self.check_tally(tally, reports)
        lead = transformed(np.asarray(tally))[: self.domain_size]
        return self.score_law.frequencies((1 + lead / reports) / 2)

    def attack_success(self, prior: Floats | None = None) -> float | None:
        prior = uniform(self.domain_size) if prior is None else prior
        return hadamard_entry_success(prior, self.columns, self.flip)

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        bits = log2(self.columns) + 1
        return bits, bits


@compiled
def _draw_entries(stream: Any, row: Any, mask: Any, flip: Any, reports: Any) -> None:
    a, b, c, d = stream
    for i in range(reports.size):
        choice, a, b, c, d = advance(a, b, c, d)
        coin, a, b, c, d = advance(a, b, c, d)
        column = choice & mask
        reports[i].column = column
        reports[i].odd = is_odd(row, column) ^ np.uint64(coin < flip)


@compiled
def _guess_entries(stream: Any, reports: Any, domain_size: Any, chosen: Any) -> None:
    for i in range(reports.size):
        row = choose_row(stream, np.uint64(0), domain_size, reports[i].column, reports[i].odd)
        if row == domain_size:
            row = scale_down(next_word(stream), domain_size)
        chosen[i] = np.int64(row)


@compiled
def _add_entries(reports: Any, domain_size: int, totals: Any) -> None:
    users = totals.shape[0]
    each = reports.size // users
    for i in range(users):
        for t in range(i * each, (i + 1) * each):
            column, odd = reports[t].column, reports[t].odd
            for v in range(domain_size):
                totals[i, v] += np.float64(np.int64(is_odd(np.uint64(v), column) == odd))
