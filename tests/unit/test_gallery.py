"""The gallery of the site has every figure that a command draws, and its pictures."""

from __future__ import annotations

import doctest

import click

from documentation import changes, gallery
from ldp_auditor.cli import app


def test_every_command_that_draws_is_in_the_gallery() -> None:
    context = click.Context(app)
    commands = {name: app.get_command(context, name) for name in app.list_commands(context)}
    drawing = {
        name
        for name, command in commands.items()
        if command is not None and any("--figure" in option.opts for option in command.params)
    }
    shown = {picture.command.split()[1] for picture in gallery.pictures()}
    assert {"audit", "compare", "choose"} <= drawing <= shown


def test_every_picture_of_the_gallery_is_kept() -> None:
    kept = {path.stem for path in gallery.FOLDER.glob("*.png")}
    assert kept == {picture.name for picture in gallery.pictures()}


def test_changes_of_results_are_found() -> None:
    assert doctest.testmod(changes) == (0, 1)
    found = changes.marked(changes.CHANGELOG.read_text(encoding="utf-8"))
    assert sum(map(len, found.values())) >= 18
