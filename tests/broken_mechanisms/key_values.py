"""A key and the sign of its value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import Law

Item = tuple[int, int]


@dataclass(frozen=True)
class KeyAndSign:
    """PCKV-GRR [Gu20] for a user with one key; `fake` says what sign another key has."""

    epsilon: float
    keys: int
    fake: str

    def law(self, value: Item) -> Law:
        key, sign = value
        more = math.exp(self.epsilon) - 1
        keep, true = (more / 2 + 1) / (more / 2 + self.keys), (more + 1) / (more + 2)
        for other, shown in product(range(self.keys), (-1, 1)):
            chance = true if shown == sign else 1 - true
            if other == key:
                yield (other, shown), keep * chance
            else:
                half = 0.5 if self.fake == "random" else chance
                yield (other, shown), (1 - keep) / (self.keys - 1) * half

    def __call__(self, value: Item, rng: np.random.Generator) -> Item:
        reports, chances = zip(*self.law(value), strict=True)
        found: Item = reports[int(np.searchsorted(np.cumsum(chances)[:-1], rng.random()))]
        return found


ENTRIES: tuple[Entry, ...] = (
    pair(
        name="pckv_fake_key_with_own_sign",
        family="PCKV",
        place="non-uniform replacement",
        epsilon=1.0,
        values=((0, 1), (1, 1), (1, -1)),
        broken=KeyAndSign(1.0, 4, "own"),
        correct=KeyAndSign(1.0, 4, "random"),
        why="another key is sent with the sign of the own one, so that key and sign add up",
    ),
)
