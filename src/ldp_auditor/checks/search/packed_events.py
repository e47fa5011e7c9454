"""Many events of many reports as packed bits, and how often several hold together.

Products of matrices would do the same, by a library with threads of its own, which get into each
other's way where several workers share a few cores.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.checks.search.events import Event
from ldp_auditor.checks.search.proposals import Sample
from ldp_auditor.core import Floats

Packed = NDArray[np.uint64]
"""A row of bits for every event, a bit for every report."""


def packed(sample: Sample, events: Sequence[Event]) -> list[Packed]:
    """Which events hold for which reports, by input."""
    return [
        pack(np.stack([event.holds(reports, table) for event in events]))
        for reports, table in zip(sample.reports, sample.tables, strict=True)
    ]


def pack(indicators: NDArray[np.bool_]) -> Packed:
    """Rows of truth values as rows of bits."""
    octets = np.packbits(indicators, axis=1)
    missing = -octets.shape[1] % 8
    return np.pad(octets, ((0, 0), (0, missing))).view(np.uint64)


def count(bits: Packed) -> Floats:
    """How many bits are set in every row."""
    totals: Floats = np.bitwise_count(bits).sum(axis=-1, dtype=np.float64)
    return totals


def joint(bits: Packed) -> Floats:
    """How many bits are set in both of two rows, for all pairs i < j in order."""
    parts = [count(bits[i] & bits[i + 1 :]) for i in range(len(bits) - 1)]
    return np.concatenate(parts) if parts else np.zeros(0)


def odd_of_three(bits: Packed) -> Floats:
    """How often an odd number of three rows is set, for all i < j < k in order."""
    two = combinations(range(len(bits) - 1), 2)
    parts = [count(bits[i] ^ bits[j] ^ bits[j + 1 :]) for i, j in two]
    return np.concatenate(parts) if parts else np.zeros(0)
