"""What a page can hold: names that can be shown, and data packed into few characters."""

import base64
import gzip
import unicodedata
from typing import Any

LONGEST = 120
"""Characters of a name that are shown."""

HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
"""Kinds of characters that are not seen, or turn the text around them."""


def shown(text: Any, most: int = LONGEST) -> str:
    r"""Text as it can be shown: what is invisible is spelled out, what is long is cut.

    >>> shown("a\u202eb")
    'a\\u202eb'
    """
    cut = str(text)[: most + 1]
    spelled = cut
    if not cut.isprintable():
        spelled = "".join(
            f"\\u{ord(char):04x}" if unicodedata.category(char) in HIDDEN else char for char in cut
        )
    return spelled if len(cut) <= most else spelled[: most - 1] + "…"


def counted(count: int, thing: str) -> str:
    """A number of things in words.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def packed(content: str) -> str:
    """Text compressed into characters that mean nothing to HTML, the same every time."""
    return base64.b64encode(gzip.compress(content.encode(), 9, mtime=0)).decode()
