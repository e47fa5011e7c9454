"""BLH and OLH."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.broken_mechanisms.direct import Response
from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import Law, grr_keep

_MASK = 0xFFFFFFFF


def bucket(seed: int, value: int, size: int) -> int:
    """The hash of a value under a public seed."""
    mixed = (seed * 0x9E3779B1 + value * 0x85EBCA6B + 1) & _MASK
    mixed = ((mixed ^ (mixed >> 16)) * 0x7FEB352D) & _MASK
    mixed = ((mixed ^ (mixed >> 15)) * 0x846CA68B) & _MASK
    return (mixed ^ (mixed >> 16)) % size


def buckets(seeds: NDArray[np.int64], value: int, size: int) -> NDArray[np.int64]:
    """`bucket` for many seeds."""
    mask = np.uint64(_MASK)
    offset = np.uint64(value * 0x85EBCA6B + 1)
    mixed = (seeds.astype(np.uint64) * np.uint64(0x9E3779B1) + offset) & mask
    mixed = ((mixed ^ (mixed >> np.uint64(16))) * np.uint64(0x7FEB352D)) & mask
    mixed = ((mixed ^ (mixed >> np.uint64(15))) * np.uint64(0x846CA68B)) & mask
    return ((mixed ^ (mixed >> np.uint64(16))) % np.uint64(size)).astype(np.int64)


@dataclass(frozen=True)
class Supports:
    """Whether the reported hash is that of a value."""

    size: int

    def __call__(self, report: tuple[int, int], value: int) -> bool:
        return bucket(report[0], value, self.size) == report[1]


@dataclass(frozen=True)
class SupportPattern:
    """Which of the values a report supports."""

    values: tuple[int, ...]
    size: int

    def __call__(self, report: tuple[int, int]) -> tuple[bool, ...]:
        return tuple(Supports(self.size)(report, value) for value in self.values)


@dataclass(frozen=True)
class LocalHash:
    """A random seed, and GRR on the hash of the value."""

    seeds: int
    size: int
    keep: float

    def __call__(self, value: int, rng: np.random.Generator) -> tuple[int, int]:
        seed = int(rng.random() * self.seeds)
        return seed, Response(self.size, self.keep)(bucket(seed, value, self.size), rng)

    def batch(self, value: int, n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        seeds = rng.integers(0, self.seeds, n)
        truth = buckets(seeds, value, self.size)
        other = rng.integers(0, self.size - 1, n)
        other += other >= truth
        sent = np.where(rng.random(n) < self.keep, truth, other)
        return list(zip(seeds.tolist(), sent.tolist(), strict=True))

    def law(self, value: int) -> Law:
        for seed in range(self.seeds):
            truth = bucket(seed, value, self.size)
            for sent, chance in Response(self.size, self.keep).law(truth):
                yield (seed, sent), chance / self.seeds


@dataclass(frozen=True)
class WideLocalHash(LocalHash):
    """With so many seeds that reports hardly repeat; the law is that of the support pattern."""

    values: tuple[int, ...] = (0, 1, 2)

    def law(self, value: int) -> Law:
        seeds = np.arange(self.seeds)
        hashed = np.array([buckets(seeds, other, self.size) for other in self.values])
        truth = buckets(seeds, value, self.size)
        for sent in range(self.size):
            chance = np.where(truth == sent, self.keep, (1 - self.keep) / (self.size - 1))
            for pattern in itertools.product((False, True), repeat=len(self.values)):
                shown = np.all((hashed == sent) == np.array(pattern)[:, None], axis=0)
                yield pattern, float(chance[shown].sum()) / self.seeds

    def epsilon(self) -> float:
        """That of GRR on hashes, because some seed tells any two of the values apart."""
        seeds = np.arange(self.seeds)
        for first, second in itertools.combinations(self.values, 2):
            apart = buckets(seeds, first, self.size) != buckets(seeds, second, self.size)
            assert apart.any()
        return abs(math.log(self.keep * (self.size - 1) / (1 - self.keep)))


@dataclass(frozen=True)
class SeededCoin(LocalHash):
    """The public seed also drives the randomized response, so everybody can replay the coin."""

    def _answer(self, seed: int, value: int) -> int:
        truth = bucket(seed, value, self.size)
        coin = bucket(seed, 1_000_003, 1 << 20) / (1 << 20)
        if coin < self.keep:
            return truth
        return (truth + 1 + bucket(seed, 2_000_003, self.size - 1)) % self.size

    def __call__(self, value: int, rng: np.random.Generator) -> tuple[int, int]:
        seed = int(rng.random() * self.seeds)
        return seed, self._answer(seed, value)

    def batch(self, value: int, n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        answers = [(seed, self._answer(seed, value)) for seed in range(self.seeds)]
        return [answers[seed] for seed in rng.integers(0, self.seeds, n).tolist()]

    def law(self, value: int) -> Law:
        for seed in range(self.seeds):
            yield (seed, self._answer(seed, value)), 1 / self.seeds


@dataclass(frozen=True)
class RetriedSeed(LocalHash):
    """With probability `retry`, a seed under which the value hashes to 0 is drawn once more."""

    retry: float = 0.2

    def __call__(self, value: int, rng: np.random.Generator) -> tuple[int, int]:
        seed = int(rng.random() * self.seeds)
        if bucket(seed, value, self.size) == 0 and rng.random() < self.retry:
            seed = int(rng.random() * self.seeds)
        return seed, Response(self.size, self.keep)(bucket(seed, value, self.size), rng)

    def batch(self, value: int, n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        seeds = rng.integers(0, self.seeds, n)
        again = (buckets(seeds, value, self.size) == 0) & (rng.random(n) < self.retry)
        seeds = np.where(again, rng.integers(0, self.seeds, n), seeds)
        truth = buckets(seeds, value, self.size)
        other = (truth + rng.integers(1, self.size, n)) % self.size
        sent = np.where(rng.random(n) < self.keep, truth, other)
        return list(zip(seeds.tolist(), sent.tolist(), strict=True))

    def law(self, value: int) -> Law:
        truths = [bucket(seed, value, self.size) for seed in range(self.seeds)]
        again = self.retry * truths.count(0) / self.seeds
        for seed, truth in enumerate(truths):
            drawn = ((1 - self.retry if truth == 0 else 1) + again) / self.seeds
            for sent, chance in Response(self.size, self.keep).law(truth):
                yield (seed, sent), drawn * chance


@dataclass(frozen=True)
class SecretSalt:
    """GRR on a hash whose salt is not sent; privacy counts on a fresh salt in every report."""

    salts: int
    size: int
    keep: float

    def __call__(self, value: int, rng: np.random.Generator) -> int:
        salt = int(rng.random() * self.salts)
        return Response(self.size, self.keep)(bucket(salt, value, self.size), rng)

    def law(self, value: int) -> Law:
        for salt in range(self.salts):
            for sent, chance in Response(self.size, self.keep).law(bucket(salt, value, self.size)):
                yield sent, chance / self.salts


_WIDE = (
    WideLocalHash(1 << 16, 5, grr_keep(1.0, 4)),
    WideLocalHash(1 << 16, 5, grr_keep(1.0, 5)),
)

ENTRIES: tuple[Entry, ...] = (
    Entry(
        name="olh_g_off_by_one",
        family="OLH",
        place="off by one in g",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=_WIDE[0],
        correct=_WIDE[1],
        true_epsilon=_WIDE[0].epsilon(),
        correct_epsilon=_WIDE[1].epsilon(),
        supports=Supports(5),
        view=SupportPattern((0, 1, 2), 5),
        why="p is made for g - 1 hashes, so p/q = e^epsilon (g - 1)/(g - 2) with g = 5",
    ),
    pair(
        name="olh_large_g_off_by_one",
        family="OLH",
        place="off by one in g",
        epsilon=2.0,
        values=(0, 1, 2),
        broken=LocalHash(64, 9, grr_keep(2.0, 8)),
        correct=LocalHash(64, 9, grr_keep(2.0, 9)),
        supports=Supports(9),
        must_be_caught=False,
        why="as with g = 5, but with g = 9 and epsilon = 2 the excess is log(8/7)",
    ),
    pair(
        name="olh_seed_shared_with_coin",
        family="OLH",
        place="a shared hash seed",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=SeededCoin(64, 4, grr_keep(1.0, 4)),
        correct=LocalHash(64, 4, grr_keep(1.0, 4)),
        supports=Supports(4),
        why="given the seed the answer is a function of the value",
    ),
    pair(
        name="blh_seed_retried",
        family="BLH",
        place="a hash seed that depends on the value",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=RetriedSeed(32, 2, grr_keep(1.0, 2)),
        correct=LocalHash(32, 2, grr_keep(1.0, 2)),
        supports=Supports(2),
        why="seeds that hash the value to 0 are rarer, which adds to the loss of the bit",
    ),
    pair(
        name="blh_constant_salt",
        family="BLH",
        place="a constant hash seed",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=SecretSalt(1, 2, grr_keep(1.25, 2)),
        correct=SecretSalt(64, 2, grr_keep(1.25, 2)),
        why="with one salt the randomized response of 1.25 is all there is",
    ),
)
