"""Hadamard response, sketches and Bloom filters; the public part of a report is a part of it."""

from __future__ import annotations

import bisect
import functools
import itertools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from tests.broken_mechanisms.direct import Response
from tests.broken_mechanisms.entry import Entry, equals, pair
from tests.broken_mechanisms.exact import Law, grr_keep, logistic
from tests.broken_mechanisms.hashing import bucket


def sign(row: int, column: int) -> int:
    """An entry of Sylvester's Hadamard matrix: 1 or -1."""
    return -1 if (row & column).bit_count() % 2 else 1


@dataclass(frozen=True)
class Listed(ABC):
    """What draws from the list of all its reports, by their probabilities."""

    def __call__(self, value: int, rng: np.random.Generator) -> tuple[int, ...]:
        reports, ends = _every(self, value)
        return reports[bisect.bisect_right(ends, rng.random())]

    def batch(self, value: int, n: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
        reports, ends = _every(self, value)
        return [reports[i] for i in np.searchsorted(ends, rng.random(n), side="right").tolist()]

    @abstractmethod
    def law(self, value: int) -> Law:
        """All reports of a value, with their probabilities."""


@functools.cache
def _every(sketch: Listed, value: int) -> tuple[list[tuple[int, ...]], list[float]]:
    """All reports, and where their parts of the unit interval end."""
    reports, chances = zip(*sketch.law(value), strict=True)
    ends = np.cumsum(chances)
    return list(reports), (ends / ends[-1]).tolist()


@dataclass(frozen=True)
class Columns(Listed):
    """Hadamard response: a column where the value's row is 1 is `factor` times as likely.

    Without `whole` only as many columns as there are values are used, though these are five.
    """

    factor: float
    whole: bool = True

    def law(self, value: int) -> Law:
        columns = range(8 if self.whole else 5)
        weights = [self.factor if sign(value + 1, c) > 0 else 1.0 for c in columns]
        for column, weight in zip(columns, weights, strict=True):
            yield (column,), weight / sum(weights)


@dataclass(frozen=True)
class Blocks(Listed):
    """Hadamard response of two blocks of four columns, each for three values.

    With probability `own` the report is a column of the own block where the value's row is 1.
    """

    own: float

    def law(self, value: int) -> Law:
        block, row = divmod(value, 3)
        for column in range(8):
            likely = column // 4 == block and sign(row + 1, column % 4) > 0
            yield (column,), self.own / 2 if likely else (1 - self.own) / 6


@dataclass(frozen=True)
class Coefficients(Listed):
    """One-bit Hadamard: a random column and its entry, kept with probability `keep`.

    With `every` all entries of the row are sent, each flipped on its own.
    """

    keep: float
    every: bool = False

    def law(self, value: int) -> Law:
        row = [sign(value + 1, column) for column in range(4)]
        if not self.every:
            for column, entry in itertools.product(range(4), (-1, 1)):
                yield (column, entry), (self.keep if entry == row[column] else 1 - self.keep) / 4
            return
        for entries in itertools.product((-1, 1), repeat=3):
            kept = [a == b for a, b in zip(entries, row[1:], strict=True)]
            yield entries, math.prod(self.keep if k else 1 - self.keep for k in kept)


@dataclass(frozen=True)
class Sketch(Listed):
    """A count-mean sketch: a row, and four bits of which that of the value's hash is set.

    With `chosen` the row is not drawn: it is a hash of the value, two times out of three. With
    `every` both rows are sent.
    """

    keep: float
    chosen: bool = False
    every: bool = False

    def law(self, value: int) -> Law:
        if self.every:
            members = {bucket(0, value, 4), 4 + bucket(1, value, 4)}
            for bits in itertools.product((0, 1), repeat=8):
                kept = [bit == (place in members) for place, bit in enumerate(bits)]
                yield bits, math.prod(self.keep if k else 1 - self.keep for k in kept)
            return
        for row in range(2):
            share = 0.5
            if self.chosen:
                share = 2 / 3 if bucket(9, value, 2) == row else 1 / 3
            own = bucket(row, value, 4)
            for bits in itertools.product((0, 1), repeat=4):
                kept = [bit == (place == own) for place, bit in enumerate(bits)]
                yield (
                    (row, *bits),
                    share * math.prod(self.keep if k else 1 - self.keep for k in kept),
                )


@dataclass(frozen=True)
class HadamardSketch(Listed):
    """A row, a column, and the entry of the hash there; with `bright` only where it is 1."""

    keep: float
    bright: bool = False

    def law(self, value: int) -> Law:
        for row in range(2):
            entries = [sign(bucket(row, value, 4), column) for column in range(4)]
            columns = [c for c in range(4) if not self.bright or entries[c] > 0]
            for column, sent in itertools.product(columns, (-1, 1)):
                chance = self.keep if sent == entries[column] else 1 - self.keep
                yield (row, column, sent), chance / len(columns) / 2


@dataclass(frozen=True)
class Filter(Listed):
    """RAPPOR's one-time report: a cohort, and the five bits of a Bloom filter of two hashes."""

    keep: float

    def law(self, value: int) -> Law:
        for cohort in range(2):
            members = {bucket(10 * cohort + hashed, value, 5) for hashed in range(2)}
            for bits in itertools.product((0, 1), repeat=5):
                kept = [bit == (place in members) for place, bit in enumerate(bits)]
                yield (
                    (cohort, *bits),
                    math.prod(self.keep if k else 1 - self.keep for k in kept) / 2,
                )


BOTH = ((0, 0), (0, 1), (1, 0), (1, 1))
"""A bit in two reports."""


@dataclass(frozen=True)
class TwoFilters(Listed):
    """RAPPOR twice: a cohort, and four bits of a filter that are kept for ever, then flipped again.

    With `forgets` the permanent bits are drawn anew for the second report.
    """

    permanent: float
    instant: float
    forgets: bool = False

    def law(self, value: int) -> Law:
        for cohort in range(2):
            members = {bucket(10 * cohort + hashed, value, 4) for hashed in range(2)}
            shown = [self._bit(place in members) for place in range(4)]
            for bits in itertools.product(BOTH, repeat=4):
                chance = math.prod(law[pair] for law, pair in zip(shown, bits, strict=True))
                yield (
                    (cohort, *(first for first, _ in bits), *(last for _, last in bits)),
                    chance / 2,
                )

    def _bit(self, truth: bool) -> dict[tuple[int, int], float]:
        """The law of a bit in both reports."""
        memo = {int(truth): self.permanent, int(not truth): 1 - self.permanent}
        sent = {(m, y): self.instant if m == y else 1 - self.instant for m in memo for y in (0, 1)}
        once = {y: sum(memo[m] * sent[m, y] for m in memo) for y in (0, 1)}
        if self.forgets:
            return {(a, b): once[a] * once[b] for a, b in BOTH}
        return {(a, b): sum(memo[m] * sent[m, a] * sent[m, b] for m in memo) for a, b in BOTH}


@dataclass(frozen=True)
class Lines(Listed):
    """PI-RAPPOR over seven elements: a line, likelier if it is below the `limit` at the value."""

    limit: int
    truth: float

    def law(self, value: int) -> Law:
        for slope, start in itertools.product(range(7), repeat=2):
            low = (slope * value + start) % 7 < self.limit
            lines = 7 * self.limit if low else 7 * (7 - self.limit)
            yield (slope, start), (self.truth if low else 1 - self.truth) / lines


def _apart(h: int, epsilon: float) -> float:
    """Chance to keep a bit where two values differ in two of them for each of h hashes."""
    return logistic(epsilon / (2 * h))


ENTRIES: tuple[Entry, ...] = (
    pair(
        name="hr_columns_cut_to_the_domain",
        family="HR",
        place="off by one in the domain size",
        epsilon=1.0,
        values=(1, 4),
        broken=Columns(math.e, whole=False),
        correct=Columns(math.e),
        why="five values need eight columns; among five the rows have not as many ones",
    ),
    pair(
        name="hr_odds_of_one_block",
        family="HR",
        place="a parameter misread",
        epsilon=2.0,
        values=(0, 4),
        broken=Blocks(logistic(2.0)),
        correct=Blocks(1 / (1 + 3 * math.exp(-2.0))),
        why="half of a block has the odds of epsilon as if there were no other block",
    ),
    pair(
        name="hrr_all_coefficients",
        family="HRR",
        place="composition ignored",
        epsilon=1.0,
        values=(0, 1),
        broken=Coefficients(logistic(1.0), every=True),
        correct=Coefficients(logistic(1.0)),
        why="no column is drawn: every entry of the row is sent at the full epsilon",
    ),
    pair(
        name="cms_epsilon_for_each_bit",
        family="CMS",
        place="a parameter misread",
        epsilon=1.0,
        values=(0, 1),
        broken=Sketch(logistic(1.0)),
        correct=Sketch(logistic(0.5)),
        why="two bits differ, and each is flipped as if it were the only one",
    ),
    pair(
        name="cms_every_row",
        family="CMS",
        place="composition ignored",
        epsilon=1.0,
        values=(0, 1),
        broken=Sketch(logistic(0.5), every=True),
        correct=Sketch(logistic(0.5)),
        why="no row is drawn: every row is sent with the flips of one",
    ),
    pair(
        name="cms_row_by_value",
        family="CMS",
        place="a hash seed that depends on the value",
        epsilon=1.0,
        values=(0, 2),
        broken=Sketch(logistic(0.5), chosen=True),
        correct=Sketch(logistic(0.5)),
        why="the row is public and should be drawn, and is a hash of the value twice in three",
    ),
    pair(
        name="hcms_bright_columns",
        family="HCMS",
        place="a value that one input can never produce",
        epsilon=1.0,
        values=(0, 1),
        broken=HadamardSketch(logistic(1.0), bright=True),
        correct=HadamardSketch(logistic(1.0)),
        why="only columns where the entry is 1 are drawn, and they tell the value",
    ),
    pair(
        name="bloom_hashes_uncounted",
        family="Bloom-SUE",
        place="composition ignored",
        epsilon=1.0,
        values=(0, 1),
        broken=Filter(_apart(1, 1.0)),
        correct=Filter(_apart(2, 1.0)),
        why="a value sets two bits, and the flips are those of one",
    ),
    pair(
        name="bloom_rappor_memo_drawn_anew",
        family="Bloom-SUE",
        place="a missing step",
        epsilon=2.0,
        values=(0, 1),
        broken=TwoFilters(_apart(2, 2.0), logistic(4.0), forgets=True),
        correct=TwoFilters(_apart(2, 2.0), logistic(4.0)),
        why="the permanent bits are not kept, so that the second report spends them again",
    ),
    pair(
        name="bloom_rappor_instantaneous_bits_alone",
        family="Bloom-SUE",
        place="a missing step",
        epsilon=2.0,
        values=(0, 1),
        broken=TwoFilters(1.0, logistic(0.5)),
        correct=TwoFilters(_apart(2, 2.0), logistic(0.5)),
        why="the filter is sent without its permanent noise: every report flips its bits afresh",
    ),
    pair(
        name="pi_rappor_limit_rounded_down",
        family="PI-RAPPOR",
        place="rounded probabilities",
        epsilon=1.0,
        values=(0, 1),
        broken=Lines(1, 0.5),
        correct=Lines(2, 2 * math.e / (2 * math.e + 5)),
        why="7 / (e + 1) is 1.88: rounded down, a line of the value is 6 times as likely",
    ),
    pair(
        name="adp_half_kept",
        family="ADP",
        place="a parameter of another protocol",
        epsilon=0.5,
        values=(0, 1),
        broken=Response(3, 0.5),
        correct=Response(3, grr_keep(0.5, 3)),
        supports=equals,
        why="few values, so that GRR answers, with the 1/2 of OUE",
    ),
)
