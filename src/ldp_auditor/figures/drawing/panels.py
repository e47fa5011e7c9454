"""Curves, and panels of curves that share their axes."""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogLocator

from ldp_auditor.figures.data import Curves, Panels
from ldp_auditor.figures.drawing.legend import handles_of, put_legend
from ldp_auditor.figures.drawing.lines import CHOSEN, draw_line, floor_of
from ldp_auditor.figures.drawing.sheet import (
    GREY,
    LETTER,
    RED,
    draw,
    new_sheet,
    set_letters,
    write_title,
)
from ldp_auditor.figures.styles import SCREEN, Style
from ldp_auditor.figures.words import value_in_words

MOST_TICKS = 16
"""Places that have ticks of their own."""

FEW_DECADES = 200.0
"""Factor between the ends of a vertical axis that is still marked within its decades."""


@draw.register
def _(data: Curves, style: Style = SCREEN) -> Figure:
    return draw(Panels(data.title, [("", [replace(data, title="")])], 1), style)


@draw.register
def _(data: Panels, style: Style = SCREEN) -> Figure:
    columns, rows, row = _arranged(data, style)
    width = style.width or max(7.6, style.panel * columns)
    wide = width / columns
    height = _height(rows, row, style)
    figure = new_sheet(width, height, style)
    areas = figure.subfigures(len(rows), 1, height_ratios=rows, squeeze=False)[:, 0]
    for area, (title, panels), count in zip(areas, data.parts, rows, strict=True):
        if title:
            area.suptitle(title, fontsize=style.letters)
        _draw_part(area, panels, (count, columns), (wide, row), style)
    write_title(figure, data.title, style)
    every = [panel for _, panels in data.parts for panel in panels]
    zeros = any(_has_zeros(panels) for _, panels in data.parts)
    put_legend(figure, handles_of(every, zeros), style)
    return figure


def _arranged(data: Panels, style: Style) -> tuple[int, list[int], float]:
    """Panels beside each other, rows of panels of every part, and how many inches high a row is.

    Rows that would together be higher than a page are lower.
    """
    most = max(len(panels) for _, panels in data.parts)
    columns = data.columns
    if style.width is not None:
        columns = min(columns, most, max(1, int(style.width / style.panel)))
        columns = math.ceil(most / math.ceil(most / columns))  # as many in every row
    rows = [-(-len(panels) // columns) for _, panels in data.parts]
    if style.width is None:
        return columns, rows, max(2.5, 4.5 / sum(rows))
    row = max(1.15, 0.62 * min(style.width / columns, max(3.5, style.width / 2)))
    room = style.page - _height(rows, 0.0, style)
    return columns, rows, min(row, max(LEAST_ROW, room / sum(rows)))


LEAST_ROW = 0.7
"""Inches of a row of panels in which lines can still be told apart."""


def _height(rows: Sequence[int], row: float, style: Style) -> float:
    """Inches of a figure whose parts have so many `rows`, without its legend."""
    return row * sum(rows) + 0.03 * style.letters * (len(rows) + 1) + 0.2


def _has_zeros(panels: Sequence[Curves]) -> bool:
    """Whether marks lie on the lower end of a logarithmic axis."""
    floor = floor_of(panels)
    marked = (line for panel in panels if panel.log_y for line in panel.lines if line.marks)
    return any(value is not None and value < floor for line in marked for value in line.y)


def _draw_part(
    area: SubFigure,
    panels: Sequence[Curves],
    counts: tuple[int, int],
    size: tuple[float, float],
    style: Style,
) -> None:
    """Draw panels in so many rows and columns, each as many inches wide and high as `size`."""
    (rows, columns), (wide, high) = counts, size
    grid = area.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    floor = floor_of(panels)
    room = wide - 0.06 * style.letters
    for place, (axes, panel) in enumerate(zip(grid.flat, panels, strict=False)):
        _draw_panel(axes, panel, floor, room, style)
        if place + columns >= len(panels):  # nothing below it
            axes.set_xlabel(panel.x_title)
            axes.tick_params(labelbottom=True)
    highest = max(axes.dataLim.ymax for axes in grid.flat[: len(panels)])
    if panels[0].log_y and panels[0].top is None and highest > grid[0, 0].get_ylim()[1]:
        grid[0, 0].set_ylim(top=1.2 * highest)  # of all panels, not of the first
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    most = int(high / (LETTER * style.letters))
    for axes in grid[:, 0]:
        axes.set_ylabel(textwrap.fill(panels[0].y_title, max(most, 8)))
    for axes in grid.flat:
        set_letters(axes, style)
    _mark_few_decades(grid[0, 0])


def _mark_few_decades(axes: Axes) -> None:
    """Give a logarithmic axis of a decade or two ticks at 1, 2 and 5: it would have one or two."""
    low, high = axes.get_ylim()
    if axes.get_yscale() == "log" and high / low < FEW_DECADES:
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))


def _draw_panel(axes: Axes, panel: Curves, floor: float, room: float, style: Style) -> None:
    """Draw a panel that is `room` inches wide."""
    for line in panel.lines:
        faint = 0.6 if panel.kinds else 1.0
        draw_line(axes, line, floor if panel.log_y else -math.inf, faint, style)
    if panel.boxed:
        _frame_broken(axes, panel)
    if panel.log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(_in_words)
    if panel.log_y:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(_in_words)
        axes.set_ylim(bottom=0.8 * floor, top=panel.top)  # marks on the floor are whole
    ticks = sorted({x for line in panel.lines for x in line.x})
    if len(ticks) <= MOST_TICKS:
        shown = _with_room(ticks, panel.log_x, room / (LETTER * style.small))
        axes.set_xticks(shown, [value_in_words(x) for x in shown])
        axes.minorticks_off()
    if panel.chosen is not None:
        look = CHOSEN if panel.kinds else {"color": RED, "linestyle": "--"}
        axes.axvline(panel.chosen, **look, lw=1.1 * style.lines)
    _shade(axes, panel)
    if panel.note:
        words = textwrap.fill(panel.note, max(int(0.9 * room / (LETTER * style.small)), 12))
        corner: dict[str, Any] = {
            "ha": "right",
            "va": "bottom",
            "color": GREY,
            "fontsize": style.small,
            "zorder": 0,  # lines are more important
        }
        axes.text(0.98, 0.03, words, transform=axes.transAxes, **corner)
    axes.set_title(panel.title, fontsize=style.letters, pad=3)
    axes.grid(alpha=0.25, lw=0.8 * style.lines)


def _in_words(value: float, _: float = 0.0) -> str:
    """A tick as the legend writes numbers; powers of ten would have letters that are too small."""
    return value_in_words(float(f"{value:.6g}"))


def _shade(axes: Axes, panel: Curves) -> None:
    """Shade what lies beyond limits, up to where the axes end."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    if panel.most_x is not None and panel.most_x < right:
        axes.axvspan(panel.most_x, right, color=RED, alpha=0.08, lw=0)
    if panel.most_y is not None and panel.most_y < high:
        axes.axhspan(max(panel.most_y, low), high, color=RED, alpha=0.08, lw=0)
    if panel.most_x is not None or panel.most_y is not None:
        axes.set(xlim=(left, right), ylim=(low, high))


def _with_room(ticks: Sequence[float], is_log: bool, letters: float) -> list[float]:
    """Leave out ticks whose label would touch another one on an axis of so many `letters`."""
    if len(ticks) < 2:
        return list(ticks)
    scale = np.log if is_log else np.asarray
    first, last = float(scale(ticks[0])), float(scale(ticks[-1]))

    def ends(x: float) -> tuple[float, float]:
        middle = 0.9 * letters * (float(scale(x)) - first) / (last - first)
        words = value_in_words(x)
        half = (len(words) - 0.5 * words.count(".") + 0.8) / 2  # a point is narrow
        return middle - half, middle + half

    shown = [ticks[0]]
    for x in ticks[1:-1]:
        if ends(shown[-1])[1] <= ends(x)[0] and ends(x)[1] <= ends(ticks[-1])[0]:
            shown.append(x)
    return [*shown, ticks[-1]]


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
