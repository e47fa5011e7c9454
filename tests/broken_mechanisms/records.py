"""Records of two attributes: SPL, SMP and RS+FD."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tests.broken_mechanisms.direct import Response
from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import Law, grr_keep

Record: TypeAlias = tuple[int, int]

RECORDS: tuple[Record, ...] = ((0, 0), (0, 1), (1, 1), (2, 2))


@dataclass(frozen=True)
class Split:
    """SPL: every attribute by GRR."""

    each: Response

    def __call__(self, value: Record, rng: np.random.Generator) -> dict[str, int]:
        return {"age": self.each(value[0], rng), "job": self.each(value[1], rng)}

    def law(self, value: Record) -> Law:
        for age, first in self.each.law(value[0]):
            for job, second in self.each.law(value[1]):
                yield {"age": age, "job": job}, first * second


@dataclass(frozen=True)
class Sampled:
    """SMP: one attribute at random, named, by GRR."""

    each: Response

    def __call__(self, value: Record, rng: np.random.Generator) -> tuple[str, int]:
        chosen = int(rng.random() < 0.5)
        return ("age", "job")[chosen], self.each(value[chosen], rng)

    def law(self, value: Record) -> Law:
        for name, item in zip(("age", "job"), value, strict=True):
            for answer, chance in self.each.law(item):
                yield (name, answer), chance / 2


@dataclass(frozen=True)
class FakeData:
    """RS+FD: one attribute by GRR, the other a fake with the given odds."""

    each: Response
    odds: tuple[float, ...]

    def _fake(self, rng: np.random.Generator) -> int:
        left = rng.random() * sum(self.odds)
        for item, weight in enumerate(self.odds):
            left -= weight
            if left < 0:
                return item
        return len(self.odds) - 1

    def __call__(self, value: Record, rng: np.random.Generator) -> list[list[int]]:
        if rng.random() < 0.5:
            return [[self.each(value[0], rng)], [self._fake(rng)]]
        return [[self._fake(rng)], [self.each(value[1], rng)]]

    def law(self, value: Record) -> Law:
        fakes = [weight / sum(self.odds) for weight in self.odds]
        for fake, weight in enumerate(fakes):
            for answer, chance in self.each.law(value[0]):
                yield [[answer], [fake]], chance * weight / 2
            for answer, chance in self.each.law(value[1]):
                yield [[fake], [answer]], chance * weight / 2


AMPLIFIED = math.log(2 * math.expm1(1.0) + 1)
"""The epsilon that RS+FD may use for the sampled one of two attributes when the claim is 1.

It hides a change of one attribute; records that differ in both lose all of it."""

ENTRIES: tuple[Entry, ...] = (
    pair(
        name="spl_epsilon_not_split",
        family="SPL",
        place="composition ignored",
        epsilon=1.0,
        values=RECORDS,
        broken=Split(Response(3, grr_keep(1.0, 3))),
        correct=Split(Response(3, grr_keep(0.5, 3))),
        why="both attributes use the whole epsilon, and records may differ in both",
    ),
    pair(
        name="smp_amplified",
        family="SMP",
        place="a parameter of another protocol",
        epsilon=1.0,
        values=RECORDS,
        broken=Sampled(Response(3, grr_keep(AMPLIFIED, 3))),
        correct=Sampled(Response(3, grr_keep(1.0, 3))),
        why="log(2(e - 1) + 1) is for RS+FD, which hides the sampled attribute",
    ),
    pair(
        name="rsfd_skewed_fakes",
        family="RS+FD",
        place="non-uniform replacement",
        epsilon=1.0,
        values=((0, 0), (1, 0), (2, 0)),
        broken=FakeData(Response(3, grr_keep(AMPLIFIED, 3)), (6.0, 3.0, 1.0)),
        correct=FakeData(Response(3, grr_keep(AMPLIFIED, 3)), (1.0, 1.0, 1.0)),
        why="fakes are 1 with 0.3 and 2 with 0.1, so the answers 2, 1 have the ratio (3p + q)/(4q)",
    ),
)
