"""Exact laws of single reports by enumerating them, for tests that need nothing but arithmetic."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from ldp_auditor.mechanisms.frequency_oracle import SupportOracle
from ldp_auditor.mechanisms.local_hashing import LocalHashing
from ldp_auditor.mechanisms.subset_selection import SS
from ldp_auditor.mechanisms.unary_encoding import UnaryEncoding

Reports = list[tuple[float, ...]]
"""Of every report, its probability for each value."""

SetLaw = dict[frozenset[int], float]
"""Probability of every support set."""


def best_guess(prior: Sequence[float], reports: Reports) -> float:
    """Sum over the reports of the largest prior times probability."""
    return sum(max(f * p for f, p in zip(prior, row, strict=True)) for row in reports)


def enumerated_law(protocol: SupportOracle) -> SetLaw:
    """Probability of every support set of a report of value 0, by summing over all reports."""
    k = protocol.domain_size
    law: SetLaw = {}
    if isinstance(protocol, SS):
        for subset in itertools.combinations(range(k), protocol.omega):
            truthful = 0 in subset
            chance = protocol.p if truthful else 1 - protocol.p
            alike = math.comb(k - 1, protocol.omega - truthful)
            law[frozenset(subset)] = chance / alike
    elif isinstance(protocol, UnaryEncoding):
        law = bits_law([protocol.p] + [protocol.q] * (k - 1))
    else:
        assert isinstance(protocol, LocalHashing)
        g = protocol.hash_size
        for function in itertools.product(range(g), repeat=k):
            for reported in range(g):
                truthful = reported == function[0]
                chance = protocol.p if truthful else (1 - protocol.p) / (g - 1)
                support = frozenset(v for v in range(k) if function[v] == reported)
                law[support] = law.get(support, 0.0) + chance / g**k
    return law


def bits_law(rates: list[float]) -> SetLaw:
    """Independent bits that are 1 with these probabilities."""
    law = {}
    for bits in itertools.product((0, 1), repeat=len(rates)):
        chance = math.prod(r if bit else 1 - r for r, bit in zip(rates, bits, strict=True))
        law[frozenset(v for v, bit in enumerate(bits) if bit)] = chance
    return law


def best_total_probability(sets: tuple[frozenset[int], ...], guess: int, k: int) -> float:
    """Chance that Algorithm 2 names a value: it is among those in most of the sets."""
    totals = [sum(v in s for s in sets) for v in range(k)]
    best = [v for v in range(k) if totals[v] == max(totals)]
    return (guess in best) / len(best)
