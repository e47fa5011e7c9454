"""A progress bar on standard error, for people only."""

from __future__ import annotations

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
    if not sys.stderr.isatty():
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

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        Speed(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(text, total=reports)

        class TerminalBar(Bar):
            def advance(self, reports: int) -> None:
                progress.advance(task, reports)

            def describe(self, text: str) -> None:
                progress.update(task, description=text)

            def expect(self, reports: int) -> None:
                progress.update(task, total=reports)

        yield TerminalBar()
