"""Simulated collections against exact means and variances.

Null hypothesis: estimates have the mean and the variance that are told. Both are judged by normal
approximations at `FALSE_ALARM`: sums over 150 collections or 40,000 users are close to
normal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from ldp_auditor.core import Floats
from ldp_auditor.estimation import measure_errors
from ldp_auditor.mechanisms.capabilities import RemembersUsers
from ldp_auditor.seeding import chunk_generator
from tests.estimators import ALL, PROTOCOLS, made, made_record
from tests.statistical.evidence import FALSE_ALARM

COLLECTIONS = 150
USERS = 40_000


def has_mean(sample: Floats, mean: float) -> bool:
    """Null hypothesis: the numbers have this mean. False if rejected."""
    spread = sample.std() / np.sqrt(len(sample))
    return bool(2 * stats.norm.sf(abs(sample.mean() - mean) / max(spread, 1e-12)) >= FALSE_ALARM)


@pytest.mark.parametrize("name", ALL)
def test_collections(name: str) -> None:
    """A new protocol is tested without a line here: two reports of each of twenty users."""
    rng = chunk_generator(11, 0, 0, 0)
    values: Any = (0, 5)
    if name in PROTOCOLS:
        mechanism, reports = made(name, 6), 2
    else:
        mechanism, reports, values = made_record(name, (6, 3)), 1, ((0, 1), (5, 2))
    halves = [reports_of(mechanism, value, 10 * COLLECTIONS, reports, rng) for value in values]
    batches = [np.array_split(half, COLLECTIONS) for half in halves]
    estimated = []
    for first, second in zip(*batches, strict=True):
        row: Any = mechanism.estimate(np.concatenate([first, second]))
        estimated.append(row if name in PROTOCOLS else row[0])
    shares = np.zeros(len(estimated[0]))
    shares[[0, -1]] = 0.5  # dBitFlipPM has two buckets here
    told = mechanism.frequency_variance(20, shares, reports)
    for place in (0, 1):
        error = np.array(estimated)[:, place] - shares[place]
        assert has_mean(error, 0.0)
        assert has_mean(error**2, told[place])


def reports_of(mechanism: Any, value: Any, users: int, reports: int, rng: Any) -> Any:
    """Reports of users, those of a user one after the other."""
    if reports == 1 or not isinstance(mechanism, RemembersUsers):
        return mechanism.privatize(value, users * reports, rng)
    return mechanism.collect(mechanism.enroll(value, users, rng), reports, rng)


@pytest.mark.parametrize("name", ALL)
def test_a_large_collection(name: str) -> None:
    """Estimates of many users are normal, with the told standard error."""
    rng, each = chunk_generator(13, 0, 0, 0), USERS // 2
    held: Any = (0, 3) if name in PROTOCOLS else ((0, 2), (3, 0))
    mechanism = made(name, 4) if name in PROTOCOLS else made_record(name, (4, 3))
    reports = np.concatenate([mechanism.privatize(value, each, rng) for value in held])
    estimated = mechanism.estimate(reports)
    first = estimated if name in PROTOCOLS else estimated[0]
    shares = np.array([0.5, 0.5] if len(first) == 2 else [0.5, 0.0, 0.0, 0.5])
    deviations = (first - shares) / np.sqrt(mechanism.frequency_variance(2 * each, shares))
    assert (2 * stats.norm.sf(np.abs(deviations)) >= FALSE_ALARM).all()


@pytest.mark.parametrize("reports", [1, 3])
@pytest.mark.parametrize("name", [n for n in PROTOCOLS if n not in ("dBitFlipPM", "HR")])
def test_scores_of_many_users(name: str, reports: int) -> None:
    """The mean score of every user, of the value that is held and of another one."""
    mechanism = made(name, 5)
    law = mechanism.score_law_over(reports)
    rng = chunk_generator(12, 0, 0, 0)
    totals = np.zeros((USERS, mechanism.score_columns))
    mechanism.add_scores(reports_of(mechanism, 2, USERS, reports, rng), totals)
    for value, mean, variance in (
        (2, law.held_mean, law.held_variance),
        (4, law.other_mean, law.other_variance),
    ):
        score = totals[:, value] / reports
        assert has_mean(score, mean)
        assert has_mean((score - mean) ** 2, variance)


@pytest.mark.parametrize("name", ["OUE", "L-GRR", "dBitFlipPM", "SMP[GRR]"])
def test_measured_errors(name: str) -> None:
    """Without post-processing the measured error is the exact one, as far as it is told."""
    if name in PROTOCOLS:
        none, *_ = measure_errors(made(name, 4), [30, 20, 10, 0], reports=2, collections=120)
    else:
        population = {(0, 1): 30, (3, 0): 30}
        none, *_ = measure_errors(made_record(name, (4, 2)), population, collections=120)
    assert none.exact is not None
    deviation = abs(none.mean_squared_error - none.exact) / none.standard_error
    assert 2 * stats.norm.sf(deviation) >= FALSE_ALARM
    assert none.standard_error < 0.2 * none.exact
