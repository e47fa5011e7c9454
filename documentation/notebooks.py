"""The notebooks of `docs/notebooks`, run and written as pages with what they print and draw.

    python -m documentation.notebooks [NAME...]    runs them and says how long each took

They are kept without outputs. What was run is kept in `.venv/notebooks` and run again when the
notebook or the package has changed.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import sys
import tempfile
import textwrap
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "notebooks"
KEPT = ROOT / ".venv" / "notebooks"
SECONDS = 120
"""That a cell may take."""

WIDTH = 108
"""Letters of a line that a page shows without scrolling."""

Notebook = Any


def notebooks() -> dict[str, Path]:
    """Return the notebooks by their names."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.ipynb"))}


def pages() -> dict[str, str | bytes]:
    """Return the pages of all notebooks, and their pictures, by their files."""
    made: dict[str, str | bytes] = {}
    for name, path in notebooks().items():
        made |= _page(name, executed(path))
    return made


def executed(path: Path) -> Notebook:
    """Return a notebook with its outputs; an error in a cell is raised as it is."""
    kept = KEPT / f"{path.stem}-{_digest(path)}.json"
    if kept.exists():
        return nbformat.reads(kept.read_text(encoding="utf-8"), as_version=4)
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        talk = Config({"KernelManager": {"transport": "ipc", "ip": f"{folder}/kernel"}})
        resources = {"metadata": {"path": folder}}  # it talks through files, not ports
        NotebookClient(notebook, config=talk, timeout=SECONDS, resources=resources).execute()
    KEPT.mkdir(parents=True, exist_ok=True)
    for old in KEPT.glob(f"{path.stem}-*.json"):
        old.unlink()
    kept.write_text(nbformat.writes(notebook), encoding="utf-8")
    return notebook


def _digest(path: Path) -> str:
    """Of the notebook, and of the package that it runs."""
    found = hashlib.sha256(path.read_bytes())
    for source in sorted((ROOT / "src").rglob("*.py")):
        found.update(source.read_bytes())
    return found.hexdigest()[:16]


def _page(name: str, notebook: Notebook) -> dict[str, str | bytes]:
    """Return the page of a notebook and its pictures."""
    made: dict[str, str | bytes] = {}
    parts: list[str] = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            picture = output.get("data", {}).get("image/png")
            if picture is not None:
                file = f"{name}-{len(made) + 1}.png"
                made[f"notebooks/{file}"] = base64.b64decode(picture)
                parts.append(f"![What the cell above draws]({file})")
            else:
                parts.append(_text(output))
    title, *rest = parts
    file = f"{name}.ipynb"
    note = f"This page is the notebook [{file}]({file}){{ download }}, run.\n{{ .notebook }}"
    wide = "---\nhide: [toc]\n---"
    return {f"notebooks/{name}.md": "\n\n".join([wide, title, note, *rest]) + "\n", **made}


def _text(output: Any) -> str:
    """Return what a cell printed or returned, as it stands in fixed width."""
    text = output["text"] if "text" in output else output["data"]["text/plain"]
    rich = output.get("data", {}).get("text/html")
    if rich is not None and rich.startswith("<pre>"):
        text = html.unescape(rich.removeprefix("<pre>").removesuffix("</pre>"))
    text = re.sub(r"\x1b\[[0-9;]*m", "", text).rstrip()
    return "\n".join(["```text", *map(_wrapped, text.split("\n")), "```"])


def _wrapped(line: str) -> str:
    """Break a sentence that is longer than a page is wide; rows and rules of tables stay whole."""
    if len(line) <= WIDTH or "  " in line.strip() or " " not in line.strip():
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


if __name__ == "__main__":
    asked = sys.argv[1:] or list(notebooks())
    for each in asked:
        started = time.perf_counter()
        cells = executed(notebooks()[each]).cells
        print(json.dumps({"notebook": each, "seconds": round(time.perf_counter() - started, 1)}))
        assert all(cell.get("execution_count") for cell in cells if cell.cell_type == "code")
