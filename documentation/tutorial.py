"""The pictures of the tutorial, drawn by following it.

    python -m documentation.tutorial

In a folder of its own, with every file and command of the page: what a command draws is kept,
the check of step 5 draws itself, and a Chromium of this machine shows the page of step 7.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
from pathlib import Path

from documentation.gallery import with_few_colours

DOCS = Path(__file__).parents[1] / "docs"
DRAWN = {"simulate.png": "tutorial-simulate.png", "check.png": "tutorial-check.png"}
"""Files that the tutorial leaves behind, and their names in `docs/`."""
WIDTH = 1100

CHECK = """
from ldp_auditor import check
from outsider import lead, twelve_reports

found = check(twelve_reports, [0, 42, 99], epsilon=2, score=lead, alpha=1e-6, trials=1e4,
              stop=False, learn=False)
found.plot("check.png")
"""


def follow(folder: Path) -> None:
    """Write the files and run the commands; before the client is repaired, draw its check."""
    documents = importlib.import_module("tests.end_to_end.documents")
    for block in documents.blocks((DOCS / "tutorial.md").read_text(encoding="utf-8")):
        if block.left_alone:
            continue
        if block.file is not None:
            file = folder / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
            if block.file == "outsider.py":
                subprocess.run([sys.executable, "-c", CHECK], cwd=folder, check=True)
        for command in block.commands:
            print(command.line, flush=True)
            command.run(folder)


def photograph(page: Path, target: Path) -> None:
    """Keep the first screen of a page."""
    from playwright.sync_api import sync_playwright

    browsing = importlib.import_module("tests.end_to_end.browsing")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browsing.chromium())
        with browsing.visit(browser, page, viewport={"width": WIDTH, "height": 900}) as visit:
            visit.page.screenshot(path=target)
        browser.close()


def main() -> None:
    """Follow the tutorial and keep its pictures."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        follow(folder)
        photograph(folder / "report.html", folder / "page.png")
        for drawn, kept in {**DRAWN, "page.png": "tutorial-page.png"}.items():
            image = Image.open(folder / drawn).convert("RGB")
            image.thumbnail((WIDTH, 4 * WIDTH))
            with_few_colours(image).save(DOCS / kept, optimize=True)


if __name__ == "__main__":
    main()
