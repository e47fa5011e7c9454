"""Leaks that few reports show: a rare value, one bad pair among many inputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import Law, grr_keep

ATOM = 0.7234567
"""A number that uniform ones hit with probability 0."""


@dataclass(frozen=True)
class Atom:
    """Uniform numbers, and with a probability for each input always the same one."""

    chances: tuple[float, float]

    def __call__(self, value: int, rng: np.random.Generator) -> float:
        return ATOM if rng.random() < self.chances[value] else rng.random()

    def batch(self, value: int, n: int, rng: np.random.Generator) -> list[float]:
        there = rng.random(n) < self.chances[value]
        reports: list[float] = np.where(there, ATOM, rng.random(n)).tolist()
        return reports

    def law(self, value: int) -> Law:
        yield True, self.chances[value]
        yield False, 1 - self.chances[value]


def is_atom(report: float) -> bool:
    """The view of an `Atom`."""
    return report == ATOM


@dataclass(frozen=True)
class WideResponse:
    """GRR over 50 values; what input 41 should report as 45 becomes 41 with probability `lost`."""

    lost: float

    def __call__(self, value: int, rng: np.random.Generator) -> int:
        if rng.random() < KEEP:
            return value
        other = int(rng.random() * (SIZE - 1))
        other += other >= value
        return 41 if (value, other) == (41, 45) and rng.random() < self.lost else other

    def batch(self, value: int, n: int, rng: np.random.Generator) -> list[int]:
        others = rng.integers(SIZE - 1, size=n)
        made: Any = np.where(rng.random(n) < KEEP, value, others + (others >= value))
        if value == 41:
            made[(made == 45) & (rng.random(n) < self.lost)] = 41
        reports: list[int] = made.tolist()
        return reports

    def law(self, value: int) -> Law:
        for report in range(SIZE):
            chance = KEEP if report == value else (1 - KEEP) / (SIZE - 1)
            lost = self.lost if (value, report) == (41, 45) else 0.0
            yield report, chance * (1 - lost)
            yield 41, chance * lost


SIZE = 50
KEEP = grr_keep(1.0, SIZE)

ENTRIES: tuple[Entry, ...] = (
    Entry(
        name="rare_atom",
        family="exponential",
        place="a value that one input can never produce",
        epsilon=1.0,
        values=(0, 1),
        broken=Atom((0.0, 0.0018)),
        correct=Atom((0.0018 / math.e, 0.0018)),
        true_epsilon=math.inf,
        correct_epsilon=1.0,
        view=is_atom,
        why="one report in 550 is a number that only input 1 produces",
    ),
    pair(
        name="one_pair_of_fifty",
        family="GRR",
        place="non-uniform replacement",
        epsilon=1.0,
        values=tuple(range(SIZE)),
        broken=WideResponse(0.9),
        correct=WideResponse(0.0),
        why="of 2450 pairs of inputs, input 41 alone hardly ever reports 45",
    ),
)
