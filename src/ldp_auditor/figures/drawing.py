"""Figures drawn by matplotlib: one function for each kind of data. Nothing else imports it."""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.errors import AuditError
from ldp_auditor.figures.data import (
    Bars,
    Curves,
    FigureData,
    GapAccount,
    Line,
    Numbers,
    Panels,
    Step,
)
from ldp_auditor.figures.files import give_matplotlib_room
from ldp_auditor.figures.words import value_in_words

try:
    give_matplotlib_room()
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle
    from matplotlib.typing import LineStyleType
except OSError as error:
    raise AuditError(
        f"figures need a folder for matplotlib's list of fonts ({error}); set MPLCONFIGDIR to one "
        "that can be written to"
    ) from None

BLUE, GREY, RED, DARK_RED = "#0072B2", "#8C8C8C", "#D55E00", "#A01C00"
COLOURS = (BLUE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Of the series, told apart by colour-blind readers; red is the promise's [Okabe08]."""
LIGHT_COLOURS = (GREY, "#BFBFBF")
"""Of bars of mechanisms that promise nothing."""
MARKERS = "osD^vP*X<>"
STYLES: dict[str, tuple[LineStyleType, float]] = {
    "claimed": ("--", 1.1),
    "worst": (":", 1.1),
    "exact": ("-", 0.9),
    "proven": ("-", 1.1),
    "composed": ("-.", 0.9),
    "limit": (":", 0.9),
}
"""How a line of every role is drawn, and how wide."""
ROLE_COLOURS = {"claimed": RED, "limit": "black"}
STEP_COLOURS = {"claimed": RED, "excess": DARK_RED, "proven": BLUE}
LABEL_WIDTH = 0.07
"""Part of an axis that the label of a tick needs."""
MOST_TICKS = 16
"""Places that have ticks of their own."""


@singledispatch
def draw(data: FigureData) -> Figure:
    """Draw figure data."""
    raise AuditError(f"{type(data).__name__} is not drawn")


def file_types() -> list[str]:
    """How the name of a figure's file may end."""
    return sorted(Figure().canvas.get_supported_filetypes())


def _legend(figure: Figure, handles: Sequence[Artist]) -> None:
    """Put the legend below the figure, in as many columns as it has room for."""
    inches = max(0.6 + 0.072 * len(str(handle.get_label())) for handle in handles)
    columns = max(1, min(len(handles), int(figure.get_figwidth() / inches)))
    figure.legend(
        handles=handles, loc="outside lower center", ncols=columns, frameon=False, fontsize=8.5
    )


@draw.register
def _(data: Bars) -> Figure:
    count = len(data.series)
    width = max(7.0, (0.45 + 0.25 * count) * len(data.names) + 1.5)
    figure = Figure(figsize=(width, 4.6), layout="constrained")
    axes = figure.subplots()
    for index in range(count):
        _draw_bars(axes, data, index)
    promises = [(x, claim) for x, claim in enumerate(data.claimed) if claim < math.inf]
    if len({claim for _, claim in promises}) == 1:
        axes.axhline(promises[0][1], color=RED, linestyle="--")
    else:
        for x, claim in promises:
            axes.plot([x - 0.46, x + 0.46], [claim, claim], color=RED, linestyle="--")
    handles: list[Artist] = [
        Patch(color=COLOURS[series.place % len(COLOURS)], label=series.name)
        for series in data.series
    ]
    if promises:
        handles.insert(0, _promise(data.claimed_name))
    if data.unclaimed_name:
        handles.append(Patch(color=LIGHT_COLOURS[0], label=data.unclaimed_name))
    if any(value is not None for series in data.series for value in series.exact):
        tick = Line2D([], [], color="black", marker="_", ms=12, ls="", label=data.exact_name)
        handles.append(tick)
    _legend(figure, handles)
    axes.set_xticks(range(len(data.names)), data.names)
    for label in axes.get_xticklabels() if len(data.names) > 8 else []:
        label.set(rotation=45, horizontalalignment="right")
    axes.set_ylabel(data.value_title)
    axes.set_ylim(0, data.top)
    axes.set_title(data.title, fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _promise(label: str) -> Line2D:
    return Line2D([], [], color=RED, linestyle="--", label=label)


def _draw_bars(axes: Axes, data: Bars, index: int) -> None:
    """Draw the bars of one series; its numbers stand at the ends of their own bars."""
    series, count = data.series[index], len(data.series)
    places = np.arange(len(data.names)) + (index - (count - 1) / 2) * 0.8 / count
    light, own = LIGHT_COLOURS[index % 2], COLOURS[series.place % len(COLOURS)]
    heights = [value or 0.0 for value in series.measured]
    colours = [
        light if claim == math.inf else DARK_RED if height > claim else own
        for height, claim in zip(heights, data.claimed, strict=True)
    ]
    spread = [value or 0.0 for value in series.deviation] or None
    axes.bar(places, heights, color=colours, width=0.72 / count, yerr=spread)
    axes.scatter(places, _drawable(series.exact), marker="_", s=160 / count, c="black", zorder=3)
    for x, height, words, colour in zip(places, heights, series.words, colours, strict=True):
        look: dict[str, Any] = {"va": "bottom"}
        if height > 0.07 * data.top:  # it has room inside
            seen = "black" if colour == light else "white"
            look = {"va": "top", "xytext": (0, -3), "color": seen}
        _write(axes, words, (x, min(height, data.top)), fontsize=8 - count // 2, **look)


def _write(axes: Axes, words: str, end: tuple[float, float], **look: Any) -> None:
    """Write above the end of a bar, or where `look` says."""
    usual = {"xytext": (0, 3), "textcoords": "offset points", "ha": "center"}
    axes.annotate(words, end, **(usual | look))


def _drawable(values: Numbers) -> NDArray[np.float64]:
    """Values with a gap where there is none, or an infinite one."""
    return np.array([v if v is not None and v < math.inf else math.nan for v in values])


@draw.register
def _(data: GapAccount) -> Figure:
    count = len(data.waterfalls)
    figure = Figure(figsize=(5.2 * count, 4.0), layout="constrained")
    panels = figure.subplots(1, count, sharey=True, squeeze=False)[0]
    top = 1.14 * data.top
    for axes, fall in zip(panels, data.waterfalls, strict=True):
        for place, step in enumerate(fall.steps):
            _draw_step(axes, place, step, top)
        labels = [textwrap.fill(step.label, 10) for step in fall.steps]
        axes.set_xticks(range(len(labels)), labels)
        axes.set_title(fall.name, fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("epsilon")
    panels[0].set_ylim(0, top)
    figure.suptitle(data.title, fontsize=11)
    return figure


def _draw_step(axes: Axes, place: int, step: Step, top: float) -> None:
    """Draw a bar between two levels, and a line to it from the level before."""
    low, high = sorted((min(step.start, top), min(step.end, top)))
    axes.bar(place, high - low, bottom=low, color=STEP_COLOURS.get(step.kind, GREY), width=0.7)
    if 0 < step.start < math.inf:
        axes.plot([place - 1.35, place + 0.35], [step.start, step.start], color="black", lw=0.8)
    _write(axes, step.words, (place, min(high, 0.95 * top)), fontsize=9)


@draw.register
def _(data: Curves) -> Figure:
    return draw(Panels(data.title, [("", [replace(data, title="")])], 1))


@draw.register
def _(data: Panels) -> Figure:
    heights = [-(-len(panels) // data.columns) for _, panels in data.parts]
    width, height = max(7.6, 2.6 * data.columns), 2.5 * sum(heights) + 0.3 * len(heights) + 1.0
    figure = Figure(figsize=(width, max(5.0, height)), layout="constrained")
    areas = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    for area, (title, panels), rows in zip(areas, data.parts, heights, strict=True):
        if title:
            area.suptitle(title, fontsize=11)
        _draw_part(area, panels, rows, data.columns)
    figure.suptitle(data.title, fontsize=11)
    _legend(figure, _handles([panel for _, panels in data.parts for panel in panels]))
    return figure


def _handles(panels: Sequence[Curves]) -> list[Line2D]:
    """What the legend names: series and roles of lines that are drawn, and nothing else."""
    lines = [line for panel in panels for line in panel.lines if _is_drawn(panel, line)]
    kinds = panels[0].kinds
    if not kinds:
        handles = [Line2D([], [], **_look(line), label=line.name) for line in lines]
        if panels[0].chosen is not None:
            handles.append(_promise(panels[0].chosen_words))
        return handles
    looks = {
        line.series: line
        for line in sorted(lines, key=lambda line: (line.place or 0, not line.marks), reverse=True)
        if line.series
    }
    handles = [Line2D([], [], **_look(looks[name]), label=name) for name in reversed(looks)]
    for role, label in kinds.items():
        for line in [line for line in lines if line.role == role][:1]:
            several = {} if line.place is None else {"color": GREY}  # it stands for all series
            handles.append(Line2D([], [], **{**_look(line), "marker": "", **several}, label=label))
    if "spread" in kinds and any(line.low for line in lines):
        handles.append(Line2D([], [], color=GREY, lw=6, alpha=0.3, label=kinds["spread"]))
    if any(panel.boxed and any(any(line.broken) for line in panel.lines) for panel in panels):
        handles.append(Line2D([], [], color="black", linewidth=1.8, label=kinds["broken"]))
    return handles


def _look(line: Line) -> dict[str, Any]:
    """How a line is drawn, and shown in the legend."""
    style, width = STYLES[line.role]
    colour = ROLE_COLOURS.get(line.role, GREY)
    if line.place is not None:
        colour = COLOURS[line.place % len(COLOURS)]
    marker = MARKERS[(line.place or 0) % len(MARKERS)] if line.marks else ""
    return {"color": colour, "linestyle": style, "lw": width, "marker": marker}


def _is_drawn(panel: Curves, line: Line) -> bool:
    known = (value for value in line.y if value is not None and value < math.inf)
    return any(value > 0 or not panel.log_y or line.marks for value in known)


def _draw_part(area: SubFigure, panels: Sequence[Curves], rows: int, columns: int) -> None:
    grid = area.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    floor = floor_of(panels)
    for place, (axes, panel) in enumerate(zip(grid.flat, panels, strict=False)):
        _draw_panel(axes, panel, floor, 7 if columns > 1 else 9)
        if place + columns >= len(panels):  # nothing below it
            axes.set_xlabel(panel.x_title)
            axes.tick_params(labelbottom=True)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for axes in grid[:, 0]:
        axes.set_ylabel(panels[0].y_title)


def _draw_panel(axes: Axes, panel: Curves, floor: float, size: float) -> None:
    for line in panel.lines:
        _draw_line(axes, line, floor if panel.log_y else -math.inf, 0.6 if panel.kinds else 1.0)
    if panel.boxed:
        _frame_broken(axes, panel)
    if panel.log_x:
        axes.set_xscale("log")
    if panel.log_y:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_ylim(bottom=floor, top=panel.top)
    ticks = sorted({x for line in panel.lines for x in line.x})
    if len(ticks) <= MOST_TICKS:
        shown = _with_room(ticks) if panel.log_x else ticks
        axes.set_xticks(shown, [value_in_words(x) for x in shown])
        axes.minorticks_off()
    if panel.chosen is not None:
        axes.axvline(panel.chosen, color=RED, linestyle="--", lw=1.1)
    _shade(axes, panel)
    axes.tick_params(axis="x", labelsize=size)
    axes.tick_params(axis="y", labelsize=size + 1)
    axes.set_title(panel.title, fontsize=10)
    axes.grid(alpha=0.25)


def _shade(axes: Axes, panel: Curves) -> None:
    """Shade what lies beyond limits, up to where the axes end."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    if panel.most_x is not None and panel.most_x < right:
        axes.axvspan(panel.most_x, right, color=RED, alpha=0.08, lw=0)
    if panel.most_y is not None and panel.most_y < high:
        axes.axhspan(max(panel.most_y, low), high, color=RED, alpha=0.08, lw=0)
    if panel.most_x is not None or panel.most_y is not None:
        axes.set(xlim=(left, right), ylim=(low, high))


def _draw_line(axes: Axes, line: Line, floor: float, faint: float) -> None:
    look = _look(line)
    y = _drawable(line.y)
    if line.marks:
        y = np.maximum(y, floor)  # what was measured has a place on every axis
    axes.plot(line.x, y, **look, markersize=4.5, alpha=faint if line.role == "exact" else 1.0)
    if line.low:
        low, high = (np.maximum(_drawable(values), floor) for values in (line.low, line.high))
        axes.fill_between(line.x, low, high, color=look["color"], alpha=0.25, lw=0)


def _with_room(ticks: Sequence[float]) -> list[float]:
    """Leave out ticks of a logarithmic axis whose label would touch the next one."""
    room = LABEL_WIDTH * math.log(ticks[-1] / ticks[0])
    return [x for x, y in pairwise(ticks) if math.log(y / x) >= room] + [ticks[-1]]


def _frame_broken(axes: Axes, panel: Curves) -> None:
    """Draw the paper's rectangle around the points that lie above the promise."""
    claim = next(line for line in panel.lines if line.role == "claimed")
    promised = dict(zip(claim.x, claim.y, strict=True))
    broken = [
        (x, y, promised[x] or 0.0)
        for line in panel.lines
        if line.broken
        for x, y, is_broken in zip(line.x, line.y, line.broken, strict=True)
        if is_broken and y is not None
    ]
    if broken:
        x, y, claims = zip(*broken, strict=True)
        left, low = min(x) / 1.15, min(claims) / 1.1
        size = (max(x) * 1.15 - left, max(y) * 1.15 - low)
        frame = Rectangle((left, low), *size, fill=False, edgecolor="black", lw=1.8)
        axes.add_patch(frame)  # no series has this colour here


def floor_of(panels: Sequence[Curves]) -> float:
    """Where a logarithmic axis begins: below all exact values and the measured ones.

    Those below a twentieth of all exact values lie on its edge, and zeros do.
    """

    def positive(role: str) -> list[float]:
        lines = [line for panel in panels for line in panel.lines if line.role == role]
        return [value for line in lines for value in line.y if value is not None and value > 0]

    exact, measured = positive("exact"), positive("proven")
    least = min(exact or measured or [0.01])
    return max(0.05 * least, min(0.3 * least, 0.8 * min(measured or [least])))
