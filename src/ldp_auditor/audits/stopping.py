"""As many trials as are needed: look at the growing counts and stop when they say enough.

A bound that holds at any moment, betting, is looked at often: when a fifth more was counted. With
any other the looks are at chunks 1, 2, 4, 8, ...; look number i may spend alpha * 6 / (pi i)^2, and
these shares add up to alpha over all looks, so that it holds, too, however often one looks.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ldp_auditor.bounds import Bound
from ldp_auditor.errors import fraction, whole_number

MOST_TRIALS = 10**15
"""More would take years."""


@dataclass(frozen=True)
class Stopping:
    """When trials end: `precision`, as a share, from what is reachable, or at `max_trials`."""

    precision: float = 0.01
    max_trials: int = 10**9

    def __post_init__(self) -> None:
        object.__setattr__(self, "precision", fraction("precision", self.precision))
        most = whole_number("max_trials", self.max_trials, 1, MOST_TRIALS)
        object.__setattr__(self, "max_trials", most)


def alpha_of_look(bound: Bound, alpha: float, look: int) -> float:
    """Return the part of alpha that look number `look`, counted from 1, may spend."""
    return alpha if bound.anytime else alpha * 6 / (math.pi * look) ** 2


def looks_at(
    trials: int | Stopping, bound: Bound, alpha: float, chunks: int
) -> Iterator[tuple[int, float]]:
    """Yield up to which chunk is counted before each look at the counts, and its share of alpha."""
    if not isinstance(trials, Stopping):
        yield chunks, alpha
        return
    done, look = 0, 0
    while done < chunks:
        done, look = max(done + 1, done * 6 // 5 if bound.anytime else 2 * done), look + 1
        yield min(done, chunks), alpha_of_look(bound, alpha, look)
