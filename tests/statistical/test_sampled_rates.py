"""Sampled rates of the paper's attack against exact ones, for every protocol over a grid."""

from __future__ import annotations

import pytest

from ldp_auditor import AuditPlan, InputPair, mechanisms
from ldp_auditor.audits.run import fit_attack, run
from ldp_auditor.inputs import Numbers
from tests.protocols import (
    OTHERS,
    WITH_RATES,
    make,
    make_any,
    names_at,
    rates_of,
    reversed_pair,
)
from tests.statistical.evidence import agrees

TRIALS = 100_000
DELTA_AT = {0.2: 1e-7, 1.0: 1e-5, 4.0: 1e-3}


@pytest.mark.parametrize("domain_size", [2, 3, 25, 70])
@pytest.mark.parametrize(("name", "epsilon"), names_at(DELTA_AT, WITH_RATES))
def test_rates(name: str, epsilon: float, domain_size: int) -> None:
    protocol = make(name, epsilon, domain_size, DELTA_AT[epsilon])
    pair = InputPair(domain_size - 1, 0)
    counts = run(AuditPlan(mechanism=protocol, pair=pair, trials=TRIALS, seed=2024))[0].counts
    rates = rates_of(protocol, pair)
    assert agrees(counts.true_positives, TRIALS, rates.true_positive)
    assert agrees(counts.false_positives, TRIALS, rates.false_positive)


@pytest.mark.parametrize("attack", ["paper", "optimal"])
@pytest.mark.parametrize(("name", "epsilon"), names_at(DELTA_AT, OTHERS))
def test_rates_of_any_inputs(name: str, epsilon: float, attack: str) -> None:
    """Also for a pair that is not the worst one, where a law need not be symmetric."""
    protocol = make_any(name, epsilon=epsilon)
    pairs = [reversed_pair(protocol)]
    if protocol.takes is Numbers:
        pairs += [InputPair(-0.4, 0.9)]
    for pair in pairs:
        plan = AuditPlan(mechanism=protocol, pair=pair, attack=attack, trials=TRIALS, seed=2024)
        rates = fit_attack(plan).rates()
        if rates is not None:
            counts = run(plan)[0].counts
            assert agrees(counts.true_positives, TRIALS, rates.true_positive)
            assert agrees(counts.false_positives, TRIALS, rates.false_positive)


@pytest.mark.parametrize("g", [2, 3, 5, 64, 1000])
def test_rates_of_hashing_only(g: int) -> None:
    protocol = mechanisms.make("LHO", domain_size=100, hash_range=g)
    counts = run(AuditPlan(mechanism=protocol, trials=TRIALS, seed=7))[0].counts
    rates = rates_of(protocol)
    assert agrees(counts.true_positives, TRIALS, rates.true_positive)
    assert agrees(counts.false_positives, TRIALS, rates.false_positive)


@pytest.mark.parametrize("name", WITH_RATES)
def test_rates_in_a_domain_of_a_thousand(name: str) -> None:
    protocol = make(name, 1.0, 1000)
    counts = run(AuditPlan(mechanism=protocol, trials=10_000, seed=3))[0].counts
    rates = rates_of(protocol)
    assert agrees(counts.true_positives, 10_000, rates.true_positive)
    assert agrees(counts.false_positives, 10_000, rates.false_positive)
