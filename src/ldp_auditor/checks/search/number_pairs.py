"""Pairs of numbers in a report that are worth a closer look, where there are hundreds of numbers.

All pairs of a few numbers are looked at in all reports. Of more, all pairs are looked at in the
first reports, as many as there is time for, and those that stand out in all reports.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ldp_auditor.checks.search.layout import Column, named
from ldp_auditor.checks.search.one_column import Counted
from ldp_auditor.checks.search.proposals import Sample
from ldp_auditor.core import Floats

FEW = 24
"""Numbers of which all pairs are looked at in all reports."""

MOST_PAIRS = FEW * (FEW - 1) // 2
"""Pairs of more numbers that are looked at in all reports."""

LOOKED_UP = 20_000_000
"""Largest number of pairs of entries by which pairs of more numbers are chosen."""

FEWEST = 16
"""Reports of every input by which they are chosen, at least."""


def plain_numbers(sample: Sample, tables: Sequence[Counted], what: str) -> list[Column]:
    """Columns of numbers that are no bits and were not derived from others.

    `what` says, in a note, for what they were too many.
    """
    found = [
        t.column for t in tables
        if t.column.kind == "number" and t.different > 2 and t.column.words == t.column.place
    ]  # fmt: skip
    most = max(FEW, math.isqrt(LOOKED_UP // (FEWEST * len(sample.tables))))
    if len(found) > most:
        left = [column.words for column in found[most:]]
        sample.notes.append(f"{what}: {named(left)} were not held against other numbers.")
    return found[:most]


def first_entries(sample: Sample, columns: Sequence[Column]) -> list[Floats]:
    """Entries of the first reports of every input, a row for each column."""
    size = max(1, len(columns) ** 2 * len(sample.tables))
    each = max(FEWEST, LOOKED_UP // size)
    return [
        np.stack([table.of(column)[:each].astype(np.float64) for column in columns])
        for table in sample.tables
    ]


def later(rows: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Every row with all rows after it: the pairs in the order of `itertools.combinations`."""
    for i in range(len(rows) - 1):
        yield rows[i], rows[i + 1 :]
