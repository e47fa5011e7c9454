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


@dataclass(frozen=True)
class KeysAndSigns:
    """PCKV-UE [Gu20] for a user with one of three keys: a sign or 0 for every key.

    The own key is shown with probability 1/2, another one with probability `other`.
    """

    epsilon: float
    other: float

    def law(self, value: Item) -> Law:
        key, sign = value
        true = 1 / (1 + math.exp(-self.epsilon))
        own = {sign: true / 2, -sign: (1 - true) / 2, 0: 0.5}
        others = {1: self.other / 2, -1: self.other / 2, 0: 1 - self.other}
        for row in product((-1, 0, 1), repeat=3):
            laws = [own if place == key else others for place in range(3)]
            yield row, math.prod(law[shown] for law, shown in zip(laws, row, strict=True))

    def __call__(self, value: Item, rng: np.random.Generator) -> tuple[int, ...]:
        reports, chances = zip(*self.law(value), strict=True)
        found: tuple[int, ...] = reports[
            int(np.searchsorted(np.cumsum(chances)[:-1], rng.random()))
        ]
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
    pair(
        name="pckv_ue_key_and_sign_at_epsilon_each",
        family="PCKV",
        place="composition ignored",
        epsilon=1.0,
        values=((0, 1), (1, 1), (0, -1)),
        broken=KeysAndSigns(1.0, 1 / (math.e + 1)),
        correct=KeysAndSigns(1.0, 2 / (math.e + 3)),
        why="the key has the odds of OUE at epsilon, and its sign those of epsilon on top",
    ),
)
