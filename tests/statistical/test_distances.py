"""Sampled reports of protocols with distances against their exact laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from ldp_auditor import mechanisms
from tests.statistical.evidence import FALSE_ALARM

N = 50_000


def test_planar_noise_has_its_radius_and_direction() -> None:
    """Null hypotheses: the radius is a gamma variable of shape 2, the angle is uniform."""
    noise = mechanisms.make("Planar-Laplace", epsilon=2.0).privatize((3, -1), N, default_rng(1))
    right, up = (noise - [3, -1]).T
    radius = 2.0 * np.hypot(right, up)
    assert stats.kstest(radius, stats.gamma(2).cdf).pvalue > FALSE_ALARM
    turns = np.arctan2(up, right) / (2 * math.pi) + 0.5
    assert stats.kstest(turns, "uniform").pvalue > FALSE_ALARM
    assert abs(stats.spearmanr(radius, turns).pvalue) > FALSE_ALARM


@pytest.mark.parametrize(
    ("name", "options", "value"),
    [
        ("Geometric", {"domain_size": 7}, 2),
        ("Exponential", {"domain_size": 7}, 6),
        ("Grid-Exponential", {"side": 4}, (1, 3)),
        ("Grid-Laplace", {"side": 4}, (0, 2)),
    ],
)
def test_reports_of_a_finite_space_have_their_law(
    name: str, options: dict[str, int], value: object
) -> None:
    """Null hypothesis: reports are as likely as the exact law says."""
    protocol = mechanisms.make(name, epsilon=0.8, **options)
    counts = protocol.tally(protocol.privatize(value, N, default_rng(2)))
    chances = np.exp(protocol.log_row(protocol.check_value(value)))
    assert stats.chisquare(counts, N * chances / chances.sum()).pvalue > FALSE_ALARM
