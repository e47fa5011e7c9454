"""A whole check of an entry of the catalogue in this process, and the least that any test needs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_auditor.bounds.likelihood_ratio import divergence
from ldp_auditor.checks.bets import Bet
from ldp_auditor.checks.plan import CheckPlan
from ldp_auditor.checks.recorded_reports import Recorded
from ldp_auditor.checks.sequence import Course, conduct
from ldp_auditor.core import Claim, Counts
from tests.broken_mechanisms.entry import Entry
from tests.broken_mechanisms.exact import aligned, collect
from tests.broken_mechanisms.target import CatalogueTarget


@dataclass
class Sampled(Recorded):
    """Reports that are made when they are asked for, as worker processes would."""

    randomizer: Any = None
    rng: np.random.Generator | None = None
    shares = True

    def left(self, inputs: Sequence[int]) -> int:
        return (self.plan.trials - self.reports) // len(inputs)

    def draw(
        self, inputs: Sequence[int], n: int, bets: Sequence[Bet], keep: bool
    ) -> Iterator[list[tuple[Bet, Counts]]]:
        yield from super().draw(inputs, min(n, self.left(inputs)), bets, keep)

    def following(self, i: int, n: int, keep: bool) -> Sequence[Any]:
        assert self.rng is not None
        made = list(self.randomizer.sample(self.plan.values[i], n, self.rng))
        if keep:
            self.made[i].extend(made)  # type: ignore[attr-defined]
            self.drawn[i] += n
        return made


def sampled_check(entry: Entry, side: str, trials: int, alpha: float, seed: int) -> Course:
    """Check one side of an entry, stopping when sure."""
    plan = CheckPlan(
        name=entry.name,
        values=entry.values,
        claim=Claim(entry.epsilon, entry.delta),
        trials=trials,
        alpha=alpha,
        seed=seed,
    )
    source = Sampled(
        plan,
        [[] for _ in entry.values],
        entry.supports,
        learn=False,
        randomizer=CatalogueTarget(entry.name, side).open(),
        rng=np.random.default_rng(seed),
    )
    return conduct(plan, source)


def fewest_pairs(entry: Entry, alpha: float) -> float:
    """Pairs of reports that any test of the best event needs on average: ln(1 / alpha) / KL."""
    rows = aligned([collect(entry.broken.law(value)) for value in entry.values])
    best = 0.0
    for first, second in itertools.permutations(rows, 2):
        ratio = np.where(second > 0, first / np.maximum(second, 1e-300), np.inf)
        order = np.argsort(-ratio, kind="stable")
        p, q = np.cumsum(first[order]), np.cumsum(second[order])
        broken = p > math.exp(entry.epsilon) * q + entry.delta + 1e-12
        p, q = np.clip(p, 1e-9, 1 - 1e-9), np.clip(q, 1e-9, 1 - 1e-9)
        for a, b in set(zip(p[broken].tolist(), q[broken].tolist(), strict=True)):
            best = max(best, divergence((a, 1 - a), (b, 1 - b), entry.epsilon, entry.delta))
    return -math.log(alpha) / best
