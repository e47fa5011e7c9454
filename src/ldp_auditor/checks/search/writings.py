"""What a text writes: bytes in base64 or hexadecimal, JSON, a time; and groups of letters in it."""

import ast
import base64
import datetime
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ldp_auditor.checks.search.pieces import Found, Piece, Pieces, Place

FIRST_TEXTS = 50
"""Texts that must all be of one writing, or none is taken for it."""

SHORTEST = 8
"""Fewest letters of a text that may write bytes."""

GRAM_TEXTS = 2000
"""Texts in which groups of letters are counted."""

MOST_GRAMS = 32
"""Largest number of groups of two or three letters that become columns."""

LONGEST = 512
"""Texts with more letters are not looked through for groups of them."""


def _hexadecimal(text: str) -> bytes:
    if len(text) < SHORTEST or not re.fullmatch("(?:[0-9a-fA-F]{2})+", text):
        raise ValueError(text)
    return bytes.fromhex(text)


def _base64(text: str) -> bytes:
    if len(text) < SHORTEST:
        raise ValueError(text)
    standard = text.replace("-", "+").replace("_", "/")
    return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)


def _json(text: str) -> Any:
    if text[:1] not in ("{", "["):
        raise ValueError(text)
    return json.loads(text)


WRITINGS: dict[str, Callable[[str], Any]] = {
    "json": _json,
    "time": datetime.datetime.fromisoformat,
    "hex": _hexadecimal,
    "base64": _base64,
}
"""How a text may be read, by the name of the place inside that it becomes."""


def _read(read: Callable[[str], Any], text: str) -> Any:
    """What a text writes, or `_read` itself if it writes nothing of this kind."""
    try:
        return read(text)
    except (ValueError, RecursionError):
        return _read


def written_parts(place: Place, parts: Sequence[str], pieces: Pieces) -> Iterator[Place]:
    """What all texts write, as places inside; the first way to read them that fits."""
    for name, read in WRITINGS.items():
        words = f"{place.words}.{name}"
        if pieces.wanted is None:
            if any(_read(read, text) is _read for text in parts[:FIRST_TEXTS]):
                continue
        elif not pieces.may_contain(words):
            continue
        found = [_read(read, text) for text in parts]
        there = np.array([one is not _read for one in found])
        if there.any():
            yield place.inside(words, [one for one in found if one is not _read], there)
        if pieces.wanted is None:
            return


def letter_groups(place: Place, parts: Sequence[str], pieces: Pieces) -> Iterator[Found]:
    """Two or three letters that stand together anywhere: those that tell texts apart the most."""
    ending = f" in {place.words}"
    if pieces.wanted is None:
        chosen = _common_groups(parts[:: max(1, len(parts) // GRAM_TEXTS)])
    else:
        named = sorted(w for w, k in pieces.wanted.columns if k == "member" and w.endswith(ending))
        chosen = [ast.literal_eval(words.removesuffix(ending)) for words in named]
    for group in chosen:
        held = np.array([group in part for part in parts], dtype=np.int8)
        yield Piece(place.words, f"{group!r}{ending}", "member", place.rows, held)


def _common_groups(texts: Sequence[str]) -> list[str]:
    if max(map(len, texts)) > LONGEST or min(map(len, texts)) < 3:
        return []
    counts: Counter[str] = Counter()
    for text in texts:
        pairs = {text[i : i + n] for n in (2, 3) for i in range(len(text) - n + 1)}
        counts.update(pairs)
    number = len(texts)
    varied = sorted(counts.items(), key=lambda item: (-item[1] * (number - item[1]), item[0]))
    return [group for group, count in varied[:MOST_GRAMS] if 0 < count < number]
