"""Text that fits its terminal: tables with fewer columns or as records, sentences cut at words."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, zip_longest

COMFORTABLE = 12
"""A column of text is not made narrower than this while another column can be left out."""


@dataclass(frozen=True)
class Screen:
    """Where text is shown: its columns, whether it is a terminal and whether that has colours."""

    width: int
    is_terminal: bool = False
    has_colours: bool = False

    def styled(self, text: str, style: str) -> str:
        """The text in a style of `CODES`, or as it is."""
        return f"\x1b[{CODES[style]}m{text}\x1b[0m" if style and self.has_colours else text


CODES = {"bold": 1, "red": 31}
"""Numbers of styles in the language of terminals (ECMA-48)."""


@dataclass(frozen=True)
class Column:
    """A column of a table, and what happens to it where the terminal is narrow.

    `drop_order` 1 is left out first, then 2 and so on; 0 is never left out. A column that `wraps`
    is made narrower, down to its longest word, before any column is left out.
    """

    heading: str
    drop_order: int = 0
    wraps: bool = False


@dataclass(frozen=True)
class TextTable:
    """A table as text; numbers are set to the right, the first and the last column to the left."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]

    def draw(self, screen: Screen) -> str:
        """The table as lines that fit the screen; no cell is cut, and no word where it can be."""
        lines = cut(self.title, screen.width).splitlines() or [""]
        layout = self._layout(screen.width)
        if layout is None:
            lines += self._records(screen)
        else:
            lines += self._grid(layout, screen)
            lines += cut(self._left_out(layout), screen.width).splitlines()
        return "\n".join(line.rstrip() for line in lines)

    def _layout(self, width: int) -> dict[int, int] | None:
        """The columns to show, by their places, and their widths; None if not even these fit."""
        shown = list(range(len(self.columns)))
        order = sorted(
            (place for place in shown if self.columns[place].drop_order),
            key=lambda place: self.columns[place].drop_order,
        )
        for dropped in (None, *order):
            if dropped is not None:
                shown.remove(dropped)
            least = [
                max(self._widest_word(place), min(self._widest_cell(place), COMFORTABLE))
                if self.columns[place].wraps
                else self._widest_cell(place)
                for place in shown
            ]
            if (layout := self._fit(shown, least, width)) is not None:
                return layout
        return self._fit(shown, [self._widest_word(place) for place in shown], width)

    def _fit(
        self, places: Sequence[int], least: Sequence[int], width: int
    ) -> dict[int, int] | None:
        """Widths from `least` to the widest cell that fill few lines, found by small moves."""
        room = width - 2 - 3 * (len(places) - 1) - sum(least)  # edges and gaps are 2 and 3 wide
        if room < 0:
            return None
        layout = dict(zip(places, least, strict=True))
        smallest, most = layout, {place: self._widest_cell(place) for place in places}
        for place in sorted(places, key=lambda place: most[place], reverse=True):
            given = min(room, most[place] - layout[place])
            layout = {**layout, place: layout[place] + given}
            room -= given
        while True:
            moved = [
                {**layout, giver: layout[giver] - by, taker: layout[taker] + by}
                for giver, taker in permutations(places, 2)
                for by in range(
                    1, 1 + min(layout[giver] - smallest[giver], most[taker] - layout[taker])
                )
            ]
            best = min(moved, key=self._height, default=layout)
            if self._height(best) >= self._height(layout):
                return layout
            layout = best

    def _height(self, layout: dict[int, int]) -> int:
        lines = [[column.heading for column in self.columns], *self.rows]
        return sum(
            max(_lines_of(line[place], width) for place, width in layout.items()) for line in lines
        )

    def _cells(self, place: int) -> list[str]:
        return [self.columns[place].heading, *(row[place] for row in self.rows)]

    def _widest_cell(self, place: int) -> int:
        return max(map(len, self._cells(place)))

    def _widest_word(self, place: int) -> int:
        return max(max(_word_lengths(cell)) for cell in self._cells(place))

    def _grid(self, layout: dict[int, int], screen: Screen) -> Iterator[str]:
        """Rows and columns, with an empty line above and below."""
        headings = [column.heading for column in self.columns]
        last = len(headings) - 1
        is_text = {
            place: place in (0, last) or not any(row[place][:1].isdigit() for row in self.rows)
            for place in layout
        }

        def lines_of(row: Sequence[str], style: str | None = None) -> Iterator[str]:
            cells = [cut(row[place], width).splitlines() for place, width in layout.items()]
            for lines in zip_longest(*cells, fillvalue=""):
                shown = []
                for line, (place, width) in zip(lines, layout.items(), strict=True):
                    space = " " * (width - len(line))
                    look = style_of(row[place]) if style is None else style
                    text = screen.styled(line, look if line else "")
                    shown.append(text + space if is_text[place] else space + text)
                yield " " + "   ".join(shown)

        yield ""
        if any(headings):
            yield from lines_of(headings, "bold")
            yield " " + "─" * (sum(layout.values()) + 3 * (len(layout) - 1))
        for row in self.rows:
            yield from lines_of(row)
        yield ""

    def _records(self, screen: Screen) -> Iterator[str]:
        """One block of lines for every row, if the terminal is too narrow for columns."""
        headings = [column.heading for column in self.columns]
        widest = max(map(len, headings))
        for row in self.rows:
            if widest:
                yield ""
            for line in cut(f"{headings[0]} {row[0]}".strip(), screen.width).splitlines():
                yield screen.styled(line, "bold")
            for heading, cell in zip(headings[1:], row[1:], strict=True):
                field = f"  {f'{heading:<{widest}}  {cell}'.strip()}"
                for line in cut(field, screen.width, "    ").splitlines():
                    yield screen.styled(line, style_of(cell))
        yield ""

    def _left_out(self, layout: dict[int, int]) -> str:
        """What to say below a table with fewer columns."""
        names = [column.heading for i, column in enumerate(self.columns) if i not in layout]
        if not names:
            return ""
        return f"Left out for want of room: {', '.join(names)} (--json or a wider terminal has all)"


class Verbatim(str):
    """A line that is never cut, such as a command that can be copied."""


NO_BREAK = "\xa0"
"""Stands for a space where no line ends."""


def _glued(text: str) -> str:
    """The text with a sign and what it belongs to in one piece, as in T = inf and - slack."""
    return re.sub(r" ?(?<!\S)[=-](?!\S) ?", lambda sign: sign[0].replace(" ", NO_BREAK), text)


@lru_cache(maxsize=10_000)
def _word_lengths(text: str) -> tuple[int, ...]:
    """The lengths of the words of a text, of which each stands in one line."""
    return tuple(map(len, _glued(text).split(" ")))


@lru_cache(maxsize=100_000)
def _lines_of(text: str, width: int) -> int:
    """How many lines a text needs."""
    if len(text) <= width:
        return 1
    lines, used = 1, 0
    for length in _word_lengths(text):
        needed = used + length + (used > 0)
        if used and needed > width:
            lines, needed = lines + 1, length
        used = needed
    return lines


def cut(text: str, width: int, indent: str = "", *, long_words: bool = True) -> str:
    """Lines of at most `width`, cut at words, and `long_words` too; all but the first indented."""
    lines = textwrap.fill(
        _glued(text),
        max(width, 1),
        subsequent_indent=indent,
        break_long_words=long_words,
        break_on_hyphens=False,
    )
    return lines.replace(NO_BREAK, " ")


def sentences(text: str, screen: Screen) -> str:
    """Lines of sentences, on a terminal cut at words; a long word, such as a path, stays whole."""
    if not screen.is_terminal:
        return text
    shown = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()))
        lines = cut(line, screen.width, indent and f"{indent}  ", long_words=False)
        shown.append(screen.styled(lines, style_of(line)))
    return "\n".join(shown)


def style_of(text: str) -> str:
    """How a cell or a line looks on a terminal: red, if it begins with the word violation."""
    return "red" if re.match(r"violation\b", text, re.IGNORECASE) else ""
