"""Hadamard response: report a column of a Hadamard matrix, most likely one where the row is 1."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Floats, InputPair, Rates, Reports, Values
from ldp_auditor.errors import must, require, whole_number
from ldp_auditor.mechanisms.estimation import (
    FrequencyEstimator,
    check_collection,
    checked_frequency,
    like,
)
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
from ldp_auditor.mechanisms.local_mechanism import CHOSEN
from ldp_auditor.portable_math import exp, expm1, log2
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.sketch_success import best_in_columns

MOST_BLOCKS = 4096
"""Blocks up to which the success of a guess is summed over all of them."""


@dataclass(frozen=True, kw_only=True)
class HR(TellingOracle, FrequencyEstimator):
    """Hadamard response [Acharya19]; a report is a column of one of `blocks` matrices.

    Every block serves b - 1 values, row 0 being that of none. The columns where the row of a value
    is 1, in its block, are e^epsilon times as likely as all others. With epsilon below ln 2 there
    is one block, with a large epsilon there are as many as values.
    """

    name = "HR"
    summary = "Hadamard response"
    family = "sketches"

    blocks: int = CHOSEN

    def __post_init__(self) -> None:
        super().__post_init__()
        given = whole_number("blocks", self.blocks, CHOSEN, 2 * self.domain_size)
        rule = "be a power of two, or 0 for the one of the paper"
        must(given & (given - 1) == 0, rule, blocks=given)
        self._set("blocks", given)

    @property
    def block_count(self) -> int:
        """Number B of blocks: the largest power of two below min(e^epsilon, 2k)."""
        if self.blocks != CHOSEN:
            return self.blocks
        count, most = 1, min(exp(self.epsilon), 2.0 * self.domain_size)
        while 2 * count < most:
            count *= 2
        return count

    @property
    def size(self) -> int:
        """Number b of columns of a block: a power of two above k / B."""
        served = -(-self.domain_size // self.block_count)
        return 1 << served.bit_length()

    @property
    def truth(self) -> float:
        """Probability that the column is drawn among those of the value, and not among all."""
        return 1 / (1 + 2 * self.block_count / expm1(self.epsilon))

    @property
    def likely(self) -> float:
        """Probability of each column of the value."""
        half, every = self.size // 2, self.size * self.block_count
        return 1 / (half + (every - half) * exp(-self.epsilon))

    @property
    def unlikely(self) -> float:
        """Probability of each other column."""
        return self.likely * exp(-self.epsilon)

    @property
    def report_bytes(self) -> int:
        return 32

    def place(self, value: Any) -> tuple[Any, Any]:
        """Block and row of a value."""
        return value // (self.size - 1), value % (self.size - 1) + 1

    @property
    def default_pair(self) -> InputPair:
        """Values of different blocks if there are such: no column speaks for both of them."""
        return InputPair(0, self.size - 1 if self.domain_size >= self.size else 1)

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        block, row = self.place(self.check_value(value))
        reports = np.empty(n, np.int64)
        _draw_columns(
            fresh_stream(rng),
            np.uint64(block * self.size),
            np.uint64(row),
            np.uint64(self.size - 1),
            np.uint64(self.size * self.block_count - 1),
            threshold(self.truth),
            reports,
        )
        return reports

    def guess(self, reports: Reports, rng: Generator) -> Values:
        chosen = np.empty(len(reports), np.int64)
        _guess_columns(
            fresh_stream(rng), reports, np.uint64(self.size), np.uint64(self.domain_size), chosen
        )
        return chosen

    def supports(self, reports: Reports, value: int) -> NDArray[np.bool_]:
        block, row = self.place(value)
        own: NDArray[np.bool_] = reports // self.size == block
        return own & (signs(row, reports % self.size) > 0)

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        _add_columns(reports, self.size, self.domain_size, totals)

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        # Two rows of a block are both 1 in a quarter of it.
        shared = self.place(pair.first)[0] == self.place(pair.second)[0]
        only_first = self.size // 4 if shared else self.size // 2
        return OneLevelLaw(only_first * self.likely, only_first * self.unlikely)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        if reports > 1 or self.size > MOST_COLUMNS:
            return None
        block, row = self.place(pair.first)
        supported, columns = self._supported(self.served(block)), np.arange(self.size)
        share = (signs(row, columns) > 0) / np.maximum(supported, 1)
        # A column that supports no value is none of the true value's.
        blind = self._blind_columns() * self.unlikely / self.domain_size

        def rate(true: int) -> float:
            own_block, own_row = self.place(true)
            speaks = (signs(own_row, columns) > 0) & (own_block == block)
            return float(np.where(speaks, self.likely, self.unlikely) @ share) + blind

        return Rates(rate(pair.first), rate(pair.second))

    def served(self, block: int) -> int:
        """Number of values that have a row in a block."""
        return max(0, min(self.size - 1, self.domain_size - block * (self.size - 1)))

    def _supported(self, served: int) -> Floats:
        """Number of values that each column of a block supports."""
        return (served + column_sums(1, served + 1, self.size)) / 2

    def _blind_columns(self) -> int:
        """Number of columns that support no value."""
        full, rest = divmod(self.domain_size, self.size - 1)
        blind = full * int((self._supported(self.size - 1) == 0).sum())
        if full < self.block_count:
            blind += int((self._supported(rest) == 0).sum())
        return blind + max(0, self.block_count - full - 1) * self.size

    @property
    def score_law(self) -> ScoreLaw:
        """Return the law of the entry of the value's row, which is 0 in columns of other blocks.

        Whoever holds another value has the mean 0; the variance is that of values of the same
        block, see `frequency_variance`.
        """
        held = self.size // 2 * (self.likely - self.unlikely)
        of_block = self.size // 2 * (self.likely + self.unlikely)
        return ScoreLaw(held, 0.0, of_block - held * held, of_block)

    def frequency_variance(self, users: int, frequency: Any, reports: int = 1) -> Any:
        """Return the exact variance of estimated frequencies, given those of all values.

        A user of another block seldom reports a column of this one, so that the variance depends
        on the frequency of the block; with one block, or one value in each, it does not.
        """
        users, reports = check_collection(users, reports)
        shares = checked_frequency(frequency)
        law, gain = self.score_law, self.score_law.gain
        outside = self.size * self.unlikely
        if self.served(0) == self.domain_size:
            in_block = np.ones_like(shares)
        elif self.size == 2:
            in_block = shares
        else:
            require(
                shares.shape == (self.domain_size,),
                f"frequency must be the frequencies of all {self.domain_size} values: the variance "
                f"of HR with {self.block_count} blocks depends on that of the value's block",
                argument="frequency",
            )
            block = np.arange(self.domain_size) // (self.size - 1)
            in_block = np.bincount(block, weights=shares).astype(np.float64)[block]
        spread = shares * law.held_variance + (in_block - shares) * law.other_variance
        spread = spread + (1 - in_block) * outside
        return like(frequency, spread / (users * reports * gain * gain))

    @property
    def tally_size(self) -> int:
        return self.size * self.block_count

    def add_to_tally(self, reports: Reports, tally: Floats) -> None:
        """Count the reports of every column."""
        must(int(reports.min()) >= 0, "name columns", reports=int(reports.min()))
        columns = checked_columns(reports, self.tally_size)
        tally[0] += np.bincount(columns, minlength=self.tally_size)

    def frequencies_from(self, tally: Floats, reports: int) -> Floats:
        reports = self.check_tally(tally, reports)
        scores = transformed(np.asarray(tally).reshape(self.block_count, self.size))[:, 1:]
        return self.score_law.frequencies(scores.reshape(-1)[: self.domain_size] / reports)

    @property
    def worst_population(self) -> Floats:
        """Everybody holds the first value: its block, a full one, has all the noise."""
        shares = np.zeros(self.domain_size)
        shares[0] = 1.0
        return shares

    def attack_success(self, prior: Floats | None = None) -> float | None:
        if prior is None:
            blind = self._blind_columns()
            said = (self.tally_size - blind) * self.likely + blind * self.unlikely
            return said / self.domain_size
        if self.block_count > MOST_BLOCKS:
            return None
        total, each = 0.0, self.size - 1
        for block in range(self.block_count):
            own = prior[block * each : (block + 1) * each]
            rows = np.arange(1, len(own) + 1)
            best = best_in_columns(rows, own, self.size, 1) if len(own) else np.zeros(self.size)
            total += float(np.maximum(self.likely * best, self.unlikely * prior.max()).sum())
        return total

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        bits = log2(self.tally_size)
        return bits, bits


@compiled
def _draw_columns(
    stream: Any, start: Any, row: Any, inside: Any, every: Any, truth: Any, reports: Any
) -> None:
    """Draw a column of the block at `start` where the row is 1, or any column of any block."""
    lowest = row & (~row + np.uint64(1))
    a, b, c, d = stream
    for i in range(reports.size):
        choice, a, b, c, d = advance(a, b, c, d)
        coin, a, b, c, d = advance(a, b, c, d)
        column = choice & inside
        # With one bit of the row flipped in it, a column where the row is -1 is one where it is 1.
        column ^= lowest & (np.uint64(0) - is_odd(row, column))
        reports[i] = np.int64(start + column if coin < truth else choice & every)


@compiled
def _guess_columns(stream: Any, reports: Any, size: Any, domain_size: Any, chosen: Any) -> None:
    for i in range(reports.size):
        block, column = np.uint64(reports[i]) // size, np.uint64(reports[i]) % size
        start = block * (size - np.uint64(1))
        found = domain_size
        if start < domain_size:
            end = min(size, domain_size - start + np.uint64(1))
            row = choose_row(stream, np.uint64(1), end, column, np.uint64(0))
            if row < end:
                found = start + row - np.uint64(1)
        if found == domain_size:
            found = scale_down(next_word(stream), domain_size)
        chosen[i] = np.int64(found)


@compiled
def _add_columns(reports: Any, size: int, domain_size: int, totals: Any) -> None:
    users = totals.shape[0]
    each = reports.size // users
    for i in range(users):
        for t in range(i * each, (i + 1) * each):
            start = reports[t] // size * (size - 1)
            column = np.uint64(reports[t] % size)
            for v in range(start, min(domain_size, start + size - 1)):
                odd = is_odd(np.uint64(v - start + 1), column)
                totals[i, v] += np.float64(1 - np.int64(odd))
