"""Bars of several mechanisms side by side."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ldp_auditor.figures.data import Bars
from ldp_auditor.figures.drawing.legend import put_legend
from ldp_auditor.figures.drawing.sheet import (
    COLOURS,
    DARK_RED,
    GREY,
    LETTER,
    RED,
    draw,
    drawable,
    new_sheet,
    promise_line,
    set_letters,
    write_beside,
    write_title,
)
from ldp_auditor.figures.styles import SCREEN, Style

LIGHT_COLOURS = (GREY, "#BFBFBF")
"""Of bars of mechanisms that promise nothing."""


@draw.register
def _(data: Bars, style: Style = SCREEN) -> Figure:
    count = len(data.series)
    width = style.width or max(7.0, (0.45 + 0.25 * count) * len(data.names) + 1.5)
    parts = _bars_in_rows(data, width, style)
    height = 4.6 if style.width is None else max(2.1, 0.45 * width)
    figure = new_sheet(width, height + 1.4 * (len(parts) - 1), style)
    panels = figure.subplots(len(parts), 1, sharey=True, squeeze=False)[:, 0]
    for axes, part in zip(panels, parts, strict=True):
        _draw_row_of_bars(axes, part, (width, height), style)
    handles: list[Artist] = [
        Patch(color=COLOURS[series.place % len(COLOURS)], label=series.name)
        for series in data.series
    ]
    if any(claim < math.inf for claim in data.claimed):
        handles.insert(0, promise_line(data.claimed_name))
    pairs = (zip(series.measured, data.claimed, strict=True) for series in data.series)
    if any((value or 0.0) > claim for values in pairs for value, claim in values):
        handles.append(Patch(color=DARK_RED, label="more than the claim allows"))
    if data.unclaimed_name:
        handles.append(Patch(color=LIGHT_COLOURS[0], label=data.unclaimed_name))
    if any(value is not None for series in data.series for value in series.exact):
        look: dict[str, Any] = {"marker": "_", "ms": 12 * style.lines, "mew": style.lines}
        tick = Line2D([], [], color="black", ls="", label=data.exact_name, **look)
        handles.append(tick)
    put_legend(figure, handles, style)
    write_title(figure, data.title, style)
    return figure


def _bars_in_rows(data: Bars, width: float, style: Style) -> list[Bars]:
    """The same bars in as many rows as leave room for a number at every bar."""
    least = 1.15 * style.small / 72 * len(data.series) / 0.72
    most = max(1, int((width - 0.8) / least))
    names = len(data.names)
    rows = -(-names // most)
    each = -(-names // rows)
    return [_some_bars(data, slice(at, at + each)) for at in range(0, names, each)]


def _some_bars(data: Bars, part: slice) -> Bars:
    columns = ("measured", "words", "exact", "deviation")
    series = [
        replace(mine, **{name: getattr(mine, name)[part] for name in columns})
        for mine in data.series
    ]
    shown = {name: getattr(data, name)[part] for name in ("names", "claimed", "worst")}
    return replace(data, series=series, **shown)


def _draw_row_of_bars(axes: Axes, data: Bars, sheet: tuple[float, float], style: Style) -> None:
    """Draw bars beside each other on a sheet that is as many inches wide and high."""
    for index in range(len(data.series)):
        _draw_bars(axes, data, index, sheet, style)
    promises = [(x, claim) for x, claim in enumerate(data.claimed) if claim < math.inf]
    dashed: dict[str, Any] = {"color": RED, "linestyle": "--", "lw": 1.5 * style.lines}
    if len({claim for _, claim in promises}) == 1:
        axes.axhline(promises[0][1], **dashed)
    else:
        for x, claim in promises:
            axes.plot([x - 0.46, x + 0.46], [claim, claim], **dashed)
    room = (sheet[0] - 0.8) / len(data.names)
    turned = max(map(len, data.names)) * LETTER * style.small > room
    look: dict[str, Any] = (
        {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if turned else {}
    )
    axes.set_xticks(range(len(data.names)), data.names, **look)
    axes.set_xlim(-0.6, len(data.names) - 0.4)
    axes.set_ylim(0, data.top)
    axes.set_ylabel(data.value_title)
    set_letters(axes, style)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_bars(
    axes: Axes, data: Bars, index: int, sheet: tuple[float, float], style: Style
) -> None:
    """Draw the bars of one series; its numbers stand at the ends of their own bars.

    The `sheet` is as many inches wide and high.
    """
    series, count = data.series[index], len(data.series)
    places = np.arange(len(data.names)) + (index - (count - 1) / 2) * 0.8 / count
    light, own = LIGHT_COLOURS[index % 2], COLOURS[series.place % len(COLOURS)]
    heights = [min(value or 0.0, data.top) for value in series.measured]
    colours = [
        light if claim == math.inf else DARK_RED if height > claim else own
        for height, claim in zip(heights, data.claimed, strict=True)
    ]
    spread = [value or 0.0 for value in series.deviation] or None
    axes.bar(places, heights, color=colours, width=0.72 / count, yerr=spread)
    inches = (sheet[0] - 0.8) / len(data.names) * 0.72 / count
    ticks = (72 * inches) ** 2
    marks: dict[str, Any] = {"marker": "_", "c": "black", "linewidths": 1.5 * style.lines}
    axes.scatter(places, drawable(series.exact), s=ticks, zorder=3, **marks)
    longest = max(map(len, series.words), default=0) * LETTER * style.small
    turned = longest > 1.15 * inches
    arrow = "{} →" if turned else "↑\n{}"  # turned, both point upwards
    is_cut = [(value or 0.0) > data.top for value in series.measured]
    numbers = [
        arrow.format(words) if cut else words
        for words, cut in zip(series.words, is_cut, strict=True)
    ]
    tall = 1.1 * longest / sheet[1] / 0.6 if turned else 0.07
    for x, height, words, colour, cut in zip(
        places, heights, numbers, colours, is_cut, strict=True
    ):
        # A ground, because the exact value's tick or the promise may lie behind the number.
        ground = {"facecolor": colour if cut else "white", "edgecolor": "none", "pad": 0.4}
        ground["alpha"] = 1.0 if cut else 0.8
        look: dict[str, Any] = {"va": "bottom", "rotation": 90 * turned, "bbox": ground}
        if height > tall * data.top:  # it has room inside
            seen = "black" if colour == light else "white"
            look |= {"va": "top", "xytext": (0, -3), "color": seen, "bbox": ground if cut else None}
        write_beside(axes, words, (x, height), fontsize=style.small, **look)
