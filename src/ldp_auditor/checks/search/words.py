"""The words of a text: what stands between commas, spaces or other separators."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from ldp_auditor.checks.search.differing import (
    MOST_LOOKED_UP,
    codes_of,
    differences,
    first_of_each,
    most_different,
)
from ldp_auditor.checks.search.pieces import Block, Found, Piece, Pieces, Place
from ldp_auditor.checks.search.writings import (
    FIRST_TEXTS,
    GRAM_TEXTS,
    called_with,
    is_told,
    most_varied,
    named_members,
)

SEPARATORS = ("\n", "\t", "|", ";", "&", ",", " ", "/", "@", ":", "-", "_", ".")
"""What words may be separated by: the first that is in half of the texts."""

MOST_POSITIONS = 64
"""Words that become columns by their position."""

WIDEST = 2**12
"""Words from the front among which those are."""

MOST_WORDS = 32
"""Words that become columns wherever they stand."""


def number_in(text: str) -> float:
    """The number that a text writes, or NaN."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _are_numbers(parts: Sequence[str]) -> bool:
    """Whether the first texts each write a number, whose point separates nothing."""
    return not any(math.isnan(number_in(text)) for text in parts[:FIRST_TEXTS])


def word_parts(place: Place, parts: Sequence[str], pieces: Pieces) -> Iterator[Found]:
    """How many words there are, each of the first and the last, and which are there at all."""
    if pieces.wanted is None and (is_told(parts) or _are_numbers(parts)):
        return
    for separator in SEPARATORS:
        words = f"{place.words}.split({separator!r})"
        if pieces.wanted is None:
            some = parts[:FIRST_TEXTS]
            if 2 * sum(separator in text.strip() for text in some) < len(some):
                continue
        elif not pieces.may_contain(words):
            continue
        split = [text.split(separator) for text in parts]
        there = Place(words, place.rows, split, place.depth + 1)
        yield from _by_position(there, split, pieces)
        yield from _anywhere(there, split, pieces)
        if pieces.wanted is None:
            return


def _by_position(place: Place, split: Sequence[list[str]], pieces: Pieces) -> Iterator[Found]:
    """The length, and words by their position, also as numbers where they write some."""
    lengths, column = place.lengths(split)
    yield column
    for i in (*_chosen_positions(place, split, pieces), -1):
        words, number = f"{place.words}[{i}]", f"float({place.words}[{i}])"
        if not (pieces.wants(words, "category") or pieces.wants_from(place.words, number)):
            continue
        mask = lengths > i
        found = [one[i] for one in split if len(one) > i]
        yield Piece(place.words, words, "category", place.some(mask), found)
        numbers = np.array([number_in(word) for word in found])
        mask[mask] = written = ~np.isnan(numbers)
        if written.any():
            some = numbers[written, None]
            yield Block([number], place.some(mask), some, place=place.words)


def _chosen_positions(place: Place, split: Sequence[list[str]], pieces: Pieces) -> Sequence[int]:
    """Positions of words that become columns: those at which inputs differ most."""
    longest = max(map(len, split))
    if pieces.wanted is not None:
        return [i for i in pieces.wanted.entries(place.words) if i < longest]
    if longest <= MOST_POSITIONS:
        return range(longest)
    wide = min(longest, WIDEST)
    owners = pieces.owners_of(place.rows)
    first = first_of_each(owners, wide, MOST_LOOKED_UP)
    some = [split[i] for i in first.tolist()]
    apart = np.zeros(wide)
    for i in range(wide):
        codes = codes_of([one[i] if i < len(one) else None for one in some])
        apart[i] = differences(codes[:, None], owners[first])[0]
    among = "" if wide == longest else f" the first {wide:,} of"
    pieces.note(
        f"Of{among} {longest:,} words of {place.words} the {MOST_POSITIONS} that differ most "
        "between inputs were looked at one by one."
    )
    return most_different(apart, MOST_POSITIONS)


def _anywhere(place: Place, split: Sequence[list[str]], pieces: Pieces) -> Iterator[Piece]:
    """Words that some texts have and others do not."""
    ending = f" in {place.words}"
    sets = list(map(frozenset, split))
    different = f"len(set({place.words}))"
    if pieces.wants(different, "number"):
        found = np.array(list(map(len, sets)), dtype=np.int64)
        yield Piece(place.words, different, "number", place.rows, found)
    if pieces.wanted is None:
        some = sets[:: max(1, len(sets) // GRAM_TEXTS)]
        chosen = most_varied(some, MOST_WORDS)
    else:
        chosen = named_members(pieces, ending)
    for word in chosen:
        held = np.array([word in one for one in sets], dtype=np.int8)
        yield Piece(place.words, f"{word!r}{ending}", "member", place.rows, held)
    yield from _often(place, split, pieces)


def _often(place: Place, split: Sequence[list[str]], pieces: Pieces) -> Iterator[Piece]:
    """How often the words are there that some texts have several times."""
    calls = f"{place.words}.count("
    if pieces.wanted is None:
        several: Counter[str] = Counter()
        for one in split[:: max(1, len(split) // GRAM_TEXTS)]:
            several.update(word for word, times in Counter(one).items() if times > 1)
        common = sorted(several.items(), key=lambda item: (-item[1], item[0]))
        chosen = [word for word, times in common[:MOST_WORDS] if times > 1]
    else:
        chosen = called_with(pieces, place.words, "count")
    for word in chosen:
        found = np.array([one.count(word) for one in split], dtype=np.int64)
        yield Piece(place.words, f"{calls}{word!r})", "number", place.rows, found)
