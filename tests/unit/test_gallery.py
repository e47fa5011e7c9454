"""The gallery of the site has every figure that a command draws, and its pictures."""

from __future__ import annotations

import doctest
import re

import click
import numpy as np
import pytest
from PIL import Image

from documentation import changes, gallery
from ldp_auditor.cli import app
from ldp_auditor.figures.drawing.sheet import COLOURS


def test_every_command_that_draws_is_in_the_gallery() -> None:
    context = click.Context(app)
    commands = {name: app.get_command(context, name) for name in app.list_commands(context)}
    drawing = {
        name
        for name, command in commands.items()
        if command is not None and any("--figure" in option.opts for option in command.params)
    }
    pictures = [*gallery.pictures(), *gallery.OF_OTHER_PAGES]
    shown = {picture.command.split()[1] for picture in pictures}
    assert {"audit", "compare", "choose"} <= drawing <= shown


def test_every_way_to_draw_has_a_card() -> None:
    """The files of the command, of Python, and the two pages."""
    cards = re.findall(r"\$ (.*)", gallery.page())
    begin = {" ".join(card.split()[:2]) for card in cards}
    assert {"ldp-auditor report", "ldp-auditor explore", "python -c"} <= begin
    assert any("--optimal" in card for card in cards)


def test_every_picture_of_the_gallery_is_kept() -> None:
    kept = {path.stem for path in gallery.FOLDER.glob("*.png")}
    assert kept == {picture.name for picture in gallery.pictures()}


@pytest.mark.parametrize("name", ["figure-2", "figure-4", "figure-8", "figure-10"])
def test_pictures_keep_the_colours_of_their_series(name: str) -> None:
    """Though a kept picture has few colours."""
    image = Image.open(gallery.FOLDER / f"{name}.png").convert("RGB")
    kept = np.unique(np.asarray(image).reshape(-1, 3), axis=0).astype(int)
    for colour in COLOURS[:5]:
        wanted = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        assert np.abs(kept - wanted).max(axis=1).min() <= 8, colour


def test_changes_of_results_are_found() -> None:
    assert doctest.testmod(changes) == (0, 1)
    found = changes.marked(changes.CHANGELOG.read_text(encoding="utf-8"))
    assert sum(map(len, found.values())) >= 18
