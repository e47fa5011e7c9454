"""The order of calls: whether a report tells something of those that came before it.

Reports of one input are taken apart into a few columns, and each coin of `dependence` is thrown for
all groups of calls at once.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain, permutations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ldp_auditor.adapters.canonical import canonical
from ldp_auditor.checks.dependence import (
    DRIFT,
    EARLY,
    ECHO,
    ECHO_LEAVES,
    KINDS,
    LARGEST,
    NEAR,
    NEXT_RISE,
    RISE,
    WATCHED_LEAVES,
    WHOLE,
    Coin,
    Flips,
    is_number,
    leaves_of,
)
from ldp_auditor.checks.repeats import Repeats
from ldp_auditor.core import Floats

MOST_WATCHED = 2000
"""Reports of one input that are watched in one go."""

SPARSE = 200
"""Reports of every input that are watched in some later tasks."""

EVERY = 8
"""Which of the later tasks: each with a number that this divides."""

FIRST_CALLS = 40
"""Calls that are compared with as many later ones, so that a change soon after them is seen."""

ECHO_LAG = 2
"""An echo is looked for in the next call, and to compare in the one so many calls later."""

ABSENT, NUMBER, TEXT, BYTES, OTHER = range(5)
"""Sorts of entries: those of one sort can be ordered, except the first and the last."""

Ints = NDArray[np.int64]


@cache
def groups(kind: str, start: int, end: int) -> tuple[Ints, ...]:
    """The calls that the flips of a coin compare: the first ones of all groups, the second ones...

    The last one of a group is among `start` to `end` - 1. No call is in two groups of one kind, so
    that the flips of a coin are independent.
    """
    last = np.arange(start, end)
    if kind.startswith(DRIFT):  # calls n to 2n with calls 3n to 4n, n a power of 4, or twice it
        bits = np.array([max(1, int(call).bit_length() - 1) for call in last], dtype=np.int64)
        n = 1 << (bits - 1)
        last, n = (
            a[(last >= 3 * n) & (n >= 4) & ((bits % 2 == 1) == (kind == DRIFT))] for a in (last, n)
        )
        return last - 2 * n, last
    if kind == EARLY:
        last = last[(last >= 2 * FIRST_CALLS) & (last < 3 * FIRST_CALLS)]
        return last - 2 * FIRST_CALLS, last
    if kind in (RISE, NEXT_RISE):
        last = last[(last > 0) & (last % 2 == (kind == RISE))]
        return last - 1, last
    lag = int(kind.removeprefix(NEAR))
    last = last[last % (lag + 1) == lag]
    return last - lag, last - lag + 1, last


@dataclass(frozen=True)
class Entries:
    """The reports as wholes and their first parts: a row for each, a column for every call."""

    leaves: tuple[str, ...]
    """Words for the rows."""
    sorts: NDArray[np.int8]
    """`ABSENT` where a report has nothing there."""
    ranks: Floats
    """Entries of one row and sort are equal if their ranks are, and have their order."""
    numbers: Floats
    """The numbers; NaN where there is none, or one that is a name."""
    codes: Floats
    """Entries of any two rows are equal if their codes are."""

    @classmethod
    def of(cls, reports: Sequence[Any]) -> Self:
        """Take reports apart."""
        plain = _plain_rows(reports)
        if plain is None:
            found = [leaves_of(report, WATCHED_LEAVES) for report in reports]
            leaves = tuple(dict.fromkeys(name for report in found for name in report))
            parts = [[report.get(name) for report in found] for name in leaves]
            sorts, ranks, numbers = map(np.array, zip(*map(_entries, parts), strict=True))
            return cls(leaves, sorts, ranks, numbers, _codes(parts))
        leaves = tuple(f"{WHOLE}[{i}]" for i in range(len(plain))) if plain.ndim == 2 else (WHOLE,)
        numbers = plain.reshape(-1, len(reports)).astype(np.float64)
        sorts, ranks = np.full(numbers.shape, NUMBER, dtype=np.int8), numbers
        if plain.ndim == 2:
            names: dict[Hashable, float] = {}
            forms = map(canonical, reports)
            same = [names.setdefault(form, float(len(names))) for form in forms]
            whole = np.full(len(same), OTHER), np.array(same), np.full(len(same), np.nan)
            stacked = zip(whole, (sorts, ranks, numbers), strict=True)
            sorts, ranks, numbers = (np.vstack([first, others]) for first, others in stacked)
            leaves = (WHOLE, *leaves)
        return cls(leaves, sorts, ranks, numbers, ranks)

    def differ(self, some: Ints, others: Ints) -> NDArray[np.bool_]:
        """Whether entries of calls differ from those of other calls."""
        unlike: NDArray[np.bool_] = self.sorts[:, some] != self.sorts[:, others]
        unlike |= self.ranks[:, some] != self.ranks[:, others]
        return unlike

    def distances(self, some: Ints, others: Ints) -> Floats:
        """How far apart numbers are, how many parts of reports differ, or whether others do."""
        differ = self.differ(some, others)
        with np.errstate(invalid="ignore"):  # two infinite numbers
            apart = np.abs(self.numbers[:, some] - self.numbers[:, others])
        apart = np.where(self.is_number[:, some] & self.is_number[:, others], apart, differ)
        parts = (differ & (self.sorts[:, some] != ABSENT)).sum(axis=0)
        apart[0] = np.where(self.sorts[0, some] == OTHER, parts, apart[0])
        return apart

    def apart(self, row: int, some: Ints, other_row: int, others: Ints) -> Floats:
        """How far entries of one row are from entries of another row."""
        with np.errstate(invalid="ignore"):  # two infinite numbers
            far = np.abs(self.numbers[row, some] - self.numbers[other_row, others])
        differ = self.codes[row, some] != self.codes[other_row, others]
        both = self.is_number[row, some] & self.is_number[other_row, others]
        found: Floats = np.where(both, far, differ)
        return found

    @cached_property
    def is_number(self) -> NDArray[np.bool_]:
        """Where there are numbers."""
        return ~np.isnan(self.numbers)

    def order(self, some: Ints, others: Ints) -> Ints:
        """1 where the other entry is larger, -1 where it is smaller, 0 if neither can be said."""
        sorts = self.sorts[:, some]
        ordered = (sorts == self.sorts[:, others]) & (sorts > ABSENT) & (sorts < OTHER)
        signs: Ints = _compared(self.ranks[:, some], self.ranks[:, others]) * ordered
        return signs


def _compared(some: NDArray[Any], others: NDArray[Any]) -> Ints:
    """1 where the other one is larger, -1 where it is smaller."""
    return (some < others).astype(np.int64) - (some > others)


def _entries(parts: Sequence[Any]) -> tuple[NDArray[np.int8], Floats, Floats]:
    """Sorts, ranks and numbers of one row; a part that is None is absent."""
    sorts = np.array([_sort(part) for part in parts], dtype=np.int8)
    ranks = np.zeros(len(parts))
    for sort in set(sorts.tolist()) - {ABSENT}:
        (places,) = np.nonzero(sorts == sort)
        there = [parts[place] for place in places.tolist()]
        different: Iterable[Any] = dict.fromkeys(there)
        different = different if sort == OTHER else sorted(different)
        names = {part: float(rank) for rank, part in enumerate(different)}
        ranks[places] = [names[part] for part in there]
    numbers = [float(part) if is_number(part) else np.nan for part in parts]
    return sorts, ranks, np.array(numbers)


def _codes(rows: Sequence[Sequence[Any]]) -> Floats:
    """Numbers of all entries, equal ones in any row the same."""
    names: dict[Any, float] = {}
    return np.array(
        [[names.setdefault((_sort(part), part), float(len(names))) for part in row] for row in rows]
    )


def _sort(part: Any) -> int:
    for sort, kinds in ((NUMBER, int | float), (TEXT, str), (BYTES, bytes)):
        if isinstance(part, kinds):
            return sort
    return ABSENT if part is None else OTHER


def _plain_rows(reports: Sequence[Any]) -> NDArray[Any] | None:
    """Numbers, or the first entries of all reports that are rows of numbers, by their places.

    None for anything else.
    """
    types = set(map(type, reports))
    if len(types) > 1:
        return None
    if types <= {list, tuple}:
        heads = [report[:WATCHED_LEAVES] for report in reports]
        if len(set(map(len, heads))) > 1 or not _are_numbers(chain.from_iterable(heads)):
            return None
        found = np.array(heads).T
    elif types <= {np.ndarray}:
        if len({(report.shape, report.dtype) for report in reports}) > 1 or reports[0].ndim != 1:
            return None
        found = np.array([report[:WATCHED_LEAVES] for report in reports]).T
    elif _are_numbers(reports):
        found = np.array(reports)
    else:
        return None
    if found.dtype.kind not in "biuf" or not found.size:
        return None
    whole = found.dtype.kind in "iu"
    return None if whole and np.abs(found.astype(np.float64)).max() > LARGEST else found


def _are_numbers(entries: Iterable[Any]) -> bool:
    """Whether they are numbers of one type, of Python or of NumPy."""
    types = set(map(type, entries))
    numbers = bool, int, float, np.number, np.bool_
    return len(types) == 1 and all(issubclass(kind, numbers) for kind in types)


@dataclass
class Watch:
    """Reports of one input in the order of their calls."""

    input: int
    seen: list[Any] = field(default_factory=list)
    repeats: Repeats = field(init=False)

    def __post_init__(self) -> None:
        self.repeats = Repeats(self.input)

    def add(self, reports: Sequence[Any], flips: Flips, at: int | None = None) -> None:
        """Watch further reports, of calls from number `at` on; what falls is added to `flips`."""
        start = len(self.seen)
        self.seen += list(reports[: MOST_WATCHED - start])
        if start == len(self.seen):
            return
        entries = Entries.of(self.seen)
        for kind in KINDS:
            first, *others = groups(kind, start, len(self.seen))
            falls = fall(kind, entries, first, others) * (entries.sorts[:, first] != ABSENT)
            both = (falls > 0).sum(axis=1).tolist(), (falls < 0).sum(axis=1).tolist()
            for leaf, *fell in zip(entries.leaves, *both, strict=True):
                for side, times in zip((True, False), fell, strict=True):
                    if times:
                        flips[Coin(kind, leaf, self.input), side] += times
        self._echoes(entries, start, flips)
        self.repeats.add(self.seen[start:], start if at is None else at, flips)

    def _echoes(self, entries: Entries, start: int, flips: Flips) -> None:
        """Compare parts with other parts of the report before, and of the one before that."""
        first, later, last = groups(f"{NEAR} {ECHO_LAG}", start, len(self.seen))
        parts = [i for i, leaf in enumerate(entries.leaves) if leaf != WHOLE][:ECHO_LEAVES]
        for source, leaf in permutations(parts, 2):
            near, far = (entries.apart(source, first, leaf, other) for other in (later, last))
            there = (entries.sorts[leaf, later] != ABSENT) & (entries.sorts[leaf, last] != ABSENT)
            falls = _compared(near, far) * (there & (entries.sorts[source, first] != ABSENT))
            coin = Coin(ECHO + entries.leaves[source], entries.leaves[leaf], self.input)
            for side, times in ((True, (falls > 0).sum()), (False, (falls < 0).sum())):
                if times:
                    flips[coin, side] += int(times)


def fall(kind: str, entries: Entries, first: Ints, others: Sequence[Ints]) -> Ints:
    """How coins fall, for all groups of calls: 1, -1, or 0 if one does not fall."""
    if kind.startswith(NEAR):
        return _compared(*(entries.distances(first, other) for other in others))
    return entries.order(first, *others)
