"""How large a figure and its letters are: on a screen, in a column of a journal, on a slide."""

import math
from dataclasses import dataclass

from ldp_auditor.errors import one_of, require

JOURNAL_COLUMNS = {1: 3.33, 2: 7.0}
"""Inches of one and of two columns of a journal with two."""

JOURNAL_PAGE = 8.0
"""Inches that a figure may be high on a page of a journal, beside its legend and caption."""

LEAST_LETTERS = 6.0
"""Points of the smallest letters that a journal prints; no style goes below."""


@dataclass(frozen=True)
class Style:
    """The size of a figure and of what is on it."""

    name: str
    letters: float
    """Points of ordinary text; ticks and numbers at bars are a little smaller."""
    lines: float = 1.0
    """How wide lines are, as a multiple of those on a screen."""
    width: float | None = None
    """Inches; None if a figure is as wide as its data needs."""
    panel: float = 2.6
    """Inches that a panel needs at least, of several side by side."""
    dots_per_inch: int = 160
    page: float = math.inf
    """Inches that a page is high; rows of panels that would be higher are made lower."""

    @property
    def small(self) -> float:
        """Points of ticks and of numbers at bars."""
        return max(LEAST_LETTERS, self.letters - 1.5)

    @property
    def marks(self) -> float:
        """Points across the marks of lines."""
        return 4.5 * max(0.7, self.lines)


SCREEN = Style("screen", 10.0)
SLIDE = Style("slide", 18.0, lines=2.0, width=12.0, panel=3.6, dots_per_inch=120)
STYLES = ("screen", "paper", "slide")


def style_of(name: str = "screen", columns: int | None = None) -> Style:
    """Return the style of that name; `columns` of a journal are for paper alone.

    >>> style_of("paper").width, style_of("paper", 2).width
    (3.33, 7.0)
    """
    one_of("style", name, STYLES)
    require(
        columns is None or name == "paper",
        f"columns are those of a journal: they need style paper, got style {name}",
        argument="columns",
    )
    if name != "paper":
        return SLIDE if name == "slide" else SCREEN
    columns = 1 if columns is None else columns
    require(
        columns in JOURNAL_COLUMNS,
        f"columns must be 1 or 2 of a journal, got {columns}",
        argument="columns",
    )
    return Style(
        "paper",
        7.5,
        lines=0.8,
        width=JOURNAL_COLUMNS[columns],
        panel=1.45,
        dots_per_inch=600,
        page=JOURNAL_PAGE,
    )
