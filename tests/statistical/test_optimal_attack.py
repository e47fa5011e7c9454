"""The optimal attack: sampled against exact rates, and how much of epsilon it proves."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import replace

import numpy as np
import pytest
from numpy.random import Generator
from scipy import stats

from ldp_auditor import Claim, Counts, InputPair, audit, mechanisms
from ldp_auditor.audits.plan import AuditPlan
from ldp_auditor.audits.run import fit_attack, run
from ldp_auditor.core import Floats, Reports
from tests.protocols import WITH_LAW, make, names_at
from tests.statistical.evidence import agrees

TRIALS = 100_000


@pytest.mark.parametrize("domain_size", [2, 25, 70])
@pytest.mark.parametrize(("name", "epsilon"), names_at([0.3, 1.0, 4.0], WITH_LAW))
def test_rates(name: str, epsilon: float, domain_size: int) -> None:
    pair = InputPair(domain_size - 1, 0)
    plan = AuditPlan(
        mechanism=make(name, epsilon, domain_size, 1e-3),
        pair=pair,
        attack="optimal",
        trials=TRIALS,
        seed=99,
    )
    rates = fit_attack(plan).rates()
    assert rates is not None
    counts = run(plan)[0].counts
    assert agrees(counts.true_positives, TRIALS, rates.true_positive)
    assert agrees(counts.false_positives, TRIALS, rates.false_positive)


@pytest.mark.parametrize("domain_size", [2, 30])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0])
@pytest.mark.parametrize("name", ["SUE", "OUE", "SS", "BLH", "OLH", "SHE"])
def test_nearly_all_of_epsilon_is_proven(name: str, epsilon: float, domain_size: int) -> None:
    """With the exact rates all but two in a hundred thousand seeds prove it by four million trials.

    `test_rates` holds counts against the exact rates. A bound grows with the hits and falls with
    the false alarms, so that their quantiles are the worst case.
    """
    result = audit(
        name, epsilon=epsilon, domain_size=domain_size, attack="optimal", trials=1000, seed=4
    )
    assert result.worst_case_epsilon == pytest.approx(epsilon)
    assert result.pilot_trials == 0
    plan = AuditPlan(mechanism=make(name, epsilon, domain_size), attack="optimal", trials=4_000_000)
    rates = fit_attack(plan).rates()
    assert rates is not None
    hits = stats.binom.ppf(1e-5, plan.most_trials, rates.true_positive)
    alarms = stats.binom.isf(1e-5, plan.most_trials, rates.false_positive)
    assert plan.bound_of(Counts(plan.most_trials, int(hits), int(alarms))) >= 0.97 * epsilon


@pytest.mark.parametrize("name", ["GRR", "SUE", "OLH", "SHE", "AGM"])
def test_false_alarms(name: str) -> None:
    """The exact probability that a correct protocol is called broken is alpha at most.

    `test_rates` holds counts against the exact rates. A bound grows with the hits and falls with
    the false alarms, so that the hits that prove too much grow with the false alarms.
    """
    plan = AuditPlan(
        mechanism=make(name, 1.0, 4),
        attack="optimal",
        bound="clopper-pearson-one-sided",
        trials=5000,
        alpha=0.05,
    )
    rates = fit_attack(plan).rates()
    assert rates is not None
    hits, alarms = (
        stats.binom(plan.most_trials, rate) for rate in (rates.true_positive, rates.false_positive)
    )

    def is_violation(tp: int, fp: int) -> bool:
        return plan.bound_of(Counts(plan.most_trials, tp, fp)) > plan.mechanism.claim.epsilon

    first, last = (int(end) for end in alarms.interval(1 - 1e-12))
    tp = bisect_left(range(plan.most_trials), True, key=lambda tp: is_violation(tp, first))
    probability = 0.0
    for fp in range(first, last + 1):
        while tp <= plan.most_trials and not is_violation(tp, fp):
            tp += 1
        probability += float(alarms.pmf(fp) * hits.sf(tp - 1))
    assert 0 < probability <= plan.alpha - 1e-12  # the rest of the false alarms
    for seed in range(20):
        (result,) = run(replace(plan, seed=seed))
        found = is_violation(result.counts.true_positives, result.counts.false_positives)
        assert (result.verdict == "violation") == found


class Additive:
    """A user's mechanism that knows its likelihood but not the law of the ratio."""

    name, claim, domain_size = "Additive", Claim(1.0), 2

    def __init__(self, scale: float) -> None:
        self.scale = scale

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        return value + rng.laplace(0.0, self.scale, n)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        ratio: Floats = (np.abs(reports - pair.second) - np.abs(reports - pair.first)) / self.scale
        return ratio


def test_a_users_likelihood_is_used_with_a_pilot() -> None:
    correct = audit(Additive(1.0), attack="optimal", trials=TRIALS, seed=1)
    assert correct.pilot_trials == 0.05 * TRIALS
    assert correct.verdict == "no-violation-found"
    assert correct.empirical_epsilon > 0.93
    assert correct.attack_epsilon is None
    halved = audit(Additive(0.5), attack="optimal", trials=TRIALS, seed=1)
    assert halved.verdict == "violation"


def test_hashing_alone_hides_nothing_from_the_optimal_attack() -> None:
    result = audit("LHO", domain_size=50, attack="optimal", trials=TRIALS)
    assert result.worst_case_epsilon == result.attack_epsilon == math.inf
    assert result.counts.false_positives == 0
    assert mechanisms.find("LHO").promises_nothing
