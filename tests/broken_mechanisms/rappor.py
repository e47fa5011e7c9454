"""RAPPOR: a Bloom filter per cohort, its bits randomized."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import Law, bits_law, logistic
from tests.broken_mechanisms.hashing import bucket

WORDS = ("news", "mail", "maps")
COHORTS, HASHES, BITS = 4, 2, 8


def filter_bits(cohort: int, word: str) -> set[int]:
    """The positions that a word sets in the Bloom filter of a cohort."""
    return {bucket(HASHES * cohort + index, WORDS.index(word), BITS) for index in range(HASHES)}


def bloom_supports(report: dict[str, Any], word: str) -> bool:
    """Whether every bit of the word is set."""
    return all(report["bits"][bit] == "1" for bit in filter_bits(report["cohort"], word))


@dataclass(frozen=True)
class Rappor:
    """Every bit tells the truth with probability `truth`; the cohort may follow the word."""

    truth: float
    cohort_of_word: bool = False

    def _rates(self, cohort: int, word: str) -> list[float]:
        ones = filter_bits(cohort, word)
        return [self.truth if bit in ones else 1 - self.truth for bit in range(BITS)]

    def __call__(self, value: str, rng: np.random.Generator) -> dict[str, Any]:
        cohort = int(rng.random() * COHORTS)
        if self.cohort_of_word:
            cohort = WORDS.index(value)
        drawn = zip(rng.random(BITS).tolist(), self._rates(cohort, value), strict=True)
        bits = "".join("1" if number < rate else "0" for number, rate in drawn)
        return {"cohort": cohort, "bits": bits}

    def law(self, value: str) -> Law:
        own = WORDS.index(value)
        for cohort in (own,) if self.cohort_of_word else range(COHORTS):
            chosen = 1.0 if self.cohort_of_word else 1 / COHORTS
            for bits, chance in bits_law(self._rates(cohort, value)):
                yield {"cohort": cohort, "bits": "".join(map(str, bits))}, chosen * chance


ENTRIES: tuple[Entry, ...] = (
    pair(
        name="rappor_one_hash_assumed",
        family="RAPPOR",
        place="composition ignored",
        epsilon=2.0,
        values=WORDS,
        broken=Rappor(logistic(1.0)),
        correct=Rappor(logistic(0.5)),
        supports=bloom_supports,
        why="two hashes let words differ in four bits, but f is made for two: 4 times 1",
    ),
    pair(
        name="rappor_cohort_of_word",
        family="RAPPOR",
        place="a hash seed that depends on the value",
        epsilon=2.0,
        values=WORDS,
        broken=Rappor(logistic(0.5), cohort_of_word=True),
        correct=Rappor(logistic(0.5)),
        supports=bloom_supports,
        why="the cohort is the number of the word instead of a random one",
    ),
)
