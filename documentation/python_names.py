"""The pages of the Python interface: every public name, with its docstring."""

from __future__ import annotations

import inspect

import ldp_auditor
from documentation import commands
from ldp_auditor import _PUBLIC as PUBLIC
from ldp_auditor import cli

PAGES = {
    "audits": ("Audits", ("audits", "mechanisms")),
    "checks": ("Checks", ("checks", "testing")),
    "choosing": ("Choosing and simulating", ("choosing",)),
    "grids": ("Grids, and the paper", ("sweeps", "studies", "report")),
    "results": ("Results, values and errors", ("results", "core", "errors")),
}
"""File and title of each page, and the rooms of the package whose names it has."""

EXTENDING = {
    "A mechanism, and an attack": ("core.Mechanism", "core.Attack", "core.Goal"),
    "Base classes of protocols": (
        "mechanisms.local_mechanism.LocalMechanism",
        "mechanisms.frequency_oracle.FrequencyOracle",
        "mechanisms.records.RecordMechanism",
    ),
    "What a mechanism may offer": ("mechanisms.capabilities",),
    "Engines": ("execution.contract.Engine", "execution.engines.open_engine"),
}
"""What one writes or calls to add to the program."""

COMMAND_OF = {"assert_ldp": "check"}
"""The command whose options a name takes, where the command is called something else."""


def pages() -> dict[str, str]:
    """Return the pages by their files."""
    left = dict(PUBLIC)
    made: dict[str, str] = {}
    for file, (title, rooms) in PAGES.items():
        homes = [home for home in PUBLIC if home.split(".")[0] in rooms]
        names = [f"{home}.{name}" for home in homes for name in left.pop(home).split()]
        example = names[0].rpartition(".")[2]
        start = f"Made from the docstrings; `from ldp_auditor import {example}`, and so on."
        made[f"reference/python/{file}.md"] = _page(title, start, names)
    assert not left, f"no page has the public names of {', '.join(left)}"
    extending = [name for names in EXTENDING.values() for name in names]
    start = "Made from the docstrings; the headings tell the module of each name."
    options = "\n    options:\n      show_root_full_path: true"
    made["reference/python/extending.md"] = _page(
        "To extend it", start, [name + options for name in extending]
    )
    return made


def _page(title: str, start: str, names: list[str]) -> str:
    blocks = [f"::: ldp_auditor.{name}{_parameters(name.rpartition('.')[2])}" for name in names]
    return "\n\n".join([f"# {title}", start, *blocks]) + "\n"


def _parameters(name: str) -> str:
    """Return a table of the parameters that a function shares with a command, or nothing."""
    command = COMMAND_OF.get(name, name)
    if name not in ldp_auditor.__all__ or command not in cli.COMMANDS:
        return ""
    taken = set(inspect.signature(getattr(ldp_auditor, name)).parameters)
    head = ["| parameter | what it is |", "| --- | --- |"]
    told = (
        f"Parameters that are also options of [the command `{command}`](../commands.md#{command})."
        " Where the command reads a text such as `0,1`, Python takes the values, `[0, 1]`."
    )
    return "\n\n" + "\n".join([told, "", *head, *commands.parameters(command, taken)])
