"""SS, sent as a set, a sorted tuple or a list."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tests.broken_mechanisms.entry import Entry, contains, pair
from tests.broken_mechanisms.exact import Law, subset_include


def draw_distinct(size: int, count: int, without: int, rng: np.random.Generator) -> list[int]:
    """Distinct numbers below size other than `without`, in random order."""
    pool = [item for item in range(size) if item != without]
    last = len(pool)
    for place in range(count):
        chosen = place + int(rng.random() * (last - place))
        pool[place], pool[chosen] = pool[chosen], pool[place]
    return pool[:count]


def others(size: int, value: int) -> list[int]:
    """Every value but one."""
    return [item for item in range(size) if item != value]


def ordered_set(items: Iterable[int]) -> frozenset[int]:
    """Return a set that is read in the same order however it came about.

    A set of Python remembers the order of insertion where hashes collide, which is a leak.
    """
    return frozenset(sorted(items))


@dataclass(frozen=True)
class Subset:
    """A set of `omega` values which holds the true one with probability `include`."""

    size: int
    omega: int
    include: float

    def __call__(self, value: int, rng: np.random.Generator) -> frozenset[int]:
        if rng.random() < self.include:
            return ordered_set([value, *draw_distinct(self.size, self.omega - 1, value, rng)])
        return ordered_set(draw_distinct(self.size, self.omega, value, rng))

    def law(self, value: int) -> Law:
        rest = others(self.size, value)
        for chosen in itertools.combinations(rest, self.omega - 1):
            chance = self.include / math.comb(self.size - 1, self.omega - 1)
            yield frozenset([value, *chosen]), chance
        for chosen in itertools.combinations(rest, self.omega):
            yield frozenset(chosen), (1 - self.include) / math.comb(self.size - 1, self.omega)


@dataclass(frozen=True)
class SortedSubset:
    """A subset of two as a sorted tuple, possibly drawn with replacement."""

    size: int
    include: float
    replace: bool

    def _fill(self, value: int, count: int, rng: np.random.Generator) -> list[int]:
        if not self.replace:
            return draw_distinct(self.size, count, value, rng)
        drawn = [int(rng.random() * (self.size - 1)) for _ in range(count)]
        return [item + (item >= value) for item in drawn]

    def __call__(self, value: int, rng: np.random.Generator) -> tuple[int, ...]:
        if rng.random() < self.include:
            return tuple(sorted([value, *self._fill(value, 1, rng)]))
        return tuple(sorted(self._fill(value, 2, rng)))

    def law(self, value: int) -> Law:
        rest = others(self.size, value)
        for item in rest:
            yield tuple(sorted((value, item))), self.include / len(rest)
        draws: Iterable[tuple[int, ...]] = (
            itertools.product(rest, repeat=2) if self.replace else itertools.permutations(rest, 2)
        )
        listed = list(draws)
        for drawn in listed:
            yield tuple(sorted(drawn)), (1 - self.include) / len(listed)


@dataclass(frozen=True)
class ReplacedSet:
    """A set filled up with replacement from all values, so that it may come out smaller."""

    size: int
    omega: int
    include: float

    def __call__(self, value: int, rng: np.random.Generator) -> frozenset[int]:
        if rng.random() < self.include:
            drawn = [int(rng.random() * self.size) for _ in range(self.omega - 1)]
            return ordered_set([value, *drawn])
        drawn = [int(rng.random() * (self.size - 1)) for _ in range(self.omega)]
        return ordered_set([item + (item >= value) for item in drawn])

    def law(self, value: int) -> Law:
        for drawn in itertools.product(range(self.size), repeat=self.omega - 1):
            yield frozenset([value, *drawn]), self.include / self.size ** (self.omega - 1)
        for drawn in itertools.product(others(self.size, value), repeat=self.omega):
            yield frozenset(drawn), (1 - self.include) / (self.size - 1) ** self.omega


@dataclass(frozen=True)
class SubsetList:
    """A subset of two as a list; the true value comes first and is swapped with chance `swap`."""

    size: int
    include: float
    swap: float

    def __call__(self, value: int, rng: np.random.Generator) -> list[int]:
        if rng.random() >= self.include:
            return draw_distinct(self.size, 2, value, rng)
        other = int(rng.random() * (self.size - 1))
        other += other >= value
        return [other, value] if rng.random() < self.swap else [value, other]

    def law(self, value: int) -> Law:
        rest = others(self.size, value)
        for other in rest:
            yield [value, other], self.include * (1 - self.swap) / len(rest)
            yield [other, value], self.include * self.swap / len(rest)
        for first, second in itertools.permutations(rest, 2):
            yield [first, second], (1 - self.include) / (len(rest) * (len(rest) - 1))


ENTRIES: tuple[Entry, ...] = (
    pair(
        name="ss_omega_off_by_one",
        family="SS",
        place="off by one in omega",
        epsilon=1.0,
        values=(0, 4, 9),
        broken=Subset(10, 3, subset_include(1.0, 10, 4)),
        correct=Subset(10, 3, subset_include(1.0, 10, 3)),
        supports=contains,
        why="p is that of omega = 4 but 3 values are sent: the ratio gains (4/6)(7/3)",
    ),
    pair(
        name="ss_p_q_swapped",
        family="SS",
        place="p and q swapped",
        epsilon=1.0,
        values=(0, 1, 7),
        broken=Subset(8, 2, 1 - subset_include(1.0, 8, 2)),
        correct=Subset(8, 2, subset_include(1.0, 8, 2)),
        supports=contains,
        why="the true value is in with 1 - p, so the ratio is ((k - omega)/omega)^2 / e^epsilon",
    ),
    pair(
        name="ss_pair_with_replacement",
        family="SS",
        place="sampling with replacement",
        epsilon=1.0,
        values=(0, 2, 5),
        broken=SortedSubset(6, subset_include(1.0, 6, 2), replace=True),
        correct=SortedSubset(6, subset_include(1.0, 6, 2), replace=False),
        supports=contains,
        why="(a, a) comes from every value but a",
    ),
    pair(
        name="ss_set_with_replacement",
        family="SS",
        place="length",
        epsilon=1.0,
        values=(0, 2, 5),
        broken=ReplacedSet(6, 2, subset_include(1.0, 6, 2)),
        correct=Subset(6, 2, subset_include(1.0, 6, 2)),
        supports=contains,
        why="a set of one is its owner's value with p/k, another's with (1 - p)/(k - 1)^2",
    ),
    pair(
        name="ss_true_value_first",
        family="SS",
        place="order of a set",
        epsilon=1.0,
        values=(0, 2, 5),
        broken=SubsetList(6, subset_include(1.0, 6, 2), swap=0.0),
        correct=SubsetList(6, subset_include(1.0, 6, 2), swap=0.5),
        supports=contains,
        why="without a shuffle the true value is never second",
    ),
    pair(
        name="ss_lazy_shuffle",
        family="SS",
        place="order of a set",
        epsilon=1.0,
        values=(0, 2, 5),
        broken=SubsetList(6, subset_include(1.0, 6, 2), swap=0.4),
        correct=SubsetList(6, subset_include(1.0, 6, 2), swap=0.5),
        supports=contains,
        why="the true value is first with 0.6 instead of 0.5, so the ratio gains 1.2",
    ),
)
