"""Sampled records against exact rates, by both attacks and for both relations."""

from __future__ import annotations

import pytest

from ldp_auditor import AuditPlan, mechanisms
from ldp_auditor.audits.run import fit_attack, run
from ldp_auditor.mechanisms import RecordMechanism
from tests.protocols import NAMES, WITH_RATES, find
from tests.statistical.evidence import FALSE_ALARM, agrees
from tests.unit.test_records import FIVE

TRIALS = 20_000


def check(mechanism: RecordMechanism, relation: str, attack: str, seed: int) -> bool:
    """Whether the counts agree with exact rates; False if those are not known."""
    pair = mechanism.neighbours(relation, mechanism.attributes - 1)
    plan = AuditPlan(mechanism=mechanism, pair=pair, attack=attack, trials=TRIALS, seed=seed)
    rates = fit_attack(plan).rates()
    counts = run(plan)[0].counts
    if rates is None:
        return False
    assert agrees(counts.true_positives, TRIALS, rates.true_positive)
    assert agrees(counts.false_positives, TRIALS, rates.false_positive)
    return True


@pytest.mark.parametrize("attack", ["paper", "optimal"])
@pytest.mark.parametrize("relation", ["all", "one"])
@pytest.mark.parametrize("sizes", [(2, 2), (25,) * 3, (100,) * 10, (2, 25, 100)])
@pytest.mark.parametrize("name", FIVE)
def test_fake_data(name: str, sizes: tuple[int, ...], relation: str, attack: str) -> None:
    """Null hypothesis: counts are binomial with the exact rates."""
    mechanism = mechanisms.make(name, epsilon=1.0, domain_sizes=sizes)
    known = check(mechanism, relation, attack, seed=5)
    assert known or (name.endswith("-r]") and attack == "optimal")


@pytest.mark.parametrize("relation", ["all", "one"])
@pytest.mark.parametrize("combinator", ["SPL", "SMP"])
@pytest.mark.parametrize(
    ("name", "attack"),
    [(name, "paper") for name in WITH_RATES] + [(name, "optimal") for name in NAMES],
)
def test_combinations(combinator: str, name: str, relation: str, attack: str) -> None:
    """Null hypothesis: counts are binomial with the exact rates."""
    epsilon = None if find(name).promises_nothing else 0.9
    mechanism = mechanisms.make(f"{combinator}[{name}]", epsilon=epsilon, domain_sizes=(3, 70))
    assert check(mechanism, relation, attack, seed=6)


@pytest.mark.parametrize("name", FIVE)
def test_the_published_guarantee_is_proven_false(name: str) -> None:
    """A correct claim would be called broken with probability 1e-10."""
    mechanism = mechanisms.make(name, epsilon=1.0, domain_size=4, attributes=2)
    plan = AuditPlan(
        mechanism=mechanism,
        pair=mechanism.inputs.default_pair,
        attack="optimal",
        trials=200_000,
        alpha=FALSE_ALARM,
        seed=7,
    )
    assert run(plan)[0].verdict == "violation"


@pytest.mark.parametrize(
    "name", ["RS+FD[GRR]", "RS+FD[SUE-z]", "RS+FD[OUE-z]", "SPL[OUE]", "SMP[GRR]"]
)
def test_the_guarantee_holds_for_one_attribute(name: str) -> None:
    mechanism = mechanisms.make(name, epsilon=1.0, domain_size=4, attributes=2)
    plan = AuditPlan(
        mechanism=mechanism,
        pair=mechanism.neighbours("one", 1),
        attack="optimal",
        trials=200_000,
        alpha=FALSE_ALARM,
        seed=8,
    )
    assert run(plan)[0].verdict == "no-violation-found"
