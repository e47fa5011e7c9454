"""The data behind the page: what is read, averaged, said and drawn."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from ldp_auditor.core import AuditResult
from ldp_auditor.errors import AuditError
from ldp_auditor.page.document import page_of
from ldp_auditor.page.evidence import command_of, evidence_of
from ldp_auditor.page.figures import bars_figure, curve_figure, gap_figure
from ldp_auditor.page.folder import read_folder
from ldp_auditor.page.markup import element, shown, text
from ldp_auditor.page.overview import overview_rows
from ldp_auditor.page.points import Point, axis_of, points_of, varied
from ldp_auditor.page.verdicts import confidence, headline, verdict_on_audits, verdict_on_check
from ldp_auditor.sweeps import Grid, sweep
from ldp_auditor.sweeps.records import audit_of, check_of
from tests.pages import audited, checked, swept, write

HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "]]>-->`${alert(1)}`",
    "a\u202eb\u2028c\u0000d",
    "\ud800",
    "x" * 100_000,
]


NOT_NEEDED = {
    "delta",
    "pilot_trials",
    "attack_epsilon",
    "worst_case_epsilon",
    "monte_carlo_limit",
    "verdict",
}
"""What a result may lack."""


def points(*results: dict[str, Any]) -> list[Point]:
    found = points_of(("key", audit_of(result)) for result in results)
    return [point for mine in found.values() for point in mine]


def said(*results: dict[str, Any]) -> str:
    mine = points(*results)
    verdict = verdict_on_audits(mine[0].first.mechanism, mine)
    return f"{verdict.name} {verdict.sentence}"


def test_an_audit_is_read_back_as_it_was() -> None:
    result = audit_of(audited())
    assert isinstance(result, AuditResult)
    told = result.to_dict()
    assert {key: told[key] for key in audited() if key != "version"} == {
        key: value for key, value in audited().items() if key != "version"
    }


def test_a_check_is_read_back_as_it_was() -> None:
    told = check_of(checked()).to_dict()
    assert {key: told[key] for key in checked() if key != "version"} == {
        key: value for key, value in checked().items() if key != "version"
    }


@pytest.mark.parametrize(
    "changed",
    [
        {"epsilon": "one"},
        {"epsilon": -1},
        {"epsilon": None},
        {"epsilon": True},
        {"epsilon": 1e200},
        {"epsilon": 10**400},
        {"mechanism": 3},
        {"mechanism": ""},
        {"pair": [0]},
        {"pair": "01"},
        {"pair": [0, 0]},
        {"alpha": 2},
        {"bound": "none such"},
        {"trials": 0},
        {"trials": 1.5},
        {"true_positives": 200_000},
        {"empirical_epsilon": None},
        {"empirical_epsilon": [1]},
        {"worst_case_epsilon": -3},
        {"seed": "x"},
        {"verdict": "pass"},
        {"verdict": "violation"},
        {"delta": 1},
    ],
)
def test_what_is_no_audit_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(AuditError):
        audit_of(audited() | changed)


@pytest.mark.parametrize(
    "changed", [{"findings": None}, {"findings": [1]}, {"values": 3}, {"power": "x"}]
)
def test_what_is_no_check_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(AuditError):
        check_of(checked(**changed))


@pytest.mark.parametrize("missing", [key for key in audited() if key not in ("version",)])
def test_a_missing_key_is_told_or_not_needed(missing: str) -> None:
    plain = audited()
    del plain[missing]
    if missing in NOT_NEEDED:
        assert audit_of(plain).mechanism == "GRR"
    else:
        with pytest.raises(AuditError, match=missing):
            audit_of(plain)


def test_the_folder_tells_what_it_left_out(tmp_path: Path) -> None:
    write(tmp_path, audited(), audited("x", epsilon="one"), audited("y", epsilon="one"))
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(b'{"torn": \n\xff\xfe\n')
    contents = read_folder(tmp_path)
    assert len(contents.audits) == 1
    assert contents.left_out == [
        "unreadable result: epsilon must be a number, got epsilon='one' (2 times)",
        "damaged line of the journal (2 times)",
    ]
    assert contents.versions == ["0.1.0"]


def test_reading_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, audited())
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(b"damaged\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    read_folder(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_seeds_are_averaged() -> None:
    (point,) = points(
        audited(seed=1, empirical_epsilon=0.8), audited(seed=2, empirical_epsilon=0.9)
    )
    assert point.measured == pytest.approx(0.85)
    assert point.deviation == pytest.approx(0.05)
    assert point.estimate == pytest.approx(math.log(10_000 / 4_000))


def test_what_follows_from_epsilon_is_no_axis() -> None:
    mine = points(
        *(audited(epsilon=e, hash_range=g, worst_case_epsilon=e) for e, g in ((1.0, 4), (2.0, 8)))
    )
    assert varied(mine) == ["epsilon"]


@pytest.mark.parametrize(
    ("axis", "values"),
    [
        ("epsilon", [1.0, 2.0, 4.0]),
        ("domain_size", [2, 10, 100]),
        ("delta", [0.0, 1e-6, 1e-5]),
        ("reports", [1, 5, 25]),
        ("hash_range", [2, 4, 6]),
        ("attributes", [2, 5, 10]),
        ("trials", [100_000, 200_000, 400_000]),
    ],
)
def test_the_axis_is_what_has_most_values(axis: str, values: list[Any]) -> None:
    other = "epsilon" if axis == "domain_size" else "domain_size"
    mine = points(
        *(audited(**{axis: value, other: second}) for value in values for second in (20, 30))
    )
    assert axis_of(mine) == axis
    curve = curve_figure("GRR", mine)
    assert curve is not None
    assert [case["x"] for case in curve["cases"]] == [values, values]


def test_one_setting_has_no_curve_but_a_gap() -> None:
    mine = points(audited())
    assert curve_figure("GRR", mine) is None
    gap = gap_figure("GRR", mine)
    assert gap is not None
    (attack,) = gap["cases"][0]["attacks"]
    claimed, slack, weakness, chance, proven = attack["steps"]
    assert claimed - slack - weakness - chance == pytest.approx(proven)
    assert (claimed, slack, proven) == (1, 0, 0.87)


def test_what_is_infinite_has_no_gap() -> None:
    assert gap_figure("LHO", points(audited("LHO", epsilon="inf"))) is None
    assert gap_figure("GRR", points(audited(worst_case_epsilon="inf"))) is None
    assert gap_figure("GRR", points(audited(worst_case_epsilon=None))) is None


def test_bars_put_the_strongest_first_and_what_promises_nothing_last() -> None:
    found = points_of(
        ("key", audit_of(plain))
        for plain in (
            audited("weak", empirical_epsilon=0.2),
            audited("none", epsilon="inf", empirical_epsilon=5.0),
            audited("strong", empirical_epsilon=0.9),
        )
    )
    bars = bars_figure(found)
    assert bars is not None
    assert bars["cases"][0]["names"] == ["strong", "weak", "none"]
    assert bars_figure({"one": points(audited())}) is None


def test_the_issue_s_sentence() -> None:
    both = (
        audited("OUE", attack="optimal", empirical_epsilon=0.989),
        audited("OUE", attack="paper", empirical_epsilon=0.58),
    )
    assert said(*both) == (
        "OUE keeps its promise of epsilon = 1: the optimal attack proves 0.989 of it; the paper's "
        "attack reaches 0.580."
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
        ({"delta": 1e-5}, "epsilon = 1, delta = 1e-05"),
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
    chance = verdict_on_audits("GRR", points(*results[10:], audited(empirical_epsilon=1.01)))
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
        "attack proves 50% of it."
    )


def test_settings_that_theory_breaks_are_counted() -> None:
    """No attack has to prove what the exact worst case says."""
    settings = [
        audited(domain_size=k, worst_case_epsilon=1.5, empirical_epsilon=proven)
        for k, proven in ((10, 1.2), (20, 0.9), (30, 0.8))
    ]
    assert "breaks its promise in all 3 settings by exact theory, proven in 1." in said(*settings)
    words = said(*settings[1:], audited(domain_size=40))
    assert "cannot keep its promise in 2 of 3 settings. At epsilon = 1 and k = 20" in words


def test_headlines() -> None:
    good, bad = points(audited()), points(audited("bad", empirical_epsilon=2.0))
    kept, broken = verdict_on_audits("GRR", good), verdict_on_audits("bad", bad)
    check = verdict_on_check(check_of(checked()))
    assert headline([kept]) == "The mechanism keeps its privacy promise."
    assert headline([broken, kept]) == "1 of 2 mechanisms breaks its privacy promise."
    theory = verdict_on_audits("theory", points(audited(worst_case_epsilon=1.5)))
    silent = verdict_on_audits("silent", points(audited(epsilon="inf")))
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
    (row,) = sweep(grid, workers=1).rows
    result = audit_of(
        {name: value for name, value in row.items() if name not in ("key", "reports", "seconds")}
        | {"pair": [0, 1]}
    )
    command = command_of(cell.key, result)
    assert command.startswith("ldp-auditor audit LHO --domain-size 5 --hash-range 2")
    assert command_of("another key", result) == ""


def test_evidence_is_collected_from_audits_and_checks() -> None:
    found = points_of([("key", audit_of(audited("Broken", empirical_epsilon=1.4)))])
    check, audit = evidence_of(found, [check_of(checked())])
    assert (check.event, check.first, check.second) == ("report is 0", "0", "1")
    assert audit.p_value > 0.01  # the made-up counts do not prove what the result says
    assert audit.repeat == ""


def test_the_table_has_a_row_for_every_setting_and_attack() -> None:
    found = points_of(("key", audit_of(audited(attack=a))) for a in ("paper", "optimal"))
    rows = overview_rows(found, [check_of(checked())])
    assert [row["Verdict"] for row in rows] == [*["keeps its promise"] * 2, "violation"]
    assert list(rows[0].values())[:5] == ["GRR", "keeps its promise", "k = 25", "paper", "1.0000"]


def test_rows_have_the_verdicts_of_their_mechanisms() -> None:
    """A row that only chance put above the claim is no violation, one that theory breaks is bad."""
    seeds = [audited(seed=s, empirical_epsilon=1.01 if s == 1 else 0.9) for s in range(100)]
    found = points_of(
        ("key", audit_of(plain))
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


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_escaped(name: str) -> None:
    html = element("p", text(name), title=name)
    assert "<script" not in html
    assert "<img" not in html
    assert html.count('"') == 2
    assert len(text(name)) < 1000
    assert not {"\u202e", "\u2028", "\u0000", "\ud800"} & set(shown(name))


def test_hostile_names_reach_the_page_as_text(tmp_path: Path) -> None:
    results = [audited(name, attack=name, option=name, neighbours=name) for name in HOSTILE]
    results += [checked(name, repeat=name, values=[name]) for name in HOSTILE]
    write(tmp_path, *results)
    page = page_of(read_folder(tmp_path), HOSTILE[0], HOSTILE[1]).decode()
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, re.S)
    assert len(scripts) == 3
    assert "alert(1)" not in scripts[2]
    assert "<img" not in page
    assert "onerror=alert" in page  # as text
    data = json.loads(gzip.decompress(base64.b64decode(scripts[0])))
    assert any("<script>" in figure["name"] for figure in data)


def test_nothing_but_the_page_s_own_scripts_may_run(tmp_path: Path) -> None:
    page = page_of(read_folder(swept(tmp_path)), "", "command").decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src &#x27;none&#x27;" in policy[1]
    library, script = re.findall(r"<script[^>]*>(.*?)</script>", page, re.S)[1:]
    for code in (gzip.decompress(base64.b64decode(library)), script.encode()):
        digest = base64.b64encode(hashlib.sha256(code).digest()).decode()
        assert f"sha256-{digest}" in policy[1]
    assert not re.search(r'(?:src|href)="(?!#|data:,)', page)
    assert len(page) < 5_000_000


def test_the_same_results_make_the_same_page(tmp_path: Path) -> None:
    contents = read_folder(swept(tmp_path))
    assert page_of(contents, "", "command") == page_of(contents, "", "command")


def test_very_many_results_still_make_a_page(tmp_path: Path) -> None:
    many = (
        audited(f"mechanism {m}", epsilon=e / 50, seed=1, worst_case_epsilon=e / 50,
                empirical_epsilon=e / 99, attack_epsilon=e / 60)
        for m in range(40)
        for e in range(1, 101)
    )  # fmt: skip
    write(tmp_path, *many)
    page = page_of(read_folder(tmp_path), "", "command")
    assert len(page) < 5_000_000
    assert b"1,500 more rows" in page
