"""Trials as needed: looking is paid for, and stopping is where it should be."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from ldp_auditor import AuditError, AuditPlan, AuditResult, Claim, Counts, Stopping, audit
from ldp_auditor.audits.run import run
from ldp_auditor.audits.stopping import alpha_of_look
from ldp_auditor.bounds import find_bound
from ldp_auditor.mechanisms.randomized_response import GRR
from tests.protocols import make
from tests.statistical.evidence import at_most
from tests.statistical.test_optimal_attack import Additive


def until_precise(plan: AuditPlan, stopping: Stopping) -> AuditResult:
    return run(replace(plan, trials=stopping))[0]


def test_looks_spend_alpha_and_no_more() -> None:
    for name in ("clopper-pearson", "likelihood-ratio"):
        spent = sum(alpha_of_look(find_bound(name), 0.05, look) for look in range(1, 100_000))
        assert 0.0499 < spent < 0.05
    assert alpha_of_look(find_bound("betting"), 0.05, 7) == 0.05  # by Ville's inequality


class Bulky(GRR):
    """GRR, exactly tight, whose reports are said to be so large that a chunk has 8192 of them."""

    @property
    def report_bytes(self) -> int:
        return 2**10


@pytest.mark.parametrize(
    ("bound", "looks", "seeds"),
    [("clopper-pearson-one-sided", 5, 150), ("likelihood-ratio", 5, 150), ("betting", 13, 40)],
)
def test_false_alarms_under_continuous_looking(bound: str, looks: int, seeds: int) -> None:
    """Null hypothesis: looks at an exactly tight protocol raise an alarm with probability alpha."""
    stopping = Stopping(precision=1e-9, max_trials=16 * 8192)
    results = [
        until_precise(
            AuditPlan(
                mechanism=Bulky(epsilon=0.5, domain_size=2), bound=bound, alpha=0.05, seed=seed
            ),
            stopping,
        )
        for seed in range(seeds)
    ]
    assert {result.looks for result in results if result.verdict != "violation"} == {looks}
    assert at_most(sum(result.verdict == "violation" for result in results), seeds, 0.05)


def test_stops_when_precise_enough() -> None:
    plan = AuditPlan(mechanism=make("SUE", 1.0, 20), attack="optimal", seed=5)
    rough = until_precise(plan, Stopping(precision=0.05, max_trials=10**8))
    fine = until_precise(plan, Stopping(precision=0.01, max_trials=10**8))
    assert rough.empirical_epsilon >= 0.95
    assert fine.empirical_epsilon >= 0.99
    assert rough.counts.trials < fine.counts.trials < 10**8
    assert fine.verdict == "no-violation-found"


def test_counts_are_those_of_a_fixed_run() -> None:
    plan = AuditPlan(mechanism=make("OUE", 1.0, 20), trials=700_000, seed=6)
    (fixed,) = run(plan)
    grown = until_precise(plan, Stopping(precision=1e-9, max_trials=700_000))
    assert grown.counts == fixed.counts
    # Looking costs, though by luck an earlier look may have proven more than the last.
    assert grown.monte_carlo_limit < fixed.monte_carlo_limit


def test_betting_needs_fewer_trials() -> None:
    """The same precision, with looks that are paid for and with looks that cost nothing.

    One audit of each may stop at the same look; three together do not.
    """

    def needed(bound: str | None, seed: int) -> AuditResult:
        claim = {"epsilon": 1.0, "domain_size": 9, "seed": seed}
        rule = {"trials": "auto", "precision": 0.03}
        return audit("SHE", attack="optimal", bound=bound, **claim, **rule)  # type: ignore[arg-type]

    paid = [needed("clopper-pearson", seed) for seed in (1, 2, 3)]
    free = [needed(None, seed) for seed in (1, 2, 3)]
    assert {(one.bound, other.bound) for one, other in zip(paid, free, strict=True)} == {
        ("clopper-pearson", "betting")
    }
    assert all(each.empirical_epsilon >= 0.97 * (each.attack_epsilon or 1.0) for each in free)
    assert sum(each.trials for each in free) < sum(each.trials for each in paid)


def test_stops_at_a_violation() -> None:
    class Halved(Additive):
        claim = Claim(1.0)

    plan = AuditPlan(mechanism=Halved(0.5), attack="optimal", seed=1)
    result = until_precise(plan, Stopping(precision=0.001, max_trials=10**7))
    assert result.verdict == "violation"
    assert result.counts.trials < 10**6
    assert result.attack_epsilon is None


def test_every_number_of_reports_is_settled() -> None:
    """The last one to be precise decides; all of them share the trials and the looks."""
    plan = AuditPlan(mechanism=make("OUE", 1.0, 5), seed=5, reports=(1, 8))
    few, many = run(replace(plan, trials=Stopping(precision=0.05, max_trials=10**7)))
    assert few.trials == many.trials < 10**7
    assert few.looks == many.looks
    for result in (few, many):
        assert result.attack_epsilon is not None
        assert result.empirical_epsilon >= 0.95 * result.attack_epsilon


@pytest.mark.parametrize(
    ("precision", "max_trials"), [(0.0, 10), (1.0, 10), (math.nan, 10), (0.1, 0), (0.1, 1.5)]
)
def test_bad_rules_are_refused(precision: float, max_trials: float) -> None:
    with pytest.raises(AuditError):
        Stopping(precision, max_trials)  # type: ignore[arg-type]


@pytest.mark.parametrize("chunks", [4, 64])
def test_nothing_proves_more_than_the_limit(chunks: int) -> None:
    """Here the last look has hardly more trials than the one before, and less of alpha."""
    most = chunks * 262_144 + 1
    rule: Any = {"trials": "auto", "max_trials": most, "bound": "clopper-pearson"}
    result = audit("GRR", epsilon=40.0, domain_size=2, attack="optimal", **rule)
    assert result.counts == Counts(most, most, 0)
    assert result.empirical_epsilon == result.monte_carlo_limit
