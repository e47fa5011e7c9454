"""What MkDocs calls while it builds the site: adds the pages that are made, mends links.

Pages in `docs/` are written to be read in the repository too, so that they link to files above it;
those that readers need become pages of the site.
"""

from __future__ import annotations

import logging
import os.path
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from documentation import changes, commands, gallery, history, notebooks, protocols, python_names

ROOT = Path(__file__).parents[1]
ABOVE = {
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
    "CODE_OF_CONDUCT.md": "project/code-of-conduct.md",
    "tests/README.md": "project/tests.md",
}
"""Files of the repository that are pages of the site."""

BOOST = {
    "questions.md": 4,
    "get-started.md": 2,
    "choosing.md": 2,
    "results.md": 2,
    "how-to/": 2,
    "explanation/": 1.5,
    "longitudinal.md": 1.5,
    "estimation.md": 1.5,
    "broken-mechanisms.md": 0.3,
    "claims.md": 0.3,
    "papers.md": 0.5,
    "reference/python/": 0.3,
    "project/": 0.3,
}
"""How much the search prefers pages, by the beginning of their path: what newcomers ask for, and
less those with long tables."""

HIDDEN = {
    "broken-mechanisms.md": ["toc"],
    "claims.md": ["toc"],
    "papers.md": ["navigation", "toc"],
    "results.md": ["toc"],
    "tutorial.md": ["navigation"],
}
"""What pages leave out at their sides: wide tables need the room, a menu of one page is none."""

LINK = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)]*)?\))")
SESSION = re.compile(r"^```python(?=\n>>> )", re.MULTILINE)
"""The fence of an example with prompts and answers, of which a reader copies what one types."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add every page and picture that is made."""
    made: dict[str, str | bytes] = {
        "reference/commands.md": commands.page(),
        "reference/protocols.md": protocols.page(),
        "gallery.md": gallery.page(),
        "project/results-change.md": changes.page(),
        **python_names.pages(),
        **history.pages(),
        **notebooks.pages(),
    }
    made |= {page: _moved(name, page) for name, page in ABOVE.items()}
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Lead links to files above `docs/` to their pages, set what a page needs, name sessions."""
    folder = Path("docs") / Path(page.file.src_uri).parent
    boosts = [boost for path, boost in BOOST.items() if page.file.src_uri.startswith(path)]
    page.meta["search"] = {"boost": max(boosts, default=1)}
    if page.file.src_uri in HIDDEN:
        page.meta["hide"] = HIDDEN[page.file.src_uri]
    markdown = SESSION.sub("```pycon", markdown)
    if page.file.generated_by:
        return markdown
    return LINK.sub(lambda link: link[1] + _target(link[2], folder, folder) + link[3], markdown)


def on_post_page(output: str, **_: Any) -> str:
    """Give the dialog of the search a name, for those who listen."""
    dialog = 'data-md-component="search" role="dialog"'
    return output.replace(dialog, f'{dialog} aria-label="Search"')


def _moved(name: str, page: str) -> str:
    """Return a file above `docs/` with its links as they are from its page."""
    text = (ROOT / name).read_text(encoding="utf-8")
    source, target = Path(name).parent, (Path("docs") / page).parent
    return LINK.sub(lambda link: link[1] + _target(link[2], source, target) + link[3], text)


def _target(link: str, source: Path, folder: Path) -> str:
    """Return a link of a file in the folder `source` as it is from a page in `folder`.

    A link to a file above `docs/` that is no page of the site is a warning, and ends the build.
    """
    path = _normal(source / link)
    if path.parts[0] != "docs":
        page = {**ABOVE, "README.md": "index.md"}.get(str(path))
        if page is None:
            logging.getLogger("mkdocs").warning("%s has no page on the site (%s)", path, link)
            return link
        path = Path("docs") / page
    return os.path.relpath(path, folder)


def _normal(path: Path) -> Path:
    return (ROOT / path).resolve().relative_to(ROOT)
