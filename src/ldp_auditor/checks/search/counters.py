"""Columns that tell when a report was made, and not of what: counters and clocks.

Reports of one input are made before or between those of another, so that a counter tells inputs
apart though nothing leaks. Numbers of independent reports do not rise a hundred times in a row.
"""

import re
from collections.abc import Sequence

import numpy as np

from ldp_auditor.checks.search.layout import Column, named
from ldp_auditor.checks.search.proposals import Sample

FEWEST, MOST = 20, 400
"""Reports of an input of which the order is looked at: fewer say nothing."""

RISING = 0.95
"""Share of the steps from a report to the next at which a counter rises (or falls at all)."""


def without_counters(sample: Sample, columns: Sequence[Column]) -> list[Column]:
    """The columns without those of counters and clocks, which a note names."""
    numbers = [column for column in columns if column.kind == "number"]
    clocks = [column for column in numbers if _is_counter(sample, column)]
    if not clocks:
        return list(columns)
    places = {re.sub(r"\.(time|seconds|value)\b.*$", "", column.place) for column in clocks}
    sample.notes.append(
        f"Left out: {named(sorted(places))} only rises, or falls, from report to report, as a "
        "counter or a clock does, and tells when a report was made."
    )
    return [c for c in columns if not any(_is_inside(c.place, place) for place in places)]


def _is_counter(sample: Sample, column: Column) -> bool:
    shares = []
    for table in sample.tables:
        some = table.of(column)[:MOST].astype(np.float64)
        if len(some) < FEWEST:
            return False
        before, after = some[:-1], some[1:]
        shares.append((np.mean(after > before), np.mean(after < before)))
    up, down = np.array(shares).T
    return bool(up.min() >= RISING or down.min() >= RISING)


def _is_inside(place: str, outer: str) -> bool:
    return place == outer or place.startswith((f"{outer}[", f"{outer}."))
