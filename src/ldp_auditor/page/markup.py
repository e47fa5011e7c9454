"""Text into HTML: everything that comes from results is escaped here, and nowhere else."""

from __future__ import annotations

import base64
import gzip
import json
import unicodedata
from html import escape as escape_html
from typing import Any

LONGEST = 120
"""Characters of a name that are shown."""

HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
"""Kinds of characters that are not seen, or turn the text around them."""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def shown(text: Any, most: int = LONGEST) -> str:
    r"""Text as it can be shown: what is invisible is spelled out, what is long is cut.

    >>> shown("a\u202eb")
    'a\\u202eb'
    """
    cut = str(text)[: most + 1]
    spelled = "".join(
        f"\\u{ord(char):04x}" if unicodedata.category(char) in HIDDEN else char for char in cut
    )
    return spelled if len(cut) <= most else spelled[: most - 1] + "…"


def text(value: Any, most: int = LONGEST) -> Html:
    """Text, isolated from the direction of what is around it."""
    if isinstance(value, Html):
        return value
    return Html(f"<bdi>{escape_html(shown(value, most))}</bdi>")


def escaped(value: Any) -> Html:
    """Text of our own, or of numbers."""
    return value if isinstance(value, Html) else Html(escape_html(str(value)))


def element(tag: str, *children: Any, **attributes: Any) -> Html:
    """Make an element; underscores in the names of attributes stand for hyphens."""
    written = "".join(
        f" {name.strip('_').replace('_', '-')}"
        + ("" if value is True else f'="{escape_html(str(value))}"')
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    inner = "".join(escaped(child) for child in children if child is not None)
    return Html(f"<{tag}{written}>{inner}</{tag}>")


def join(parts: Any, between: str = "") -> Html:
    """Put pieces of HTML behind each other."""
    return Html(between.join(escaped(part) for part in parts))


def counted(count: int, thing: str) -> str:
    """A number of things in words.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def packed(content: str) -> str:
    """Text compressed into characters that mean nothing to HTML, the same every time."""
    return base64.b64encode(gzip.compress(content.encode(), 9, mtime=0)).decode()


def packed_json(value: Any) -> str:
    """Plain values, compressed."""
    return packed(json.dumps(value, separators=(",", ":"), allow_nan=False))
