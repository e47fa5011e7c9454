"""The two ways to read a sweep's table: what was measured, and what is exact.

Measured is the mean of the empirical epsilon over the seeds; exact is the epsilon of the same
attack with unlimited trials. Both are those of the paper's attack.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from ldp_auditor.bounds.clopper_pearson import two_sided_bound
from ldp_auditor.core import Counts
from ldp_auditor.errors import AuditError
from ldp_auditor.results.table import Row
from ldp_auditor.studies.settings import DELTA, FINITE, GAUSSIAN
from ldp_auditor.studies.study import ALPHA, PAPER_TRIALS

COORDINATES = {
    "mechanism": None,
    "epsilon": None,
    "delta": None,
    "domain_size": None,
    "attributes": 1,
    "hash_range": None,
    "reports": 1,
}
"""Columns that tell the cells of the paper's figures apart, up to seeds, and what they have where a
row has nothing."""


class NotMeasuredError(AuditError):
    """The table lacks a cell."""


class NotKnownError(AuditError):
    """The exact value of a cell is not known."""


@dataclass(frozen=True)
class Estimate:
    """The epsilon of a cell, or another number of it."""

    value: float
    error: float
    """Standard error of the mean over the seeds; 0 for an exact value."""
    limit: float
    """The largest epsilon that so many trials can prove; for an exact value, those of the paper."""

    def times(self, factor: float) -> "Estimate":
        """Return the number multiplied by a `factor`."""
        return Estimate(factor * self.value, factor * self.error, self.limit)


Side = Literal["true_positive", "false_positive"]
Cells: TypeAlias = Mapping[tuple[Any, ...], list[Row]]
"""Rows of every cell, by its settings."""


@dataclass(frozen=True)
class View:
    """A table read in one of the two ways."""

    cells: Cells
    exact: bool

    def of(self, mechanism: str, **settings: Any) -> Estimate:
        """Return the epsilon of a cell, or raise if it is not there.

        Approximate protocols have the paper's delta unless another one is given.
        """
        rows = self._rows_of(mechanism, settings)
        limit = paper_limit(rows[0]["delta"])
        return _known(rows[0], "attack_epsilon", limit) if self.exact else _measured(rows)

    def rate(self, side: Side, mechanism: str, **settings: Any) -> Estimate:
        """Return a rate of the attack in a cell, or raise if it is not there."""
        rows = self._rows_of(mechanism, settings)
        if self.exact:
            return _known(rows[0], f"exact_{side}_rate", 1.0)
        hits: int = sum(row[f"{side}s"] for row in rows)
        trials: int = sum(row["trials"] for row in rows)
        return Estimate(hits / trials, math.sqrt(hits * (trials - hits) / trials) / trials, 1.0)

    def only_exact(self) -> None:
        """Raise unless exact: for what the paper says of protocols, not of audits."""
        if not self.exact:
            raise NotMeasuredError("the studies do not measure it")

    def _rows_of(self, mechanism: str, settings: Mapping[str, Any]) -> list[Row]:
        usual = DELTA if mechanism in (*FINITE, *GAUSSIAN) else 0.0
        wanted = {"mechanism": mechanism, "delta": usual, **settings}
        rows = self.cells.get(_cell_of(wanted))
        if rows is None:
            raise NotMeasuredError(f"the table has no cell {wanted}")
        return rows


def cells_of(rows: Sequence[Row]) -> Cells:
    """Return the rows of every cell of a table.

    A cell of two studies is in the table twice, maybe with different trials; the most count.
    """
    cells: dict[tuple[Any, ...], dict[Any, Row]] = {}
    for row in rows:
        if row["attack"] == "paper":
            cells.setdefault(_cell_of(row), {})[row["trials"], row["seed"]] = row
    return {
        cell: [row for (trials, _), row in found.items() if trials == max(found)[0]]
        for cell, found in cells.items()
    }


def _cell_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(
        usual if (value := row.get(name)) is None else value for name, usual in COORDINATES.items()
    )


def _known(row: Row, column: str, limit: float) -> Estimate:
    if row[column] is None:
        raise NotKnownError(f"the exact rates of {row['mechanism']} are not known")
    return Estimate(row[column], 0.0, limit)


@cache
def paper_limit(delta: float) -> float:
    """Epsilon that a perfect attack proves with the trials of the paper."""
    trials = PAPER_TRIALS
    return two_sided_bound(Counts(trials, trials, 0), ALPHA, delta)


def _measured(rows: Sequence[Row]) -> Estimate:
    count = len(rows)
    variance = sum(_variance(row) for row in rows) / count**2
    return Estimate(
        value=sum(row["empirical_epsilon"] for row in rows) / count,
        error=math.sqrt(variance),
        limit=sum(row["monte_carlo_limit"] for row in rows) / count,
    )


def _variance(row: Row) -> float:
    """Variance of the log of the ratio of the two rates, by the delta method."""
    hits: list[int] = [max(1, row["true_positives"]), max(1, row["false_positives"])]
    trials: int = row["trials"]
    return sum(1 / hit - 1 / trials for hit in hits)
