"""Every table at every width: nothing is lost without a word, and no word is cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest

from ldp_auditor import audit, audit_over_time, compare, mechanisms
from ldp_auditor.audits.comparison import Comparison
from ldp_auditor.audits.gap import explain_plan
from ldp_auditor.audits.interface import plan_audit
from ldp_auditor.report import listings, tables
from ldp_auditor.report.showing import claims_table
from ldp_auditor.report.text_table import Column, Screen, TextTable, sentences
from ldp_auditor.studies.claims import available, judge
from ldp_auditor.theory.loss_law import privacy_profile

OUE = plan_audit("OUE", epsilon=1.0, domain_size=5, trials=100)


@cache
def small_comparison(attack: str) -> Comparison:
    return compare(["GRR", "AGRR", "LHO"], epsilon=1.0, domain_size=5, trials=100, attack=attack)


def records_comparison() -> Comparison:
    """Two attacks on records: long names, and a violation by far."""
    return compare(
        ["RS+FD[GRR]", "RS+FD[OUE-r]"],
        epsilon=1.0,
        domain_size=5,
        attributes=3,
        attack="both",
        trials=10_000,
    )


def records_table() -> TextTable:
    result = audit(
        "RS+FD[GRR]",
        epsilon=1.0,
        domain_size=5,
        attributes=3,
        attack="optimal",
        bound="clopper-pearson-one-sided",
        trials=10_000,
    )
    assert result.verdict == "violation"
    return tables.result_table(result)


def over_time_table() -> TextTable:
    results = audit_over_time(
        "OUE", [1, 4, 12], epsilon=1.0, domain_size=100, trials=100, attack="optimal"
    )
    return tables.over_time_table(results)


def profile_table() -> TextTable:
    assert OUE.loss_law is not None
    return tables.profile_table("Privacy profile", privacy_profile(OUE.loss_law, 1.2, 5))


def protocol_table() -> TextTable:
    return listings.protocol_table(mechanisms.listed().values())


def comparison_over_time() -> Comparison:
    return compare(["GRR", "AGRR"], epsilon=1.0, domain_size=5, trials=100, reports=(1, 4))


def some_claims_table() -> TextTable:
    return claims_table([judge(statement, []) for statement in available()[::8]])


TABLES: dict[str, Callable[[], TextTable]] = {
    "list": protocol_table,
    "list --adapters": listings.adapter_table,
    "audit": lambda: tables.result_table(audit("GRR", epsilon=1.0, domain_size=5, trials=100)),
    "audit of records": records_table,
    "audit --reports": over_time_table,
    "compare": lambda: tables.comparison_table(small_comparison("paper").results),
    "compare --attack both": lambda: tables.comparison_table(small_comparison("both").results),
    "compare --reports": lambda: tables.comparison_table(comparison_over_time().results),
    "compare records": lambda: tables.comparison_table(records_comparison().results),
    "explain": lambda: tables.explanation_table(explain_plan(OUE)),
    "profile": profile_table,
    "reproduce claims": some_claims_table,
}
"""Every table that a command prints, by the command."""


@cache
def table_of(command: str) -> TextTable:
    return TABLES[command]()


def draw(table: TextTable, width: int) -> str:
    """What a terminal of a width shows, without colours."""
    return table.draw(Screen(width))


def words(*texts: str) -> Counter[str]:
    return Counter(word for text in texts for word in text.split() if set(word) != {"─"})


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("command", TABLES)
def test_every_table_at_every_width(command: str, width: int) -> None:
    table = table_of(command)
    drawn = draw(table, width)
    assert max(map(len, drawn.splitlines())) <= width
    above, _, note = " ".join(drawn.split()).partition("Left out for want of room: ")
    left_out = set(note.split(" (")[0].split(", ")) - {""}
    assert left_out <= {column.heading for column in table.columns if column.drop_order}
    assert not left_out or width < 100
    texts = [table.title] + [
        text
        for place, column in enumerate(table.columns)
        if column.heading not in left_out
        for text in (column.heading, *(row[place] for row in table.rows))
    ]
    lost, more = words(*texts) - words(above), words(above) - words(*texts)
    assert not lost
    if (command, width) in RECORDS:  # which have their headings in every row
        assert set(more) <= set(words(*(column.heading for column in table.columns)))
    else:
        assert not more


RECORDS = {("list --adapters", 40), ("explain", 60), ("explain", 40), ("reproduce claims", 40)}
"""Where a table is drawn as one record after the other."""


@pytest.mark.parametrize("command", TABLES)
def test_a_pipe_gets_every_row_in_one_line(command: str) -> None:
    table = table_of(command)
    lines = [line.split() for line in draw(table, 10_000).splitlines()]
    headings = [" ".join(column.heading for column in table.columns).split()]
    for row in [[table.title], *headings, *table.rows]:
        assert " ".join(row).split() in lines


def test_eighty_columns_show_what_was_promised_proven_and_possible() -> None:
    drawn = draw(table_of("compare --attack both"), 80).splitlines()
    shown = next(line for line in drawn if line.startswith(" name"))
    for heading in ("claim", "proven", "T = inf", "worst", "violation"):
        assert heading in shown
    verdicts = [row[-1] for row in table_of("compare --attack both").rows]
    assert sum(line.endswith(tuple(verdicts)) for line in drawn) == len(verdicts) == 6


@pytest.mark.parametrize("width", [1, 2, 5, 10, 20])
@pytest.mark.parametrize("command", ["compare records", "audit of records", "list --adapters"])
def test_any_width_at_all_keeps_every_letter(command: str, width: int) -> None:
    table = table_of(command)
    drawn = draw(table, width)
    assert max(map(len, drawn.splitlines())) <= max(width, 5)  # an indent and a letter
    letters = "".join(drawn.split())
    for row in table.rows:
        assert "".join(row[-1].split()) in letters


def test_lines_are_filled_well() -> None:
    """A wide column of text gets the room that narrow ones do not need."""
    texts = ("a few short words", "only a few more", "many words " * 12)
    columns = [Column(heading, wraps=True) for heading in ("one", "two", "three")]
    drawn = draw(TextTable("title", columns, [texts] * 3), 60)
    assert drawn.count("\n") < 20


def test_brackets_and_signs_are_no_markup() -> None:
    table = TextTable("title [red] :smile:", [Column("[bold]"), Column("b")], [("[red]x", "y")])
    drawn = draw(table, 80)
    assert all(text in drawn for text in ("title [red] :smile:", "[bold]", "[red]x"))


@pytest.mark.parametrize("width", [40, 80, 200])
def test_only_violations_are_red(width: int) -> None:
    table = table_of("compare records")
    screen = Screen(width, is_terminal=True, has_colours=True)
    drawn = table.draw(screen)
    violations = sum(row[-1] == "VIOLATION" for row in table.rows)
    assert 0 < violations < len(table.rows)
    assert drawn.count("\x1b[31m") == drawn.count("\x1b[31mVIOLATION") == violations
    assert sentences("VIOLATION: by far", screen) == "\x1b[31mVIOLATION: by far\x1b[0m"
    assert sentences("no violation found", screen) == "no violation found"


def test_sentences_are_cut_at_words_and_paths_are_whole() -> None:
    path = "/a/path/that/is/much/longer/than/the/terminal/is/wide"
    text = f"table in {path} and here\n  value 1: some reports of which there are many, T = 10"
    screen = Screen(20, is_terminal=True)
    assert sentences(text, screen).splitlines() == [
        "table in",
        path,
        "and here",
        "  value 1: some",
        "    reports of which",
        "    there are many,",
        "    T = 10",
    ]
    assert sentences(text, Screen(20)) == text
