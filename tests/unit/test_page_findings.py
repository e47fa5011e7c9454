"""What was found in a folder, and the figures of its page by their numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_auditor import AuditError
from ldp_auditor.figures.cases import curve_cases, gap_cases
from ldp_auditor.figures.data import Curves, GapAccount
from ldp_auditor.figures.points import points_of
from ldp_auditor.page.document import page_of
from ldp_auditor.page.findings import Findings
from ldp_auditor.page.folder import Contents, read_folder
from ldp_auditor.page.overview import LOST, overview_rows
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.sweeps.cells import Cell
from tests.pages import audited, checked, points, swept, write


@pytest.fixture
def found(tmp_path: Path) -> Findings:
    return Findings(read_folder(swept(tmp_path)))


def test_a_figure_has_the_number_of_its_place_on_the_page(found: Findings) -> None:
    names = [cases.name for cases in found.figures]
    assert names[0] == "All mechanisms"
    number = names.index("GRR") + 1
    shown, second = found.figure(str(number)), found.figure(f"{number}.2")
    assert isinstance(shown, Curves)
    assert shown.title == second.title == "GRR, k = 50"
    assert found.figure(f"{number}.1").title == "GRR, k = 10"
    assert isinstance(found.figure(str(number + 1)), GapAccount)
    assert len(found.figures) == 1 + sum(
        (mine.curve is not None) + (mine.gap is not None) for mine in found.mechanisms
    )


@pytest.mark.parametrize(
    "number", ["", "0", "x", "1.", "1.0", "1.x", "99", "-1", "1.99", "²", "1e9"]
)
def test_a_figure_that_is_not_there_is_refused(number: str, found: Findings) -> None:
    with pytest.raises(AuditError, match=r"of must be the number|has settings 1 to") as refused:
        found.figure(number)
    assert refused.value.argument == "of"


def test_without_figures_the_number_is_refused(tmp_path: Path) -> None:
    alone = Findings(read_folder(write(tmp_path, audited("LHO", epsilon="inf"))))
    with pytest.raises(AuditError, match="this page has no figures"):
        alone.figure("1")


def test_a_gap_opens_at_a_setting_of_the_curve_beside_it() -> None:
    mine = points(
        *(audited(domain_size=k) for k in range(2, 9)),
        *(
            audited(domain_size=k, epsilon=e, worst_case_epsilon=e)
            for k in range(2, 5)
            for e in (2.0, 3.0, 4.0, 5.0, 6.0)
        ),
    )
    curve, gap = curve_cases("GRR", mine), gap_cases("GRR", mine)
    assert curve is not None
    assert gap is not None
    assert curve.labels[curve.start] == "ε = 1"
    assert gap.labels[gap.start] == "ε = 1, k = 5"


def test_a_row_says_to_what_most_of_the_claim_was_lost() -> None:
    levels = {
        "slack": (0.5, 0.45, 0.4),
        "attack": (1.0, 0.5, 0.4),
        "trials": (1.0, 0.9, 0.4),
        "\N{EN DASH}": (1.0, 1.0, 0.999),
    }
    results = [
        audited(
            f"to {name}", worst_case_epsilon=worst, attack_epsilon=attack, empirical_epsilon=proven
        )
        for name, (worst, attack, proven) in levels.items()
    ]
    results.append(audited("to \N{EN DASH}, unknown", worst_case_epsilon=None))
    found = points_of(("", AuditResult.from_dict(result)) for result in results)
    rows = overview_rows(found, [])
    assert [f"to {row[LOST]}" for row in rows] == [
        row["Mechanism"].partition(",")[0] for row in rows
    ]


def test_a_page_says_where_its_raw_data_is(tmp_path: Path) -> None:
    folder = swept(tmp_path)
    (folder / "results.csv").write_text("")
    page = page_of(
        read_folder(folder), "", ["ldp-auditor", "report", "a folder"], "r.html"
    ).decode()
    assert "journal.jsonl in the results folder" in page
    assert "<bdi>results.csv</bdi>" in page
    assert 'data-command="ldp-auditor report &#39;a folder&#39;"' in page


def test_a_mechanism_has_the_command_that_repeats_its_strongest_result(tmp_path: Path) -> None:
    keys = [Cell.of(protocol="GRR", epsilon=e, domain_size=25, seed=42).key for e in (1.0, 2.0)]
    audits = [
        (key, AuditResult.from_dict(audited(epsilon=e, trials=1_000_000, empirical_epsilon=proven)))
        for key, e, proven in zip(keys, (1.0, 2.0), (0.8, 1.2), strict=True)
    ]
    (grr,) = Findings(Contents(audits, [], [], [], [])).mechanisms
    assert grr.repeat.startswith("ldp-auditor audit GRR --epsilon 1.0 --domain-size 25")
    (unknown,) = Findings(Contents([("key", audits[0][1])], [], [], [], [])).mechanisms
    assert unknown.repeat == ""  # another plan than that of the journal


def test_the_glossary_says_what_an_epsilon_is_worth(tmp_path: Path) -> None:
    page = page_of(read_folder(swept(tmp_path)), "", ["ldp-auditor"], "r.html").decode()
    assert "54.6 to 1 with ε = 4" in page


@pytest.mark.parametrize("name", ["module_of_a_stranger:Protocol", "SPL[module_of_a_stranger:P]"])
def test_a_page_imports_nothing_that_a_journal_names(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "imported"
    (tmp_path / "module_of_a_stranger.py").write_text(f"open({str(mark)!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    broken = [audited(name, empirical_epsilon=proven) for proven in (0.5, 2.0)]
    metric = audited(metric="module_of_a_stranger:distance", distance=1.0)
    contents = read_folder(write(tmp_path / "results", *broken, metric, checked(name)))
    assert name in page_of(contents, "", ["ldp-auditor"], "r.html").decode()
    assert not mark.exists()
