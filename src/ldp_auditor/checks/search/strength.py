"""How far the counts of events exceed a claim, over all ordered pairs of inputs.

Events are screened by the thousand: only the few that stand out are ever made.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

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


class Standout(NamedTuple):
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
        middle_p = np.minimum(np.maximum(p - step * own, 1e-12), 1 - 1e-12)
        middle_q = np.minimum(np.maximum(q + step * other, 1e-12), 1 - 1e-12)
    own = middle_p * (1 - middle_p) / hit_trials
    other = middle_q * (1 - middle_q) / alarm_trials
    z: NDArray[np.float64] = excess / np.sqrt(own + factor * factor * other)
    return z


def screen(
    groups: Iterable[Floats], trials: Floats, factors: Any, delta: float, most: int = SHORTLIST
) -> list[list[Standout]]:
    """The strongest events of every group and their complements, for their best pairs of inputs.

    A group has a row of counts for every input and a column for every event.
    """
    found: list[list[tuple[Floats, NDArray[np.int64]]]] = []
    waiting: list[_Part] = []
    step = max(1, AT_ONCE // max(len(trials), 2 * MOST_INPUTS**2))

    def screen_waiting() -> None:
        together = np.concatenate([part.counts for part in waiting], axis=1)
        z, first, second = _pairs(together, trials, factors, delta)
        end = 0
        for part in waiting:
            start, end = end, end + part.counts.shape[1]
            inside = slice(start, end)
            found[part.group].append(
                part.strongest(z[:, inside], first[:, inside], second[:, inside], most)
            )
        waiting.clear()

    # Small groups are screened together: a call for each would cost more than their numbers.
    for group, counts in enumerate(groups):
        found.append([])
        for start in range(0, counts.shape[1], step):
            for negated in (0, 1):
                block = counts[:, start : start + step]
                block = trials[:, None] - block if negated else block
                if waiting and sum(p.counts.shape[1] for p in waiting) + block.shape[1] > step:
                    screen_waiting()
                waiting.append(_Part(group, start, negated, block))
    if waiting:
        screen_waiting()
    return [_in_order(parts, most) for parts in found]


@dataclass(frozen=True)
class _Part:
    """Some events of a group, or their complements."""

    group: int
    start: int
    negated: int
    counts: Floats

    def strongest(
        self, z: Floats, first: NDArray[np.int64], second: NDArray[np.int64], most: int
    ) -> tuple[Floats, NDArray[np.int64]]:
        """The largest of these strengths; event, negation, inputs and counts of each."""
        flat = z.ravel()
        kept = largest(flat, most)
        rows, columns = np.divmod(kept, z.shape[1])
        names = np.empty((len(kept), 6), dtype=np.int64)
        names[:, 0] = columns + self.start
        names[:, 1] = self.negated
        names[:, 2] = a = first[rows, columns]
        names[:, 3] = b = second[rows, columns]
        names[:, 4] = self.counts[a, columns]
        names[:, 5] = self.counts[b, columns]
        return flat[kept], names


def _in_order(parts: Sequence[tuple[Floats, NDArray[np.int64]]], most: int) -> list[Standout]:
    """The strongest events of several parts, the strongest first."""
    if not parts:
        return []
    strengths = np.concatenate([z for z, _ in parts])
    names = np.concatenate([n for _, n in parts])
    order = np.argsort(-strengths, kind="stable")[:most]
    return [
        Standout(e, bool(n), a, b, z, hits, alarms)
        for z, (e, n, a, b, hits, alarms) in zip(
            strengths[order].tolist(), names[order].tolist(), strict=True
        )
    ]


def _pairs(
    counts: Floats, trials: Floats, factors: Any, delta: float
) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Strengths of events for pairs of inputs: a row for every pair that is looked at."""
    inputs, events = counts.shape
    if inputs <= MOST_INPUTS:
        one, other = np.array(list(permutations(range(inputs), 2))).reshape(-1, 2).T
        factor = factors[one, other][:, None] if np.ndim(factors) else factors
        z = strength(
            counts[one], trials[one, None], counts[other], trials[other, None], factor, delta
        )
        first = np.broadcast_to(one[:, None], (len(one), events))
        second = np.broadcast_to(other[:, None], (len(one), events))
    else:
        # The strength grows with the first rate and falls with the second.
        order = np.argsort((counts + 0.5) / (trials[:, None] + 1), axis=0, kind="stable")
        highest, lowest = order[-EXTREMES:], order[:EXTREMES]
        first = np.repeat(highest, EXTREMES, axis=0)
        second = np.tile(lowest, (EXTREMES, 1))
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
        every = np.arange(events)
        best = z.argmax(axis=0)
        others = z.copy()
        others[best, every] = -np.inf
        rows = np.stack([best, others.argmax(axis=0)])
        z, first, second = z[rows, every], first[rows, every], second[rows, every]
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
