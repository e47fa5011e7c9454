"""What the commands take: kinds of options, tables of them, and what makes a command of both."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from ldp_auditor.cli.output import tell_as_asked
from ldp_auditor.errors import numeral

Option = Callable[[str], click.Parameter]
"""Makes an option or an argument of its name."""

Options = Mapping[str, Option]
"""Options by their names."""


class Numeral(click.ParamType[Any]):
    """Reads a number; other text is kept, for the audit to refuse as in Python and in grids."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Read what was typed; a default is a number already."""
        return numeral(value) if isinstance(value, str) else value


def _option(
    kind: str,
    type_: Any,
    text: str,
    default: Any = None,
    shown: str | bool = True,
    required: bool = False,
) -> Option:
    """An option with a value; `shown` is what help says of its default."""
    more = {"required": required} if default is None else {"default": default}
    return lambda name: click.Option(
        [flag_of(name)], type=type_, metavar=f"<{kind}>", help=text, show_default=shown, **more
    )


def flag_of(name: str) -> str:
    """How an option is written."""
    return "--" + name.replace("_", "-")


number = partial(_option, "float", Numeral())
"""An option that is a number."""

integer = partial(_option, "int", Numeral())
"""An option that is a whole number; 1e6 is one."""

word = partial(_option, "str", str)
"""An option that is text."""

FILE = click.Path(path_type=Path)
"""The type of a file or a folder."""

path = partial(_option, "path", FILE)
"""An option that is a file or a folder."""


def switch(flag: str, text: str) -> Option:
    """An option without a value."""
    return lambda name: click.Option([name, flag], is_flag=True, help=text)


def argument(shown: str, text: str | None = None, **settings: Any) -> Option:
    """What is given without a name; help calls it `shown`."""
    return lambda name: click.Argument([name], metavar=shown, help=text, **settings)


PROTOCOL = argument("PROTOCOL...", nargs=-1, required=True)

METRIC = word(
    "The claim is epsilon times this distance of the two inputs: euclidean, manhattan, absolute, "
    "or module:function of your own.",
    shown="none, or that of the protocol",
)

CLAIMED: Options = {
    "domain_size": integer("Number k of values in the domain, e.g. 1e6."),
    "epsilon": number("Claimed epsilon."),
    "delta": number("Claimed delta.", shown="0, or 1e-5 for approximate protocols"),
    "pair": word(
        "The two inputs to tell apart: values counted from 0 such as 0,1, numbers such as -1,1, "
        "records such as 0,0,0:1,2,1, vectors such as [1,0,0]:[0,1,0], words such as apple:pear.",
        shown="inputs as far apart as can be; of values, 0,1",
    ),
    "metric": METRIC,
    "neighbours": word(
        "For records: compare records that differ in all attributes (all), or in one (one).",
        shown="all",
    ),
    "attribute": integer("With --neighbours one: the attribute that differs, counted from 0."),
    "reports": word(
        "Reports that each user sends of the same value: 250, or several such as 5,10,25.",
        shown="1",
    ),
}

ALPHA = number("Largest probability that the lower bound is wrong.", 0.01)
BOUND = (
    "How counts become an epsilon: clopper-pearson, clopper-pearson-one-sided, likelihood-ratio "
    "(the tightest), betting (holds whenever one stops), jeffreys (Bayesian)."
)
SEED = integer("Seed of the random numbers; the same seed gives the same counts.", 42)

COUNTED: Options = {
    "composition": word(
        "With --reports: draw sums of reports from their exact law where it is known (auto, law), "
        "or report by report (simulate).",
        shown="auto",
    ),
    "composed_delta": number(
        "With --reports: delta at which the tight composition is computed.",
        shown="that of the claim, or 1e-5",
    ),
    "trials": integer(
        "Number of reports of each of the two values, e.g. 1e6; or auto, with --precision.",
        1_000_000,
    ),
    "alpha": ALPHA,
    "bound": word(BOUND, shown="clopper-pearson; with --trials auto betting"),
    "seed": SEED,
    "precision": number(
        "With --trials auto: stop when the proven epsilon is this close, as a share, to what the "
        "attack can reach.",
        shown="0.01",
    ),
    "max_trials": integer("With --trials auto: largest number of trials.", shown="1000000000"),
}

ATTACKED: Options = {
    "attack": word("Attack on the reports: paper, optimal; for compare also both.", "paper")
}

ENGINE: Options = {
    "workers": integer("Number of threads; it does not change the counts.", shown="cores"),
    "engine": word(
        "Run the work on threads, processes or ray; this does not change the counts.",
        shown="threads; for check, sweep and reproduce processes",
    ),
    "address": word(
        "With --engine ray: the cluster, as host:port, or auto for the one on this host.",
        shown="one that is started for this command",
    ),
}

DRAWN: Options = {
    "style": word(
        "Letters and lines for the screen, for paper (a journal's column) or for a slide.",
        shown="screen",
    ),
    "columns": integer("With --style paper: 1 or 2 columns of a journal wide.", shown="1"),
}
"""How a figure is drawn; its name ends in .png, .pdf or .svg."""

OUT = path("Folder for the results; a run that was killed continues from it.")
JSON = switch("--json", "Print JSON on standard output.")

TOLD: Options = {
    "quiet": switch("--quiet", "Tell nothing but the result: no progress, no remarks."),
    "verbose": switch("--verbose", "Tell every step and the time it took on standard error."),
}
"""How much is told beside the result."""

OWN_OPTIONS = {"ignore_unknown_options": True}
"""Protocols and adapters bring options of their own."""


def command(
    *tables: Options, own_options: bool = False, told: bool = True, **options: Option
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function, which gets the options of the tables and its own by name.

    Unless it has nothing to tell, the command takes --quiet and --verbose, too.
    """

    def make(function: Callable[..., Any]) -> click.Command:
        def callback(quiet: bool = False, verbose: bool = False, **given: Any) -> Any:
            tell_as_asked(quiet, verbose)
            return function(**given)

        every = (*tables, options, TOLD if told else {})
        return click.Command(
            function.__name__,
            callback=callback,
            params=[make(name) for table in every for name, make in table.items()],
            help=inspect.getdoc(function),
            context_settings=OWN_OPTIONS if own_options else {},
        )

    return make
