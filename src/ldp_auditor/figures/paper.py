"""The paper's figures: bars of every protocol, or panels with measured and exact curves."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ldp_auditor.errors import require
from ldp_auditor.figures.data import Bars, Curves, FigureData, Line, Panels
from ldp_auditor.figures.points import Point, points_of
from ldp_auditor.figures.results import figure_of
from ldp_auditor.figures.series import LIMIT, limit_line, limit_of, line_of, make_bars, note_on
from ldp_auditor.figures.words import value_in_words
from ldp_auditor.results.table import Row, result_of
from ldp_auditor.studies.reproduction import Reproduction, StudyResult
from ldp_auditor.studies.settings import COUNTERPARTS
from ldp_auditor.studies.study import Arrangement, Scale, Study

EPSILON = "estimated epsilon"
KINDS = {
    "exact": "exact, unlimited trials",
    "spread": "standard deviation",
    "claimed": "theoretical epsilon",
    "limit": LIMIT,
    "broken": "above the promise (box)",
}


@figure_of.register
def _(result: StudyResult) -> FigureData:
    rows = result.sweep.rows
    require(bool(rows), f"{result.name} has no rows to draw")
    return study_figure(result.study, rows, result.scale, rows[0]["attack"])


@figure_of.register
def _(found: Reproduction) -> FigureData:
    names = ", ".join(result.name for result in found.studies)
    require(len(found.studies) == 1, f"draw one study at a time, such as found[name]: {names}")
    return figure_of(found.studies[0])


def study_figure(study: Study, rows: Sequence[Row], scale: Scale, attack: str) -> Bars | Panels:
    """Return what a study's figure shows of one attack."""
    found = points_of((row["key"], result_of(row)) for row in rows if row["attack"] == attack)
    title = f"{study.title} (attack: {attack}, {study.words(scale)})"
    arrangement = study.arrangement
    if arrangement is None:
        return make_bars(title, {name: {attack: mine[0]} for name, mine in found.items()}, EPSILON)
    points = [point for mine in found.values() for point in mine]
    places = list(_by(arrangement.series, points))
    parts = [("", points)]
    if arrangement.part_by_size:
        parts = [(f"k = {size}", mine) for size, mine in _by("domain_size", points).items()]
    panels = [(name, _panels(study, arrangement, places, mine)) for name, mine in parts]
    return Panels(title, panels, arrangement.columns)


def _by(name: str, points: Sequence[Point]) -> dict[Any, list[Point]]:
    """Points by the value of a setting, from the least to the largest."""
    values = sorted({point.setting[name] for point in points})
    return {value: [p for p in points if p.setting[name] == value] for value in values}


def _panels(
    study: Study, arrangement: Arrangement, places: Sequence[float], points: Sequence[Point]
) -> list[Curves]:
    renamed = COUNTERPARTS if arrangement.with_counterparts else {}
    panels: dict[str, list[Point]] = {}
    for point in points:
        name = point.first.mechanism
        panels.setdefault(renamed.get(name, name), []).append(point)
    lines = {title: _lines(arrangement, places, mine) for title, mine in panels.items()}
    return [
        Curves(
            title,
            arrangement.x_label,
            mine,
            y_title=EPSILON,
            log_x=arrangement.log,
            log_y=arrangement.log,
            top=3 * limit_of(points) if arrangement.promise == "own" else None,
            kinds=KINDS,
            boxed=study.violations,
            note=note_on(mine),
        )
        for title, mine in lines.items()
    ]


def _lines(
    arrangement: Arrangement, places: Sequence[float], points: Sequence[Point]
) -> list[Line]:
    """The lines of a panel: measured and exact ones of every series, the promise, the limit."""
    lines: list[Line] = []
    promises: list[Line] = []
    for value, found in _by(arrangement.series, points).items():
        mine = [point for at in _by(arrangement.x, found).values() for point in at]
        series = f"{arrangement.series_label} = {value_in_words(value)}"
        about = (mine, arrangement.x, series, places.index(value))
        look: dict[str, Any] = {"broken": [point.measured > point.claimed for point in mine]}
        if any(point.deviation is not None for point in mine):
            look["low"] = [point.low for point in mine]
            look["high"] = [point.high for point in mine]
        lines += [line_of("proven", *about, marks="full", **look), line_of("exact", *about)]
        promises.append(line_of("claimed", *about))
    if arrangement.promise == "own":
        return [*lines, *promises, limit_line(points, arrangement.x)]
    if arrangement.promise == "claim":
        longest = max(promises, key=lambda line: len(line.x))
        lines.append(replace(longest, name="claimed", series="", place=None))
    return lines
