"""The account of a gap: steps from the promise down to the proof."""

import math
import textwrap

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ldp_auditor.figures.data import GapAccount, Step
from ldp_auditor.figures.drawing.sheet import (
    COLOURS,
    DARK_RED,
    GREY,
    LETTER,
    RED,
    draw,
    new_sheet,
    set_letters,
    write_beside,
    write_title,
)
from ldp_auditor.figures.styles import SCREEN, Style

STEP_COLOURS = {"claimed": RED, "excess": DARK_RED}
"""Of steps that look the same for every attack; what was proven has the colour of its attack."""


@draw.register
def _(data: GapAccount, style: Style = SCREEN) -> Figure:
    count = len(data.waterfalls)
    side_by_side = style.width is None or style.width / count > 1.6 * style.panel
    across = count if side_by_side else 1
    width = style.width or 5.2 * count
    down = count // across
    height = 4.0 if style.width is None else max(0.3 * style.letters, 0.62 * width / across) * down
    figure = new_sheet(width, height, style)
    panels = figure.subplots(down, across, sharey=True, squeeze=False)
    top = 1.14 * data.top
    wide = int((width / across - 0.5) / 5 / (LETTER * style.small))
    for axes, fall in zip(panels.flat, data.waterfalls, strict=True):
        colours = {**STEP_COLOURS, "proven": COLOURS[fall.place % len(COLOURS)]}
        for place, step in enumerate(fall.steps):
            _draw_step(axes, place, step, top, colours.get(step.kind, GREY), style)
        labels = [textwrap.fill(step.label, max(8, wide)) for step in fall.steps]
        axes.set_xticks(range(len(labels)), labels)
        axes.set_title(fall.name, fontsize=style.letters)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels[:, 0]:
        axes.set_ylabel("epsilon")
    for axes in panels.flat:
        set_letters(axes, style)
    panels[0, 0].set_ylim(0, top)
    write_title(figure, data.title, style)
    return figure


def _draw_step(axes: Axes, place: int, step: Step, top: float, colour: str, style: Style) -> None:
    """Draw a bar between two levels, and a line to it from the level before."""
    low, high = sorted((min(step.start, top), min(step.end, top)))
    axes.bar(place, high - low, bottom=low, color=colour, width=0.7)
    if 0 < step.start < math.inf:
        axes.plot([place - 1.35, place + 0.35], [step.start, step.start], color="black", lw=0.8)
    write_beside(axes, step.words, (place, min(high, 0.95 * top)), fontsize=style.small)
