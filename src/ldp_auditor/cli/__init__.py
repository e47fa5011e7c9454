"""The command line: arguments in, calls out; a file for every command.

Heavy packages are imported by the commands that use them, so that help is instant.
"""

import os
import sys
from typing import Annotated

import typer
from typer.exceptions import TyperException

from ldp_auditor import __version__
from ldp_auditor.cli.arguments import found_elsewhere
from ldp_auditor.cli.audit import audit
from ldp_auditor.cli.check import check
from ldp_auditor.cli.compare import compare
from ldp_auditor.cli.explain import explain, profile
from ldp_auditor.cli.explore import explore
from ldp_auditor.cli.output import (
    EXIT_INTERRUPTED,
    EXIT_NO_VIOLATION,
    fail,
    flush_errors,
    say,
    show_remarks,
    tell,
)
from ldp_auditor.cli.protocols import list_protocols
from ldp_auditor.cli.report import report
from ldp_auditor.cli.reproduce import reproduce
from ldp_auditor.cli.sweep import sweep
from ldp_auditor.errors import AuditError

app = typer.Typer(
    name="ldp-auditor",
    help="Measure what local differential privacy mechanisms really leak.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def main_options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Measure what local differential privacy mechanisms really leak."""
    if version:
        say(f"ldp-auditor {__version__}")
    elif context.invoked_subcommand is None:
        say(context.get_help())


OWN_OPTIONS = {"ignore_unknown_options": True}
"""Protocols and adapters bring options of their own."""

app.command(name="list")(list_protocols)
app.command(context_settings=OWN_OPTIONS)(audit)
app.command(context_settings=OWN_OPTIONS)(compare)
app.command(context_settings=OWN_OPTIONS)(explain)
app.command(context_settings=OWN_OPTIONS)(profile)
app.command(context_settings=OWN_OPTIONS)(check)
app.command()(sweep)
app.command()(reproduce)
app.command()(report)
app.command()(explore)


def _no_such_option(error: TyperException) -> str:
    """What to say of an option that only other commands have, if that is what is wrong."""
    flag, context = getattr(error, "option_name", ""), getattr(error, "ctx", None)
    option = flag.lstrip("-").replace("-", "_")
    elsewhere = found_elsewhere(option)
    if not elsewhere:
        return ""
    if context is not None and context.info_name == "sweep":
        elsewhere = f" for a sweep: write {option} into the grid"
    return f"no such option: {flag}{elsewhere}"


def main() -> None:
    """Run the command line; whatever goes wrong is one line on standard error and exit code 2."""
    show_remarks()
    try:
        code = app(standalone_mode=False)
    except AuditError as error:
        fail(str(error))
    except TyperException as error:
        fail(_no_such_option(error) or error.format_message())
    except MemoryError:
        fail("out of memory: choose a smaller domain, fewer reports or a smaller epsilon")
    except (KeyboardInterrupt, typer.Abort):
        code = EXIT_INTERRUPTED
    except SystemExit as ended:
        if not isinstance(ended.__context__, BrokenPipeError):
            raise
        if "--help" not in sys.argv:
            fail("internal error, please report it: a pipe was closed")
        code = EXIT_NO_VIOLATION  # of the help that nobody reads; typer's 1 would be a violation
    except Exception as error:
        fail(f"internal error, please report it: {type(error).__name__}: {error}")
    if code == EXIT_INTERRUPTED:  # typer turns Ctrl-C within a command into this code
        tell("ldp-auditor: interrupted")
        os._exit(EXIT_INTERRUPTED)  # an ordinary exit would wait for threads to finish their piece
    flush_errors()
    sys.exit(code if isinstance(code, int) else EXIT_NO_VIOLATION)
