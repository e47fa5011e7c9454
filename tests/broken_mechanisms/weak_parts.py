"""Leaks that no single part of a report has: many weak parts, wide vectors, many inputs."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import Law, logistic, smallest_epsilon


@dataclass(frozen=True)
class Answers:
    """Independent answers to one question, each with its own epsilon; a view counts the ones."""

    epsilon: float
    times: int

    def __call__(self, value: int, rng: np.random.Generator) -> list[int]:
        right = rng.random(self.times) < logistic(self.epsilon)
        answers: list[int] = np.where(right, value, 1 - value).tolist()
        return answers

    def batch(self, value: int, n: int, rng: np.random.Generator) -> list[list[int]]:
        right = rng.random((n, self.times)) < logistic(self.epsilon)
        reports: list[list[int]] = np.where(right, value, 1 - value).tolist()
        return reports

    def law(self, value: int) -> Law:
        one = logistic(self.epsilon) if value else 1 - logistic(self.epsilon)
        return enumerate(stats.binom.pmf(np.arange(self.times + 1), self.times, one).tolist())


@dataclass(frozen=True)
class Fields:
    """Unary fields that all encode the value; the bits of both values are all that matters."""

    ones: tuple[float, float]
    """Probabilities of a 1 at the value, and elsewhere."""
    size: int
    fields: int
    is_memoized: bool = False
    """Whether all fields are redrawn from one first round, as L-SUE does."""
    first: tuple[float, float] = (1.0, 0.0)
    """Probabilities of a 1 in the first round."""

    def batch(self, value: int, n: int, rng: np.random.Generator) -> list[Any]:
        rounds = 1 if self.is_memoized else self.fields
        p, q = self.first
        truth = np.arange(self.size) == value
        drawn = rng.random((n, rounds, self.size)) < np.where(truth, p, q)
        p, q = self.ones
        bits = rng.random((n, self.fields, self.size)) < np.where(drawn, p, q)
        reports: list[Any] = [tuple(row) for row in bits.astype(np.int64).tolist()]
        return reports

    def __call__(self, value: int, rng: np.random.Generator) -> Any:
        return self.batch(value, 1, rng)[0]

    def law(self, value: int) -> Law:
        """The law of how many of the fields have a 1 at input 0, and at input 1."""
        return (
            ((ones, others), a * b)
            for (ones, a), (others, b) in itertools.product(
                self._ones(int(value == 0)), self._ones(int(value == 1))
            )
        )

    def _ones(self, bit: int) -> list[tuple[int, float]]:
        first = self.first[0] if bit else self.first[1]
        p, q = self.ones
        counts = np.arange(self.fields + 1)
        if self.is_memoized:
            chances = first * stats.binom.pmf(counts, self.fields, p)
            chances = chances + (1 - first) * stats.binom.pmf(counts, self.fields, q)
        else:
            chances = stats.binom.pmf(counts, self.fields, first * p + (1 - first) * q)
        return list(zip(counts.tolist(), chances.tolist(), strict=True))


def count_ones(report: list[int]) -> int:
    """The view of `Answers`."""
    return sum(report)


def count_fields(report: Any) -> tuple[int, int]:
    """The view of `Fields`."""
    return sum(field[0] for field in report), sum(field[1] for field in report)


def optimized(epsilon: float) -> tuple[float, float]:
    """The two probabilities of OUE."""
    return 0.5, 1 - logistic(epsilon)


def symmetric(epsilon: float) -> tuple[float, float]:
    """The two probabilities of SUE."""
    return logistic(epsilon / 2), 1 - logistic(epsilon / 2)


def _viewed(view: Any, values: tuple[Any, ...] = (0, 1), **given: Any) -> Entry:
    """An entry whose epsilons are those of what its view keeps, which is all that matters."""
    broken, correct = (
        smallest_epsilon(given[side].law, values, given.get("delta", 0.0))
        for side in ("broken", "correct")
    )
    return Entry(
        view=view, values=values, true_epsilon=broken, correct_epsilon=correct, epsilon=1.0, **given
    )


@dataclass(frozen=True)
class TwoOfMany:
    """One bit of 200 inputs, of which two have other odds than all others, in opposite ways."""

    odds: float

    def one(self, value: int) -> float:
        return logistic({37: self.odds, 141: -self.odds}.get(value, 0.0))

    def __call__(self, value: int, rng: np.random.Generator) -> int:
        return int(rng.random() < self.one(value))

    def batch(self, value: int, n: int, rng: np.random.Generator) -> list[int]:
        reports: list[int] = (rng.random(n) < self.one(value)).astype(np.int64).tolist()
        return reports

    def law(self, value: int) -> Law:
        yield 1, self.one(value)
        yield 0, 1 - self.one(value)


PERMANENT = symmetric(1.0)
INSTANT = (0.75, 0.25)

ENTRIES: tuple[Entry, ...] = (
    _viewed(
        count_fields,
        name="oue_hundred_bits",
        family="OUE",
        place="composition ignored",
        broken=Fields(optimized(2.0), 100, 1),
        correct=Fields(optimized(1.0), 100, 1),
        why="one bit is 1 and another 0, of a hundred bits, with odds e^2",
    ),
    _viewed(
        count_fields,
        name="two_unary_fields",
        family="SUE",
        place="many weak parts",
        broken=Fields(symmetric(1.0), 12, 2),
        correct=Fields(symmetric(0.5), 12, 2),
        why="two fields of twelve bits use the whole epsilon each",
    ),
    _viewed(
        count_ones,
        name="five_answers",
        family="GRR",
        place="many weak parts",
        broken=Answers(0.6, 5),
        correct=Answers(0.2, 5),
        why="five answers of epsilon 0.6 each",
    ),
    _viewed(
        count_ones,
        name="forty_answers",
        family="GRR",
        place="many weak parts",
        broken=Answers(0.1, 40),
        correct=Answers(0.025, 40),
        why="forty answers of epsilon 0.1 each",
    ),
    _viewed(
        count_fields,
        name="five_reports_redrawn",
        family="longitudinal",
        place="many weak parts",
        broken=Fields(INSTANT, 8, 5, first=PERMANENT),
        correct=Fields(INSTANT, 8, 5, is_memoized=True, first=PERMANENT),
        why="L-SUE which redraws its permanent round with each of five reports",
    ),
    pair(
        name="one_pair_of_200",
        family="GRR",
        place="one pair of many inputs",
        epsilon=1.0,
        values=tuple(range(200)),
        broken=TwoOfMany(1.4),
        correct=TwoOfMany(1.0),
        why="of 19,900 pairs of inputs one alone breaks the claim",
    ),
)
