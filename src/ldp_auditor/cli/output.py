"""What the commands print, and the code by which they end."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import textwrap
import time
import traceback
from typing import TYPE_CHECKING, NoReturn

import click

from ldp_auditor.errors import require

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ldp_auditor.report.progress import Bar
    from ldp_auditor.report.text_table import Screen, TextTable
    from ldp_auditor.results.showing import Shown

EXIT_NO_VIOLATION, EXIT_VIOLATION, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 0, 1, 2, 130


def exit_code(violations: int) -> int:
    """Return the exit code of so many `violations`: the same rule for every command that audits."""
    return EXIT_VIOLATION if violations else EXIT_NO_VIOLATION


def show_remarks() -> None:
    """Print what the package logs as lines on standard error, each once."""
    import logging

    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("ldp-auditor: %(message)s"))
    logger = logging.getLogger("ldp_auditor")
    logger.addHandler(handler)
    logger.propagate = False


QUIET, VERBOSE = "ldp_auditor.quiet", "ldp_auditor.verbose"


def tell_as_asked(quiet: bool, verbose: bool) -> None:
    """Note until the command ends that --quiet or --verbose was given; errors are told anyway."""
    require(not (quiet and verbose), "choose one of --quiet and --verbose")
    click.get_current_context().meta.update({QUIET: quiet, VERBOSE: verbose})
    if quiet:
        import logging

        logging.getLogger("ldp_auditor").setLevel(logging.ERROR)


def _is(loudness: str) -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(loudness))


def is_verbose() -> bool:
    """Whether every step is to be told."""
    return _is(VERBOSE)


def remark(message: str) -> None:
    """Print `message` as a line on standard error, unless --quiet was given."""
    if not _is(QUIET):
        tell(message)


@contextlib.contextmanager
def progress(text: str, reports: int, counted: str = "reports") -> Iterator[Bar]:
    """Show a bar while the block runs, or what is asked for instead: nothing, or every step."""
    from ldp_auditor.report.progress import Bar, progress_bar

    if _is(QUIET):
        yield Bar()
    elif is_verbose():
        yield from _steps(text, counted)
    else:
        with progress_bar(text, reports, counted) as bar:
            yield bar


def _steps(text: str, counted: str) -> Iterator[Bar]:
    """A bar that tells a line for every step, and the time and speed at the end."""
    from ldp_auditor.figures.words import large_number
    from ldp_auditor.report.progress import Bar

    begin, done = time.monotonic(), 0

    def step(advance: int = 0, description: str = "", total: int = 0) -> None:
        nonlocal done
        done += advance
        if description:
            tell(f"{time.monotonic() - begin:.1f} s: {description}")

    tell(f"0.0 s: {text}")
    yield Bar(step)
    seconds = time.monotonic() - begin
    speed = f", {large_number(done / seconds)} a second" if done and seconds else ""
    tell(f"{seconds:.1f} s: {large_number(done)} {counted}{speed}")


def say(text: str) -> None:
    """Print `text` as it is on standard output.

    A reader that has left, such as `head`, changes neither the work nor the exit code; a full disk
    ends the command with one line, and not as a violation.
    """
    try:
        print(text, flush=True)
    except OSError as error:
        discard(1)
        if not isinstance(error, BrokenPipeError):
            fail(f"cannot write the output: {error}")


def say_sentences(text: str) -> None:
    """Print sentences on standard output, on a terminal cut at words and violations in red."""
    from ldp_auditor.report.text_table import sentences

    say(sentences(text, screen()))


def say_json(value: object) -> None:
    """Print one JSON value on standard output."""
    say(json.dumps(value, allow_nan=False))


def show(
    result: Shown,
    *,
    as_json: bool,
    figure: Path | None = None,
    plain: object = None,
    style: str | None = None,
    columns: int | None = None,
) -> None:
    """Print a result in words or as JSON (its own, or `plain` values), and draw its `figure`."""
    if as_json:
        say_json(result.to_dict() if plain is None else plain)
    else:
        from ldp_auditor.report.showing import content_of

        say_content(content_of(result))
    if figure is not None:
        result.plot(figure, style=style or "screen", columns=columns)
        remark(f"figure written to {figure}")


def say_content(parts: Iterable[TextTable | str]) -> None:
    """Print what results consist of: tables and sentences."""
    from ldp_auditor.report.text_table import TextTable, Verbatim

    for part in parts:
        if isinstance(part, TextTable):
            say(part.draw(screen()))
        elif isinstance(part, Verbatim):
            say(part)
        else:
            say_sentences(part)


def screen() -> Screen:
    """Standard output to draw on; files and pipes get long lines and no colour."""
    from ldp_auditor.report.text_table import Screen

    if sys.stdout is None or not sys.stdout.isatty():  # None, if it was closed
        return Screen(NO_LIMIT)
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") in ("dumb", "unknown")
    return Screen(shutil.get_terminal_size().columns, is_terminal=True, has_colours=not is_plain)


NO_LIMIT = 10_000
"""Columns of a line that no terminal shows."""


def tell(message: str) -> None:
    """Print a line on standard error, on a terminal cut at words; if nobody reads it, go on."""
    if sys.stderr is None:  # it was closed
        return
    try:
        if sys.stderr.isatty():
            width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
            message = textwrap.fill(message, width, break_long_words=False, break_on_hyphens=False)
        print(message, file=sys.stderr, flush=True)
    except OSError:
        discard(2)


def discard(descriptor: int) -> None:
    """Send what is left in the buffer of a standard stream nowhere; else Python exits with 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def flush_errors() -> None:
    """Write what a progress bar left for standard error, if anybody reads it."""
    with contextlib.suppress(ValueError):
        try:
            if sys.stderr is not None:
                sys.stderr.flush()
        except OSError:
            discard(2)


DEBUG = "LDP_AUDITOR_DEBUG"
"""Set to 1 in the environment, it shows where in the code an error came from."""


def fail(message: str) -> NoReturn:
    """End with one line on standard error, below the traceback of the error if that is wanted."""
    if os.environ.get(DEBUG, "") not in ("", "0") and sys.exc_info()[1] is not None:
        tell(traceback.format_exc())
    tell(f"ldp-auditor: {' '.join(message.split())}")
    sys.exit(EXIT_BAD_INPUT)
