"""Examples in docstrings, fenced for the site: Markdown takes `>>> ` for a quotation."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*?(?=\n\n(?!>>> )|\Z)", re.DOTALL | re.MULTILINE)


def fenced(text: str) -> str:
    """Return a docstring with a fence around each of its examples."""
    return EXAMPLE.sub(lambda example: f"```pycon\n{example[0].rstrip()}\n```", text)


class FencedExamples(griffe.Extension):  # type: ignore[misc]
    """Fences the examples of every docstring that the site shows."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of what was read."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
