"""Coverage of the bounds: how often a lower bound exceeds the truth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray

from ldp_auditor import Counts, mechanisms
from ldp_auditor.bounds import BOUNDS
from ldp_auditor.core import Values
from tests.protocols import make, rates_of
from tests.statistical.evidence import at_most

REPLICATIONS = 2000


@pytest.mark.parametrize("alpha", [0.01, 0.05])
@pytest.mark.parametrize(
    ("name", "epsilon", "domain_size", "trials"),
    [
        ("GRR", 0.25, 25, 10**6),
        ("GRR", 4.0, 2, 100),
        ("GRR", 10.0, 200, 10**6),
        ("AGRR", 1.0, 25, 10**4),
        ("OUE", 2.0, 100, 10**5),
        ("BLH", 0.5, 50, 10**6),
        ("AGM", 1.0, 25, 10**5),
        ("SHE", 6.0, 10, 1000),
    ],
)
# Betting holds at any moment, so at one it is hardly ever wrong: test_betting.py enumerates it.
@pytest.mark.parametrize(
    "bound", [b for b in BOUNDS if BOUNDS[b].guarantee != "credible" and not BOUNDS[b].anytime]
)
def test_coverage(
    bound: str, name: str, epsilon: float, domain_size: int, trials: int, alpha: float
) -> None:
    """Null hypothesis: the bound exceeds the attack's exact epsilon with probability <= alpha."""
    protocol = make(name, epsilon, domain_size)
    rates = rates_of(protocol)
    truth = rates.epsilon(protocol.delta)
    rng = default_rng(4)
    hits = rng.binomial(trials, rates.true_positive, REPLICATIONS)
    alarms = rng.binomial(trials, rates.false_positive, REPLICATIONS)
    pairs, repeats = np.unique(np.stack([hits, alarms], axis=1), axis=0, return_counts=True)

    def exceeds(pair: Values) -> bool:
        return BOUNDS[bound](Counts(trials, *pair.tolist()), alpha, protocol.delta) > truth

    wrong = int(repeats[where_it_exceeds(pairs, exceeds)].sum())
    assert at_most(wrong, REPLICATIONS, alpha)


def where_it_exceeds(pairs: Values, exceeds: Callable[[Values], bool]) -> NDArray[np.bool_]:
    """Whether the bound of each pair (TP, FP) exceeds the truth, with few bounds worked out.

    A bound rises with true positives and falls with false ones (`test_bounds.py`), so that each
    answer decides all pairs that have more of the one and less of the other.
    """
    undecided = np.argsort(pairs[:, 0] / (pairs[:, 1] + 1), kind="stable")
    found = np.zeros(len(pairs), bool)
    while len(undecided):
        middle = pairs[undecided[len(undecided) // 2]]
        answer = exceeds(middle)
        steps = (pairs[undecided] - middle) * ([1, -1] if answer else [-1, 1])
        alike = (steps >= 0).all(axis=1)
        found[undecided[alike]] = answer
        undecided = undecided[~alike]
    return found


def test_the_paper_convention_is_the_weaker_one() -> None:
    counts = Counts(10**5, 4000, 1500)
    two_sided = BOUNDS["clopper-pearson"](counts, 0.01, 0.0)
    one_sided = BOUNDS["clopper-pearson-one-sided"](counts, 0.01, 0.0)
    assert 0 < two_sided < one_sided


def test_correct_protocols_are_not_called_broken() -> None:
    """GRR is exactly tight, so it is the protocol most likely to raise a false alarm."""
    from ldp_auditor import audit

    alarms = sum(
        audit("GRR", epsilon=1.0, domain_size=3, trials=2000, alpha=0.05, seed=seed).verdict
        == "violation"
        for seed in range(400)
    )
    assert at_most(alarms, 400, 0.05)
    assert rates_of(mechanisms.make("GRR", epsilon=1.0, domain_size=3)).epsilon(0) <= 1 + 1e-12
