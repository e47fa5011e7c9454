"""The measurement behind the claim that the second value does not matter.

Null hypothesis: reports of the usual second value and of random ones are attributed to the first
value equally often. Rejected beyond 4.9 standard errors: probability 1e-6, literal seed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.random import Generator

from ldp_auditor.core import Claim, Reports, Values
from ldp_auditor.studies.claims.second_value import compare, measure

TRIALS = 20_000


def standard_errors(usual: int, drawn: int) -> float:
    share = (usual + drawn) / (2 * TRIALS)
    return abs(usual - drawn) / math.sqrt(2 * TRIALS * share * (1 - share))


@pytest.mark.parametrize("name", ["GRR", "SS", "SUE", "OLH", "SHE", "AGM"])
def test_protocols_treat_second_values_alike(name: str) -> None:
    found = measure({"mechanism": name, "epsilon": 1.0, "domain_size": 25}, TRIALS)
    assert standard_errors(*found) <= 4.9
    assert min(found) > 100


class Neighbourly:
    """Randomized response in which the first value's neighbour is taken for it more often."""

    name = "neighbourly"
    domain_size = 25
    claim = Claim(1.0)

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        confused = rng.random(n) < (0.06 if value == 1 else 0.03)
        return np.where(confused, 0, value)

    def guess(self, reports: Reports, rng: Generator) -> Values:
        return np.asarray(reports)


def test_second_value_that_matters_is_found() -> None:
    found = measure({"mechanism": Neighbourly()}, TRIALS)
    assert standard_errors(*found) > 4.9
    assert not compare(*found, TRIALS).holds
