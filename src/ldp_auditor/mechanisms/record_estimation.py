"""The server's side of records: the frequencies of every attribute, and their exact variance.

A tally holds those of all attributes one after the other in one array, so that it adds up too.
"""

from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from ldp_auditor.core import Floats, Reports
from ldp_auditor.errors import must, whole_number
from ldp_auditor.mechanisms.capabilities import Estimates, needed
from ldp_auditor.mechanisms.estimation import (
    BATCH_BYTES,
    check_collection,
    check_form,
    checked_frequency,
    like,
)
from ldp_auditor.mechanisms.records import RecordMechanism, attribute_of
from ldp_auditor.theory.estimation import mean_inverse_count

Frequencies = tuple[Floats, ...]
"""The frequencies of the values of every attribute."""


class RecordEstimator(RecordMechanism):
    """A mechanism for records that estimates how many users hold each value of an attribute.

    Reports of a user are independent; so many `reports` of `users` are as good as `users *
    reports` users who send one.
    """

    @cached_property
    def estimators(self) -> tuple[Estimates, ...]:
        """The protocol of every attribute, or an error if it cannot estimate."""
        by = f"estimate of {self.name}"
        able = {part: needed(part, Estimates, by) for part in dict.fromkeys(self.parts)}
        return tuple(able[part] for part in self.parts)

    @property
    def tally_size(self) -> int:
        """How many numbers a tally has."""
        return sum(self._tally_sizes)

    @property
    def _tally_sizes(self) -> list[int]:
        """Sizes of the tallies that make up one, in their order."""
        return [part.tally_size for part in self.estimators]

    def tally(self, reports: Reports) -> Floats:
        """Return the scores of all `reports`, added up; tallies of several batches add up too."""
        check_form(self, reports, (0,) * self.attributes)
        total = np.zeros(self.tally_size)
        batch = max(1, BATCH_BYTES // self.report_bytes)
        for start in range(0, len(reports), batch):
            total += np.concatenate(self._tallies(reports[start : start + batch]))
        return total

    def _tallies(self, reports: Reports) -> list[Floats]:
        """The tallies that make up one, of some of the reports."""
        return [part.tally(attribute_of(reports, j)) for j, part in enumerate(self.estimators)]

    def frequencies_from(self, tally: Floats, reports: int) -> Frequencies:
        """Estimate the frequencies of every attribute from the tally of so many `reports`."""
        reports = whole_number("reports", reports, 1)
        ends, shape = np.cumsum(self._tally_sizes), np.shape(tally)
        rule = f"have {ends[-1]} numbers"
        must(shape == (ends[-1],), rule, tally=f"an array of shape {shape}")
        return self._frequencies(np.split(np.asarray(tally), ends[:-1]), reports)

    @abstractmethod
    def _frequencies(self, tallies: list[Floats], reports: int) -> Frequencies:
        """Estimate the frequencies of every attribute."""

    def estimate(self, reports: Reports) -> Frequencies:
        """Estimate the frequencies of every attribute, without bias.

        With SMP an attribute that no report is about has no estimate: its frequencies are NaN.
        """
        return self.frequencies_from(self.tally(reports), len(reports))

    def frequency_variance(
        self, users: int, frequency: Any, reports: int = 1, *, attribute: int = 0
    ) -> Any:
        """Return the exact variance of an estimated frequency of a value of an `attribute`.

        `frequency` is the share of so many `users` who hold the value, or an array of such
        shares; the estimate is made of `reports` reports of each of them.
        """
        users, reports = check_collection(users, reports)
        attribute = whole_number("attribute", attribute, 0, self.attributes - 1)
        shares = checked_frequency(frequency)
        return like(frequency, self._variance(users * reports, shares, attribute))

    @abstractmethod
    def _variance(self, senders: int, frequency: Floats, attribute: int) -> Floats:
        """Return the exact variance for `senders` users who send a report each."""


def variance_of_sampled(one: Floats, senders: int, frequency: Floats, attributes: int) -> Floats:
    """Exact variance of a frequency among those of `senders` users who drew its attribute.

    `one` is the variance of the protocol's estimate for one user. Given that m of N users drew the
    attribute, they are any m of them: the frequency among them varies as in a sample without
    replacement, f (1 - f) (N - m) / (m (N - 1)), and the protocol adds `one` / m.
    """
    inverse = mean_inverse_count(senders, 1 / attributes)
    sampled = frequency * (1 - frequency) * (senders * inverse - 1) / max(1, senders - 1)
    return one * inverse + sampled


def count_attributes(drawn: Any, attributes: int) -> Floats:
    """Return how many reports are about each attribute, or raise if one is about none of them."""
    least, most = (int(drawn.min()), int(drawn.max())) if drawn.size else (0, 0)
    wrong = least if least < 0 else most
    must(0 <= least <= most < attributes, "name attributes of the record", reports=wrong)
    return np.bincount(drawn, minlength=attributes).astype(np.float64)
