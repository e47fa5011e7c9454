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
from functools import lru_cache

import numpy as np

from ldp_auditor.core import Counts, Floats

ANCHORS = ((0.0, 1), (0.15, 1), (0.5, 2), (0.85, 2), (1.0, 1))
"""Places of anchors between delta and 1, and their parts of the money. An anchor may be far off:
the loss is of second order."""

STAKES_PER_OCTAVE = 4
OCTAVES = 50
"""Stakes go from 1 down to 2^-50: enough for 10^15 trials and an epsilon of 30."""

FAVOURED_OCTAVES = 5.0
"""Stakes in the first octaves share the money evenly, later ones by the cube of their octave."""


def log_wealth(counts: Counts, epsilon: float, delta: float) -> float:
    """Log of what betting against the claim (epsilon, delta) has made of 1.

    It falls when epsilon grows, because no bet but the one on a false positive depends on epsilon.
    """
    kept, stakes, anchors = _won_so_far(counts, delta)
    return _total(kept, stakes, anchors, counts.false_positives, math.exp(epsilon) + delta)


def betting_bound(counts: Counts, alpha: float, delta: float) -> float:
    """Largest epsilon against which betting has made 1 / alpha of 1, or 0."""
    kept, stakes, anchors = _won_so_far(counts, delta)
    wanted = -math.log(alpha)

    def rejects(epsilon: float) -> bool:
        limit = math.exp(epsilon) + delta
        return _total(kept, stakes, anchors, counts.false_positives, limit) >= wanted

    if not rejects(0.0):
        return 0.0
    low, high = 0.0, (OCTAVES + 1) * math.log(2)  # beyond, no stake is small enough
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if rejects(middle) else (low, middle)
    return low


@lru_cache(maxsize=8)
def _bets(delta: float) -> tuple[Floats, Floats, Floats]:
    """Every stake with every anchor, and the log of its part of the money."""
    octaves = (np.arange(OCTAVES * STAKES_PER_OCTAVE) + 0.5) / STAKES_PER_OCTAVE
    parts = 1 / (1 + (octaves / FAVOURED_OCTAVES) ** 3)
    places, shares = np.array(ANCHORS).T
    anchors, stakes = np.meshgrid(delta + (1 - delta) * places, 2.0**-octaves, indexing="ij")
    money = np.outer(shares / shares.sum(), parts / parts.sum())
    return stakes.ravel(), anchors.ravel(), np.log(money).ravel()


def _won_so_far(counts: Counts, delta: float) -> tuple[Floats, Floats, Floats]:
    """Log of every bet's wealth but for the false positives, and the bets."""
    stakes, anchors, money = _bets(delta)
    misses = counts.trials - counts.true_positives
    kept = (
        money
        + counts.true_positives * np.log1p(stakes * (1 - anchors))
        + misses * np.log1p(-stakes * anchors)
        + (counts.trials - counts.false_positives) * np.log1p(stakes * (anchors - delta))
    )
    return kept, stakes, anchors


def _total(kept: Floats, stakes: Floats, anchors: Floats, alarms: int, limit: float) -> float:
    """Log of the wealth of all bets together that a limit of e^epsilon + delta allows.

    A stake that a false positive would bring into debt is none.
    """
    after_alarm = stakes * (anchors - limit)
    allowed = after_alarm > -1
    if not allowed.any():
        return -math.inf
    wealth = kept[allowed] + alarms * np.log1p(after_alarm[allowed])
    most = float(wealth.max())
    return most + math.log(float(np.exp(wealth - most).sum()))
