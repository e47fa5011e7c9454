"""Whether something is in a report at all, wherever it stands: members of sets and of sequences."""

import ast
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.adapters.canonical import PLAIN, canonical, text_of
from ldp_auditor.checks.search.differing import (
    MOST_LOOKED_UP,
    apart,
    first_of_each,
    most_different,
)
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
    members = _members_of(place.parts, 1 if pieces.wanted is None and len(place.parts) > 1 else 0)
    if pieces.wanted is None and len(members) > MOST_OF_SETS:
        owners = pieces.owners_of(place.rows)
        members = _most_different(place, place.parts, owners, members, MOST_OF_SETS, pieces)
    for member in members:
        words = f"{text_of(member)} in {place.words}"
        if pieces.wants(words, "member"):
            held = np.array([member in part for part in place.parts], dtype=np.int8)
            yield Piece(place.words, words, "member", place.rows, held)


def members_of_sequences(
    place: Place, parts: Sequence[Sequence[Any]], pieces: Pieces
) -> Iterator[Found]:
    """Whether entries of sequences are there, by their content; not if they are fractions."""
    if max(map(len, parts)) > LONGEST:
        return
    ending = f" in {place.words}"
    if pieces.wanted is None:
        chosen = _chosen_of_sequences(place, parts, pieces)
    else:
        named = (words for words, kind in pieces.wanted.columns if kind == "member")
        wanted = {words.removesuffix(ending) for words in named if words.endswith(ending)}
        chosen = _forms_of(wanted, parts) if wanted else {}
    held = np.zeros((len(parts), len(chosen)), dtype=np.int8)
    for i, part in enumerate(parts if chosen else ()):
        there = _forms_in(part)
        held[i] = [form in there for form in chosen]
    for i, text in enumerate(chosen.values()):
        yield Piece(place.words, f"{text}{ending}", "member", place.rows, held[:, i])


def _chosen_of_sequences(
    place: Place, parts: Sequence[Sequence[Any]], pieces: Pieces
) -> dict[Hashable, str]:
    """The forms, with their texts, of the entries that differ most between inputs."""
    owners = pieces.owners_of(place.rows)
    first = first_of_each(owners, max(map(len, parts)), MOST_LOOKED_UP)
    some = [parts[i] for i in first.tolist()]
    sets = [frozenset(_forms_in(part)) for part in some]
    members = _members_of(sets, 1 if len(parts) > 1 else 0)
    if len(members) > MOST_OF_SEQUENCES:
        owned = owners[first]
        members = _most_different(place, sets, owned, members, MOST_OF_SEQUENCES, pieces)
    shown = dict.fromkeys(members, "")
    for part in some:
        shown |= {f: text_of(entry) for f, entry in _forms_in(part).items() if shown.get(f) == ""}
    return {form: text for form, text in shown.items() if _is_read_back(form, text)}


def _forms_in(part: Sequence[Any]) -> dict[Hashable, Any]:
    """The entries of a sequence by their forms, without fractions."""
    return {
        entry if type(entry) in PLAIN else canonical(entry): entry
        for entry in part
        if type(entry) is not float
    }


def _forms_written(text: str) -> Collection[Hashable] | None:
    """The form of the entry that a text writes, none for a fraction; None if it writes none."""
    try:
        return _forms_in([ast.literal_eval(text)])
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _is_read_back(form: Hashable, text: str) -> bool:
    """Tell whether a text means this form: later reports are asked by the text alone."""
    written = _forms_written(text)
    return written is None or form in written


def _forms_of(texts: Collection[str], parts: Sequence[Sequence[Any]]) -> dict[Hashable, str]:
    """The forms of entries with these texts: of what the text writes, or else of what has it."""
    found: dict[Hashable, str] = {}
    missing = set()
    for text in sorted(texts):
        written = _forms_written(text)
        if written is None:
            missing.add(text)
        else:
            found |= dict.fromkeys(written, text)
    for part in parts if missing else ():
        named = {form: text_of(entry) for form, entry in _forms_in(part).items()}
        found |= {form: text for form, text in named.items() if text in missing}
    return found


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


def _members_of(sets: Sequence[Any], times: int) -> list[Any]:
    """Members that are in more than so many sets, the commonest first."""
    counts: Counter[Any] = Counter()
    for one in sets:
        counts.update(one)
    return [member for member, count in counts.most_common() if count > times]


def _most_different(
    place: Place,
    sets: Sequence[Any],
    owners: NDArray[np.int64],
    members: Sequence[Any],
    most: int,
    pieces: Pieces,
) -> list[Any]:
    """The members whose shares differ most between inputs, of those that are the commonest."""
    some = {member: i for i, member in enumerate(members[:WIDEST])}
    inputs, trials = np.unique(owners, return_counts=True)
    yes = np.zeros((len(inputs), len(some)))
    number = {owner: i for i, owner in enumerate(inputs.tolist())}
    for owner, one in zip(owners.tolist(), sets, strict=True):
        yes[number[owner], [some[member] for member in one if member in some]] += 1
    _note(place, len(members), most, pieces)
    chosen = most_different(apart(yes, trials.astype(np.float64)), most)
    return [members[i] for i in chosen]


def _note(place: Place, every: int, most: int, pieces: Pieces) -> None:
    pieces.note(
        f"Of {every:,} members of {place.words} the {most:,} that differ most between inputs were "
        "looked at."
    )
