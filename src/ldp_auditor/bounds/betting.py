"""A bound that holds at every moment: what a gambler against the claim would have won.

If the claim P(hit | first) <= r P(hit | second) + delta holds, with r = e^epsilon, then for every
stake s and every anchor a the bet (1 + s (x - a)) (1 + s (a - delta - r y)) on the hits x and y of
one report of each value pays back 1 - s^2 (a - P(hit | first))^2 at most on average, so that the
wealth of a gambler who starts with 1 and never adds money exceeds 1 / alpha at some moment with
probability alpha at most [Ville39]. With the best stake and anchor no other bet grows faster
[Turner24]; they are not known, so the money is split over many of them before the first report.
`docs/betting.md` derives all of it.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.core import Counts, Floats

ANCHORS = ((0.0, 1), (0.15, 1), (0.5, 2), (0.85, 2), (1.0, 1))
"""Places of anchors between delta and 1, and their parts of the money. An anchor may be far off:
the loss is of second order."""

STAKES_PER_OCTAVE = 4
OCTAVES = 50
"""Stakes go from 1 down to 2^-50: enough for 10^15 trials and an epsilon of 30."""

FAVOURED_OCTAVES = 5.0
"""Stakes in the first octaves share the money evenly, later ones by the cube of their octave."""

LARGEST = 700.0
"""Epsilons beyond this are beyond floats."""

NEGLIGIBLE = 40.0
"""Bets whose wealth is smaller by this many powers of e need not be looked at."""


def log_wealth(counts: Counts, epsilon: float, delta: float) -> float:
    """Log of what betting against the claim (epsilon, delta) has made of 1."""
    return Wealth.of([(1.0, counts)], delta).log_against(epsilon)


def betting_bound(counts: Counts, alpha: float, delta: float) -> float:
    """Largest epsilon against which betting has made 1 / alpha of 1, or 0."""
    return Wealth.of([(1.0, counts)], delta).bound(alpha)


@lru_cache(maxsize=8)
def _money(delta: float) -> tuple[Floats, ...]:
    """Every stake with every anchor, and the log of its part of the money.

    Then the logs of what a hit, a miss of the first value and a miss of the second make of 1.
    """
    octaves = (np.arange(OCTAVES * STAKES_PER_OCTAVE) + 0.5) / STAKES_PER_OCTAVE
    parts = 1 / (1 + (octaves / FAVOURED_OCTAVES) ** 3)
    places, shares = np.array(ANCHORS).T
    anchors, stakes = np.meshgrid(delta + (1 - delta) * places, 2.0**-octaves, indexing="ij")
    money = np.outer(shares / shares.sum(), parts / parts.sum())
    stakes, anchors = stakes.ravel(), anchors.ravel()
    changes = (stakes * (1 - anchors), -stakes * anchors, stakes * (anchors - delta))
    return stakes, anchors, np.log(money).ravel(), *map(np.log1p, changes)


@dataclass(frozen=True)
class Wealth:
    """What gamblers side by side have won, each on counts of its own, and money that is not bet."""

    stakes: Floats
    anchors: Floats
    won: Floats
    """Logs of what every gambler has, but for the false positives."""
    false_positives: Floats
    delta: float
    cash: float
    distances: tuple[float, ...]
    """How many times epsilon is claimed where each bet was placed."""
    owners: NDArray[np.intp]
    """The bet that every gambler takes part in."""

    @classmethod
    def of(
        cls,
        bets: Iterable[tuple[float, Counts]],
        delta: float,
        cash: float = 0.0,
        distances: Sequence[float] | None = None,
    ) -> Self:
        """Return what `bets` made of the money: a bet is a part of it and the counts of an event.

        With `distances`, one for each bet, the claim against a bet is epsilon times its distance.
        """
        stakes, anchors, money, hit, miss, other_miss = _money(delta)
        won: list[Floats] = []
        alarms: list[int] = []
        for part, counts in bets:
            alarms.append(counts.false_positives)
            won.append(
                money
                + math.log(part)
                + counts.true_positives * hit
                + (counts.trials - counts.true_positives) * miss
                + (counts.trials - counts.false_positives) * other_miss
            )
        return cls(
            np.tile(stakes, len(won)),
            np.tile(anchors, len(won)),
            np.concatenate(won) if won else np.zeros(0),
            np.repeat(np.array(alarms, np.float64), len(stakes)),
            delta,
            cash,
            (1.0,) * len(won) if distances is None else tuple(distances),
            np.repeat(np.arange(len(won)), len(stakes)),
        )

    def each(self, epsilon: float) -> Floats:
        """Log of the wealth of every gambler against a claim of `epsilon`.

        It falls when epsilon grows. A gambler whom a false positive would bring into debt has 0.
        """
        claimed = [math.exp(min(epsilon * each, LARGEST)) for each in self.distances]
        allowed_rate = np.array(claimed, np.float64)[self.owners] + self.delta
        after_alarm = self.stakes * (self.anchors - allowed_rate)
        allowed = after_alarm > -1
        change = np.log1p(after_alarm, where=allowed, out=np.zeros_like(after_alarm))
        return np.where(allowed, self.won + self.false_positives * change, -np.inf)

    def log_against(self, epsilon: float) -> float:
        """Log of all the money against a claim of `epsilon`."""
        cash = math.log(self.cash) if self.cash > 0 else -math.inf
        logs = self.each(epsilon)
        most = max(cash, float(logs.max(initial=-np.inf)))
        if most == -math.inf:
            return most
        return most + math.log(math.exp(cash - most) + float(np.exp(logs - most).sum()))

    def bound(self, alpha: float) -> float:
        """Largest epsilon against which there is 1 / alpha, or 0."""
        wanted = -math.log(alpha)
        if self.log_against(0.0) < wanted:
            return 0.0
        rich = self.above(wanted - NEGLIGIBLE, 0.0)
        nearest = min(self.distances, default=1.0)
        low, high = 0.0, (OCTAVES + 1) * math.log(2) / nearest  # beyond, no stake is small enough
        while high - low > 1e-12 * high:
            middle = (low + high) / 2
            enough = rich.log_against(middle) >= wanted
            low, high = (middle, high) if enough else (low, middle)
        return low

    def above(self, least: float, epsilon: float) -> Self:
        """Only gamblers whose wealth matters; to leave some out makes the bound no larger."""
        kept = self.each(epsilon) >= least
        return replace(
            self,
            stakes=self.stakes[kept],
            anchors=self.anchors[kept],
            won=self.won[kept],
            false_positives=self.false_positives[kept],
            owners=self.owners[kept],
        )
