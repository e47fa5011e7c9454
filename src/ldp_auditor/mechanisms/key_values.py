"""What protocols for keys with values share [Gu20]: sampling, natural attack, estimates.

A user holds keys with a number of [-1, 1] each. It draws one of them, or one of `padding` dummy
keys if it holds fewer than `padding`, rounds the number to a sign and reports both.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import must, require, whole_number
from ldp_auditor.inputs import KeyValues, held_by
from ldp_auditor.mechanisms.estimation import check_collection, check_form
from ldp_auditor.mechanisms.kernels.key_values import (
    fill_sampled,
)
from ldp_auditor.mechanisms.kernels.scores import choose_best
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream, thresholds
from ldp_auditor.mechanisms.local_mechanism import LocalMechanism
from ldp_auditor.theory.loss_law import LossLaw

Held = tuple[float, ...]
"""Keys and values in turn."""


@dataclass(frozen=True, kw_only=True)
class KeyValueMechanism(LocalMechanism):
    """A protocol by which a user reports one of its keys and the sign of its value."""

    takes = KeyValues

    keys: int
    padding: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("keys", self.inputs.keys)
        self._set("padding", whole_number("padding", self.padding, 1))
        rule = f"be at most half of the keys ({self.keys})"
        must(2 * self.padding <= self.keys, rule, padding=self.padding)

    @property
    def inputs(self) -> KeyValues:
        return KeyValues(self.keys)

    @property
    def default_pair(self) -> InputPair:
        """As many keys as are padded to, and as many others, all of value 1."""
        first, second = (
            tuple(entry for key in range(start, start + self.padding) for entry in (key, 1.0))
            for start in (0, self.padding)
        )
        return InputPair(first, second)

    @property
    @abstractmethod
    def own(self) -> float:
        """a: probability that the own key is shown."""

    @property
    @abstractmethod
    def others(self) -> float:
        """b: probability that another key is shown."""

    @property
    @abstractmethod
    def tilt(self) -> float:
        """2 p - 1, where p is the probability that the sign of the own key is true."""

    @property
    @abstractmethod
    def lie(self) -> float:
        """1 - p, with all of its digits."""

    def signs(self, value: float) -> tuple[float, float]:
        """Probabilities of minus and plus, if the own key is shown; both keep their digits."""
        shift = value * self.lie
        return (1 - value) / 2 + shift, (1 + value) / 2 - shift

    def weights(self, value: Held) -> tuple[float, float]:
        """Probabilities that a key that is held is drawn, and that a dummy key is."""
        held = len(value) // 2
        each = 1 / max(self.padding, held)
        return each, (1 - each * held) / self.padding

    def sampled(self, value: Held, n: int, rng: Generator) -> tuple[Reports, Reports]:
        """Return the key that each of `n` users draws, and whether its sign is positive."""
        held = held_by(self.check_value(value))
        keys, plus = np.empty(n, np.int64), np.empty(n, np.bool_)
        limits = thresholds(np.array([self.signs(number)[1] for number in held.values()]))
        draws = np.uint64(max(self.padding, len(held)))
        sizes = draws, np.int64(self.keys), np.uint64(self.padding)
        fill_sampled(fresh_stream(rng), np.array(list(held)), limits, *sizes, keys, plus)
        return keys, plus

    # The natural attack: a key that is shown, and its sign.

    @property
    def score_columns(self) -> int:
        """Columns of the totals: how often minus and plus were shown for every key."""
        return 2 * self.keys

    @property
    def report_bytes(self) -> int:
        return 16 * self.keys + 64

    @abstractmethod
    def add_scores(self, reports: Reports, totals: Floats) -> None:
        """Count the signs of every key."""

    def guess(self, reports: Reports, rng: Generator) -> Floats:
        """Return a key that each report shows and its sign; any, if it shows none."""
        totals = np.zeros((len(reports), self.score_columns))
        if len(reports):
            self.add_scores(reports, totals)
        return self.guess_by_totals(totals, 1, rng)

    def guess_by_totals(self, totals: Floats, reports: int, rng: Generator) -> Floats:
        """Return the key and the sign that were shown most often, ties at random."""
        best = choose_best(fresh_stream(rng), totals, -math.inf, math.inf)
        return np.stack([best // 2, 2 * (best % 2) - 1], axis=1).astype(float)

    @abstractmethod
    def guess_chance(self, value: Held, key: int, sign: int) -> float:
        """Return the probability that the guess is a key and a sign (0: minus, 1: plus)."""

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        if reports > 1:
            return None
        first, second = held_by(pair.first), held_by(pair.second)
        rates = [0.0, 0.0]
        for (key, value), sign in product(first.items(), (0, 1)):
            accused = 1.0
            if key in second:
                lead = (2 * sign - 1 - (value + second[key]) / 2) * (value - second[key])
                accused = 0.5 if lead == 0 else float(lead > 0)
            for side, held in enumerate((pair.first, pair.second)):
                rates[side] += accused * self.guess_chance(held, key, sign)
        return Rates(*(min(1.0, rate) for rate in rates))

    # Exact laws

    @abstractmethod
    def loss_law(self, pair: InputPair) -> LossLaw | None:
        """Return the exact law of the log-likelihood ratio of a report, where it is known."""

    @abstractmethod
    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return ln P(report | first) - ln P(report | second) for every report."""

    @abstractmethod
    def worst_case(self, pair: InputPair) -> float:
        """Return the exact smallest epsilon over all pairs of inputs."""

    def worst_case_over(self, pair: InputPair, reports: int) -> float:
        return reports * self.worst_case(pair)

    # The server

    def estimate(self, reports: Reports) -> Floats:
        """Estimate, for every key, the share of users who hold it and the mean of their values.

        Two rows, both without bias; those who do not hold a key count as 0 in its mean, which
        divided by the share is the mean of those who do.
        """
        check_form(self, reports, self.default_pair.first)
        require(len(reports) > 0, "reports must not be empty", argument="reports")
        total = np.zeros((1, self.score_columns))
        self.add_scores(reports, total)
        minus, plus = total.reshape(self.keys, 2).T / len(reports)
        share = self.padding * (minus + plus - self.others) / (self.own - self.others)
        return np.stack([share, self.padding * (plus - minus) / (self.own * self.tilt)])

    def mean_variance(self, users: int, value: Any, reports: int = 1) -> Floats:
        """Return the exact variances of what `estimate` estimates, if all users hold `value`.

        For users who hold different keys a variance is the mean of theirs. Nobody may hold more
        keys than are padded to: their estimates are biased.
        """
        users, reports = check_collection(users, reports)
        held = held_by(self.check_value(value))
        rule = f"hold {self.padding} keys at most (padding={self.padding})"
        must(len(held) <= self.padding, rule, value=f"{len(held)} keys")
        draw = 1 / self.padding
        shown, mean = np.full(self.keys, self.others), np.zeros(self.keys)
        for key, number in held.items():
            shown[key] += draw * (self.own - self.others)
            mean[key] = draw * self.own * self.tilt * number
        share = shown * (1 - shown) / (self.own - self.others) ** 2
        means = (shown - mean * mean) / (self.own * self.tilt) ** 2
        return self.padding**2 * np.stack([share, means]) / (users * reports)
