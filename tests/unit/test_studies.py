"""The paper's grids: their sizes, what they share, and the data of their figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ldp_auditor import AuditError, studies
from ldp_auditor.report import panels, paper
from ldp_auditor.report.panels import panel_figure
from ldp_auditor.studies import PAPER_SCALE, QUICK_SCALE, Scale

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


@pytest.mark.parametrize("name", OURS)
def test_grids_are_those_of_the_paper(name: str) -> None:
    study = studies.find(name)
    cells = study.grid(PAPER_SCALE).cells
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
        return {cell.key for cell in studies.find(name).grid().cells}

    assert keys("figure-1") <= keys("figure-2")
    assert len(keys("figure-4") & keys("figure-2")) == 4 * 4 * 2 * 5


def rows_for(name: str, scale: Scale) -> list[dict[str, Any]]:
    """Rows as a sweep would return them, with made-up outcomes."""
    rows = []
    for cell in studies.find(name).grid(scale).cells:
        plan = cell.plan
        for reports in plan.get("reports", [None]):
            claimed = plan["epsilon"] * (reports or 1) if plan["epsilon"] != "inf" else 9.0
            rows.append(
                {
                    **plan["options"],
                    **{key: plan[key] for key in ("mechanism", "epsilon", "delta", "domain_size")},
                    **{"attack": plan["attack"], "seed": plan["seed"], "key": cell.key},
                    **({} if reports is None else {"reports": reports}),
                    "claimed_epsilon": claimed,
                    "empirical_epsilon": claimed * (0.4 + 0.1 * plan["seed"]),
                    "attack_epsilon": claimed,
                    "monte_carlo_limit": 12.0,
                }
            )
    return rows


@pytest.mark.parametrize("name", [name for name in OURS if name != "figure-1"])
def test_panels_of_the_figures(name: str) -> None:
    study = studies.find(name)
    scale = Scale(seeds=(1, 3), trials=100)
    rows = rows_for(name, scale)
    data = panel_figure(study, rows, scale, "paper")
    drawn = [panel for _, part in data.parts for panel in part]
    arrangement = study.arrangement
    assert arrangement is not None
    assert len(data.parts) == (1 if arrangement.block is None else 2)
    assert sum(len(c.x) for p in drawn for c in p.curves) == len(rows) / 2
    for curve in (curve for panel in drawn for curve in panel.curves):
        assert list(curve.x) == sorted(curve.x)
        for mean, deviation, claimed in zip(
            curve.mean, curve.deviation, curve.claimed, strict=True
        ):
            assert mean == pytest.approx(0.6 * claimed)
            assert deviation == pytest.approx(0.1 * claimed)
    assert "T = 100, 2 seeds" in data.title


def test_a_series_looks_the_same_in_all_panels() -> None:
    """GM has no delta = 0: its first curve must not take the colour of that."""
    scale = Scale(seeds=(1,), trials=100)
    data = panel_figure(studies.find("figure-4"), rows_for("figure-4", scale), scale, "paper")
    by_title = {panel.title: panel for panel in data.parts[0][1]}
    assert list(by_title) == ["AGRR", "ASUE", "ABLH", "AOLH", "GM", "AGM"]
    assert [curve.series for curve in by_title["AGRR"].curves] == [0, 1e-7, 1e-6, 1e-5, 1e-4]
    assert [curve.series for curve in by_title["GM"].curves] == [1e-7, 1e-6, 1e-5, 1e-4]
    assert len({data.style(series) for series in data.series}) == 5


@pytest.mark.parametrize("name", ["figure-1", "figure-4", "figure-5"])
def test_legend_fits_into_the_figure(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = []
    for module in (panels, paper):
        monkeypatch.setattr(module, "save", lambda figure, path: figures.append(figure))
    scale = Scale(seeds=(1, 3), trials=100)
    paper.draw_study(studies.find(name), rows_for(name, scale), scale, tmp_path)
    figure = figures[0]
    figure.savefig(tmp_path / "figure.png")
    (legend,) = figure.legends
    area = legend.get_window_extent()
    assert 0 <= area.x0 < area.x1 <= figure.bbox.width
    assert 0 <= area.y0 < area.y1 <= figure.bbox.height


@pytest.mark.parametrize(("measured", "floor"), [(0.5, 0.3), (0.2, 0.16), (0.01, 0.05), (0.0, 0.3)])
def test_low_estimates_are_drawn_where_they_are(measured: float, floor: float) -> None:
    """The axis begins below them, down to a twentieth of the exact values."""
    curve = panels.PanelCurve(25.0, [1.0], [measured], [0.0], [1.0], [1.0])
    assert panels._floor([panels.Panel("GRR", [curve])]) == pytest.approx(floor)


@pytest.mark.parametrize(
    ("delta", "words"), [(0.0, "0"), (1e-7, "1e-7"), (1e-4, "1e-4"), (0.25, "0.25"), (25, "25")]
)
def test_deltas_are_written_alike(delta: float, words: str) -> None:
    assert panels._label(delta) == words
