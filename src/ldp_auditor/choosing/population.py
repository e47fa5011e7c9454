"""Who reports: how many users there are, and how many of them hold each value."""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from ldp_auditor.core import Floats, Values
from ldp_auditor.errors import AuditError, in_brief, must, number, require

MOST_VALUES = 10**6
"""Values of a domain whose columns are worked out at most."""


@dataclass(frozen=True, eq=False)
class Population:
    """Shares of the users who hold each value, with the names of the values if there are any."""

    shares: Floats
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, frequencies: "Population | Path | str | Sequence[float] | Floats") -> Self:
        """Take frequencies or counts of every value, or read them from a file."""
        if isinstance(frequencies, Population):
            return cls(frequencies.shares, frequencies.names)
        if isinstance(frequencies, str | Path):
            return cls.read(Path(frequencies))
        right = isinstance(frequencies, Iterable) and not isinstance(frequencies, Mapping)
        must(right, "be a list of numbers, or a file of them", frequencies=in_brief(frequencies))
        return cls._scaled([number("frequencies", each) for each in frequencies], ())

    @classmethod
    def _scaled(cls, counts: Sequence[float], names: tuple[str, ...]) -> Self:
        least, total = min(counts, default=0.0), sum(counts)
        must(len(counts) >= 2, "have a number for each of two values at least", frequencies=counts)
        for count in counts:
            must(math.isfinite(count), "be finite numbers", frequencies=count)
        must(least >= 0, "not be negative", frequencies=least)
        must(0 < total < math.inf, "add up to a positive number", frequencies=total)
        return cls(np.array(counts) / total, names)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file of numbers, a line for each value: `count`, or `name,count`.

        A first line without a number is the head.
        """
        try:
            lines = [row for row in csv.reader(path.read_text("utf-8-sig").splitlines()) if row]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise AuditError(
                f"cannot read the frequencies from {str(path)!r}: {error}", argument="frequencies"
            ) from None
        if lines and not _is_number(lines[0][-1]):
            lines = lines[1:]
        for row in lines:
            require(
                len(row) <= 2 and _is_number(row[-1]),
                f"frequencies: a line of {str(path)!r} must be a count, or a name and a count such "
                f"as red,120, got {','.join(row)[:60]!r}",
                argument="frequencies",
            )
        return cls._scaled([float(row[-1]) for row in lines], _names_in(lines, path))

    @classmethod
    def zipf(cls, domain_size: int) -> Self:
        """A population whose value number i, from 1 on, is i times as rare as the first."""
        weights = 1.0 / np.arange(1, domain_size + 1)
        return cls(weights / weights.sum())

    def holders(self, users: int) -> Values:
        """Return how many of `users` users hold each value; largest remainders are rounded up."""
        exact = self.shares * users
        counts = np.floor(exact).astype(np.int64)
        missing = users - int(counts.sum())
        order = np.argsort(counts - exact, kind="stable")
        counts[order[:missing]] += 1
        return counts


def _names_in(lines: Sequence[Sequence[str]], path: Path) -> tuple[str, ...]:
    """Return the names of the values, none if no line has one; raise if some lack it or repeat."""
    names = [row[0] for row in lines if len(row) == 2]
    require(
        len(names) in (0, len(lines)),
        f"frequencies: every line of {str(path)!r} must have a name, or none",
        argument="frequencies",
    )
    twice = [name for name, count in Counter(names).items() if count > 1]
    require(
        not twice,
        f"frequencies: {str(path)!r} must have one line for each value, got several for "
        f"{', '.join(map(repr, twice[:3]))}",
        argument="frequencies",
    )
    return tuple(names)


def _is_number(text: Any) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
