"""A progress bar on standard error, for people only."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class Bar:
    """What a running command tells about its progress; by default nobody listens."""

    def advance(self, reports: int) -> None:
        """Count attacked reports."""

    def describe(self, text: str) -> None:
        """Say what is being worked on."""

    def expect(self, reports: int) -> None:
        """Say how many reports there will be in all."""


@contextmanager
def progress_bar(text: str, reports: int) -> Iterator[Bar]:
    """Show a bar while the block runs, if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():  # None, if it was closed
        yield Bar()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Speed(ProgressColumn):
        """Reports per second."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:.2g} reports/s")

    console = Console(stderr=True)
    columns = {  # each with the width of a terminal that has room for it
        TextColumn("{task.description}"): 0,
        BarColumn(): 60,
        TextColumn("{task.percentage:>3.0f}%"): 0,
        Speed(): 80,
        TimeRemainingColumn(): 60,
    }
    shown = [column for column, least in columns.items() if console.width >= least]
    with Progress(*shown, console=console, transient=True) as progress:
        task = progress.add_task(text, total=reports)

        class TerminalBar(Bar):
            def advance(self, reports: int) -> None:
                progress.advance(task, reports)

            def describe(self, text: str) -> None:
                progress.update(task, description=text)

            def expect(self, reports: int) -> None:
                progress.update(task, total=reports)

        yield TerminalBar()
