"""Randomizers as strangers write them: good ones, broken ones and ones that misbehave."""

from __future__ import annotations

import math
import os
import random
import subprocess
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


def lead(report: int, first: int, second: int) -> int:
    """A score: whether the report is the first value, or the second."""
    return int(report == first) - int(report == second)


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


NAMES = ("ann", "bob", "cat", "dan", "eve", "fay")


def subset_of_names(value: str, rng: np.random.Generator) -> frozenset[str]:
    """Subset selection of two out of six names at epsilon = 1, correct."""
    others = [name for name in NAMES if name != value]
    with_value = rng.random() < 2 * math.e / (2 * math.e + 4)
    chosen = [others[i] for i in rng.choice(5, 1 if with_value else 2, replace=False)]
    return frozenset(sorted([*chosen, value] if with_value else chosen))


def constant(value: int) -> int:
    """Says nothing."""
    return 5


def generator(value: int) -> Any:
    """Returns no data."""
    return (x for x in range(3))


def open_file(value: int) -> Any:
    """Returns no data either."""
    return open(os.devnull)


def function(value: int) -> Any:
    """Returns a function."""
    return lambda: value


def local_class(value: int) -> Any:
    """Returns an object of a class that nobody else can find."""

    class Report:
        bit = random.randint(0, 1)

    return Report()


class Silent(Exception):  # noqa: N818
    """An exception that cannot be shown."""

    def __str__(self) -> str:
        raise ValueError


def bad_message(value: int) -> int:
    """Raises what cannot be shown."""
    raise Silent


def numpy_nan(value: int) -> Any:
    """Now and then, a number of NumPy that is none."""
    return np.float32("nan" if random.random() < 0.01 else 1)


def nan_inside(value: int) -> Any:
    """A NaN in a list."""
    return [1, [random.choice([math.nan, 2.0])]]


def huge(value: int) -> str:
    """Ten megabytes a report."""
    return "x" * 10_000_000


def noted(process: int) -> None:
    """Write down a process, for the test to look for it."""
    with open(os.environ["LDP_AUDITOR_TEST_NOTES"], "a") as file:
        file.write(f"{process}\n")


def forks_and_sleeps(value: int) -> int:
    """Leaves a copy of its process behind, which never calls us again."""
    if random.random() < 0.001:
        child = os.fork()
        if child == 0:
            time.sleep(1000)
        noted(child)
    return random.randint(0, 1)


_STARTED: list[Any] = []


def starts_a_program(value: int) -> int:
    """Starts a program that does not end, which is allowed."""
    if not _STARTED:
        _STARTED.append(subprocess.Popen(["sleep", "1000"]))
        noted(_STARTED[0].pid)
    return random.randint(0, 1)


def starts_a_program_and_hangs(value: int) -> int:
    """The same, and it does not come back."""
    starts_a_program(value)
    time.sleep(1000)
    return 0


class NeverOpened:
    """Never ready."""

    def __init__(self) -> None:
        time.sleep(1000)


class NoArguments:
    """A client that must be made first."""

    def privatise(self, value: int) -> int:
        """Binary randomized response."""
        return random.randint(0, 1)


def size_of_the_domain(value: int, size: int = 3) -> int:
    """Has a second parameter that is not the number of reports."""
    return random.randrange(size)


def legacy(value: int, random_state: Any) -> int:
    """Binary randomized response at epsilon = 0.8, as NumPy was used long ago."""
    truthful = np.random.RandomState(random_state).random() < 0.69
    return value if truthful else 1 - value


def slow(value: int) -> int:
    """Two milliseconds a report."""
    time.sleep(0.002)
    return random.randint(0, 1)


def laplace(value: float, rng: np.random.Generator) -> float:
    """Laplace noise in floating point, for values that differ by 1."""
    return value + rng.laplace()
