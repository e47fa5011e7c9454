"""GRR and its approximate form."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tests.broken_mechanisms.entry import Entry, equals, pair
from tests.broken_mechanisms.exact import Law, grr_keep

COLOURS = ("red", "green", "blue", "black", "white")


@dataclass(frozen=True)
class Response:
    """Keeps the value with probability `keep`, otherwise sends one of the others."""

    size: int
    keep: float

    def __call__(self, value: int, rng: np.random.Generator) -> int:
        if rng.random() < self.keep:
            return value
        other = int(rng.random() * (self.size - 1))
        return other + (other >= value)

    def batch(self, value: int, n: int, rng: np.random.Generator) -> list[int]:
        drawn = rng.integers(0, self.size - 1, n)
        drawn += drawn >= value
        reports: list[int] = np.where(rng.random(n) < self.keep, value, drawn).tolist()
        return reports

    def law(self, value: int) -> Law:
        for report in range(self.size):
            chance = self.keep if report == value else (1 - self.keep) / (self.size - 1)
            yield report, chance


@dataclass(frozen=True)
class Replacement:
    """Keeps the colour, otherwise sends colour number (random below `source`) mod `modulus`."""

    keep: float
    source: int = len(COLOURS)
    modulus: int = len(COLOURS)

    def __call__(self, value: str, rng: np.random.Generator) -> str:
        if rng.random() < self.keep:
            return value
        return COLOURS[int(rng.random() * self.source) % self.modulus]

    def batch(self, value: str, n: int, rng: np.random.Generator) -> list[str]:
        drawn = rng.integers(0, self.source, n) % self.modulus
        drawn[rng.random(n) < self.keep] = COLOURS.index(value)
        return [COLOURS[index] for index in drawn]

    def law(self, value: str) -> Law:
        yield value, self.keep
        for drawn in range(self.source):
            yield COLOURS[drawn % self.modulus], (1 - self.keep) / self.source


@dataclass(frozen=True)
class ClearText:
    """Sends the value in the clear with probability `reveal`, otherwise a GRR answer."""

    reveal: float
    size: int
    keep: float

    def __call__(self, value: int, rng: np.random.Generator) -> int | str:
        if rng.random() < self.reveal:
            return f"value={value}"
        return Response(self.size, self.keep)(value, rng)

    def law(self, value: int) -> Law:
        yield f"value={value}", self.reveal
        for report, chance in Response(self.size, self.keep).law(value):
            yield report, (1 - self.reveal) * chance


def approximate_keep(epsilon: float, delta: float, size: int) -> float:
    """p of approximate GRR: (e^epsilon + (k - 1) delta) / (e^epsilon + k - 1)."""
    return (math.exp(epsilon) + (size - 1) * delta) / (math.exp(epsilon) + size - 1)


def _replacing(epsilon: float) -> float:
    """Probability to keep when the replacement may be the value itself."""
    return math.expm1(epsilon) / (math.exp(epsilon) + len(COLOURS) - 1)


ENTRIES: tuple[Entry, ...] = (
    pair(
        name="grr_domain_off_by_one",
        family="GRR",
        place="off by one in the domain size",
        epsilon=1.0,
        values=(0, 3, 7),
        broken=Response(8, grr_keep(1.0, 7)),
        correct=Response(8, grr_keep(1.0, 8)),
        supports=equals,
        why="p is made for k - 1 values, so p/q = e^epsilon (k - 1)/(k - 2) with k = 8",
    ),
    pair(
        name="grr_large_domain_off_by_one",
        family="GRR",
        place="off by one in the domain size",
        epsilon=1.0,
        values=(0, 1, 19),
        broken=Response(20, grr_keep(1.0, 19)),
        correct=Response(20, grr_keep(1.0, 20)),
        supports=equals,
        must_be_caught=False,
        why="as with k = 8, but with k = 20 the excess is only log(19/18)",
    ),
    pair(
        name="grr_p_q_swapped",
        family="GRR",
        place="p and q swapped",
        epsilon=1.0,
        values=(0, 1, 2, 3),
        broken=Response(4, 1 - grr_keep(1.0, 4)),
        correct=Response(4, grr_keep(1.0, 4)),
        supports=equals,
        why="the value is kept with 1 - p = (k - 1) q, so the ratio is (k - 1)^2 / e^epsilon",
    ),
    pair(
        name="grr_modulo_bias",
        family="GRR",
        place="non-uniform replacement",
        epsilon=1.0,
        values=COLOURS,
        broken=Replacement(_replacing(1.0), source=8),
        correct=Replacement(_replacing(1.0)),
        supports=equals,
        why="three random bits modulo 5 give the last two colours 1/8 instead of 1/5",
    ),
    pair(
        name="grr_never_replaces_by_last",
        family="GRR",
        place="a value that one input can never produce",
        epsilon=1.0,
        values=COLOURS,
        broken=Replacement(_replacing(1.0), source=4),
        correct=Replacement(_replacing(1.0)),
        supports=equals,
        why="an exclusive upper end leaves the last colour to those who have it",
    ),
    pair(
        name="approximate_grr_delta_tripled",
        family="approximate",
        place="delta spent several times",
        epsilon=1.0,
        delta=0.05,
        values=(0, 1, 2),
        broken=Response(3, approximate_keep(1.0, 0.15, 3)),
        correct=Response(3, approximate_keep(1.0, 0.05, 3)),
        supports=equals,
        why="p and q are those of 3 delta, and log((p - delta)/q) is asked at delta",
    ),
    pair(
        name="approximate_reveals_too_often",
        family="approximate",
        place="the value in the clear",
        epsilon=1.0,
        delta=0.005,
        values=(0, 1, 2),
        broken=ClearText(0.02, 3, grr_keep(1.0, 3)),
        correct=ClearText(0.005, 3, grr_keep(1.0, 3)),
        why="an event of probability 4 delta has probability 0 for every other value",
    ),
)
