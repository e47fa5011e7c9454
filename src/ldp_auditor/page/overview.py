"""The table of everything: a row for every setting and attack, to sort and to filter."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ldp_auditor.findings import CheckResult
from ldp_auditor.page.evidence import inputs_in_words
from ldp_auditor.page.figures import sort_key
from ldp_auditor.page.markup import Html, element, escaped, join, shown, text
from ldp_auditor.page.points import Point, varied, words_of

MOST_ROWS = 2_500
"""Rows of the table; beyond them it would outweigh the page."""

COLUMNS = (
    ("Mechanism", "text"),
    ("Setting", "text"),
    ("Attack", "text"),
    ("Claimed ε", "number"),
    ("Worst case", "number"),
    ("Attack, unlimited", "number"),
    ("Proven ε", "number"),
    ("± over seeds", "number"),
    ("Of claim", "number"),
    ("Verdict", "text"),
)

SEEDS = 7
"""The column that is left out if every setting has one seed."""

NONE = "\N{EN DASH}"
"""Where there is no number."""

Row = tuple[str, ...]


def overview_section(points: dict[str, list[Point]], checks: Sequence[CheckResult]) -> Html:
    """The table with what filters it."""
    rows = overview_rows(points, checks)
    kept = sorted(rows, key=lambda row: row[-1] != "violation")[:MOST_ROWS]
    left = len(rows) - len(kept)
    empty = {SEEDS} if all(row[SEEDS] == NONE for row in rows) else set()
    head = element(
        "tr",
        *(
            element("th", element("button", name, type="button"), scope="col", class_=kind[0])
            for place, (name, kind) in enumerate(COLUMNS)
            if place not in empty
        ),
    )
    attacks = list(dict.fromkeys(row[2] for row in rows))
    filters = element(
        "div",
        element("label", "Find ", element("input", type="search", id="find", autocomplete="off")),
        _choice("Attack", "by-attack", attacks),
        _choice("Verdict", "by-verdict", list(dict.fromkeys(row[-1] for row in rows))),
        element("p", f"{len(kept):,} rows", id="count", role="status"),
        class_="filters",
    )
    note = None
    if left:
        note = element("p", f"{left:,} more rows are in the results folder's own table.")
    table = element(
        "table",
        element("caption", "Every setting and attack; press a column's name to sort by it."),
        element("thead", head),
        element("tbody", join(_row(row, empty) for row in kept)),
        id="overview-table",
    )
    region = element(
        "div", table, class_="scroll tall", role="region", tabindex=0, aria_label="Table of results"
    )
    return element("section", element("h2", "Every result"), filters, region, note, id="overview")


def overview_rows(points: dict[str, list[Point]], checks: Sequence[CheckResult]) -> list[Row]:
    """The rows as text."""
    rows: list[Row] = []
    common = varied([point for mine in points.values() for point in mine])
    everything = [
        point
        for mine in points.values()
        for point in sorted(mine, key=lambda point: sort_key(point, common))
    ]
    for point in everything:
        result = point.first
        rows.append(
            (
                result.mechanism,
                _setting(point, common),
                result.attack,
                digits(point.claimed),
                digits(result.worst_case_epsilon),
                digits(result.attack_epsilon),
                digits(point.measured),
                digits(point.deviation),
                share(point.measured, point.claimed),
                _verdict(point),
            )
        )
    for check in checks:
        proven = check.best.empirical_epsilon if check.findings else 0.0
        rows.append(
            (
                check.name,
                f"check, {inputs_in_words(check)}",
                "search for events",
                digits(check.claim.epsilon),
                digits(None),
                digits(None),
                digits(proven),
                digits(None),
                share(proven, check.claim.epsilon),
                "violation" if check.verdict == "violation" else "none found",
            )
        )
    return rows


def _setting(point: Point, varied_names: Sequence[str]) -> str:
    """What the row is about, beyond the columns of its own: the domain size and what varied."""
    told = {"domain_size": point.setting["domain_size"]}
    for name in varied_names:
        is_claim = name == "epsilon" and point.setting[name] == point.claimed
        if name != "pair" and not is_claim and point.setting.get(name) not in (0, None):
            told[name] = point.setting[name]
    return words_of(told, told)


def digits(value: float | None) -> str:
    """A number of the table."""
    if value is None:
        return NONE
    if value == math.inf:
        return "∞"
    return f"{value:.4f}" if value == 0 or 1e-4 <= value < 1e6 else f"{value:.4g}"


def share(proven: float, claimed: float) -> str:
    """What part of the claim was proven."""
    if math.inf in (proven, claimed):
        return NONE
    part = proven / claimed
    return f"{part:.0%}" if part < 100 else f"{part:.3g} times"


def _verdict(point: Point) -> str:
    if not point.violations:
        return "nothing claimed" if point.claimed == math.inf else "none found"
    return "violation"


def _row(row: Row, empty: set[int]) -> Html:
    told = [element("th", text(row[0], 60), scope="row")]
    for place, (_, kind) in enumerate(COLUMNS):
        if place and place not in empty:
            cell = row[place]
            told.append(element("td", escaped(cell) if kind == "number" else text(cell, 100)))
    return element("tr", *told, class_="violation" if row[-1] == "violation" else None)


def _choice(label: str, name: str, values: Sequence[str]) -> Html:
    options = [element("option", "all", value="")]
    options += [element("option", shown(v, 40), value=shown(v, 100)) for v in values]
    return element("label", f"{label} ", element("select", *options, id=name))
