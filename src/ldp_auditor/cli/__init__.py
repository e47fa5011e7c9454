"""The command line: arguments in, calls out; a file for every command.

Heavy packages are imported by the commands that use them, so that help is instant.
"""

import gc
import importlib
import os
import sys
from typing import Any

import click

from ldp_auditor import __version__
from ldp_auditor.cli.output import (
    EXIT_BAD_INPUT,
    EXIT_INTERRUPTED,
    EXIT_NO_VIOLATION,
    fail,
    flush_errors,
    say,
    show_remarks,
    tell,
)
from ldp_auditor.cli.words import found_elsewhere
from ldp_auditor.errors import AuditError

COMMANDS = {
    "list": ("protocols", "list_protocols"),
    "audit": ("audit", "audit"),
    "compare": ("compare", "compare"),
    "explain": ("explain", "explain"),
    "profile": ("explain", "profile"),
    "choose": ("choose", "choose"),
    "simulate": ("choose", "simulate"),
    "check": ("check", "check"),
    "sweep": ("sweep", "sweep"),
    "reproduce": ("reproduce", "reproduce"),
    "report": ("report", "report"),
    "explore": ("explore", "explore"),
}
"""The file of every command and its name there."""


EXIT_CLOSED_PIPE = 1
"""The code by which click ends the program when nobody reads its output."""


class Commands(click.Group):
    """The commands, each of which is imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, if there is one."""
        if cmd_name not in COMMANDS:
            return None
        file, name = COMMANDS[cmd_name]
        found: click.Command = getattr(importlib.import_module(f"{__name__}.{file}"), name)
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; Ctrl-C is an exit code, not a blank line and an error of click's."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED


def _main_options(version: bool) -> None:
    context = click.get_current_context()
    if version:
        say(f"ldp-auditor {__version__}")
    elif context.invoked_subcommand is None:
        say(context.get_help())


app = Commands(
    "ldp-auditor",
    callback=_main_options,
    params=[click.Option(["--version"], is_flag=True, help="Print the version.")],
    help="Measure what local differential privacy mechanisms really leak.",
    invoke_without_command=True,
)


def _no_such_option(error: click.NoSuchOption) -> str:
    """What to say of an option that this command lacks, with those that have it."""
    option = error.option_name.lstrip("-").replace("-", "_")
    elsewhere = found_elsewhere(option)
    if elsewhere and error.ctx is not None and error.ctx.info_name == "sweep":
        elsewhere = f" for a sweep: write {option} into the grid"
    return f"no such option: {error.option_name}{elsewhere}"


def _with_help(error: click.UsageError) -> str:
    """Return what click says of a mistake, and the command that shows how it is done."""
    said = error.format_message().rstrip(".")
    return said if error.ctx is None else f"{said}; see '{error.ctx.command_path} --help'"


def main() -> None:
    """Run the command line; whatever goes wrong is one line on standard error and exit code 2."""
    show_remarks()
    try:
        code = app(standalone_mode=False)
    except AuditError as error:
        fail(str(error))
    except click.NoSuchOption as error:
        fail(_no_such_option(error))
    except click.UsageError as error:
        fail(_with_help(error))
    except MemoryError:
        fail("out of memory: choose a smaller domain, fewer reports or a smaller epsilon")
    except (KeyboardInterrupt, click.Abort):
        code = EXIT_INTERRUPTED
    except SystemExit as ended:
        if ended.code == EXIT_BAD_INPUT:
            raise
        if ended.code != EXIT_CLOSED_PIPE or "--help" not in sys.argv:
            fail(f"the code that was called ended the program (SystemExit: {ended.code})")
        code = EXIT_NO_VIOLATION  # of the help that nobody reads; 1 would be a violation
    except Exception as error:
        fail(f"internal error, please report it: {type(error).__name__}: {error}")
    if code == EXIT_INTERRUPTED:
        tell("ldp-auditor: interrupted")
        os._exit(EXIT_INTERRUPTED)  # an ordinary exit would wait for threads to finish their piece
    flush_errors()
    gc.freeze()  # at its end Python looks through every object for garbage: a tenth of a second
    sys.exit(code if isinstance(code, int) else EXIT_NO_VIOLATION)
