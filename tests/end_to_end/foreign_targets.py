"""Randomizers as strangers write them: good ones, broken ones and ones that misbehave."""

from __future__ import annotations

import math
import os
import random
import time
from typing import Any

import numpy as np


def grr(value: int, rng: np.random.Generator) -> int:
    """Randomized response over four values at epsilon = 1."""
    return _grr(value, 1.0, rng)


def bad_grr(value: int, rng: np.random.Generator) -> int:
    """The same with the budget of epsilon = 1.4."""
    return _grr(value, 1.4, rng)


def _grr(value: int, epsilon: float, rng: np.random.Generator) -> int:
    if rng.random() < math.exp(epsilon) / (math.exp(epsilon) + 3):
        return value
    other = int(rng.integers(3))
    return other + (other >= value)


def bad_batch(value: int, n: int, rng: np.random.Generator) -> Any:
    """A batch of reports that are true nine times out of ten."""
    return np.where(rng.random(n) < 0.9, value, 1 - value)


def colour(value: str) -> str:
    """Tells the truth nine times out of ten; draws from the global generator."""
    return value if random.random() < 0.9 else random.choice(["red", "green"])


class Client:
    """A client object with a method of a common name."""

    def __init__(self, epsilon: float) -> None:
        self.p = math.exp(epsilon) / (1 + math.exp(epsilon))

    def privatise(self, value: int) -> int:
        """Binary randomized response."""
        return value if random.random() < self.p else 1 - value


def raises(value: int) -> int:
    """Fails for one value."""
    if value == 2:
        raise ValueError("boom")
    return random.randint(0, 1)


def hangs(value: int) -> int:
    """Now and then it does not come back."""
    if random.random() < 0.001:
        time.sleep(1000)
    return random.randint(0, 1)


def crashes(value: int) -> int:
    """Takes the process down."""
    os.kill(os.getpid(), 11)
    return 0


def prints(value: int) -> int:
    """Talks on standard output."""
    print("hello", value)
    return random.randint(0, 1)


def reseeds(value: int) -> int:
    """Seeds the global generator with a constant."""
    np.random.seed(0)  # noqa: NPY002
    return int(np.random.rand() < 0.5)  # noqa: NPY002


_GENERATOR = np.random.default_rng(0)


def constant_seed(value: int) -> int:
    """Draws from a generator that every process seeds alike."""
    return int(_GENERATOR.integers(1000))


def forks(value: int) -> int:
    """Copies its process."""
    os.fork()
    return random.randint(0, 1)


def nan(value: int) -> float:
    """Returns no number."""
    return math.nan


def nothing(value: int) -> None:
    """Returns nothing."""


def too_few(value: int, n: int) -> list[int]:
    """A batch that is too short."""
    return [0] * (n - 1)
