"""Whether something is in a report at all, wherever it stands: members of sets and of sequences."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.adapters.canonical import PLAIN, canonical, text_of
from ldp_auditor.checks.search.differing import apart, most_different
from ldp_auditor.checks.search.pieces import Found, Piece, Pieces, Place, Rows

MOST_OF_SETS = 1200
"""Members of sets that become columns."""

MOST_OF_SEQUENCES = 64
"""Entries of sequences that become columns wherever they stand."""

WIDEST = 2**16
"""The commonest members, among which those are."""

LARGEST = 2**16
"""Size below which whole numbers are looked for in rows of them."""

LONGEST = 512
"""Entries of a sequence up to which it is asked what is among them."""


def members_of_sets(place: Place, pieces: Pieces) -> Iterator[Found]:
    """Whether each member of the sets at a place is there."""
    yield from _members(place, place.parts, MOST_OF_SETS, pieces)


def members_of_sequences(
    place: Place, parts: Sequence[Sequence[Any]], pieces: Pieces
) -> Iterator[Found]:
    """Whether entries of sequences are there, by their content; not if they are hardly ever."""
    if max(map(len, parts)) > LONGEST:
        return
    forms = [frozenset(e if type(e) in PLAIN else canonical(e) for e in part) for part in parts]
    shown: dict[Any, Any] = {}
    for part in parts:
        for e in part:
            if type(e) not in PLAIN:
                shown.setdefault(canonical(e), e)
    yield from _members(place, forms, MOST_OF_SEQUENCES, pieces, shown)


def members_of_rows(
    place: Place, rows: NDArray[Any], where: Rows, pieces: Pieces
) -> Iterator[Found]:
    """Whether whole numbers are anywhere in rows of them, which belong to the reports `where`."""
    if rows.dtype.kind not in "iu" or not 1 < rows.shape[1] <= LONGEST:
        return
    if pieces.wanted is not None:
        number = re.compile(rf"(-?\d+) in {re.escape(place.words)}")
        named = (number.fullmatch(words) for words, _ in pieces.wanted.columns)
        chosen = sorted(int(one[1]) for one in named if one)
    else:
        low, high = int(rows.min()), int(rows.max())
        if not 2 < high - low < LARGEST:
            return
        small = rows.astype(np.int64) - low
        chosen = [low + i for i in _most_varied_numbers(place, small, where, pieces)]
    for member in chosen:
        held = (rows == member).any(axis=1).astype(np.int8)
        yield Piece(place.words, f"{member} in {place.words}", "member", where, held)


def _most_varied_numbers(
    place: Place, rows: NDArray[Any], where: Rows, pieces: Pieces
) -> list[int]:
    """The numbers 0, 1, ... in rows of them whose shares differ most between inputs."""
    owners = pieces.owners_of(where)
    inputs, trials = np.unique(owners, return_counts=True)
    size = int(rows.max()) + 1
    found = [np.bincount(rows[owners == i].ravel(), minlength=size) for i in inputs]
    yes = np.minimum(np.array(found), trials[:, None]).astype(np.float64)
    several = np.flatnonzero(yes.sum(axis=0) > 1)
    if len(several) > MOST_OF_SEQUENCES:
        _note(place, len(several), MOST_OF_SEQUENCES, pieces)
    chosen = most_different(apart(yes[:, several], trials.astype(np.float64)), MOST_OF_SEQUENCES)
    return [int(several[i]) for i in chosen]


def _members(
    place: Place,
    parts: Sequence[Any],
    most: int,
    pieces: Pieces,
    shown: dict[Any, Any] | None = None,
) -> Iterator[Found]:
    """Columns of the members of some sets; `shown` has what is shown of those that are forms."""
    counts: Counter[Any] = Counter()
    for part in parts:
        counts.update(part)
    single = 1 if pieces.wanted is None and len(parts) > 1 else 0  # it has no rate
    members = [member for member, times in counts.most_common() if times > single]
    if pieces.wanted is None and len(members) > most:
        members = _most_different(place, parts, members, most, pieces)
    for member in members:
        words = f"{text_of((shown or {}).get(member, member))} in {place.words}"
        if pieces.wants(words, "member"):
            held = np.array([member in part for part in parts], dtype=np.int8)
            yield Piece(place.words, words, "member", place.rows, held)


def _most_different(
    place: Place, parts: Sequence[Any], members: Sequence[Any], most: int, pieces: Pieces
) -> list[Any]:
    """The members whose shares differ most between inputs, of those that are the commonest."""
    some = {member: i for i, member in enumerate(members[:WIDEST])}
    owners = pieces.owners_of(place.rows)
    inputs, trials = np.unique(owners, return_counts=True)
    yes = np.zeros((len(inputs), len(some)))
    number = {owner: i for i, owner in enumerate(inputs.tolist())}
    for owner, part in zip(owners.tolist(), parts, strict=True):
        yes[number[owner], [some[member] for member in part if member in some]] += 1
    _note(place, len(members), most, pieces)
    chosen = most_different(apart(yes, trials.astype(np.float64)), most)
    return [members[i] for i in chosen]


def _note(place: Place, every: int, most: int, pieces: Pieces) -> None:
    pieces.note(
        f"Of {every:,} members of {place.words} the {most:,} that differ most between inputs were "
        "looked at."
    )
