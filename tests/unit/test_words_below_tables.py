"""What commands say in plain words below their tables."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_auditor import compare, explain, profile
from ldp_auditor.figures.words import large_number
from ldp_auditor.report.showing import as_text, claims_in_words, content_of
from ldp_auditor.report.text_table import TextTable
from ldp_auditor.results.audit_result import AuditResult, AuditResults
from ldp_auditor.studies.claims.statement import Judgement, Outcome
from tests.pages import audited


def read(**changes: Any) -> AuditResult:
    return AuditResult.from_dict(audited("OUE", **changes))


def test_an_audit_says_what_it_found() -> None:
    table, words = content_of(read(empirical_epsilon=0.5809))
    assert isinstance(table, TextTable)
    assert words == (
        "OUE keeps its promise of epsilon = 1: the paper's attack proves 0.580 of it. The promise "
        "lets a fair guess become 2.7 to 1."
    )


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ((0.5, 0.9), "The most of its promise is proven of B (90%), the least of A (50%)."),
        ((0.5, 0.5), "The same share of every promise is proven: 50%."),
    ],
)
def test_a_comparison_names_the_ends(shares: tuple[float, float], said: str) -> None:
    results = AuditResults(
        AuditResult.from_dict(audited(name, empirical_epsilon=share))
        for name, share in zip("AB", shares, strict=True)
    )
    assert said in content_of(results)


def test_one_protocol_has_no_ends() -> None:
    found = compare(["GRR"], epsilon=1.0, domain_size=5, trials=10)
    assert len(content_of(found)) == 2  # the table and the number of violations


def test_an_explanation_says_it_once_for_both_attacks() -> None:
    said = as_text(explain("SUE", epsilon=1.0, domain_size=9, trials=100))
    assert said.count("SUE keeps its promise") == 1


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        ("OUE", "At the claimed epsilon = 1 no delta is needed; 0 is claimed."),
        ("AGM", "At the claimed epsilon = 1 the smallest delta is 1e-5; 1e-5 is claimed."),
    ],
)
def test_a_profile_says_what_the_claim_needs(protocol: str, said: str) -> None:
    assert content_of(profile(protocol, epsilon=1.0, domain_size=9, points=2))[-1] == said


def test_statements_are_counted() -> None:
    holds, partly = Outcome(3, ()), Outcome(0, (), not_measured=1)
    found: Any = [Judgement(None, holds, partly), Judgement(None, holds, holds)]  # type: ignore[arg-type]
    assert claims_in_words(found) == (
        "2 statements of the paper; measured: 2 hold; by exact theory: 1 not measured, 1 hold"
    )


def test_speeds_are_read_at_a_glance() -> None:
    assert large_number(1_234_567) == "1.23 million"


def test_an_explanation_names_its_whole_setting_and_trials_in_words() -> None:
    records = explain("RS+FD[GRR]", epsilon=1.0, domain_size=4, attributes=2, trials=1000)
    title, *lines = as_text(records).splitlines()
    assert title.startswith("RS+FD[GRR] (k = 4, d = 2): from the claim")
    needed = [line for line in lines if line.startswith("To prove")]
    assert len(needed) == 2
    assert not any("e+" in line for line in needed)


def test_deltas_are_written_as_on_figures() -> None:
    found = compare(["GM"], epsilon=1.0, delta=1e-5, domain_size=4, trials=1000)
    assert as_text(found).splitlines()[0].endswith(", delta = 1e-5")
