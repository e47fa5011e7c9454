"""The server's side: frequencies from reports, and how far they may be off.

Batches add up, so that a collection of any size needs the memory of one batch:

    total = sum(mechanism.tally(batch) for batch in batches)
    frequencies = mechanism.frequencies_from(total, reports)

`docs/estimation.md` has the formulas and their sources.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, overload

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, Reports
from ldp_auditor.errors import AuditError, must, require, whole_number
from ldp_auditor.seeding import chunk_generator
from ldp_auditor.theory.estimation import ScoreLaw

BATCH_BYTES = 2**21
"""What the scores of a part of the reports may need, so that they stay in the cache."""


class FrequencyEstimator(ABC):
    """A protocol that estimates how many users hold each value, without bias."""

    name: ClassVar[str]
    domain_size: int

    @property
    @abstractmethod
    def score_law(self) -> ScoreLaw:
        """Mean and variance of the score that one report gives a value."""

    def score_law_over(self, reports: int) -> ScoreLaw:
        """Mean and variance of the mean score over `reports` reports of a user: fresh noise."""
        return self.score_law.mean_of(reports)

    @property
    @abstractmethod
    def report_bytes(self) -> int:
        """Memory that one report and its scores need."""

    @abstractmethod
    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        """Return `n` independent reports of `value`."""

    @abstractmethod
    def add_scores(self, reports: Reports, totals: Floats) -> None:
        """Add what the reports of every user say for each value to the user's row."""

    @property
    def tally_size(self) -> int:
        """How many numbers a tally has."""
        return self.domain_size

    def add_to_tally(self, reports: Reports, tally: Floats) -> None:
        """Add the scores of a batch to the only row of `tally`."""
        self.add_scores(reports, tally)

    def tally(self, reports: Reports) -> Floats:
        """Return the scores of all `reports`, added up; tallies of several batches add up too."""
        check_form(self, reports, 0)
        total = np.zeros((1, self.tally_size))
        batch = max(1, BATCH_BYTES // self.report_bytes)
        for start in range(0, len(reports), batch):
            self.add_to_tally(reports[start : start + batch], total)
        require(
            bool(np.isfinite(total).all()),
            "reports must be finite numbers, got one that is not",
            argument="reports",
        )
        row: Floats = total[0]
        return row

    def check_tally(self, tally: Floats, reports: int) -> int:
        """Return `reports` as a whole number, or raise unless a tally of them can look so."""
        must(
            np.shape(tally) == (self.tally_size,),
            f"have {self.tally_size} numbers",
            tally=f"an array of shape {np.shape(tally)}",
        )
        return whole_number("reports", reports, 1)

    def frequencies_from(self, tally: Floats, reports: int) -> Floats:
        """Estimate the frequency of every value from the tally of so many `reports`."""
        reports = self.check_tally(tally, reports)
        return self.score_law.frequencies(np.asarray(tally) / reports)

    def estimate(self, reports: Reports) -> Floats:
        """Estimate the frequency of every value, without bias: it may lie outside [0, 1]."""
        return self.frequencies_from(self.tally(reports), len(reports))

    @overload
    def frequency_variance(self, users: int, frequency: float, reports: int = 1) -> float: ...

    @overload
    def frequency_variance(self, users: int, frequency: Floats, reports: int = 1) -> Floats: ...

    def frequency_variance(self, users: int, frequency: Any, reports: int = 1) -> Any:
        """Return the exact variance of an estimated frequency of so many `users`.

        `frequency` is the share of these users who hold the value, or an array of such shares;
        the estimate is made of `reports` reports of each of them.
        """
        users, reports = check_collection(users, reports)
        law = self.score_law if reports == 1 else self.score_law_over(reports)
        return like(frequency, law.variance(users, checked_frequency(frequency)))


def check_collection(users: Any, reports: Any) -> tuple[int, int]:
    """Return both as whole numbers, or raise unless there is a user and a report of each."""
    return whole_number("users", users, 1), whole_number("reports", reports, 1)


def checked_frequency(frequency: Any) -> Floats:
    """Return `frequency` as an array, or raise unless it lies in [0, 1]."""
    try:
        shares = np.asarray(frequency, dtype=np.float64)
    except (TypeError, ValueError):
        raise AuditError(
            f"frequency must be a number or an array of numbers, got {str(frequency)[:40]!r}",
            argument="frequency",
        ) from None
    outside = shares[~((shares >= 0) & (shares <= 1))]
    if outside.size:
        must(False, "lie in [0, 1]", frequency=float(outside.flat[0]))
    return shares


def like(frequency: Any, variances: Floats) -> Any:
    """Return an array for an array of frequencies, a float for one."""
    return variances if np.ndim(frequency) else float(variances)


def check_form(mechanism: Any, reports: Any, value: Any) -> None:
    """Raise unless reports look like those that the mechanism makes of `value`."""
    own = mechanism.privatize(value, 1, chunk_generator(0, 0, 0, 0))
    right = (
        isinstance(reports, np.ndarray)
        and reports.dtype == own.dtype
        and reports.shape[1:] == own.shape[1:]
        and reports.ndim == own.ndim
    )
    if not right:
        shape = ", ".join(["n", *map(str, own.shape[1:])])
        got = type(reports).__name__
        if isinstance(reports, np.ndarray):
            got = f"shape {reports.shape} of {reports.dtype}"
        raise AuditError(
            f"reports must be as {mechanism.name} makes them, an array of shape ({shape}) of "
            f"{own.dtype}, got {got}",
            argument="reports",
        )
