"""One line of a figure: how it looks, on the axes and in the legend."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.typing import LineStyleType

from ldp_auditor.figures.data import Curves, Line
from ldp_auditor.figures.drawing.sheet import (
    COLOURS,
    GREY,
    RED,
    drawable,
)
from ldp_auditor.figures.styles import Style

MARKERS = "osD^vPX"
DASHES: tuple[LineStyleType, ...] = ("-", (0, (6, 1.5)), (0, (2, 1.5)))
"""Of lines whose points are marked: a place has a colour, a mark and a dash (`identity.py`)."""
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
CHOSEN: dict[str, Any] = {"color": GREY, "linestyle": (0, (1, 2))}
"""How a chosen place is marked beside lines that promise something."""


def look_of(line: Line) -> dict[str, Any]:
    """How a line is drawn, and shown in the legend."""
    style, width = STYLES[line.role]
    colour = ROLE_COLOURS.get(line.role, GREY)
    if line.place is not None:
        colour = COLOURS[line.place % len(COLOURS)]
    marker = ""
    if line.marks:
        place = line.place or 0
        around = place // len(COLOURS)
        marker = MARKERS[(place + around) % len(MARKERS)]
        style = DASHES[(around + place // (len(COLOURS) * len(MARKERS))) % len(DASHES)]
    return {"color": colour, "linestyle": style, "lw": width, "marker": marker}


def draw_line(axes: Axes, line: Line, floor: float, faint: float, style: Style) -> None:
    """Draw a line whose marks have a place from `floor` on; exact ones as `faint` as told."""
    look = look_of(line)
    look["lw"] *= style.lines
    y = drawable(line.y)
    size = style.marks
    if line.marks:
        zero = y < floor
        y = np.maximum(y, floor)  # what was measured has a place on every axis
        open_marks = {**look, "ls": "", "markerfacecolor": "white", "zorder": 3}
        del open_marks["linestyle"]
        if zero.any():
            axes.plot(np.array(line.x)[zero], y[zero], **open_marks, markersize=size)
    axes.plot(line.x, y, **look, markersize=size, alpha=faint if line.role == "exact" else 1.0)
    if line.low:
        low, high = (np.maximum(drawable(values), floor) for values in (line.low, line.high))
        axes.fill_between(line.x, low, high, color=look["color"], alpha=0.25, lw=0)


def floor_of(panels: Sequence[Curves]) -> float:
    """Where a logarithmic axis begins: below all exact values and the measured ones.

    Those below a twentieth of all exact values lie on its edge, and zeros do, a little deeper.
    """

    def known(role: str) -> list[float]:
        lines = [line for panel in panels for line in panel.lines if line.role == role]
        return [value for line in lines for value in line.y if value is not None]

    def positive(role: str) -> list[float]:
        return [value for value in known(role) if value > 0]

    exact, measured = positive("exact"), positive("proven")
    least = min(exact or measured or [0.01])
    highest = 0.3 * least if 0 in known("proven") else 0.8 * least
    return max(0.05 * least, min(highest, 0.8 * min(measured or [least])))
