"""What the commands print, and the code by which they end."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from rich.console import Console

EXIT_NO_VIOLATION, EXIT_VIOLATION, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 0, 1, 2, 130


def exit_code(verdict: str) -> int:
    """The code by which scripts learn the verdict."""
    return EXIT_VIOLATION if verdict == "violation" else EXIT_NO_VIOLATION


def show_remarks() -> None:
    """Print what the package logs as lines on standard error, each once."""
    import logging

    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("ldp-auditor: %(message)s"))
    logger = logging.getLogger("ldp_auditor")
    logger.addHandler(handler)
    logger.propagate = False


def say(text: str) -> None:
    """Print on standard output; if nobody takes it, end with one line and not as a violation."""
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left in the buffer goes nowhere
        fail(f"cannot write the output: {error}")


def say_json(value: object) -> None:
    """Print one JSON value on standard output."""
    say(json.dumps(value, allow_nan=False))


def console() -> Console:
    """A console on standard output; files and pipes get lines as long as they need."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 10_000)


def fail(message: str) -> NoReturn:
    """End with one line on standard error."""
    with contextlib.suppress(OSError):
        print(f"ldp-auditor: {' '.join(message.split())}", file=sys.stderr, flush=True)
    sys.exit(EXIT_BAD_INPUT)
