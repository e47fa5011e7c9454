"""The gallery: every figure that the program draws, small, with the one command behind it.

    python -m documentation.gallery [NAME...]    draws them anew into docs/gallery (all: minutes)

The pictures are kept, because those of the paper take minutes; other pages show the same
files. The page is made from this table.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ldp_auditor import studies

if TYPE_CHECKING:
    from PIL import Image

FOLDER = Path(__file__).parents[1] / "docs" / "gallery"
WIDTH = 1400
"""Pixels of a picture at most: twice what a page shows, for sharp screens."""
LETTERS = 60
"""Letters in a line of a command at most."""


@dataclass(frozen=True)
class Picture:
    """A figure, what it shows, the command that draws it, and the page that explains it."""

    name: str
    title: str
    command: str
    page: str

    @property
    def file(self) -> str:
        """The file that the command writes."""
        words = shlex.split(self.command)
        if words[1] == "reproduce":
            return f"results/{self.name}.png"
        if words[0] == "python":
            return f"{self.name}.png"
        return words[words.index("--figure") + 1]


COLLECTION = "--domain-size 100 --users 1e6 --reports 52"
PICTURES = (
    Picture(
        "compare",
        "All protocols of the paper, side by side",
        "ldp-auditor compare --epsilon 1 --domain-size 25 --figure compare.png",
        "get-started.md",
    ),
    Picture(
        "compare-both",
        "The paper's attack and the optimal one",
        "ldp-auditor compare --epsilon 1 --domain-size 100 --attack both --figure both.png",
        "tight-audits.md",
    ),
    Picture(
        "explain",
        "From the promise to the proof",
        "ldp-auditor explain GM --epsilon 1 --domain-size 25 --figure explain.png",
        "reading-results.md",
    ),
    Picture(
        "profile",
        "The exact privacy profile",
        "ldp-auditor profile AGM --epsilon 1 --domain-size 25 --figure profile.png",
        "reading-results.md",
    ),
    Picture(
        "audit",
        "The account of one audit, in Python",
        'python -c "from ldp_auditor import audit;'
        " audit('OUE', epsilon=1, domain_size=100).plot('audit.png')\"",
        "python.md",
    ),
    Picture(
        "check",
        "The event that breaks a promise, in Python",
        'python -c "from ldp_auditor import check;'
        " check(lambda v, rng: v ^ (rng.random() < 0.2), [0, 1], epsilon=1).plot('check.png')\"",
        "check.md",
    ),
    Picture(
        "over-time",
        "Users who report again and again: fresh noise, and memoization",
        "ldp-auditor compare SUE L-SUE L-OSUE L-GRR BiLOLOHA 'Memo[SUE]' --epsilon 1"
        " --epsilon-infinity 2 --domain-size 25 --reports 1,2,5,10,25,50,100,250 --attack optimal"
        " --figure over-time.png",
        "longitudinal.md",
    ),
    Picture(
        "year",
        "The reports of a year",
        "ldp-auditor audit OUE --epsilon 0.5 --domain-size 100 --reports 1,4,13,26,52 --trials 1e5"
        " --figure year.png",
        "how-to/audit-over-time.md",
    ),
    Picture(
        "choose",
        "Error against leakage, and the choice",
        f"ldp-auditor choose {COLLECTION} --max-epsilon 2 --max-error 0.0025 --max-epsilon-1 1"
        " --no-fingerprint --figure choose.png",
        "tutorial.md",
    ),
    Picture(
        "simulate",
        "A simulated collection with its intervals",
        "ldp-auditor simulate OUE --epsilon 1 --users 1e5 --domain-size 8 --figure simulate.png",
        "choosing.md",
    ),
    Picture(
        "slide",
        "For a slide: larger letters, thicker lines",
        "ldp-auditor compare --epsilon 1 --domain-size 25 --style slide --figure slide.png",
        "reading-results.md",
    ),
    Picture(
        "journal",
        "For a column of a journal (also as .pdf)",
        "ldp-auditor compare GRR OUE OLH SS --epsilon 1 --domain-size 100 --attack both"
        " --style paper --columns 1 --figure journal.png",
        "reading-results.md",
    ),
    Picture(
        "explore",
        "Exact curves over a setting",
        "ldp-auditor explore GRR OUE SS --over domain_size --epsilon 1 --figure explore.png",
        "explore.md",
    ),
    Picture(
        "explore-error",
        "The error over a setting, in Python",
        'python -c "from ldp_auditor.exploring.view import view;'
        " view(['GRR', 'OUE', 'SS'], over='domain_size', epsilon=1)"
        ".plot('explore-error.png', of='error')\"",
        "explore.md",
    ),
)
"""Figures of single commands; those of the paper's studies follow from their table."""

OF_OTHER_PAGES = (
    Picture(
        "figure-2-optimal",
        "A figure of the paper with the optimal attack",
        "ldp-auditor reproduce figure-2 --optimal --quick --out results/",
        "sweeps.md",
    ),
    Picture(
        "report",
        "The page of a results folder",
        "ldp-auditor report results/ --out report.html",
        "report.md",
    ),
    Picture("explore", "The page with sliders", "ldp-auditor explore", "explore.md"),
)
"""Pictures in `docs/` of what the program shows elsewhere: a variant, and its two pages."""


def pictures() -> list[Picture]:
    """Return every figure of the gallery, those of the paper last."""
    paper = [
        Picture(
            study.name,
            f"{study.name.replace('-', ' ').capitalize()} of the paper: {study.title}",
            f"ldp-auditor reproduce {study.name} --quick --out results/",
            "sweeps.md",
        )
        for study in studies.available().values()
    ]
    return [*PICTURES, *paper]


def page() -> str:
    """Return the page: a card for each picture."""
    drawn = [(f"gallery/{picture.name}.png", picture) for picture in pictures()]
    cards = [
        f"-   [![{picture.title}]({file}){{ loading=lazy }}]({file})\n\n"
        f"    **{picture.title}** ([more]({picture.page}))\n\n"
        f"    ```console\n    $ {_in_lines(picture.command)}\n    ```\n"
        for file, picture in [*drawn, *((f"{other.name}.png", other) for other in OF_OTHER_PAGES)]
    ]
    start = (
        "---\nhide: [navigation, toc]\n---\n\n# Gallery\n\n"
        "Every figure that the program draws, with the one command behind it. PNG, PDF"
        " or SVG, by the name of the file; results in Python draw themselves (`result.plot()`). The"
        " pages of [`report`](report.md) and [`explore`](explore.md) draw the same data in a"
        ' browser.\n\n<div class="grid cards gallery" markdown>\n\n'
    )
    return start + "\n".join(cards) + "\n</div>\n"


def _in_lines(command: str) -> str:
    """Return a command in lines that fit a card, as a shell takes them, broken before options."""
    line, *options = re.split(r" (?=--)", command)
    lines = [line]
    for option in options:
        fits = len(lines[-1]) + len(option) < LETTERS
        lines[-1:] = [f"{lines[-1]} {option}"] if fits else [lines[-1], option]
    return " \\\n        ".join(lines)


def with_few_colours(image: Image.Image) -> Image.Image:
    """Return the picture in 256 colours: series and what is frequent as it is, means of the rest.

    Thin lines keep their colours, which means alone would mix with others.
    """
    from PIL import Image, ImageColor

    from ldp_auditor.figures.drawing.sheet import COLOURS

    colours, places, counts = np.unique(
        np.asarray(image).reshape(-1, 3), axis=0, return_inverse=True, return_counts=True
    )
    own = [ImageColor.getrgb(colour) for colour in COLOURS]
    frequent = colours[np.argsort(-counts)[: 128 - len(own)]]
    means = np.reshape(image.quantize(128).getpalette() or [], (-1, 3))[:128]
    palette = np.vstack([own, frequent, means]).astype(int)
    away = [np.abs(palette - colour).max(axis=1) for colour in colours.astype(int)]
    nearest = np.argmin(away, axis=1).astype(np.uint8)
    kept = Image.fromarray(nearest[places.ravel()].reshape(image.height, image.width), "P")
    kept.putpalette(palette.ravel().tolist())
    return kept


def draw(picture: Picture) -> None:
    """Run the command in an empty folder, and keep its figure at the width of the gallery."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        program, *words = shlex.split(picture.command)
        program = str(Path(sys.executable).with_name(program))
        done = subprocess.run([program, *words], cwd=folder, check=False, stdout=subprocess.DEVNULL)
        assert done.returncode in {0, 1}, picture.command  # 1: a study found a violation
        image = Image.open(Path(folder) / picture.file).convert("RGB")
        image.thumbnail((WIDTH, 4 * WIDTH))
        FOLDER.mkdir(exist_ok=True)
        with_few_colours(image).save(FOLDER / f"{picture.name}.png", optimize=True)


if __name__ == "__main__":
    asked = set(sys.argv[1:])
    for each in pictures():
        if not asked or each.name in asked:
            print(each.command, flush=True)
            draw(each)
