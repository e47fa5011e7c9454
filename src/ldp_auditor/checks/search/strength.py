"""How far the counts of events exceed a claim, over all ordered pairs of inputs.

Events are screened by the thousand: only the few that stand out are ever made.
"""

from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.core import Floats

SHORTLIST = 150
"""Largest number of events of one kind that the second half of the pilot ranks."""

MOST_INPUTS = 8
"""Inputs up to which every ordered pair is screened; else the largest rates with the smallest."""

EXTREMES = 3
"""How many of the largest and of the smallest rates are screened."""

AT_ONCE = 1_000_000
"""Largest number of counts that are screened at once."""


@dataclass(frozen=True)
class Standout:
    """An event, by its number, that stands out for a pair of inputs."""

    event: int
    is_negated: bool
    first: int
    second: int
    strength: float
    hits: int
    alarms: int


def strength(
    hits: Any, hit_trials: Any, alarms: Any, alarm_trials: Any, factor: Any, delta: float
) -> NDArray[np.float64]:
    """Standard errors by which rates exceed the claim; negative if they do not.

    `factor` is e^epsilon, of each where claims differ from pair to pair. The errors are those
    half-way between the rates and the nearest rates that keep the claim: half the square is then
    close to the log of what the best bet against the claim would have won. The errors at the rates
    themselves would favour what one input has rarely and the other never.
    """
    p = (hits + 0.5) / (hit_trials + 1)
    q = (alarms + 0.5) / (alarm_trials + 1)
    excess = p - factor * q - delta
    middle_p, middle_q = p, q
    for _ in range(2):
        own = middle_p * (1 - middle_p) / hit_trials
        other = factor * middle_q * (1 - middle_q) / alarm_trials
        step = 0.5 * excess / (own + factor * other)
        middle_p = np.clip(p - step * own, 1e-12, 1 - 1e-12)
        middle_q = np.clip(q + step * other, 1e-12, 1 - 1e-12)
    own = middle_p * (1 - middle_p) / hit_trials
    other = middle_q * (1 - middle_q) / alarm_trials
    z: NDArray[np.float64] = excess / np.sqrt(own + factor * factor * other)
    return z


def screen(
    counts: Floats, trials: Floats, factors: Any, delta: float, most: int = SHORTLIST
) -> list[Standout]:
    """The `most` strongest of events and their complements, each for its best pairs of inputs."""
    inputs, events = counts.shape
    found: list[tuple[Floats, NDArray[np.int64]]] = []
    step = max(1, AT_ONCE // max(inputs, 2 * MOST_INPUTS**2))
    for start in range(0, events, step):
        block = counts[:, start : start + step]
        for negated in (0, 1):
            these = trials[:, None] - block if negated else block
            z, first, second = _pairs(these, trials, factors, delta)
            flat = z.ravel()
            kept = largest(flat, most)
            rows, columns = np.unravel_index(kept, z.shape)
            a, b = first[rows, columns], second[rows, columns]
            names = np.stack(
                [columns + start, np.full(len(kept), negated), a, b,
                 these[a, columns].astype(np.int64), these[b, columns].astype(np.int64)], axis=1,
            )  # fmt: skip
            found.append((flat[kept], names))
    if not found:
        return []
    strengths = np.concatenate([z for z, _ in found])
    names = np.concatenate([n for _, n in found])
    order = np.argsort(-strengths, kind="stable")[:most]
    return [
        Standout(e, bool(n), a, b, float(strengths[i]), hits, alarms)
        for i, (e, n, a, b, hits, alarms) in zip(order, names[order].tolist(), strict=True)
    ]


def _pairs(
    counts: Floats, trials: Floats, factors: Any, delta: float
) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Strengths of events for pairs of inputs: a row for every pair that is looked at."""
    inputs, events = counts.shape
    if inputs <= MOST_INPUTS:
        pairs = np.array(list(permutations(range(inputs), 2)))
        first = np.broadcast_to(pairs[:, :1], (len(pairs), events))
        second = np.broadcast_to(pairs[:, 1:], (len(pairs), events))
    else:
        # The strength grows with the first rate and falls with the second.
        order = np.argsort((counts + 0.5) / (trials[:, None] + 1), axis=0, kind="stable")
        largest, smallest = order[-EXTREMES:], order[:EXTREMES]
        first = np.repeat(largest, EXTREMES, axis=0)
        second = np.tile(smallest, (EXTREMES, 1))
        if np.ndim(factors):  # near inputs may differ by less and be allowed less still
            near = np.where(np.eye(inputs, dtype=bool), np.inf, factors).argmin(axis=1)
            both = (
                np.concatenate([np.arange(inputs), near]),
                np.concatenate([near, np.arange(inputs)]),
            )
            first, second = (
                np.concatenate([far, np.broadcast_to(side[:, None], (2 * inputs, events))])
                for far, side in zip((first, second), both, strict=True)
            )
    z = strength(
        np.take_along_axis(counts, first, axis=0),
        trials[first],
        np.take_along_axis(counts, second, axis=0),
        trials[second],
        factors[first, second] if np.ndim(factors) else factors,
        delta,
    )
    if len(z) > 2:  # the two best pairs of every event are enough
        best = z.argmax(axis=0)[None]
        others = z.copy()
        np.put_along_axis(others, best, -np.inf, axis=0)
        best = np.concatenate([best, others.argmax(axis=0)[None]])
        z, first, second = (np.take_along_axis(a, best, axis=0) for a in (z, first, second))
    return z, first, second


def largest(values: Floats, most: int) -> NDArray[np.int64]:
    """Return the places of the largest values, in order of place; of equal ones, the first.

    `np.argpartition` would keep others of the equal ones on other processors.
    """
    if len(values) <= most:
        return np.arange(len(values))
    least = np.partition(values, len(values) - most)[len(values) - most]
    above = np.flatnonzero(values > least)
    equal = np.flatnonzero(values == least)[: most - len(above)]
    return np.sort(np.concatenate([above, equal]))
