"""The paper's figures: bars of every protocol, or panels with measured and exact curves."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ldp_auditor.errors import require
from ldp_auditor.figures.data import Bars, Curves, FigureData, Line, Panels
from ldp_auditor.figures.results import LIMIT, Measured, figure_of, make_bars
from ldp_auditor.figures.seeds import over_seeds
from ldp_auditor.figures.words import value_in_words
from ldp_auditor.results.table import Row
from ldp_auditor.studies.reproduction import Reproduction, StudyResult
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
    mine = [row for row in rows if row["attack"] == attack]
    title = f"{study.title} (attack: {attack}, {study.words(scale)})"
    arrangement = study.arrangement
    if arrangement is None:
        names = _distinct(mine, lambda row: row["mechanism"], ordered=False)
        found = {name: [row for row in mine if row["mechanism"] == name] for name in names}
        return make_bars(title, {n: {attack: _measured(r)} for n, r in found.items()}, EPSILON)
    part = arrangement.block
    places = _distinct(mine, lambda row: row[arrangement.series])
    parts = [
        (
            f"{arrangement.block_label} = {value}" if part else "",
            _panels(study, places, [row for row in mine if part is None or row[part] == value]),
        )
        for value in (_distinct(mine, lambda row: row[part]) if part else [None])
    ]
    return Panels(title, parts, arrangement.columns)


def _measured(seeds: Sequence[Row]) -> Measured:
    """What all seeds of one setting found."""
    first = seeds[0]
    return Measured(
        over_seeds(row["empirical_epsilon"] for row in seeds),
        first["attack_epsilon"],
        first.get("claimed_epsilon") or first["epsilon"],
        first.get("worst_case_epsilon"),
    )


def _panels(study: Study, places: Sequence[float], rows: Sequence[Row]) -> list[Curves]:
    arrangement = study.arrangement
    assert arrangement is not None

    def panel(row: Row) -> str:
        name = str(row[arrangement.panel])
        return arrangement.renamed.get(name, name)

    limit = max(row["monte_carlo_limit"] for row in rows)
    own = arrangement.promise == "own"
    return [
        Curves(
            title,
            arrangement.x_label,
            _lines(arrangement, places, [row for row in rows if panel(row) == title], limit),
            y_title=EPSILON,
            log_x=arrangement.log,
            log_y=arrangement.log,
            top=3 * limit if own else None,
            kinds=KINDS,
            boxed=study.violations,
        )
        for title in _distinct(rows, panel, ordered=False)
    ]


def _lines(
    arrangement: Arrangement, places: Sequence[float], rows: Sequence[Row], limit: float
) -> list[Line]:
    """The lines of a panel: measured and exact ones of every series, the promise, the limit."""
    lines: list[Line] = []
    promises: list[Line] = []
    for value in _distinct(rows, lambda row: row[arrangement.series]):
        mine = [row for row in rows if row[arrangement.series] == value]
        x = _distinct(mine, lambda row: row[arrangement.x])
        found = [_measured([row for row in mine if row[arrangement.x] == at]) for at in x]
        series = f"{arrangement.series_label} = {value_in_words(value)}"
        place = places.index(value)
        spread = any(entry.average.deviation is not None for entry in found)
        lines += [
            Line(
                f"{series}, proven",
                "proven",
                x,
                [entry.average.mean for entry in found],
                series,
                place,
                "full",
                [entry.average.low for entry in found] if spread else (),
                [entry.average.high for entry in found] if spread else (),
                [entry.average.mean > entry.claimed for entry in found],
            ),
            Line(f"{series}, exact", "exact", x, [e.exact for e in found], series, place),
        ]
        claimed = [entry.claimed for entry in found]
        promises.append(Line(f"{series}, claimed", "claimed", x, claimed, series, place))
    if arrangement.promise == "own":
        x = _distinct(rows, lambda row: row[arrangement.x])
        lines += [*promises, Line(LIMIT, "limit", x, [limit] * len(x))]
    if arrangement.promise == "claim":
        longest = max(promises, key=lambda line: len(line.x))
        lines.append(Line("claimed", "claimed", longest.x, longest.y))
    return lines


def _distinct(rows: Iterable[Row], of: Callable[[Row], Any], ordered: bool = True) -> list[Any]:
    values = list(dict.fromkeys(of(row) for row in rows))
    return sorted(values) if ordered else values
