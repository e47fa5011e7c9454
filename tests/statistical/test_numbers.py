"""Sampled reports of numbers against the exact law, mean and variance of each protocol."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from ldp_auditor import mechanisms
from ldp_auditor.inputs import Numbers
from tests.statistical.evidence import FALSE_ALARM, agrees

N = 100_000


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 9.0])
@pytest.mark.parametrize("name", mechanisms.available(Numbers))
def test_reports_have_their_law(name: str, epsilon: float) -> None:
    """Null hypotheses: shares below seven places, and the mean, are as the exact law says."""
    protocol = mechanisms.make(name, epsilon=epsilon)
    beyond = -float(stats.norm.ppf(FALSE_ALARM / 2))
    for value in (-1.0, 0.4):
        reports = protocol.privatize(value, N, default_rng(int(10 * epsilon)))
        places = np.quantile(reports, [0.001, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999], method="weibull")
        for place in (places + 1e-3 / epsilon).tolist():
            assert agrees(int((reports < place).sum()), N, protocol.below(value, place))
        away = abs(protocol.estimate(reports) - value)
        assert away <= beyond * math.sqrt(protocol.mean_variance(N, value))
