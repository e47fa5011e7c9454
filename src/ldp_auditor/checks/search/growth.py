"""What an event is expected to prove: how fast a bet on it would grow against the claim.

`docs/betting.md` derives it: the best bet grows by KL(p, p*) + KL(q, q*) with every pair of
reports, where (p*, q*) are the nearest rates that keep the claim, p* = e^epsilon q* + delta.
"""

from typing import Any

import numpy as np

from ldp_auditor.core import Claim, Floats
from ldp_auditor.portable_arrays import exps, logs
from ldp_auditor.portable_math import log

HALVINGS = 26
"""Steps in which the nearest rates that keep the claim are found.

They are exact to eight digits, and the divergence to more, because it is flat there.
"""

EPSILON_HALVINGS = 12
"""Steps in which the largest epsilon is found that would be disproved."""

LARGEST_EXCESS = 12.0
"""Nobody needs to know by how much more than this the claim is exceeded."""

ENOUGH = log(100.0)
"""Log of the wealth by which an epsilon counts as disproved here: alpha = 0.01."""


def growth(p: Floats, q: Floats, epsilon: Floats | float, delta: float) -> Floats:
    """Mean of the log of what the best bet against the claim wins with a pair of reports.

    0 where the rates `p` and `q` keep the claim.
    """
    factor = exps(np.minimum(epsilon, 300.0))
    excess = p - factor * q - delta
    low, high = q.copy(), np.maximum(q, (p - delta) / factor)
    for _ in range(HALVINGS):  # the divergence falls, then rises, from q to where p* = p
        edge = (low + high) / 2
        top = _inside(factor * edge + delta)
        base = _inside(edge)
        slope = factor * (top - p) / (top * (1 - top)) + (base - q) / (base * (1 - base))
        falls = slope < 0
        low, high = np.where(falls, edge, low), np.where(falls, high, edge)
    edge = _inside(low)
    top = _inside(factor * edge + delta)
    found: Floats = np.where(excess > 0, _divergence(p, top) + _divergence(q, edge), 0.0)
    return found


def _inside(rates: Floats) -> Floats:
    """Rates that are neither 0 nor 1; `np.clip` takes longer for few."""
    found: Floats = np.minimum(np.maximum(rates, 1e-15), 1 - 1e-15)
    return found


def _divergence(p: Floats, other: Floats) -> Floats:
    """KL of the coin with probability `p` from another coin."""
    p = _inside(p)
    found: Floats = p * logs(p / other) + (1 - p) * logs((1 - p) / (1 - other))
    return found


def expected_gain(
    p: Floats, q: Floats, trials: Floats, tried: Floats, claim: Claim, distance: Any = 1.0
) -> Floats:
    """Log of what a bet is expected to make of 1 with as many fresh pairs as `trials`.

    The best of `tried` events looks better than it is, by the log of their number.
    """
    lost = logs(np.maximum(tried, 1.0))
    gained: Floats = growth(p, q, distance * claim.epsilon, claim.delta) * trials - lost
    return gained


def expected_bound(
    p: Floats, q: Floats, trials: Floats, tried: Floats, claim: Claim, distance: Any = 1.0
) -> Floats:
    """Largest epsilon that as many fresh pairs are expected to disprove; the claim at least."""
    wanted = ENOUGH + logs(np.maximum(tried, 1.0))
    low = np.full(len(p), claim.epsilon)
    high = low + LARGEST_EXCESS / distance
    for _ in range(EPSILON_HALVINGS):
        middle = (low + high) / 2
        enough = growth(p, q, distance * middle, claim.delta) * trials > wanted
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return low
