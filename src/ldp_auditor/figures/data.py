"""What figures show, before anything is drawn: numbers, names of series, words and scales.

`drawing/` draws each class once with matplotlib; a page's `drawing.js` draws what `to_plain`
gives. Neither averages, names or formats anything.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ldp_auditor.figures.words import digits, plain, value_in_words

Numbers = Sequence[float | None]
Table = tuple[Sequence[str], Sequence[Sequence[str]]]
"""The head of a table and its rows."""


@dataclass(frozen=True)
class FigureData:
    """Anything that can be drawn."""

    kind: ClassVar[str]
    """By which a page's script knows how to draw it."""
    height: ClassVar[int] = 400
    """Pixels that a page keeps free for it."""
    number_format: ClassVar[str] = ".4f"
    """Of numbers that a page shows beside the pointer."""
    title: str

    def table(self) -> Table:
        """The numbers of the figure as text."""
        return (), ()

    def to_plain(self, text: Callable[[str], str] = str, digits: int = 6) -> dict[str, Any]:
        """Return JSON values: every string through `text`, every number in few `digits`."""
        head, rows = self.table()
        own = {name: getattr(self, name) for name in ("kind", "height", "number_format")}
        whole = {**vars(self), **own, "table": {"head": head, "rows": rows}}
        found: dict[str, Any] = to_plain(whole, text, digits)
        return found


def to_plain(value: Any, text: Callable[[str], str] = str, digits: int = 6) -> Any:
    """Return JSON values of anything that figures are made of."""
    if isinstance(value, FigureData):
        return value.to_plain(text, digits)
    if value is None or isinstance(value, bool | str):
        return text(value) if isinstance(value, str) else value
    if isinstance(value, int | float):
        return plain(value, digits)
    if isinstance(value, Mapping):
        return {name: to_plain(entry, text, digits) for name, entry in value.items()}
    if dataclasses.is_dataclass(value):
        return to_plain(vars(value), text, digits)
    return [to_plain(entry, text, digits) for entry in value]


@dataclass(frozen=True)
class BarSeries:
    """A bar for every name: what one attack proved."""

    name: str
    place: int
    """Which colour it has."""
    measured: Numbers
    words: Sequence[str]
    """Beside the bars."""
    exact: Numbers
    """The same attack with unlimited trials."""
    exact_name: str
    deviation: Numbers = ()
    """Over seeds, if there are several."""


@dataclass(frozen=True)
class Bars(FigureData):
    """What was proven of several mechanisms, side by side; evidence is two bars and a limit."""

    kind: ClassVar[str] = "bars"
    names: Sequence[str]
    claimed: Sequence[float]
    """Infinite where nothing is promised."""
    worst: Numbers
    series: Sequence[BarSeries]
    claimed_name: str
    unclaimed_name: str
    """What the bars of mechanisms that promise nothing are called; empty if there are none."""
    top: float
    """Where the axis ends."""
    value_title: str = "epsilon"
    exact_name: str = "same attack, unlimited trials"
    """What the marks of all series are called together."""
    mechanisms: Sequence[str] = ()
    """Whose bars they are, where their names tell more than that."""

    @property
    def height(self) -> int:  # type: ignore[override]
        """Pixels that a page keeps free for it."""
        most = max(
            sum(series.measured[row] is not None for series in self.series)
            for row in range(len(self.names))
        )
        return 66 + (26 if most <= 1 else 38) * len(self.names)

    def table(self) -> Table:
        """A row for every mechanism."""
        columns = {"claimed": self.claimed, "worst case": self.worst}
        for series in self.series:
            columns |= {series.exact_name: series.exact, series.name: series.measured}
        rows = [
            [name, *(digits(column[row]) for column in columns.values())]
            for row, name in enumerate(self.names)
        ]
        return ["mechanism", *columns], rows


@dataclass(frozen=True)
class Line:
    """One line of a figure; a place without a number is a gap."""

    name: str
    role: str
    """One of claimed, worst, exact, proven, composed, limit: how it is drawn."""
    x: Sequence[float]
    y: Numbers
    series: str = ""
    """Who it is about: lines of one series have one colour."""
    place: int | None = None
    """Which colour that is; None for the colour of the role."""
    marks: str = ""
    """Whether its points are marked: "full" or "open"."""
    low: Numbers = ()
    high: Numbers = ()
    """A band or whiskers."""
    broken: Sequence[bool] = ()
    """Which points break the promise."""
    words: Sequence[str] = ()
    """Of every point, if its number is not enough."""
    columns: Mapping[str, Numbers] = field(default_factory=dict)
    """What else the table tells of its points."""


@dataclass(frozen=True)
class Curves(FigureData):
    """Epsilons over a setting, or the trade-off of epsilon and delta."""

    kind: ClassVar[str] = "curves"
    x_title: str
    lines: Sequence[Line]
    y_title: str = "epsilon"
    log_x: bool = False
    log_y: bool = False
    top: float | None = None
    """Where the vertical axis ends, if not above all lines."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Roles in words, where lines of several series share them; `spread` is the band."""
    boxed: bool = False
    """Whether a frame is drawn around points that break the promise."""
    chosen: float | None = None
    chosen_words: str = ""
    """A place that is marked."""
    most_x: float | None = None
    most_y: float | None = None
    """Limits, beyond which it is shaded."""
    note: str = ""
    """Why something is not there that a reader looks for."""
    small: bool = False
    """Whether heights span decades: then three digits are shown of all, however small."""

    @property
    def number_format(self) -> str:  # type: ignore[override]
        """Of heights that a page shows beside the pointer."""
        return ".3g" if self.small else ".4f"

    def table(self) -> Table:
        """A row for every place, a column for every line."""
        columns: dict[str, dict[float, float | None]] = {}
        for line in self.lines:
            columns[line.name] = dict(zip(line.x, line.y, strict=True))
            for name, values in line.columns.items():
                columns[name] = dict(zip(line.x, values, strict=True))
        rows = [
            [
                value_in_words(place),
                *(self._height(column.get(place)) for column in columns.values()),
            ]
            for place in sorted({place for line in self.lines for place in line.x})
        ]
        return [self.x_title, *columns], rows

    def _height(self, value: float | None) -> str:
        return f"{value:.3g}" if self.small and value is not None else digits(value)


@dataclass(frozen=True)
class Panels(FigureData):
    """Curves side by side that share their axes, in parts below each other."""

    kind: ClassVar[str] = "panels"
    parts: Sequence[tuple[str, Sequence[Curves]]]
    """With their titles."""
    columns: int
    """Panels side by side."""


@dataclass(frozen=True)
class Step:
    """One step from the promise to the proof."""

    label: str
    kind: str
    """One of claimed, slack, excess, weakness, chance, proven."""
    start: float
    end: float
    words: str
    """Beside it."""

    @property
    def change(self) -> float:
        """By how much it leads up, or down if that is negative."""
        return 0.0 if self.start == self.end else round(self.end - self.start, 9)


@dataclass(frozen=True)
class Waterfall:
    """The steps of one attack."""

    name: str
    place: int
    steps: Sequence[Step]


@dataclass(frozen=True)
class GapAccount(FigureData):
    """Claimed, minus slack, minus weakness of the attack, minus Monte Carlo, is what was proven.

    A worst case above the claim is an excess, not slack below zero.
    """

    kind: ClassVar[str] = "gap"
    waterfalls: Sequence[Waterfall]

    @property
    def top(self) -> float:
        """The highest level of all."""
        levels = (step.end for fall in self.waterfalls for step in fall.steps)
        return max(level for level in levels if level < math.inf)

    def table(self) -> Table:
        """A row for every attack: the claim, less or plus every step, is what was proven."""
        first = "+ excess" if self.waterfalls[0].steps[1].kind == "excess" else "- slack"
        rows = []
        for fall in self.waterfalls:
            claimed, change, *losses, proven = fall.steps
            lost = (abs(change.change), *(0.0 - step.change for step in losses))
            numbers = map(digits, (claimed.end, *lost, proven.end))
            rows.append([fall.name.removesuffix(" attack"), *numbers])
        return ["attack", "claimed", first, "- weakness", "- Monte Carlo", "= proven"], rows


@dataclass(frozen=True)
class Cases:
    """One figure for every setting, of which a page shows the chosen one."""

    name: str
    note: str
    """How it is read."""
    labels: Sequence[str]
    figures: Sequence[FigureData]
    start: int
    """The case that is shown first."""
    settings: Sequence[Mapping[str, Sequence[str]]] = ()
    """Of every case: which values of some settings it is about, for a page's filters."""

    def to_plain(self, text: Callable[[str], str] = str, digits: int = 6) -> dict[str, Any]:
        """Return JSON values: the figures with their labels."""
        settings = self.settings or [{} for _ in self.labels]
        cases = [
            {
                "label": text(label),
                "settings": to_plain(mine, text),
                **figure.to_plain(text, digits),
            }
            for label, mine, figure in zip(self.labels, settings, self.figures, strict=True)
        ]
        kind = self.figures[0].kind
        return {"kind": kind, "name": text(self.name), "start": self.start, "cases": cases}
