"""Every protocol at the smallest and the largest epsilon for which it is offered.

Nothing is sampled but the reports whose ratios are looked at: any outcome must pass. A warning of
NumPy is an error here as in all tests.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from ldp_auditor import metrics
from ldp_auditor.mechanisms.capabilities import EstimatesMean, default_pair, loss_law_of
from tests.protocols import EVERY, make_any, names_at

ENDS = [1e-6, 20.0, 700.0]

CLAIMING = [name for name in EVERY if name != "LHO"]


@pytest.mark.parametrize(("name", "epsilon"), names_at(ENDS, CLAIMING))
def test_the_default_pair_loses_no_more_than_the_claim(name: str, epsilon: float) -> None:
    protocol = make_any(name, epsilon=epsilon)
    pair = default_pair(protocol)
    apart = 1.0
    if protocol.metric:
        apart = metrics.distance(protocol.metric, pair.first, pair.second)
    allowed = apart * epsilon * (1 + 1e-8)
    law = loss_law_of(protocol, pair)
    assert law is not None
    assert law.supremum > 0
    assert law.epsilon(protocol.delta) <= allowed
    for value in (pair.first, pair.second):
        reports = protocol.privatize(value, 100, default_rng(1))
        ratios = protocol.log_likelihood_ratio(reports, pair)
        assert np.isfinite(ratios).all()
        if not protocol.delta:
            assert np.abs(ratios).max() <= allowed
        if isinstance(protocol, EstimatesMean):
            assert np.min(protocol.mean_variance(1, value)) >= 0
    rates = protocol.guess_rates(pair)
    assert rates is None or 0 <= rates.false_positive <= rates.true_positive <= 1
