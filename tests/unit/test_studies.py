"""The paper's grids: their sizes, what they share, and the data of their figures."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ldp_auditor import AuditError, studies
from ldp_auditor.core import InputPair
from ldp_auditor.figures.data import Bars, Curves, Line, Panels
from ldp_auditor.figures.drawing import draw
from ldp_auditor.figures.drawing.lines import floor_of
from ldp_auditor.figures.paper import study_figure
from ldp_auditor.figures.words import value_in_words
from ldp_auditor.results.audit_result import AuditResult
from ldp_auditor.results.table import Row, result_of
from ldp_auditor.studies import PAPER_SCALE, QUICK_SCALE, Scale, environment
from ldp_auditor.studies.environment import Environment
from ldp_auditor.sweeps.cells import Cell, tuple_of

CELLS = {
    "figure-1": 8,
    "figure-2": 8 * 8 * 5,
    "figure-3": (5 * 8 + 4) * 5,
    "figure-4": (4 * 5 + 2 * 4) * 4 * 2,
    "figure-5": 5 * 5,
    "figure-6": 10 * 4 * 2,
    "figure-7": 5 * 8 * 2 * 2,
    "figure-8": 2 * 8 * 5,
    "figure-10": (4 * 5 + 2 * 4) * 4 * 2,
    "figure-11": 10 * 4 * 2,
    "figure-12": 5 * 8 * 2 * 2,
}
"""Cells of a seed, counted by hand from sections 5.2 to 5.7 and appendix G."""

OURS = [name for name in CELLS if name != "figure-8"]  # that one needs pure-ldp


def test_every_figure_with_numbers_is_there() -> None:
    assert set(studies.available()) == set(CELLS)
    with pytest.raises(AuditError, match="there is no study 'figure-9'; they are: figure-1"):
        studies.find("figure-9")


@cache
def paper_cells(name: str) -> tuple[Cell, ...]:
    return studies.find(name).grid(PAPER_SCALE).cells


@pytest.mark.parametrize("name", OURS)
def test_grids_are_those_of_the_paper(name: str) -> None:
    study = studies.find(name)
    cells = paper_cells(name)
    assert len(cells) == 5 * CELLS[name]
    assert {cell.plan["seed"] for cell in cells} == {1, 2, 3, 4, 5}
    assert {(cell.plan["trials"], cell.plan["alpha"]) for cell in cells} == {(1_000_000, 0.01)}
    assert {cell.plan["bound"] for cell in cells} == {"clopper-pearson"}
    assert len(study.grid(QUICK_SCALE).cells) == CELLS[name]
    both = study.grid(replace(QUICK_SCALE, optimal=True)).cells
    assert len(both) == 2 * CELLS[name]


def test_figures_share_cells() -> None:
    """Figure 1 is a part of figure 2, and delta = 0 in figure 4 is the pure protocol."""

    def keys(name: str) -> set[str]:
        return {cell.key for cell in paper_cells(name)}

    assert keys("figure-1") <= keys("figure-2")
    assert len(keys("figure-4") & keys("figure-2")) == 4 * 4 * 2 * 5


def rows_for(name: str, scale: Scale) -> list[Row]:
    """Rows as a sweep would return them, with made-up outcomes."""
    rows = []
    for cell in studies.find(name).grid(scale).cells:
        plan = cell.plan
        known = {key: plan[key] for key in ("mechanism", "delta", "domain_size", "attack", "seed")}
        epsilon = float(plan["epsilon"])
        for reports in plan.get("reports", [1]):
            claimed = epsilon * reports
            shown = claimed if claimed < math.inf else 9.0
            result = AuditResult(
                **known,
                epsilon=epsilon,
                pair=InputPair(*map(tuple_of, plan["pair"])),
                options=plan["options"],
                reports=reports,
                claimed_epsilon=claimed if "reports" in plan else None,
                bound="clopper-pearson",
                alpha=0.01,
                trials=100,
                true_positives=50,
                false_positives=50,
                empirical_epsilon=shown * (0.4 + 0.1 * plan["seed"]),
                attack_epsilon=shown,
                worst_case_epsilon=None,
                monte_carlo_limit=12.0,
            )
            rows.append({**result.to_rows()[0], "key": cell.key})
            assert replace(result_of(rows[-1]), options=plan["options"]) == result
    return rows


@pytest.mark.parametrize("name", [name for name in OURS if name != "figure-1"])
def test_panels_of_the_figures(name: str) -> None:
    study = studies.find(name)
    scale = Scale(seeds=(1, 3), trials=100)
    rows = rows_for(name, scale)
    data = study_figure(study, rows, scale, "paper")
    assert isinstance(data, Panels)
    drawn = [panel for _, part in data.parts for panel in part]
    arrangement = study.arrangement
    assert arrangement is not None
    assert len(data.parts) == 1 + arrangement.part_by_size
    by_role = {
        role: [line for panel in drawn for line in panel.lines if line.role == role]
        for role in ("proven", "exact")
    }
    assert sum(len(line.x) for line in by_role["proven"]) == len(rows) / 2
    for line, exact in zip(by_role["proven"], by_role["exact"], strict=True):
        assert list(line.x) == sorted(line.x) == exact.x
        claimed = np.array(exact.y, dtype=float)  # made up so: the attack shows all of it
        assert list(line.y) == pytest.approx(0.6 * claimed)
        assert list(line.low) == pytest.approx(0.5 * claimed)
        assert list(line.high) == pytest.approx(0.7 * claimed)
    promises = [line for panel in drawn for line in panel.lines if line.role == "claimed"]
    assert bool(promises) == bool(arrangement.promise)
    if arrangement.promise == "own":
        assert [list(line.y) for line in promises] == [list(line.y) for line in by_role["exact"]]
    assert "T = 100, 2 seeds" in data.title


def test_bars_of_the_first_figure_are_averages() -> None:
    scale = Scale(seeds=(1, 3), trials=100)
    bars = study_figure(studies.find("figure-1"), rows_for("figure-1", scale), scale, "paper")
    assert isinstance(bars, Bars)
    assert bars.names == ["GRR", "SS", "SUE", "OUE", "BLH", "OLH", "SHE", "THE"]
    (series,) = bars.series
    assert series.name == "paper attack, proven (mean and standard deviation)"
    assert list(series.measured) == pytest.approx([1.2] * 8)
    assert list(series.deviation) == pytest.approx([0.2] * 8)
    assert series.words == ["1.200"] * 8
    assert bars.claimed_name == "claimed epsilon = 2"


def test_a_series_looks_the_same_in_all_panels() -> None:
    """GM has no delta = 0: its first curve must not take the colour of that."""
    scale = Scale(seeds=(1,), trials=100)
    data = study_figure(studies.find("figure-4"), rows_for("figure-4", scale), scale, "paper")
    assert isinstance(data, Panels)
    looks = {
        panel.title: {line.series: line.place for line in panel.lines if line.series}
        for panel in data.parts[0][1]
    }
    assert list(looks) == ["AGRR", "ASUE", "ABLH", "AOLH", "GM", "AGM"]
    deltas = ["delta = 0", "delta = 1e-7", "delta = 1e-6", "delta = 1e-5", "delta = 1e-4"]
    assert looks["AGRR"] == dict(zip(deltas, range(5), strict=True))
    assert looks["GM"] == dict(zip(deltas[1:], range(1, 5), strict=True))


@pytest.mark.parametrize("name", ["figure-1", "figure-4", "figure-5"])
def test_legend_fits_into_the_figure(name: str, tmp_path: Path) -> None:
    scale = Scale(seeds=(1, 3), trials=100)
    figure = draw(study_figure(studies.find(name), rows_for(name, scale), scale, "paper"))
    figure.savefig(tmp_path / "figure.png")
    (legend,) = figure.legends
    area = legend.get_window_extent()
    assert 0 <= area.x0 < area.x1 <= figure.bbox.width
    assert 0 <= area.y0 < area.y1 <= figure.bbox.height


@pytest.mark.parametrize(("measured", "floor"), [(0.5, 0.4), (0.2, 0.16), (0.01, 0.05), (0.0, 0.3)])
def test_low_estimates_are_drawn_where_they_are(measured: float, floor: float) -> None:
    """The axis begins a little below, down to a twentieth of exact values; zeros lie deeper."""
    lines = [Line("k = 25", "proven", [1.0], [measured]), Line("k = 25", "exact", [1.0], [1.0])]
    assert floor_of([Curves("GRR", "epsilon", lines)]) == pytest.approx(floor)


@pytest.mark.parametrize(
    ("delta", "words"), [(0.0, "0"), (1e-7, "1e-7"), (1e-4, "1e-4"), (0.25, "0.25"), (25, "25")]
)
def test_deltas_are_written_alike(delta: float, words: str) -> None:
    assert value_in_words(delta) == words


def test_an_environment_that_another_process_made_meanwhile_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []

    def make(self: Environment, place: Path, shared: object) -> None:
        (place / "bin").mkdir(parents=True)
        made.append(place)
        if len(made) == 1:
            self.python()  # as the other process does

    monkeypatch.setattr(environment, "user_cache", lambda: tmp_path)
    monkeypatch.setattr(Environment, "_make", make)
    python = Environment("package", "1.0").python()
    assert python.parent.is_dir()
    assert len(made) == 2
    assert list(tmp_path.iterdir()) == [python.parents[1]]
