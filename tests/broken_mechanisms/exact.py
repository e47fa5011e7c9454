"""Exact laws, and the smallest epsilon that they allow."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

Law: TypeAlias = Iterable[tuple[Any, float]]
"""Reports with their probabilities; a report may come several times."""

Floats: TypeAlias = NDArray[np.float64]

ROUNDING = 1e-15
"""Probability below which an excess over delta is the rounding of a sum."""


def fingerprint(report: Any) -> Hashable:
    """A hashable stand-in that differs if type, order, length or content differ."""
    kind = type(report).__name__
    if isinstance(report, (int, float, str, bytes)):
        return (kind, report)
    if isinstance(report, np.ndarray):
        return (kind, report.dtype.str, report.shape, report.tobytes())
    if isinstance(report, dict):
        return (kind, tuple((name, fingerprint(part)) for name, part in report.items()))
    if isinstance(report, (list, tuple)):
        return (kind, tuple(fingerprint(part) for part in report))
    if isinstance(report, (set, frozenset)):
        return (kind, frozenset(fingerprint(part) for part in report))
    return (kind, report)


def collect(law: Law) -> dict[Hashable, float]:
    """The probability of every report that has one."""
    total: dict[Hashable, float] = {}
    for report, probability in law:
        if probability > 0:
            key = fingerprint(report)
            total[key] = total.get(key, 0.0) + probability
    return total


def pure_epsilon(first: Floats, second: Floats) -> float:
    """The largest log ratio of two laws over the same reports."""
    possible = first > 0
    if np.any(second[possible] == 0):
        return math.inf
    return max(0.0, float(np.max(np.log(first[possible]) - np.log(second[possible]))))


def approximate_epsilon(first: Floats, second: Floats, delta: float) -> float:
    """The smallest epsilon with first(S) <= e^epsilon second(S) + delta for every S.

    The worst sets are those of the m reports with the largest ratios (Neyman and Pearson).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(second > 0, first / second, np.where(first > 0, np.inf, 0.0))
    order = np.argsort(-ratio, kind="stable")
    excess = np.cumsum(first[order]) - delta
    other = np.cumsum(second[order])
    matters = excess > ROUNDING
    if np.any(other[matters] == 0):
        return math.inf
    return max(0.0, float(np.max(np.log(excess[matters] / other[matters]), initial=0.0)))


def aligned(laws: Sequence[dict[Hashable, float]]) -> Floats:
    """Laws as rows over all reports of any of them."""
    reports = {report: None for law in laws for report in law}
    return np.array([[law.get(report, 0.0) for report in reports] for law in laws])


def smallest_epsilon(law: Callable[[Any], Law], values: Sequence[Any], delta: float) -> float:
    """The smallest epsilon over all ordered pairs of values."""
    rows = aligned([collect(law(value)) for value in values])
    if delta:
        pairs = itertools.permutations(rows, 2)
        return max(approximate_epsilon(first, second, delta) for first, second in pairs)
    with np.errstate(divide="ignore"):
        logs = np.log(rows)
    possible = [(one[one > -np.inf], logs[:, one > -np.inf]) for one in logs]
    return max(float(np.max(one - others)) for one, others in possible)


def separation(
    law: Callable[[Any], Law], values: Sequence[Any], epsilon: float, delta: float, trials: int
) -> float:
    """Standard errors by which the best event breaks the claim, with `trials` reports per value."""
    rows = aligned([collect(law(value)) for value in values])
    best = 0.0
    for first, second in itertools.permutations(rows, 2):
        ratio = np.where(second > 0, first / np.maximum(second, 1e-300), np.inf)
        order = np.argsort(-ratio, kind="stable")
        ours, theirs = np.cumsum(first[order]), np.cumsum(second[order])
        weight = math.exp(epsilon)
        variance = ours * (1 - ours) + weight**2 * theirs * (1 - theirs)
        excess = ours - weight * theirs - delta
        error = np.sqrt(np.maximum(variance, 1e-18) / trials)
        best = max(best, float(np.max(np.where(ours * trials >= 20, excess / error, 0.0))))
    return best


def bits_law(ones: Sequence[float]) -> Iterable[tuple[tuple[int, ...], float]]:
    """Independent bits with the given probabilities of 1."""
    for bits in itertools.product((0, 1), repeat=len(ones)):
        yield bits, math.prod(p if bit else 1 - p for bit, p in zip(bits, ones, strict=True))


def laplace_upper(x: Floats, scale: float) -> Floats:
    """P(noise > x) of Laplace noise."""
    return np.where(x >= 0, 0.5 * np.exp(-np.abs(x) / scale), 1 - 0.5 * np.exp(-np.abs(x) / scale))


def laplace_cells(edges: Floats, centre: float, scale: float) -> Floats:
    """Laplace mass between neighbouring edges, the two outer cells holding the tails.

    Mass on one side of the centre is a difference of two exponentials, written without
    cancellation, so that ratios of cells are exact to rounding.
    """
    low, high = edges[:-1] - centre, edges[1:] - centre
    near = np.where(low >= 0, low, np.where(high <= 0, -high, 0.0))
    width = high - low
    one_side = -0.5 * np.exp(-near / scale) * np.expm1(-width / scale)
    across = -0.5 * (np.expm1(-np.abs(low) / scale) + np.expm1(-np.abs(high) / scale))
    return np.where((low < 0) & (high > 0), across, one_side)


def gaussian_cells(edges: Floats, centre: float, sigma: float) -> Floats:
    """Gaussian mass between neighbouring edges, accurate in both tails."""
    low, high = (edges[:-1] - centre) / sigma, (edges[1:] - centre) / sigma
    flip = low > 0
    low, high = np.where(flip, -high, low), np.where(flip, -low, high)
    return np.asarray(special.ndtr(high) - special.ndtr(low), dtype=np.float64)


def grid_edges(low: float, high: float, step: float) -> Floats:
    """Edges of the cells that round to low, low + step, ..., high, with clamped tails."""
    count = round((high - low) / step)
    inner = low + step * (np.arange(count) + 0.5)
    return np.concatenate(([-np.inf], inner, [np.inf]))


def gaussian_delta(epsilon: float, sigma: float, sensitivity: float) -> float:
    """delta(epsilon) of Gaussian noise: [Balle18] Theorem 8."""
    ratio = sensitivity / sigma
    upper = special.ndtr(ratio / 2 - epsilon / ratio)
    return float(upper - math.exp(epsilon) * special.ndtr(-ratio / 2 - epsilon / ratio))


def analytic_sigma(epsilon: float, delta: float, sensitivity: float) -> float:
    """The smallest sigma that is (epsilon, delta) private, rounded up by 1e-9."""
    root = optimize.brentq(
        lambda sigma: gaussian_delta(epsilon, sigma, sensitivity) - delta, 0.05, 100, xtol=1e-12
    )
    return float(root) * (1 + 1e-9)


def classical_sigma(epsilon: float, delta: float, sensitivity: float) -> float:
    """The textbook sigma: [Dwork14] Theorem A.1."""
    return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def grr_keep(epsilon: float, size: int) -> float:
    """p of GRR: e^epsilon / (e^epsilon + k - 1)."""
    return math.exp(epsilon) / (math.exp(epsilon) + size - 1)


def subset_include(epsilon: float, size: int, omega: int) -> float:
    """p of SS: omega e^epsilon / (omega e^epsilon + k - omega)."""
    return omega * math.exp(epsilon) / (omega * math.exp(epsilon) + size - omega)


def logistic(x: float) -> float:
    """e^x / (e^x + 1), the truth probability of binary randomized response."""
    return 1 / (1 + math.exp(-x))
