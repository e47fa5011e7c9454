"""Several reports of one user, with and without memoization."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from tests.broken_mechanisms.direct import Response
from tests.broken_mechanisms.entry import Entry, pair
from tests.broken_mechanisms.exact import Law, bits_law, grr_keep, logistic


@dataclass(frozen=True)
class Repeated:
    """Fresh GRR answers to the same question."""

    once: Response
    times: int

    def __call__(self, value: int, rng: np.random.Generator) -> tuple[int, ...]:
        return tuple(self.once(value, rng) for _ in range(self.times))

    def law(self, value: int) -> Law:
        for answers in itertools.product(self.once.law(value), repeat=self.times):
            reports, chances = zip(*answers, strict=True)
            yield reports, math.prod(chances)


@dataclass(frozen=True)
class MemoizedGRR:
    """L-GRR: answers about a randomized value, which is redrawn if `forgets`."""

    permanent: Response
    instant: Response
    times: int
    forgets: bool

    def __call__(self, value: int, rng: np.random.Generator) -> list[int]:
        memo = self.permanent(value, rng)
        answers = []
        for _ in range(self.times):
            answers.append(self.instant(memo, rng))
            if self.forgets:
                memo = self.permanent(value, rng)
        return answers

    def _fresh(self, value: int) -> list[float]:
        fresh = [0.0] * self.instant.size
        for memo, chance in self.permanent.law(value):
            for answer, then in self.instant.law(memo):
                fresh[answer] += chance * then
        return fresh

    def law(self, value: int) -> Law:
        fresh = self._fresh(value)
        for answers in itertools.product(range(self.instant.size), repeat=self.times):
            if self.forgets:
                yield list(answers), math.prod(fresh[answer] for answer in answers)
                continue
            for memo, chance in self.permanent.law(value):
                then = dict(self.instant.law(memo))
                yield list(answers), chance * math.prod(then[answer] for answer in answers)


@dataclass(frozen=True)
class MemoizedSUE:
    """L-SUE over three values, two rounds; the memo of `unmemoized` positions is redrawn."""

    permanent: float
    instant: float
    unmemoized: tuple[int, ...] = ()

    def __call__(self, value: int, rng: np.random.Generator) -> list[list[int]]:
        uniform = rng.random(12).tolist()
        rounds: list[list[int]] = [[], []]
        for position in range(3):
            truth = int(position == value)
            for turn in range(2):
                drawn = uniform[position + 3 * turn * (position in self.unmemoized)]
                memo = truth ^ (drawn >= self.permanent)
                rounds[turn].append(memo ^ (uniform[6 + 3 * turn + position] >= self.instant))
        return rounds

    def _bit_pairs(self, position: int, truth: int) -> dict[tuple[int, int], float]:
        law: dict[tuple[int, int], float] = {}
        lies = bits_law([1 - self.permanent] * 2 + [1 - self.instant] * 2)
        for (first, second, early, late), chance in lies:
            again = second if position in self.unmemoized else first
            shown = (truth ^ first ^ early, truth ^ again ^ late)
            law[shown] = law.get(shown, 0.0) + chance
        return law

    def law(self, value: int) -> Law:
        parts = [self._bit_pairs(position, int(position == value)) for position in range(3)]
        for chosen in itertools.product(*(part.items() for part in parts)):
            early, late = ([shown[turn] for shown, _ in chosen] for turn in (0, 1))
            yield [early, late], math.prod(chance for _, chance in chosen)


ENTRIES: tuple[Entry, ...] = (
    pair(
        name="two_reports_full_budget",
        family="longitudinal",
        place="composition ignored",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=Repeated(Response(3, grr_keep(1.0, 3)), 2),
        correct=Repeated(Response(3, grr_keep(0.5, 3)), 2),
        why="two fresh answers with epsilon each add up to 2 epsilon",
    ),
    pair(
        name="memo_forgotten",
        family="memoized",
        place="a missing step",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=MemoizedGRR(Response(3, grr_keep(1.0, 3)), Response(3, 0.9), 3, forgets=True),
        correct=MemoizedGRR(Response(3, grr_keep(1.0, 3)), Response(3, 0.9), 3, forgets=False),
        why="without the memo three answers cost three times the loss of one",
    ),
    pair(
        name="memo_misses_one_bit",
        family="memoized",
        place="one unprotected coordinate",
        epsilon=1.0,
        values=(0, 1, 2),
        broken=MemoizedSUE(logistic(0.5), 0.95, unmemoized=(2,)),
        correct=MemoizedSUE(logistic(0.5), 0.95),
        why="bit 2 is redrawn in both rounds, so its loss counts twice",
    ),
)
