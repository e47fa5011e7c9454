"""What every drawn figure shares: the sheet, its letters and colours, and how it is written."""

import io
import math
import textwrap
from functools import singledispatch
from io import BytesIO
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from ldp_auditor.errors import AuditError
from ldp_auditor.figures.data import FigureData, Numbers
from ldp_auditor.figures.styles import SCREEN, Style

BLUE, GREY, RED, DARK_RED = "#0072B2", "#8C8C8C", "#D55E00", "#A01C00"
COLOURS = (BLUE, "#007A5A", "#B8588E", "#A87600", "#3F97C9", "#3B1F8F", "#16202C")
"""Of the series, as on the pages: they differ in lightness, so that colour-blind readers tell them
apart; red is the promise's [Okabe08]."""
LETTER = 0.6 / 72
"""Inches of a letter's width for each point of its size."""
SAVED: dict[Any, Any] = {
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "ldp",
}
"""Letters stay letters: journals refuse Type 3 fonts, and text in SVG can be searched."""


@singledispatch
def draw(data: FigureData, style: Style = SCREEN) -> Figure:
    """Draw figure data in a style."""
    raise AuditError(f"{type(data).__name__} is not drawn")


class ShownFigure(Figure):
    """A figure that a notebook shows, also where nothing has told it of matplotlib."""

    def _repr_png_(self) -> bytes:
        drawn = io.BytesIO()
        self.savefig(drawn, dpi=100, format="png")
        return drawn.getvalue()


def file_types() -> list[str]:
    """How the name of a figure's file may end."""
    return sorted(Figure().canvas.get_supported_filetypes())


def written(figure: Figure, file_type: str) -> bytes:
    """Return the file of a figure, the same bytes every time."""
    drawn = BytesIO()
    undated = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(file_type)
    with rc_context(SAVED):
        figure.savefig(drawn, dpi=figure.dpi, format=file_type, metadata=undated)
    figure.set_layout_engine("none")  # the next format has the places that were found now
    return drawn.getvalue()


def new_sheet(width: float, height: float, style: Style) -> Figure:
    """Begin a figure that is as many inches wide and high."""
    size = (width, height)
    return ShownFigure(figsize=size, layout="constrained", dpi=style.dots_per_inch)


def write_title(figure: Figure, words: str, style: Style) -> None:
    """Write what the figure is about; in a journal that is what the caption is for."""
    if style.name == "paper":
        return
    letters = int(figure.get_figwidth() / (LETTER * style.letters))
    lines = [textwrap.fill(line, letters, break_on_hyphens=False) for line in words.split("\n")]
    figure.suptitle("\n".join(lines), fontsize=style.letters)


def set_letters(axes: Axes, style: Style) -> None:
    """Give the axes letters of the style's size."""
    axes.tick_params(labelsize=style.small, width=0.8 * style.lines)
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set_fontsize(style.letters)
    for spine in axes.spines.values():
        spine.set_linewidth(0.8 * style.lines)


def promise_line(label: str) -> Line2D:
    """What the legend shows for the promise."""
    return Line2D([], [], color=RED, linestyle="--", label=label)


def write_beside(axes: Axes, words: str, end: tuple[float, float], **look: Any) -> None:
    """Write above the end of a bar, or where `look` says."""
    usual = {"xytext": (0, 3), "textcoords": "offset points", "ha": "center"}
    axes.annotate(words, end, **(usual | look))


def drawable(values: Numbers) -> NDArray[np.float64]:
    """Values with a gap where there is none, or an infinite one."""
    return np.array([v if v is not None and v < math.inf else math.nan for v in values])
