# hadamard_response.py: a protocol in a file of your own
"""Hadamard response (Acharya, Sun and Zhang, AISTATS 2019): a report is a column of a matrix."""

from dataclasses import dataclass

import numpy as np

from ldp_auditor.core import Rates
from ldp_auditor.mechanisms import FrequencyEstimator, FrequencyOracle
from ldp_auditor.portable_math import exp
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.estimation import ScoreLaw


def is_one(row, column):
    """Tell where the Hadamard matrix is 1, and not -1."""
    return np.bitwise_count(row & column) % 2 == 0


@dataclass(frozen=True, kw_only=True)
class HR(FrequencyOracle, FrequencyEstimator):
    """Value x has row x + 1; where that row is 1, a column is e^epsilon times as likely."""

    name = "HR"
    summary = "Hadamard response"

    @property
    def columns(self):
        """Number K of columns: the power of two that leaves a row for every value."""
        return 1 << self.domain_size.bit_length()

    @property
    def lie(self):
        """Probability of a column where the row of the value is -1."""
        return 1 / (exp(self.epsilon) + 1)

    def supported(self, reports):
        """Tell for every report and every value whether the row of the value is 1."""
        return is_one(np.arange(1, self.domain_size + 1), reports[:, None])

    # What every protocol has: how it randomizes, and the paper's attack.

    def privatize(self, value, n, rng):
        row = self.check_value(value) + 1
        columns = rng.integers(self.columns, size=n)
        wanted = rng.random(n) >= self.lie
        # With one bit of the row flipped in it, a column where the row is 1 is one where it is -1.
        return np.where(is_one(row, columns) == wanted, columns, columns ^ (row & -row))

    def guess(self, reports, rng):
        supported = self.supported(reports)
        supported[~supported.any(axis=1)] = True
        return np.argmax(supported * rng.random(supported.shape), axis=1)

    # What it may offer: exact rates, the optimal attack, the exact loss, many reports.

    def guess_rates_over(self, pair, reports):
        if reports > 1:
            return None
        columns = np.arange(self.columns)
        sizes = self.supported_values()
        first, second = (is_one(value + 1, columns) for value in (pair.first, pair.second))
        named = np.where(sizes > 0, first / np.maximum(sizes, 1), 1 / self.domain_size)
        return Rates(*(float(self.chances(row) @ named) for row in (first, second)))

    def chances(self, row):
        """Probability of every column, given where the row of the value is 1."""
        return np.where(row, 1 - self.lie, self.lie) * 2 / self.columns

    def supported_values(self):
        """Number of values that each column supports, by the fast Hadamard transform."""
        rows = np.zeros(self.columns)
        rows[1 : self.domain_size + 1] = 1
        for bit in range(self.columns.bit_length() - 1):
            even, odd = rows.reshape(-1, 2, 1 << bit).swapaxes(0, 1)
            rows = np.stack([even + odd, even - odd], axis=1).reshape(-1)
        return (self.domain_size + rows) / 2

    def log_likelihood_ratio(self, reports, pair):
        first, second = (is_one(value + 1, reports) for value in (pair.first, pair.second))
        return self.loss_law(pair).supremum * (first.astype(float) - second)

    def loss_law(self, pair):
        # Two rows differ in half of the columns: a quarter is 1 in the first alone.
        return OneLevelLaw(likely=(1 - self.lie) / 2, unlikely=self.lie / 2)

    def add_scores(self, reports, totals):
        totals += self.supported(reports).reshape(len(totals), -1, self.domain_size).sum(axis=1)

    # The server's side: how often a report supports its value, and another one.

    @property
    def score_law(self):
        return ScoreLaw.of_bits(1 - self.lie, self.lie, 1 / 2)
