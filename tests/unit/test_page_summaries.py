"""What the page says: verdicts, headlines, rows of the table and evidence."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_auditor.execution.threads import ThreadEngine
from ldp_auditor.figures.points import points_of
from ldp_auditor.page.evidence import command_of, evidence_of
from ldp_auditor.page.overview import overview_rows
from ldp_auditor.page.summaries import headline, setting_in_words
from ldp_auditor.report.verdicts import (
    HOLLOW,
    KEPT,
    confidence,
    summary_of_audits,
    summary_of_check,
)
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.check_result import CheckResult
from ldp_auditor.results.table import rows_of
from ldp_auditor.sweeps import Grid
from ldp_auditor.sweeps.cells import Cell
from tests.pages import audited, checked, points


def said(*results: dict[str, Any]) -> str:
    mine = points(*results)
    verdict = summary_of_audits(mine[0].first.mechanism, mine)
    return f"{verdict.name} {verdict.sentence}"


def test_the_issue_s_sentence() -> None:
    both = (
        audited("OUE", attack="optimal", empirical_epsilon=0.989),
        audited("OUE", attack="paper", empirical_epsilon=0.58),
    )
    assert said(*both) == (
        "OUE keeps its promise of epsilon = 1: the optimal attack proves 0.989 of it; the paper's "
        "attack reaches 0.580. The promise lets a fair guess become 2.7 to 1."
    )


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"empirical_epsilon": 1.5, "worst_case_epsilon": 2.0},
            "breaks its promise of epsilon = 1",
        ),
        ({"empirical_epsilon": 1.5}, "false alarm"),
        ({"worst_case_epsilon": 2.0}, "cannot keep its promise"),
        ({"worst_case_epsilon": None}, "no violation of epsilon = 1 was found"),
        ({"worst_case_epsilon": 0.9}, "Even its worst case is only 0.900"),
        ({"epsilon": "inf", "worst_case_epsilon": "inf"}, "no finite epsilon holds"),
        ({"bound": "jeffreys"}, "makes credible"),
        ({"delta": 1e-5}, "epsilon = 1, delta = 1e-5:"),
        ({"delta": 0.3}, "become 2.7 to 1, and certain with a probability of 0.3."),
        (
            {"empirical_epsilon": 1.5, "worst_case_epsilon": 2.0, "bound": "jeffreys"},
            "at least 1.500 with a posterior probability of 99%.",
        ),
        (
            {"empirical_epsilon": 1.5, "worst_case_epsilon": 2.0, "bound": "likelihood-ratio"},
            "at least 1.500 with about 99% confidence.",
        ),
        ({"epsilon": 2.8, "worst_case_epsilon": 2.8}, "attack proves 0.870 of it (31%)"),
    ],
)
def test_verdicts_in_words(changed: dict[str, Any], words: str) -> None:
    assert words in said(audited(**changed))


def test_false_alarms_among_many_audits_are_called_so() -> None:
    """At alpha = 0.01, one of 100 audits may exceed the claim; ten of 100 do not by chance."""
    for alarms, words in ((1, "no more than chance explains"), (10, "breaks its promise")):
        seeds = range(100)
        results = [audited(seed=s, empirical_epsilon=1.01 if s < alarms else 0.9) for s in seeds]
        assert words in said(*results)
    chance = summary_of_audits("GRR", points(*results[10:], audited(empirical_epsilon=1.01)))
    assert headline([chance]).startswith("The privacy promises hold")


def test_many_settings_in_one_sentence() -> None:
    words = said(
        *(
            audited(epsilon=e, domain_size=k, empirical_epsilon=0.5 * e, worst_case_epsilon=e)
            for e in (0.5, 4.0)
            for k in (10, 20)
        )
    )
    assert words == (
        "GRR keeps its promise of epsilon = 0.5 to 4 in all 4 settings (k = 10 to 20): the paper's "
        "attack proves 50% of it. The promise lets a fair guess become 1.6 to 1 at epsilon = 0.5, "
        "and 54.6 to 1 at epsilon = 4."
    )


def test_proven_shares_are_never_rounded_up() -> None:
    """Neither in the sentence nor in the table; nothing that is proven is told as nothing."""
    words = said(*(audited(epsilon=e, empirical_epsilon=0.568 * e) for e in (1.0, 2.0)))
    assert "proves 56% of it" in words
    assert "the paper's attack proves nothing." in said(audited(empirical_epsilon=0.0))
    (row,) = overview_rows({"GRR": points(audited(empirical_epsilon=0.568))}, [])
    assert row["Of claim"] == "56%"


def test_settings_that_theory_breaks_are_counted() -> None:
    """No attack has to prove what the exact worst case says."""
    settings = [
        audited(domain_size=k, worst_case_epsilon=1.5, empirical_epsilon=proven)
        for k, proven in ((10, 1.2), (20, 0.9), (30, 0.8))
    ]
    assert "breaks its promise in all 3 settings by exact theory, proven in 1." in said(*settings)
    words = said(*settings[1:], audited(domain_size=40))
    assert "cannot keep its promise in 2 of 3 settings. At epsilon = 1 and k = 20" in words


def test_a_promise_that_is_worth_little_is_not_praised() -> None:
    one = audited(epsilon=104.0, worst_case_epsilon=104.0, reports=104)
    hollow = summary_of_audits("GRR", points(one))
    assert (hollow.kind, headline([hollow])) == (HOLLOW, "The mechanism keeps its privacy promise.")
    assert hollow.sentence.endswith("become more than a million to 1: as good as no promise.")
    assert summary_of_audits("GRR", points(audited())).kind == KEPT
    both = summary_of_audits("GRR", points(one, audited()))
    assert both.kind == HOLLOW
    assert both.sentence.endswith("as good as no promise in 1 of 2 settings.")


def test_the_setting_stands_beside_the_headline() -> None:
    check = CheckResult.from_dict(checked())
    assert setting_in_words(points(audited()), [check]) == "ε = 1, k = 25, T = 100,000"
    more = points(audited(epsilon=0.5, reports=5), audited("LHO", epsilon="inf"))
    assert setting_in_words(more, [check]) == "ε = 0.5 to 1, k = 25, reports = 1 to 5, T = 100,000"


def test_headlines() -> None:
    good, bad = points(audited()), points(audited("bad", empirical_epsilon=2.0))
    kept, broken = summary_of_audits("GRR", good), summary_of_audits("bad", bad)
    check = summary_of_check(CheckResult.from_dict(checked()))
    assert headline([kept]) == "The mechanism keeps its privacy promise."
    assert headline([broken, kept]) == "1 of 2 mechanisms breaks its privacy promise."
    theory = summary_of_audits("theory", points(audited(worst_case_epsilon=1.5)))
    silent = summary_of_audits("silent", points(audited(epsilon="inf")))
    assert headline([broken, theory, kept, silent]) == (
        "2 of the 3 mechanisms that make a privacy promise break it: 1 proven by attack, 1 "
        "by exact theory."
    )
    assert headline([theory]) == "The mechanism breaks its privacy promise, by exact theory."
    assert headline([check, check]) == "The mechanism breaks its privacy promise."
    assert confidence(1e-3) == "99.9%"


def test_the_evidence_of_an_audit_is_repeated_by_its_command() -> None:
    """The command is shown only if it makes the very plan of the journal."""
    grid = Grid.of(protocol="LHO", hash_range=2, domain_size=5, trials=1000, seed=7)
    (cell,) = grid.cells
    results = [result.to_store("0.1.0") for result in cell.run(ThreadEngine(1))]
    (row,) = rows_of({"key": cell.key, "results": results}, 0.5)
    result = AuditResult.from_dict(
        {name: value for name, value in row.items() if name not in ("key", "reports", "seconds")}
        | {"pair": [0, 1]}
    )
    command = command_of(cell.key, result)
    assert command.startswith("ldp-auditor audit LHO --domain-size 5 --hash-range 2")
    assert command_of("another key", result) == ""


@pytest.mark.parametrize(
    "settings",
    [
        {"protocol": "OUE", "epsilon": 0.5, "domain_size": 4, "pair": [2, 1]},
        {"protocol": "AGM", "epsilon": 0.5, "delta": 1e-3, "domain_size": 4, "reports": 3},
        {"protocol": "L-OSUE", "epsilon_1": 0.5, "epsilon_infinity": 2, "domain_size": 4},
        {"protocol": "SPL[OLH]", "epsilon": 0.5, "domain_sizes": [3, 4], "neighbours": "one"},
        {"protocol": "SMP[GRR]", "epsilon": 0.5, "domain_size": 3, "attributes": 2},
        {"protocol": "GRR", "epsilon": 1, "domain_size": 3, "trials": "auto", "max_trials": 999},
    ],
    ids=lambda settings: settings["protocol"],
)
def test_every_kind_of_audit_has_a_command(settings: dict[str, Any]) -> None:
    cell = Cell.of(**{"trials": 100, **settings})
    (result,) = cell.run(ThreadEngine(1))
    read = AuditResult.from_dict(result.to_store("0.1.0"))
    command = command_of(cell.key, read)
    assert command.startswith(f"ldp-auditor audit '{settings['protocol']}'") or command.startswith(
        f"ldp-auditor audit {settings['protocol']} "
    )


def test_evidence_is_collected_from_audits_and_checks() -> None:
    mine = points_of([("key", AuditResult.from_dict(audited("Broken", empirical_epsilon=1.4)))])
    check, audit = evidence_of(mine, [CheckResult.from_dict(checked())])
    found = check.finding
    assert (found.event, found.first, found.second) == ("report is 0", "0", "1")
    assert audit.finding.p_value > 0.01  # the made-up counts do not prove what the result says
    assert audit.repeat == ""


def test_the_table_has_a_row_for_every_setting_and_attack() -> None:
    found = points_of(
        ("key", AuditResult.from_dict(audited(attack=a))) for a in ("paper", "optimal")
    )
    rows = overview_rows(found, [CheckResult.from_dict(checked())])
    assert [row["Verdict"] for row in rows] == [*["keeps its promise"] * 2, "violation"]
    assert list(rows[0].values())[:5] == ["GRR", "keeps its promise", "k = 25", "paper", "1.0000"]


def test_rows_have_the_verdicts_of_their_mechanisms() -> None:
    """A row that only chance put above the claim is no violation, one that theory breaks is bad."""
    seeds = [audited(seed=s, empirical_epsilon=1.01 if s == 1 else 0.9) for s in range(100)]
    found = points_of(
        ("key", AuditResult.from_dict(plain))
        for plain in (
            *seeds,
            audited("theory", worst_case_epsilon=1.5),
            audited("unknown", worst_case_epsilon=None),
            audited("silent", epsilon="inf"),
        )
    )
    rows = overview_rows(found, [], {"GRR"})
    assert [row["Verdict"] for row in rows] == [
        "within chance (1 of 100 seeds)",
        "broken by theory",
        "no violation found",
        "promises nothing",
    ]
    assert overview_rows(found, [])[0]["Verdict"] == "violation (1 of 100 seeds)"
    assert evidence_of(found, [], {"GRR"}) == []
    assert len(evidence_of(found, [])) == 1


def test_what_was_proven_is_said_in_odds() -> None:
    broken: dict[str, Any] = {"empirical_epsilon": 2.0, "worst_case_epsilon": None}
    odds = "A fair guess becomes 7.4 to 1, where the promise allows 2.7 to 1."
    assert said(audited(**broken)).endswith(f"with 99% confidence. {odds}")
    assert "fair guess" not in said(audited(**broken | {"delta": 1e-5}))
    assert "fair guess" not in said(audited(**broken | {"empirical_epsilon": 1.001}))
    check = summary_of_check(CheckResult.from_dict(checked()))
    assert check.sentence.endswith(
        "A fair guess becomes 22.2 to 1, where the promise allows 2.7 to 1."
    )


def test_odds_of_a_promise_by_distance_are_those_of_one_unit() -> None:
    words = said(audited("Planar", metric="euclidean", distance=2.0))
    assert words.endswith("lets a fair guess between inputs one unit apart become 2.7 to 1.")


def test_audits_of_two_pairs_are_told_apart() -> None:
    mine = points(audited(), audited(pair=[2, 3]))
    settings = [row["Setting"] for row in overview_rows({"GRR": mine}, [])]
    assert settings == ["k = 25, pair = (0, 1)", "k = 25, pair = (2, 3)"]
