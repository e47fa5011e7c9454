"""The paper's figures: panels of measured curves, exact curves and promises. Data first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_auditor.report.figures import BLUE, GREY, RED, save
from ldp_auditor.results.table import Row
from ldp_auditor.studies.study import Arrangement, Scale, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

COLOURS = (BLUE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Of the series; red is the promise's [Okabe08]."""
MARKERS = "osD^vP"


@dataclass(frozen=True)
class PanelCurve:
    """What was measured over x, averaged over seeds, and what is exact."""

    series: float
    """What tells it apart from the other curves of its panel."""
    x: Sequence[float]
    mean: Sequence[float]
    deviation: Sequence[float]
    """Standard deviation over seeds; zeros for a single seed."""
    exact: Sequence[float | None]
    """The attack with unlimited trials."""
    claimed: Sequence[float]


@dataclass(frozen=True)
class Panel:
    """The curves of one protocol."""

    title: str
    curves: Sequence[PanelCurve]


@dataclass(frozen=True)
class PanelFigure:
    """What a figure of panels shows."""

    title: str
    parts: Sequence[tuple[str, Sequence[Panel]]]
    """Parts of the figure with their titles."""
    arrangement: Arrangement
    limit: float
    """What a perfect attack proves with the trials of this figure."""
    violations: bool

    @property
    def series(self) -> list[float]:
        """Values by which the curves of a panel differ."""
        panels = [panel for _, panels in self.parts for panel in panels]
        return sorted({curve.series for panel in panels for curve in panel.curves})

    def style(self, series: float) -> tuple[str, str]:
        """Return the colour and the marker of a series, the same in all panels."""
        place = self.series.index(series)
        return COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]


def panel_figure(study: Study, rows: Sequence[Row], scale: Scale, attack: str) -> PanelFigure:
    """Collect the data of a study's figure."""
    arrangement = study.arrangement
    assert arrangement is not None
    mine = [row for row in rows if row["attack"] == attack]
    part = arrangement.block
    parts = [
        (
            f"{arrangement.block_label} = {value}" if part else "",
            _panels(arrangement, [row for row in mine if part is None or row[part] == value]),
        )
        for value in (_distinct(mine, lambda row: row[part]) if part else [None])
    ]
    return PanelFigure(
        f"{study.title} (attack: {attack}, {study.words(scale)})",
        parts,
        arrangement,
        max(row["monte_carlo_limit"] for row in mine),
        study.violations,
    )


def _panels(arrangement: Arrangement, rows: Sequence[Row]) -> list[Panel]:
    def panel(row: Row) -> str:
        name = str(row[arrangement.panel])
        return arrangement.renamed.get(name, name)

    return [
        Panel(title, _curves(arrangement, [row for row in rows if panel(row) == title]))
        for title in _distinct(rows, panel, ordered=False)
    ]


def _curves(arrangement: Arrangement, rows: Sequence[Row]) -> list[PanelCurve]:
    curves = []
    for value in _distinct(rows, lambda row: row[arrangement.series]):
        mine = [row for row in rows if row[arrangement.series] == value]
        x = _distinct(mine, lambda row: row[arrangement.x])
        at = [[row for row in mine if row[arrangement.x] == place] for place in x]
        measured = [[row["empirical_epsilon"] for row in seeds] for seeds in at]
        curves.append(
            PanelCurve(
                value,
                x,
                [float(np.mean(seeds)) for seeds in measured],
                [float(np.std(seeds)) for seeds in measured],
                [seeds[0]["attack_epsilon"] for seeds in at],
                [seeds[0].get("claimed_epsilon") or seeds[0]["epsilon"] for seeds in at],
            )
        )
    return curves


def _distinct(rows: Iterable[Row], of: Callable[[Row], Any], ordered: bool = True) -> list[Any]:
    values = list(dict.fromkeys(of(row) for row in rows))
    return sorted(values) if ordered else values


LABEL_WIDTH = 0.07
"""Part of an axis that the label of a tick needs."""


def draw_panels(data: PanelFigure, paths: Sequence[Path]) -> Figure:
    """Draw the panels, parts below each other, and write the figure to every path."""
    from ldp_auditor.report.drawing import Figure, Line2D

    columns = data.arrangement.columns
    heights = [-(-len(panels) // columns) for _, panels in data.parts]
    width, height = max(6.4, 2.6 * columns), 2.5 * sum(heights) + 0.3 * len(heights) + 1.0
    figure = Figure(figsize=(width, height), layout="constrained")
    areas = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    for area, (title, panels), rows in zip(areas, data.parts, heights, strict=True):
        if title:
            area.suptitle(title, fontsize=11)
        _draw_part(area, data, panels, rows)
    figure.suptitle(data.title, fontsize=11)
    handles = []
    for series in data.series:
        colour, marker = data.style(series)
        label = f"{data.arrangement.series_label} = {_label(series)}"
        handles.append(Line2D([], [], color=colour, marker=marker, label=label))
    handles.append(Line2D([], [], color=GREY, linewidth=1, label="exact, unlimited trials"))
    curves = [curve for _, panels in data.parts for panel in panels for curve in panel.curves]
    if any(max(curve.deviation) > 0 for curve in curves):
        band = Line2D([], [], color=GREY, linewidth=6, alpha=0.3, label="standard deviation")
        handles.append(band)
    if data.arrangement.promise:
        own = data.arrangement.promise == "own"
        handles.append(
            Line2D([], [], color=GREY if own else RED, linestyle="--", label="theoretical epsilon")
        )
    if data.arrangement.promise == "own":
        handles.append(
            Line2D([], [], color="black", linestyle=":", label="most that the trials can prove")
        )
    if data.violations:
        handles.append(
            Line2D([], [], color="black", linewidth=1.8, label="above the promise (box)")
        )
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=min(int(width / 1.9), len(handles)),
        frameon=False,
        fontsize=9,
    )
    for path in paths:
        save(figure, path)
    return figure


def _label(series: float) -> str:
    """Write a number down; powers of ten that are small alike: 1e-7 to 1e-4."""
    return f"{series:g}" if series == 0 or series >= 0.01 else f"{series:.0e}".replace("e-0", "e-")


def _draw_part(area: SubFigure, data: PanelFigure, panels: Sequence[Panel], rows: int) -> None:
    columns = data.arrangement.columns
    grid = area.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    floor = _floor(panels)
    for axes, panel in zip(grid.flat, panels, strict=False):
        _draw_panel(axes, data, panel, floor)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for axes in grid[:, 0]:
        axes.set_ylabel("estimated epsilon")
    for place, axes in enumerate(grid.flat[: len(panels)]):
        if place + columns >= len(panels):  # nothing below it
            axes.set_xlabel(data.arrangement.x_label)
            axes.tick_params(labelbottom=True)


def _draw_panel(axes: Axes, data: PanelFigure, panel: Panel, floor: float) -> None:
    arrangement = data.arrangement
    for curve in panel.curves:
        colour, marker = data.style(curve.series)
        mean = np.maximum(curve.mean, floor)
        axes.plot(curve.x, mean, color=colour, marker=marker, ms=4, lw=1.1)
        spread = np.asarray(curve.deviation)
        lower, upper = np.maximum(mean - spread, floor), mean + spread
        axes.fill_between(curve.x, lower, upper, color=colour, alpha=0.25, lw=0)
        known = [(x, e) for x, e in zip(curve.x, curve.exact, strict=True) if e is not None]
        drawn = [(x, e) for x, e in known if e < math.inf]
        axes.plot([x for x, _ in drawn], [e for _, e in drawn], color=colour, lw=0.8, alpha=0.6)
        if arrangement.promise == "own":
            axes.plot(curve.x, curve.claimed, color=colour, linestyle="--", lw=0.7)
    if arrangement.promise == "claim":
        longest = max(panel.curves, key=lambda curve: len(curve.x))
        axes.plot(longest.x, longest.claimed, color=RED, linestyle="--", lw=1.1)
    if arrangement.promise == "own":
        axes.axhline(data.limit, color="black", linestyle=":", lw=0.9)
    if data.violations:
        _mark_violations(axes, panel)
    if arrangement.log:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_ylim(bottom=floor)
        if arrangement.promise == "own":
            axes.set_ylim(top=3 * data.limit)
    ticks = sorted({x for curve in panel.curves for x in curve.x})
    shown = _with_room(ticks) if arrangement.log else ticks
    axes.set_xticks(shown, [f"{x:g}" for x in shown], fontsize=7)
    axes.minorticks_off()
    axes.tick_params(axis="y", labelsize=8)
    axes.set_title(panel.title, fontsize=10)
    axes.grid(alpha=0.25)


def _with_room(ticks: Sequence[float]) -> list[float]:
    """Leave out ticks of a logarithmic axis whose label would touch the next one."""
    room = LABEL_WIDTH * math.log(ticks[-1] / ticks[0])
    return [x for x, y in pairwise(ticks) if math.log(y / x) >= room] + [ticks[-1]]


def _mark_violations(axes: Axes, panel: Panel) -> None:
    """Draw the paper's rectangle around the points that lie above the promise."""
    broken = [
        (x, mean, claim)
        for curve in panel.curves
        for x, mean, claim in zip(curve.x, curve.mean, curve.claimed, strict=True)
        if mean > claim
    ]
    if not broken:
        return
    left, right = min(x for x, _, _ in broken), max(x for x, _, _ in broken)
    low, high = min(claim for _, _, claim in broken), max(mean for _, mean, _ in broken)
    x = [left / 1.15, right * 1.15, right * 1.15, left / 1.15, left / 1.15]
    y = [low / 1.1, low / 1.1, high * 1.15, high * 1.15, low / 1.1]
    axes.plot(x, y, color="black", lw=1.8)  # no series has it here


def _floor(panels: Sequence[Panel]) -> float:
    """Where a logarithmic axis begins: below all exact values and the measured ones.

    Those below a twentieth of all exact values lie on its edge, and zeros do.
    """
    curves = [curve for panel in panels for curve in panel.curves]
    exact = [value for curve in curves for value in curve.exact if value is not None and value > 0]
    measured = [value for curve in curves for value in curve.mean if value > 0]
    least = min(exact or measured or [0.01])
    return max(0.05 * least, min(0.3 * least, 0.8 * min(measured or [least])))
