"""Clients whose calls depend on each other, as strangers write them; each report alone is fine."""

from __future__ import annotations

import functools
import math
import random
from typing import Any

import numpy as np

TRUTH = math.exp(1) / (1 + math.exp(1))


def answer(value: int) -> int:
    """Binary randomized response at epsilon = 1."""
    return value if random.random() < TRUTH else 1 - value


cached = functools.lru_cache(answer)


class Memoizing:
    """A client that answers each value once and for all."""

    def __init__(self, epsilon: float = 1.0) -> None:
        self.truth = math.exp(epsilon) / (1 + math.exp(epsilon))
        self.kept: dict[int, int] = {}

    def privatise(self, value: int) -> int:
        """Return the answer that was given before, or a new one."""
        if value not in self.kept:
            self.kept[value] = value if random.random() < self.truth else 1 - value
        return self.kept[value]


class Redrawing(Memoizing):
    """One that forgets its answer now and then, so that many reports leak more."""

    def privatise(self, value: int) -> int:
        """Return an answer that lasts for two reports on average."""
        if random.random() < 0.5:
            self.kept = {}
        return super().privatise(value)


class Numbering:
    """A client that numbers its reports."""

    def __init__(self) -> None:
        self.calls = 0

    def privatise(self, value: int) -> Any:
        """Return a number and an answer."""
        self.calls += 1
        return {"number": self.calls, "bit": answer(value)}


class Pooled:
    """A client that uses 37 random numbers again and again."""

    def __init__(self) -> None:
        self.pool: list[float] = []
        self.calls = 0

    def privatise(self, value: int) -> int:
        """Return an answer; one report of a fresh object keeps epsilon = 1."""
        self.pool = self.pool or [random.random() for _ in range(37)]
        self.calls += 1
        return value if self.pool[self.calls % len(self.pool)] < TRUTH else 1 - value


class SharingAnswers(Memoizing):
    """A client whose class keeps the answers."""

    shared: dict[int, int] = {}  # noqa: RUF012 - that is what is wrong with it

    def __init__(self) -> None:
        super().__init__()
        self.kept = self.shared


class ConstantSeed:
    """A client that keeps its answer for a while, and a generator with a constant seed."""

    def __init__(self) -> None:
        self.generator = np.random.default_rng(0)
        self.kept = 0

    def privatise(self, value: int) -> int:
        """Return a fair bit that lasts for two reports on average."""
        if self.generator.random() < 0.5:
            self.kept = int(self.generator.integers(2))
        return self.kept


class AsksForSeed(ConstantSeed):
    """The same with a seed that is given."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__()
        self.generator = np.random.default_rng(seed)
        self.kept = int(self.generator.integers(2))


def lagging(value: int, before: list[int] = [0]) -> Any:  # noqa: B006 - that is what is wrong
    """Return an answer and the one before."""
    before.append(answer(value))
    return before[-1], before[-2]


masks: list[int] = []


def masked(value: int) -> int:
    """Return an answer behind a mask of one bit, which the first call draws for all."""
    if not masks:
        masks.append(random.getrandbits(1))
    return answer(value) ^ masks[0]
