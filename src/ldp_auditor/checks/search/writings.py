"""What a text writes: bytes in base64 or hexadecimal, JSON, a time; groups of letters in it."""

import ast
import base64
import datetime
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any
from uuid import UUID

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


def _uuid(text: str) -> UUID:
    if not re.fullmatch("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text):
        raise ValueError(text)
    return UUID(text)


WRITINGS: dict[str, Callable[[str], Any]] = {
    "json": _json,
    "time": datetime.datetime.fromisoformat,
    "uuid": _uuid,
    "hex": _hexadecimal,
    "base64": _base64,
}
"""How a text may be read, by the name of the place inside that it becomes."""

TOLD = ("json", "time", "uuid")
"""Those that are no chance: groups of letters would only say the same in other words."""


def _read(read: Callable[[str], Any], text: str) -> Any:
    """What a text writes, or `_read` itself if it writes nothing of this kind."""
    try:
        return read(text)
    except (ValueError, RecursionError):
        return _read


def _is_all(read: Callable[[str], Any], parts: Sequence[str]) -> bool:
    """Whether the first texts can all be read in this way."""
    return all(_read(read, text) is not _read for text in parts[:FIRST_TEXTS])


def is_told(parts: Sequence[str]) -> bool:
    """Whether all texts write something of which letters and words say nothing more."""
    return any(_is_all(WRITINGS[name], parts) for name in TOLD)


def written_parts(place: Place, parts: Sequence[str], pieces: Pieces) -> Iterator[Place]:
    """What all texts write, as places inside; the first way to read them that fits."""
    for name, read in WRITINGS.items():
        words = f"{place.words}.{name}"
        if pieces.wanted is None:
            if not _is_all(read, parts):
                continue
        elif not pieces.may_contain(words):
            continue
        found = [_read(read, text) for text in parts]
        there = np.array([one is not _read for one in found])
        if there.any():
            yield place.inside(words, [one for one in found if one is not _read], there)
        if pieces.wanted is None:
            return


def decoded_parts(place: Place, parts: Sequence[bytes], pieces: Pieces) -> Iterator[Place]:
    """The text that bytes write, as a place inside: chance does not make so many letters."""
    words = f"{place.words}.decode()"
    if pieces.wanted is None:
        some = parts[:FIRST_TEXTS]
        written = all(part.isascii() and part.decode().isprintable() for part in some)
        if not written or sum(map(len, some)) < FIRST_TEXTS:
            return
    elif not pieces.may_contain(words):
        return
    there = np.array([part.isascii() for part in parts])
    found = [part.decode() for part in parts if part.isascii()]
    yield place.inside(words, found, there)


def named_members(pieces: Pieces, ending: str) -> list[str]:
    """Texts of which the presence is wanted, by the ending of the columns' words."""
    assert pieces.wanted is not None
    named = sorted(w for w, k in pieces.wanted.columns if k == "member" and w.endswith(ending))
    return [ast.literal_eval(words.removesuffix(ending)) for words in named]


def called_with(pieces: Pieces, place: str, method: str) -> list[str]:
    """Texts with which wanted columns of a place call a method, such as `report.count('a')`."""
    assert pieces.wanted is not None
    calls = f"{place}.{method}("
    named = sorted(w for w in pieces.wanted.numbers.get(place, ()) if w.startswith(calls))
    return [ast.literal_eval(words[len(calls) : -1]) for words in named]


def most_varied(found: Sequence[Set[str]], most: int) -> list[str]:
    """The texts that are in about half of these sets, and not in all."""
    counts: Counter[str] = Counter()
    number = len(found)
    for one in found:
        counts.update(one)
    varied = sorted(counts.items(), key=lambda item: (-item[1] * (number - item[1]), item[0]))
    return [text for text, count in varied[:most] if 0 < count < number]


def letter_groups(place: Place, parts: Sequence[str], pieces: Pieces) -> Iterator[Found]:
    """Two or three letters that stand together anywhere: those that tell texts apart the most."""
    ending = f" in {place.words}"
    if pieces.wanted is None:
        if is_told(parts):
            return
        chosen = _common_groups(parts[:: max(1, len(parts) // GRAM_TEXTS)])
    else:
        chosen = named_members(pieces, ending)
    for group in chosen:
        held = np.array([group in part for part in parts], dtype=np.int8)
        yield Piece(place.words, f"{group!r}{ending}", "member", place.rows, held)


def _common_groups(texts: Sequence[str]) -> list[str]:
    if max(map(len, texts)) > LONGEST or min(map(len, texts)) < 3:
        return []
    groups = [{text[i : i + n] for n in (2, 3) for i in range(len(text) - n + 1)} for text in texts]
    return most_varied(groups, MOST_GRAMS)
