"""Sampled users against exact rates, sums drawn from their law against reports one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray
from scipy import stats

from ldp_auditor import AuditPlan, AuditResult, InputPair, mechanisms
from ldp_auditor.audits.many_reports import Accumulated, Tally
from ldp_auditor.audits.run import fit_attack, run
from ldp_auditor.core import Counts, Floats
from ldp_auditor.inputs import Numbers
from ldp_auditor.mechanisms import FrequencyOracle
from ldp_auditor.mechanisms import find as found
from ldp_auditor.mechanisms.capabilities import (
    AddsScores,
    DrawsSums,
    KnowsRatioOfSums,
    default_pair,
)
from ldp_auditor.mechanisms.kernels.noise import draw_laplace_sums
from tests.protocols import NAMES, WITHOUT_DISTANCES, find, make_any
from tests.statistical.evidence import FALSE_ALARM, agrees

TRIALS = 20_000
LOOKS = (1, 3, 20)

MEMOIZED: dict[str, dict[str, Any]] = {
    **{
        name: {"epsilon": 1.0, "epsilon_infinity": 2.5}
        for name in ("L-SUE", "L-OSUE", "L-OUE", "L-SOUE", "L-GRR", "BiLOLOHA", "OLOLOHA")
    },
    "RAPPOR": {"f": 0.4, "p": 0.3, "q": 0.8},
    "Bloom-RAPPOR": {"f": 0.4, "p": 0.3, "q": 0.8, "width": 9},
    "L-Bloom-SUE": {"epsilon": 1.0, "epsilon_infinity": 2.5, "width": 9},
    "dBitFlipPM": {"epsilon": 2.0, "buckets": 4, "bits": 3},
    **{f"Memo[{name}]": {"epsilon": 0.9} for name in ("GRR", "SS", "OUE", "OLH", "SHE", "AGM")},
}
FRESH: dict[str, dict[str, Any]] = {
    name: {} if find(name).promises_nothing else {"epsilon": 0.9} for name in NAMES
}
ALL = {**FRESH, **MEMOIZED}
SKETCHES = {*mechanisms.expanded(["sketches"]), "Bloom-RAPPOR", "L-Bloom-SUE"}
WITH_A_LAW = [name for name in ALL if issubclass(find(name), DrawsSums)]


def protocol_of(name: str, domain_size: int) -> FrequencyOracle:
    made: FrequencyOracle = mechanisms.make(name, domain_size=domain_size, **ALL[name])
    return made


def study_of(
    name: str,
    domain_size: int,
    attack: str,
    composition: str,
    looks: tuple[int, ...] = LOOKS,
    seed: int = 7,
) -> tuple[AuditPlan, tuple[AuditResult, ...]]:
    protocol = protocol_of(name, domain_size)
    plan = AuditPlan(
        mechanism=protocol,
        pair=default_pair(protocol),
        attack=attack,
        trials=TRIALS,
        seed=seed,
        reports=looks,
        composition=composition,
    )
    return plan, run(plan)


@pytest.mark.parametrize("attack", ["paper", "optimal"])
@pytest.mark.parametrize("domain_size", [4, 70])
@pytest.mark.parametrize(
    ("name", "composition"),
    [(name, "auto") for name in ALL] + [(name, "simulate") for name in WITH_A_LAW],
)
def test_counts_agree_with_exact_rates(
    name: str, domain_size: int, attack: str, composition: str
) -> None:
    """Null hypothesis: at every look both counts are binomial with the exact rates.

    Sketches add a score to every value, but nothing in them has a width of 64.
    """
    size = 9 if domain_size == 70 and name in SKETCHES else domain_size
    plan, results = study_of(name, size, attack, composition)
    known = 0
    for look, result in zip(plan.looks, results, strict=True):
        rates = fit_attack(look).rates()
        if rates is not None:
            known += 1
            assert agrees(result.counts.true_positives, TRIALS, rates.true_positive)
            assert agrees(result.counts.false_positives, TRIALS, rates.false_positive)
    assert known >= 1 or (attack, name) == ("paper", "PI-RAPPOR")  # whose rates are not known


OTHER_CELLS = [
    (name, attack, composition)
    for name in WITHOUT_DISTANCES
    for attack, known in (("paper", DrawsSums), ("optimal", KnowsRatioOfSums))
    for composition in (("law", "simulate") if issubclass(found(name), known) else ("simulate",))
]


@pytest.mark.parametrize(("name", "attack", "composition"), OTHER_CELLS)
def test_counts_of_any_inputs_agree_with_exact_rates(
    name: str, attack: str, composition: str
) -> None:
    """Null hypothesis: at every look both counts are binomial with the exact rates.

    Numbers whose middle is not 0 tell the mean of the reports from their sum.
    """
    protocol = make_any(name, epsilon=0.9)
    plan = AuditPlan(
        mechanism=protocol,
        pair=InputPair(-0.4, 0.9) if protocol.takes is Numbers else default_pair(protocol),
        attack=attack,
        trials=TRIALS,
        seed=7,
        reports=LOOKS,
        composition=composition,
    )
    known = 0
    for look, result in zip(plan.looks, run(plan), strict=True):
        rates = fit_attack(look).rates()
        if rates is not None:
            known += 1
            assert agrees(result.counts.true_positives, TRIALS, rates.true_positive)
            assert agrees(result.counts.false_positives, TRIALS, rates.false_positive)
    assert known >= (1 if attack == "paper" else len(LOOKS))


@pytest.mark.parametrize("reports", [1, 4, 30])
@pytest.mark.parametrize("name", WITH_A_LAW)
def test_law_and_simulation_agree(name: str, reports: int) -> None:
    """Null hypothesis: both ways of making the totals have the same law.

    Looked at: the totals of the true value and of another one, their sum and the largest total.
    """
    protocol = protocol_of(name, 6)
    users = 20_000
    totals = []
    for by_law in (True, False):
        tally = Tally(protocol, InputPair(0, 1), by_scores=True, by_law=by_law)
        value = 2
        totals.append(Accumulated(tally, reports).privatize(value, users, default_rng(by_law)))
    first, second = (
        [t[:, 2], t[:, 5], t[:, 2] + t[:, 5], t.max(axis=1)] for t in (totals[0], totals[1])
    )
    for by_law_view, simulated_view in zip(first, second, strict=True):
        assert same_law(by_law_view, simulated_view) >= FALSE_ALARM


def same_law(first: Floats, second: Floats) -> float:
    """p-value of "both samples have the same law", by counts in 20 cells or the values."""
    edges = np.unique(np.quantile(np.concatenate([first, second]), np.linspace(0, 1, 21)))
    cells = [np.searchsorted(edges, sample, side="right") for sample in (first, second)]
    table = np.array([np.bincount(c, minlength=len(edges) + 1) for c in cells])
    table = table[:, table.sum(axis=0) > 0]
    return 1.0 if table.shape[1] < 2 else float(stats.chi2_contingency(table).pvalue)


@pytest.mark.parametrize("terms", [1, 2, 7, 100])
def test_sums_of_laplace_variables(terms: int) -> None:
    """Null hypothesis: a sum is the difference of two gamma variables (Kolmogorov-Smirnov)."""
    sums = draw_laplace_sums(1.0, terms, (400, 500), default_rng(terms)).reshape(-1)
    rng = default_rng(100 + terms)
    plain = rng.standard_gamma(terms, sums.size) - rng.standard_gamma(terms, sums.size)
    assert stats.ks_2samp(sums, plain).pvalue >= FALSE_ALARM
    assert abs(stats.norm.ppf(FALSE_ALARM)) > abs(sums.mean() / np.sqrt(2 * terms / sums.size))


@pytest.mark.parametrize("name", ["SS", "OLH", "L-GRR", "OUE"])
def test_prefixes_estimate_what_single_runs_estimate(name: str) -> None:
    """Null hypothesis: looking on the way does not change the counts of the last look."""
    _, several = study_of(name, 30, "paper", "auto", (2, 9, 25))
    _, alone = study_of(name, 30, "paper", "auto", (25,), seed=8)

    def table(counts: Counts, other: Counts, side: str) -> NDArray[np.int64]:
        a, b = getattr(counts, side), getattr(other, side)
        return np.array([[a, TRIALS - a], [b, TRIALS - b]])

    for side in ("true_positives", "false_positives"):
        counts = table(several[-1].counts, alone[0].counts, side)
        assert stats.fisher_exact(counts).pvalue >= FALSE_ALARM


@pytest.mark.parametrize("name", ["L-SUE", "L-GRR", "BiLOLOHA"])
def test_memos_are_kept(name: str) -> None:
    """A user's reports depend on each other: the halves of many reports name the same memo."""
    protocol = protocol_of(name, 4)
    rng = default_rng(3)
    users = protocol.enroll(1, 2000, rng)
    halves = []
    for _ in range(2):
        totals = np.zeros((2000, protocol.score_columns))
        assert isinstance(protocol, AddsScores)
        protocol.add_scores(protocol.collect(users, 300, rng), totals)
        halves.append(totals[:, 0])
    assert stats.pearsonr(*halves).statistic > 0.9


@pytest.mark.parametrize("name", [n for n in MEMOIZED if not n.startswith("Memo")])
def test_measured_loss_stays_below_both_guarantees(name: str) -> None:
    """A correct protocol is called broken with probability alpha = 1e-10 at most, at each look."""
    protocol = protocol_of(name, 5)
    plan = AuditPlan(
        mechanism=protocol,
        pair=default_pair(protocol),
        attack="optimal",
        trials=50_000,
        alpha=FALSE_ALARM,
        seed=11,
    )
    results = run(replace(plan, reports=(1, 2, 10, 100)))
    assert all(result.verdict == "no-violation-found" for result in results)
    assert results[-1].empirical_epsilon > 0.8 * results[-1].claim.epsilon
    if name != "dBitFlipPM":
        assert results[0].claim.epsilon < results[1].claim.epsilon == results[2].claim.epsilon
        assert results[0].empirical_epsilon < results[-1].empirical_epsilon
