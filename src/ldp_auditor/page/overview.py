"""The table of everything: a row for every setting and attack, to sort and to filter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set

from ldp_auditor.figures.points import AXES, Point, sort_key, varied, words_of
from ldp_auditor.figures.words import NONE, digits
from ldp_auditor.page.evidence import inputs_in_words
from ldp_auditor.page.markup import Html, counted, element, escaped, join, shown, text
from ldp_auditor.page.summaries import (
    BROKEN,
    TITLES,
    VIOLATION,
    kind_of_point,
    summary_of_check,
)
from ldp_auditor.results.check_result import CheckResult

MOST_ROWS = 2_500
"""Rows of the table; beyond them it would outweigh the page."""

COLUMNS = {
    "Mechanism": "text",
    "Verdict": "verdict",
    "Setting": "text",
    "Attack": "attack",
    "Claimed ε": "number",
    "Worst case": "number",
    "Attack, unlimited": "number",
    "Proven ε": "number",
    "± over seeds": "number",
    "Of claim": "number",
}
"""The columns and their kinds."""

SEEDS = "± over seeds"
"""The column that is left out if every setting has one seed."""

BAD = (TITLES[VIOLATION], TITLES[BROKEN])
"""Verdicts that stand first, in the colour of alarm."""

Row = dict[str, str]
"""The text of every column."""


def overview_section(
    points: dict[str, list[Point]], checks: Sequence[CheckResult], by_chance: Set[str]
) -> Html:
    """The table with what filters it."""
    rows = overview_rows(points, checks, by_chance)
    kept = sorted(rows, key=lambda row: BAD.index(_title(row)) if _title(row) in BAD else len(BAD))
    kept = kept[:MOST_ROWS]
    left = len(rows) - len(kept)
    several = any(row[SEEDS] != NONE for row in rows)
    columns = {name: kind for name, kind in COLUMNS.items() if name != SEEDS or several}
    head = element(
        "tr",
        *(
            element("th", element("button", name, type="button"), scope="col", class_=kind)
            for name, kind in columns.items()
        ),
    )
    filters = element(
        "div",
        element("label", "Find ", element("input", type="search", id="find", autocomplete="off")),
        _choice("Attack", "by-attack", list(dict.fromkeys(row["Attack"] for row in rows))),
        _choice("Verdict", "by-verdict", list(dict.fromkeys(map(_title, rows)))),
        element("p", counted(len(kept), "row"), id="count", role="status"),
        class_="filters",
    )
    note = None
    if left:
        note = element("p", f"{left:,} more rows are in the results folder's own table.")
    table = element(
        "table",
        element("caption", *_caption(several)),
        element("thead", head),
        element("tbody", join(_row(row, columns) for row in kept)),
        id="overview-table",
    )
    region = element(
        "div", table, class_="scroll tall", role="region", tabindex=0, aria_label="Table of results"
    )
    return element("section", element("h2", "Every result"), filters, region, note, id="overview")


def _caption(several: bool) -> list[Html | str]:
    mean = " Proven ε is the mean over seeds." if several else ""
    sort = element("span", " Press a column's name to sort by it.", class_="on-screen")
    return [f"Every setting and attack.{mean}", sort]


def overview_rows(
    points: dict[str, list[Point]], checks: Sequence[CheckResult], by_chance: Set[str] = frozenset()
) -> list[Row]:
    """The rows as text; `by_chance` are mechanisms measured above their promise by chance."""
    rows: list[Row] = []
    common = varied([point for mine in points.values() for point in mine])
    for name, mine in points.items():
        own = varied(mine)
        named = [setting for setting in common if setting in AXES or setting in own]
        for point in sorted(mine, key=lambda point: sort_key(point, common)):
            result = point.first
            rows.append(
                {
                    "Mechanism": result.mechanism,
                    "Verdict": _verdict(point, name in by_chance),
                    "Setting": _setting(point, named),
                    "Attack": result.attack,
                    "Claimed ε": digits(point.claimed),
                    "Worst case": digits(result.worst_case_epsilon),
                    "Attack, unlimited": digits(result.attack_epsilon),
                    "Proven ε": digits(point.measured),
                    SEEDS: digits(point.deviation),
                    "Of claim": share(point.measured, point.claimed),
                }
            )
    for check in checks:
        proven = check.best.empirical_epsilon if check.findings else 0.0
        rows.append(
            {
                "Mechanism": check.name,
                "Verdict": TITLES[summary_of_check(check).kind],
                "Setting": f"check, {inputs_in_words(check)}",
                "Attack": "search for events",
                "Claimed ε": digits(check.claim.epsilon),
                "Worst case": NONE,
                "Attack, unlimited": NONE,
                "Proven ε": digits(proven),
                SEEDS: NONE,
                "Of claim": share(proven, check.claim.epsilon),
            }
        )
    return rows


def _verdict(point: Point, by_chance: bool) -> str:
    """The verdict on a row; if some of its seeds only broke the promise, how many."""
    title = TITLES[kind_of_point(point, by_chance)]
    broken, seeds = len(point.violations), len(point.results)
    return f"{title} ({broken:,} of {seeds:,} seeds)" if 0 < broken < seeds else title


def _setting(point: Point, names: Sequence[str]) -> str:
    """What the row is about, beyond the columns of its own: the domain size and what varied."""
    settings = {"domain_size": point.setting["domain_size"]}
    for name in names:
        is_claim = name == "epsilon" and point.setting[name] == point.claimed
        if name != "pair" and not is_claim and point.setting.get(name) not in (0, None):
            settings[name] = point.setting[name]
    return words_of(settings, settings)


def share(proven: float, claimed: float) -> str:
    """What part of the claim was proven."""
    if math.inf in (proven, claimed):
        return NONE
    part = proven / claimed
    return f"{part:.0%}" if part < 100 else f"{part:.3g} times"


def _row(row: Row, columns: Mapping[str, str]) -> Html:
    cells = [element("th", text(row["Mechanism"], 60), scope="row")]
    for name, kind in list(columns.items())[1:]:
        cell = escaped(row[name]) if kind == "number" else text(row[name], 100)
        cells.append(element("td", cell, class_=None if kind == "text" else kind))
    return element("tr", *cells, class_="bad" if _title(row) in BAD else None)


def _title(row: Row) -> str:
    """The verdict without the number of seeds."""
    return row["Verdict"].split(" (")[0]


def _choice(label: str, name: str, values: Sequence[str]) -> Html:
    options = [element("option", "all", value="")]
    options += [element("option", shown(v, 40), value=shown(v, 100)) for v in values]
    return element("label", f"{label} ", element("select", *options, id=name))
