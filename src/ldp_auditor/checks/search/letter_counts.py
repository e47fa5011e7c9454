"""How often letters, and letters of a sort, are in a text, wherever they stand."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ldp_auditor.checks.search.pieces import Found, Piece, Pieces, Place
from ldp_auditor.checks.search.writings import GRAM_TEXTS, LONGEST, called_with, is_told

MOST_COUNTED = 32
"""Largest number of letters that are counted each."""

SORTS: Mapping[str, Callable[[str], bool]] = {
    "capitals": str.isupper,
    "digits": str.isdecimal,
    "spaces": str.isspace,
}
"""Sorts of letters that are counted together."""


def letter_counts(place: Place, parts: Sequence[str], pieces: Pieces) -> Iterator[Found]:
    """How often every letter is there, how many are of a sort, and how many are different."""
    calls = f"{place.words}.count("
    if pieces.wanted is None:
        some = parts[:: max(1, len(parts) // GRAM_TEXTS)]
        if max(map(len, some)) > LONGEST or min(map(len, some)) < 2 or is_told(parts):
            return
        every = _commonest_first(some)
        chosen = every[:MOST_COUNTED]
        if len(every) > MOST_COUNTED:
            pieces.note(f"Of {place.words} the {MOST_COUNTED} commonest letters were counted.")
    else:
        chosen = called_with(pieces, place.words, "count")
    for letter in chosen:
        found = np.array([part.count(letter) for part in parts], dtype=np.int64)
        yield Piece(place.words, f"{calls}{letter!r})", "number", place.rows, found)
    words = f"len(set({place.words}))"
    if pieces.wants(words, "number"):
        found = np.array([len(set(part)) for part in parts], dtype=np.int64)
        yield Piece(place.words, words, "number", place.rows, found)
    for name, is_one in SORTS.items():
        words = f"{name} in {place.words}"
        if pieces.wants(words, "number"):
            found = np.array([sum(map(is_one, part)) for part in parts], dtype=np.int64)
            yield Piece(place.words, words, "number", place.rows, found)


def _commonest_first(texts: Sequence[str]) -> list[str]:
    """Letters, those in the most texts first, those that are equally common in their order."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(text))
    return [letter for letter, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
