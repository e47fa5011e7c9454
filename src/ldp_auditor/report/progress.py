"""A progress bar on standard error, for people only."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

ROOMY = 100
"""Columns of a terminal in which a bar of usual width leaves room for all words beside it."""


class Bar:
    """What a running command tells about its progress."""

    def __init__(self, tell: Callable[..., Any] = lambda **changes: None) -> None:
        """Make a bar that tells every change by `tell`; by default nobody listens."""
        self._tell = tell

    def advance(self, reports: int) -> None:
        """Count attacked reports."""
        self._tell(advance=reports)

    def describe(self, text: str) -> None:
        """Say what is being worked on."""
        self._tell(description=text)

    def expect(self, reports: int) -> None:
        """Say how many reports there will be in all."""
        self._tell(total=reports)


def columns_for(width: int, counted: str) -> list[Any]:
    """What a terminal of so many columns has room for: one line, which is drawn again and again."""
    from rich import progress
    from rich.table import Column
    from rich.text import Text

    from ldp_auditor.figures.words import large_number as in_words

    class Speed(progress.ProgressColumn):
        """Reports per second, or what else is counted."""

        def render(self, task: progress.Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{in_words(speed)} {counted}/s")

    columns = {  # each with the width of a terminal that has room for it
        progress.TextColumn("{task.description}"): 0,
        # The words beside it leave a narrow terminal less room than a bar of usual width takes.
        progress.BarColumn(40 if width >= ROOMY else None): 60,
        progress.TextColumn("{task.percentage:>3.0f}%"): 0,
        Speed(Column(no_wrap=True)): 80,
        progress.TimeRemainingColumn(): 40,
    }
    return [column for column, least in columns.items() if width >= least]


@contextmanager
def progress_bar(text: str, reports: int, counted: str = "reports") -> Iterator[Bar]:
    """Show a bar while the block runs, if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():  # None, if it was closed
        yield Bar()
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    shown = columns_for(console.width, counted)
    with Progress(*shown, console=console, transient=True) as drawn:
        yield Bar(partial(drawn.update, drawn.add_task(text, total=reports)))
