"""The legend below a figure: what it names, and how much room it takes."""

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ldp_auditor.figures.data import Curves, Line
from ldp_auditor.figures.drawing.lines import CHOSEN, look_of
from ldp_auditor.figures.drawing.sheet import GREY, LETTER, promise_line
from ldp_auditor.figures.styles import Style

NOTHING = "nothing proven, or below the axis"


def put_legend(figure: Figure, handles: Sequence[Artist], style: Style) -> None:
    """Put the legend below the figure, in as many columns as it has room for."""
    size = max(style.small, 0.85 * style.letters)
    width = figure.get_figwidth()
    most = int((width - 0.5) / (LETTER * size))
    for handle in handles:
        if isinstance(handle, Line2D):
            handle.set_linewidth(style.lines * handle.get_linewidth())
            handle.set_markersize(style.marks if handle.get_marker() != "_" else 1.2 * size)
        handle.set_label(textwrap.fill(str(handle.get_label()), most, break_on_hyphens=False))
    columns = _columns([str(handle.get_label()) for handle in handles], width / size)
    if style.width is not None:  # what is drawn keeps its height
        rows = -(-len(handles) // columns)
        figure.set_figheight(figure.get_figheight() + rows * 1.6 * size / 72)
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize=size,
    )


def _columns(labels: Sequence[str], width: float) -> int:
    """Return how many columns fit into as many inches for each point of a letter's size.

    Labels fill one column after the other, the first ones with one more if that does not come
    out even; a column is as wide as its longest label.
    """
    letters = [max(map(len, label.split("\n"))) for label in labels]

    def needed(columns: int) -> float:
        parts = np.array_split(letters, columns)
        return sum(0.066 + 0.92 * LETTER * float(part.max()) for part in parts)

    rows = {n: -(-len(labels) // n) for n in range(1, len(labels) + 1) if needed(n) <= width}
    return min(rows, key=lambda n: (rows[n], n), default=1)


def handles_of(panels: Sequence[Curves], zeros: bool) -> list[Line2D]:
    """What the legend names: series and roles of lines that are drawn, and nothing else."""
    lines = [line for panel in panels for line in panel.lines if _is_drawn(panel, line)]
    kinds = panels[0].kinds
    if not kinds:
        names = {line.name: line for line in reversed(lines)}  # once, though in several panels
        handles = [Line2D([], [], **look_of(names[name]), label=name) for name in reversed(names)]
        if panels[0].chosen is not None:
            handles.append(promise_line(panels[0].chosen_words))
        return handles + _nothing_proven(zeros)
    looks = {
        line.series: line
        for line in sorted(lines, key=lambda line: (line.place or 0, not line.marks), reverse=True)
        if line.series
    }
    handles = [Line2D([], [], **look_of(looks[name]), label=name) for name in reversed(looks)]
    for role, label in kinds.items():
        mine = [line for line in lines if line.role == role]
        for line in mine[:1]:
            several = {} if line.place is None else {"color": GREY}  # it stands for all series
            look = {**look_of(line), "marker": "", **several}
            handles.append(Line2D([], [], **look, label=label))
    if "spread" in kinds and any(line.low for line in lines):
        handles.append(Line2D([], [], color=GREY, lw=6, alpha=0.3, label=kinds["spread"]))
    if any(panel.boxed and any(any(line.broken) for line in panel.lines) for panel in panels):
        handles.append(Line2D([], [], color="black", linewidth=1.8, label=kinds["broken"]))
    if panels[0].chosen is not None:
        handles.append(Line2D([], [], **CHOSEN, label=panels[0].chosen_words))
    return handles + _nothing_proven(zeros)


def _nothing_proven(zeros: bool) -> list[Line2D]:
    look: dict[str, Any] = {"color": GREY, "ls": "", "marker": "o", "markerfacecolor": "white"}
    return [Line2D([], [], **look, label=NOTHING)] if zeros else []


def _is_drawn(panel: Curves, line: Line) -> bool:
    known = (value for value in line.y if value is not None and value < math.inf)
    return any(value > 0 or not panel.log_y or line.marks for value in known)
