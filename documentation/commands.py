"""The page of all commands, from the parser that reads them."""

from __future__ import annotations

import click

from ldp_auditor.cli import app


def page() -> str:
    """Return every command with its arguments and options, in the order of the help."""
    context = click.Context(app, info_name="ldp-auditor")
    parts = [
        "# Commands",
        "",
        "Made from the parser that reads them; `ldp-auditor COMMAND --help` prints the same."
        " What they are for, exit codes and JSON: [the command line](../command-line.md).",
    ]
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        assert command is not None
        parts += ["", *_command(name, command, context)]
    return "\n".join(parts) + "\n"


def _command(name: str, command: click.Command, above: click.Context) -> list[str]:
    context = click.Context(command, info_name=name, parent=above)
    usage = " ".join(context.command_path.split() + command.collect_usage_pieces(context))
    lines = [f"## {name}", "", command.help or "", "", "```text", usage, "```"]
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    options = [p for p in command.params if isinstance(p, click.Option)]
    told = [(p.make_metavar(context), getattr(p, "help", None) or "") for p in arguments]
    if any(text for _, text in told):
        lines += ["", "| argument | what it is |", "| --- | --- |"]
        lines += [f"| `{shown}` | {_cell(text)} |" for shown, text in told]
    lines += ["", "| option | what it is | default |", "| --- | --- | --- |"]
    return lines + [_option(option, context) for option in options]


def parameters(name: str, names: set[str]) -> list[str]:
    """Return a row for each option of a command that is also a parameter of one of these names."""
    command = app.get_command(click.Context(app), name)
    assert command is not None
    options = [p for p in command.params if isinstance(p, click.Option) and p.name in names]
    return [f"| `{option.name}` | {_cell(option.help or '')} |" for option in options]


def _option(option: click.Option, context: click.Context) -> str:
    flag = option.opts[-1] + ("" if option.is_flag else f" {option.make_metavar(context)}")
    return f"| `{flag}` | {_cell(option.help or '')} | {_cell(_default(option))} |"


def _default(option: click.Option) -> str:
    """What help says of the default: words, or the value."""
    if option.required:
        return "required"
    if isinstance(option.show_default, str):
        return option.show_default
    value = option.to_info_dict()["default"]
    return "" if option.is_flag or value is None else f"`{value}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
