"""Figures drawn by matplotlib: one function for each kind of data. Nothing else imports it."""

import io
import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch
from io import BytesIO
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
from ldp_auditor.figures.styles import SCREEN, Style
from ldp_auditor.figures.words import value_in_words

try:
    give_matplotlib_room()
    from matplotlib import rc_context
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
COLOURS = (BLUE, "#007A5A", "#B8588E", "#A87600", "#3F97C9", "#3B1F8F", "#16202C")
"""Of the series, as on the pages: they differ in lightness, so that colour-blind readers tell them
apart; red is the promise's [Okabe08]."""
LIGHT_COLOURS = (GREY, "#BFBFBF")
"""Of bars of mechanisms that promise nothing."""
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
STEP_COLOURS = {"claimed": RED, "excess": DARK_RED, "proven": BLUE}
MOST_TICKS = 16
"""Places that have ticks of their own."""
LETTER = 0.6 / 72
"""Inches of a letter's width for each point of its size."""
NOTHING = "nothing proven, or below the axis"
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


def _sheet(width: float, height: float, style: Style) -> Figure:
    size = (width, height)
    return ShownFigure(figsize=size, layout="constrained", dpi=style.dots_per_inch)


def _title(figure: Figure, words: str, style: Style) -> None:
    """Write what the figure is about; in a journal that is what the caption is for."""
    if style.name == "paper":
        return
    letters = int(figure.get_figwidth() / (LETTER * style.letters))
    lines = [textwrap.fill(line, letters, break_on_hyphens=False) for line in words.split("\n")]
    figure.suptitle("\n".join(lines), fontsize=style.letters)


def _letters(axes: Axes, style: Style) -> None:
    """Give the axes letters of the style's size."""
    axes.tick_params(labelsize=style.small, width=0.8 * style.lines)
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set_fontsize(style.letters)
    for spine in axes.spines.values():
        spine.set_linewidth(0.8 * style.lines)


def _legend(figure: Figure, handles: Sequence[Artist], style: Style) -> None:
    """Put the legend below the figure, in as many columns as it has room for."""
    size = max(style.small, 0.85 * style.letters)
    width = figure.get_figwidth()
    most = int((width - 0.5) / (LETTER * size))
    for handle in handles:
        if isinstance(handle, Line2D):
            handle.set_linewidth(style.lines * handle.get_linewidth())
            handle.set_markersize(_mark_size(style) if handle.get_marker() != "_" else 1.2 * size)
        handle.set_label(textwrap.fill(str(handle.get_label()), most, break_on_hyphens=False))
    longest = max(len(part) for h in handles for part in str(h.get_label()).split("\n"))
    columns = int(width / (0.055 * size + 0.9 * LETTER * size * longest))
    columns = max(1, min(len(handles), columns))
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


@draw.register
def _(data: Bars, style: Style = SCREEN) -> Figure:
    count = len(data.series)
    width = style.width or max(7.0, (0.45 + 0.25 * count) * len(data.names) + 1.5)
    parts = _bars_in_rows(data, width, style)
    height = 4.6 if style.width is None else max(2.1, 0.45 * width)
    figure = _sheet(width, height + 1.4 * (len(parts) - 1), style)
    panels = figure.subplots(len(parts), 1, sharey=True, squeeze=False)[:, 0]
    for axes, part in zip(panels, parts, strict=True):
        _draw_row_of_bars(axes, part, (width, height), style)
    handles: list[Artist] = [
        Patch(color=COLOURS[series.place % len(COLOURS)], label=series.name)
        for series in data.series
    ]
    if any(claim < math.inf for claim in data.claimed):
        handles.insert(0, _promise(data.claimed_name))
    pairs = (zip(series.measured, data.claimed, strict=True) for series in data.series)
    if any((value or 0.0) > claim for values in pairs for value, claim in values):
        handles.append(Patch(color=DARK_RED, label="more than the claim allows"))
    if data.unclaimed_name:
        handles.append(Patch(color=LIGHT_COLOURS[0], label=data.unclaimed_name))
    if any(value is not None for series in data.series for value in series.exact):
        tick = Line2D([], [], color="black", marker="_", ms=12, ls="", label=data.exact_name)
        handles.append(tick)
    _legend(figure, handles, style)
    _title(figure, data.title, style)
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
    _letters(axes, style)
    axes.spines[["top", "right"]].set_visible(False)


def _promise(label: str) -> Line2D:
    return Line2D([], [], color=RED, linestyle="--", label=label)


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
    axes.scatter(places, _drawable(series.exact), marker="_", s=ticks, c="black", zorder=3)
    longest = max(map(len, series.words), default=0) * LETTER * style.small
    turned = longest > 1.15 * inches
    tall = 1.1 * longest / sheet[1] / 0.6 if turned else 0.07
    for x, height, words, colour in zip(places, heights, series.words, colours, strict=True):
        # A white ground, because the exact value's tick may lie behind the number.
        ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.8}
        look: dict[str, Any] = {"va": "bottom", "rotation": 90 * turned, "bbox": ground}
        if height > tall * data.top:  # it has room inside
            seen = "black" if colour == light else "white"
            look |= {"va": "top", "xytext": (0, -3), "color": seen, "bbox": None}
        _write(axes, words, (x, min(height, data.top)), fontsize=style.small, **look)


def _write(axes: Axes, words: str, end: tuple[float, float], **look: Any) -> None:
    """Write above the end of a bar, or where `look` says."""
    usual = {"xytext": (0, 3), "textcoords": "offset points", "ha": "center"}
    axes.annotate(words, end, **(usual | look))


def _drawable(values: Numbers) -> NDArray[np.float64]:
    """Values with a gap where there is none, or an infinite one."""
    return np.array([v if v is not None and v < math.inf else math.nan for v in values])


@draw.register
def _(data: GapAccount, style: Style = SCREEN) -> Figure:
    count = len(data.waterfalls)
    side_by_side = style.width is None or style.width / count > 1.6 * style.panel
    across = count if side_by_side else 1
    width = style.width or 5.2 * count
    down = count // across
    height = 4.0 if style.width is None else max(0.3 * style.letters, 0.62 * width / across) * down
    figure = _sheet(width, height, style)
    panels = figure.subplots(down, across, sharey=True, squeeze=False)
    top = 1.14 * data.top
    wide = int((width / across - 0.5) / 5 / (LETTER * style.small))
    for axes, fall in zip(panels.flat, data.waterfalls, strict=True):
        for place, step in enumerate(fall.steps):
            _draw_step(axes, place, step, top, style)
        labels = [textwrap.fill(step.label, max(8, wide)) for step in fall.steps]
        axes.set_xticks(range(len(labels)), labels)
        axes.set_title(fall.name, fontsize=style.letters)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels[:, 0]:
        axes.set_ylabel("epsilon")
    for axes in panels.flat:
        _letters(axes, style)
    panels[0, 0].set_ylim(0, top)
    _title(figure, data.title, style)
    return figure


def _draw_step(axes: Axes, place: int, step: Step, top: float, style: Style) -> None:
    """Draw a bar between two levels, and a line to it from the level before."""
    low, high = sorted((min(step.start, top), min(step.end, top)))
    axes.bar(place, high - low, bottom=low, color=STEP_COLOURS.get(step.kind, GREY), width=0.7)
    if 0 < step.start < math.inf:
        axes.plot([place - 1.35, place + 0.35], [step.start, step.start], color="black", lw=0.8)
    _write(axes, step.words, (place, min(high, 0.95 * top)), fontsize=style.small)


@draw.register
def _(data: Curves, style: Style = SCREEN) -> Figure:
    return draw(Panels(data.title, [("", [replace(data, title="")])], 1), style)


@draw.register
def _(data: Panels, style: Style = SCREEN) -> Figure:
    most = max(len(panels) for _, panels in data.parts)
    columns = data.columns
    if style.width is not None:
        columns = min(columns, most, max(1, int(style.width / style.panel)))
        columns = math.ceil(most / math.ceil(most / columns))  # as many in every row
    rows = [-(-len(panels) // columns) for _, panels in data.parts]
    width = style.width or max(7.6, style.panel * columns)
    wide = width / columns
    row = max(1.15, 0.62 * min(wide, max(3.5, width / 2)))
    if style.width is None:
        row = max(2.5, 4.5 / sum(rows))
    height = row * sum(rows) + 0.03 * style.letters * (len(rows) + 1) + 0.2
    figure = _sheet(width, height, style)
    areas = figure.subfigures(len(rows), 1, height_ratios=rows, squeeze=False)[:, 0]
    for area, (title, panels), count in zip(areas, data.parts, rows, strict=True):
        if title:
            area.suptitle(title, fontsize=style.letters)
        _draw_part(area, panels, (count, columns), (wide, row), style)
    _title(figure, data.title, style)
    every = [panel for _, panels in data.parts for panel in panels]
    zeros = any(_has_zeros(panels) for _, panels in data.parts)
    _legend(figure, _handles(every, zeros), style)
    return figure


def _has_zeros(panels: Sequence[Curves]) -> bool:
    """Whether marks lie on the lower end of a logarithmic axis."""
    floor = floor_of(panels)
    marked = (line for panel in panels if panel.log_y for line in panel.lines if line.marks)
    return any(value is not None and value < floor for line in marked for value in line.y)


def _handles(panels: Sequence[Curves], zeros: bool) -> list[Line2D]:
    """What the legend names: series and roles of lines that are drawn, and nothing else."""
    lines = [line for panel in panels for line in panel.lines if _is_drawn(panel, line)]
    kinds = panels[0].kinds
    if not kinds:
        names = {line.name: line for line in reversed(lines)}  # once, though in several panels
        handles = [Line2D([], [], **_look(names[name]), label=name) for name in reversed(names)]
        if panels[0].chosen is not None:
            handles.append(_promise(panels[0].chosen_words))
        return handles + _nothing_proven(zeros)
    looks = {
        line.series: line
        for line in sorted(lines, key=lambda line: (line.place or 0, not line.marks), reverse=True)
        if line.series
    }
    handles = [Line2D([], [], **_look(looks[name]), label=name) for name in reversed(looks)]
    for role, label in kinds.items():
        mine = [line for line in lines if line.role == role]
        for line in mine[:1]:
            several = {} if line.place is None else {"color": GREY}  # it stands for all series
            handles.append(Line2D([], [], **{**_look(line), "marker": "", **several}, label=label))
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


def _look(line: Line) -> dict[str, Any]:
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


def _mark_size(style: Style) -> float:
    return 4.5 * max(0.7, style.lines)


def _is_drawn(panel: Curves, line: Line) -> bool:
    known = (value for value in line.y if value is not None and value < math.inf)
    return any(value > 0 or not panel.log_y or line.marks for value in known)


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
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    most = int(high / (LETTER * style.letters))
    for axes in grid[:, 0]:
        axes.set_ylabel(textwrap.fill(panels[0].y_title, max(most, 8)))
    for axes in grid.flat:
        _letters(axes, style)


def _draw_panel(axes: Axes, panel: Curves, floor: float, room: float, style: Style) -> None:
    """Draw a panel that is `room` inches wide."""
    for line in panel.lines:
        faint = 0.6 if panel.kinds else 1.0
        _draw_line(axes, line, floor if panel.log_y else -math.inf, faint, style)
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


def _draw_line(axes: Axes, line: Line, floor: float, faint: float, style: Style) -> None:
    look = _look(line)
    look["lw"] *= style.lines
    y = _drawable(line.y)
    size = _mark_size(style)
    if line.marks:
        zero = y < floor
        y = np.maximum(y, floor)  # what was measured has a place on every axis
        open_marks = {**look, "ls": "", "markerfacecolor": "white", "zorder": 3}
        del open_marks["linestyle"]
        if zero.any():
            axes.plot(np.array(line.x)[zero], y[zero], **open_marks, markersize=size)
    axes.plot(line.x, y, **look, markersize=size, alpha=faint if line.role == "exact" else 1.0)
    if line.low:
        low, high = (np.maximum(_drawable(values), floor) for values in (line.low, line.high))
        axes.fill_between(line.x, low, high, color=look["color"], alpha=0.25, lw=0)


def _with_room(ticks: Sequence[float], is_log: bool, letters: float) -> list[float]:
    """Leave out ticks whose label would touch another one on an axis of so many `letters`."""
    if len(ticks) < 2:
        return list(ticks)
    scale = np.log if is_log else np.asarray
    first, last = float(scale(ticks[0])), float(scale(ticks[-1]))

    def ends(x: float) -> tuple[float, float]:
        middle = 0.9 * letters * (float(scale(x)) - first) / (last - first)
        half = (len(value_in_words(x)) + 1) / 2
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
