"""Search for the pair of inputs that loses the most for each unit of distance."""

from itertools import combinations
from typing import Any

from ldp_auditor.core import InputPair
from ldp_auditor.mechanisms.capabilities import inputs_of, loss_law_of
from ldp_auditor.metrics import distance


def worst_ratio(
    mechanism: Any, metric: str | None, also: InputPair
) -> tuple[float, InputPair] | None:
    """Return the largest exact loss for each unit of distance over many pairs, and its pair.

    The pairs are those of `inputs_of(mechanism).some`, and `also`; a pair whose exact loss the
    mechanism does not know is left out.
    """
    if metric is None:
        return None
    some = combinations(inputs_of(mechanism).some, 2)  # a pair loses as much both ways
    pairs = dict.fromkeys([also, *(InputPair(a, b) for a, b in some)])
    found: list[tuple[float, InputPair]] = []
    for pair in pairs:
        law = loss_law_of(mechanism, pair)
        if law is not None:
            lost = law.epsilon(mechanism.claim.delta)
            found.append((lost / distance(metric, pair.first, pair.second), pair))
    if not found:
        return None
    largest = max(ratio for ratio, _ in found)
    return next(each for each in found if each[0] >= largest * (1 - SAME))


SAME = 1e-9
"""Ratios closer than this share are the same: their last bits differ between processors."""
