"""Keys with values by randomized response or by a row of signs: PCKV-GRR and PCKV-UE [Gu20]."""

from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Reports
from ldp_auditor.inputs import held_by
from ldp_auditor.mechanisms.kernels.key_values import (
    add_entries,
    add_responses,
    fill_entries,
    fill_responses,
)
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream, threshold
from ldp_auditor.mechanisms.key_values import Held, KeyValueMechanism
from ldp_auditor.portable_math import exp, expm1, log
from ldp_auditor.theory.levels import law_of_levels
from ldp_auditor.theory.loss_law import LossLaw

MOST_OUTCOMES = 200_000
"""Outcomes of the keys that a pair holds, up to which the law of PCKV-UE is enumerated."""


class PCKVGRR(KeyValueMechanism):
    """PCKV-GRR [Gu20]: the key by randomized response; another key has a random sign.

    A report is twice the key, and 1 more if the sign is positive. Drawing one of several keys
    hides the others, which the parameters make use of: e^epsilon_1 = x / 2 + 1 for the key and
    e^epsilon_2 = x + 1 for the sign, where x = padding (e^epsilon - 1).
    """

    name = "PCKV-GRR"
    summary = "key and value: one key by randomized response, with a sign"

    @property
    def more(self) -> float:
        """x, by which the odds are more than even."""
        return self.padding * expm1(self.epsilon)

    @property
    def own(self) -> float:
        return (self.more / 2 + 1) / (self.more / 2 + self.keys + self.padding)

    @property
    def others(self) -> float:
        return 1 / (self.more / 2 + self.keys + self.padding)

    @property
    def tilt(self) -> float:
        return self.more / (self.more + 2)

    @property
    def lie(self) -> float:
        return 1 / (self.more + 2)

    def privatize(self, value: Held, n: int, rng: Generator) -> Reports:
        reports, plus = self.sampled(value, n, rng)
        size = np.uint64(self.keys + self.padding)
        fill_responses(fresh_stream(rng), threshold(self.own), size, reports, plus)
        return reports

    def chances(self, value: Held) -> tuple[dict[tuple[int, int], float], float, float]:
        """Probabilities of the keys that are held with each sign; of any other one; of a dummy."""
        each, dummy = self.weights(value)
        found = {
            (key, sign): self.others / 2 + each * (self.own * chance - self.others / 2)
            for key, number in held_by(value).items()
            for sign, chance in enumerate(self.signs(number))
        }
        return found, self.others / 2, self.others / 2 + dummy * (self.own - self.others) / 2

    def loss_law(self, pair: InputPair) -> LossLaw:
        (first, other, dummy), (second, _, second_dummy) = (
            self.chances(value) for value in (pair.first, pair.second)
        )
        named = sorted({*first, *second})
        rest = 2 * self.keys - len(named)
        likely = [first.get(name, other) for name in named]
        unlikely = [second.get(name, other) for name in named]
        p = np.array([*likely, other, dummy])
        q = np.array([*unlikely, other, second_dummy])
        times = np.array([*(1.0 for _ in named), rest, 2 * self.padding])
        kept = times > 0
        return law_of_levels(np.log(p / q)[kept], (p * times)[kept], (q * times)[kept])

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        ratio = np.zeros(len(reports))
        for side, value in ((1, pair.first), (-1, pair.second)):
            found, other, dummy = self.chances(value)
            logs = np.full(2 * (self.keys + self.padding), log(other))
            logs[2 * self.keys :] = log(dummy)
            for (key, sign), chance in found.items():
                logs[2 * key + sign] = log(chance)
            ratio += side * logs[reports]
        return ratio

    def worst_case(self, pair: InputPair) -> float:
        """A sign that is true for one of `padding` keys, against one that is not held or false."""
        likely = 2 * self.own * (1 - self.lie) / self.others
        unlikely = min(1.0, 2 * self.own * self.lie / self.others)
        rest = self.padding - 1
        return log((likely + rest) / (unlikely + rest))

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        add_responses(reports, totals)

    def guess_chance(self, value: Held, key: int, sign: int) -> float:
        found, other, dummy = self.chances(value)
        return found.get((key, sign), other) + 2 * self.padding * dummy / (2 * self.keys)


class PCKVUE(KeyValueMechanism):
    """PCKV-UE [Gu20]: a sign or 0 for every key, the own one's with probability 1/2.

    The sign is true with the odds of epsilon, and others are shown with probability
    2 / (e^epsilon + 3), so that all of epsilon is spent on the key and its sign together.
    """

    name = "PCKV-UE"
    summary = "key and value: a sign or 0 for every key"

    @property
    def own(self) -> float:
        return 0.5

    @property
    def others(self) -> float:
        return 2 / (exp(self.epsilon) + 3)

    @property
    def tilt(self) -> float:
        return expm1(self.epsilon) / (exp(self.epsilon) + 1)

    @property
    def lie(self) -> float:
        return 1 / (exp(self.epsilon) + 1)

    def privatize(self, value: Held, n: int, rng: Generator) -> Reports:
        keys, plus = self.sampled(value, n, rng)
        reports = np.empty((n, self.keys + self.padding), np.int8)
        limits = threshold(self.own), threshold(self.others)
        fill_entries(fresh_stream(rng), *limits, keys, plus, reports)
        return reports

    def odds(self, value: float) -> Floats:
        """How much likelier minus, 0 and plus are for the key that was drawn than for another."""
        minus, plus = self.signs(value)
        kept = 2 * self.own / self.others
        return np.array([kept * minus, (1 - self.own) / (1 - self.others), kept * plus])

    def evidence(self, columns: dict[int, Any], dummies: Any, value: Held) -> Any:
        """Return how much likelier reports are for a user than for nobody.

        `columns` has the reports' entries of each key, `dummies` the number of dummies shown.
        """
        each, dummy = self.weights(value)
        _, absent, shown = self.odds(0.0)
        total: Any = dummy * (self.padding * absent + dummies * (shown - absent))
        for key, number in held_by(value).items():
            total = total + each * self.odds(number)[columns[key] + 1]
        return total

    def loss_law(self, pair: InputPair) -> LossLaw | None:
        from scipy.stats import binom

        keys = sorted({*held_by(pair.first), *held_by(pair.second)})
        drawn = all(len(value) >= 2 * self.padding for value in (pair.first, pair.second))
        most = 0 if drawn else self.padding  # dummies that matter
        if 3 ** len(keys) * (most + 1) > MOST_OUTCOMES:
            return None
        entries = np.indices([3] * len(keys) + [most + 1]).reshape(len(keys) + 1, -1)
        nobody = binom.pmf(entries[-1], most, self.others)
        shown = np.array([self.others / 2, 1 - self.others, self.others / 2])
        for row in entries[:-1]:
            nobody = nobody * shown[row]
        columns = {key: row - 1 for key, row in zip(keys, entries[:-1], strict=True)}
        p, q = (self.evidence(columns, entries[-1], v) for v in (pair.first, pair.second))
        return law_of_levels(np.log(p / q), nobody * p, nobody * q)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        keys = {*held_by(pair.first), *held_by(pair.second)}
        columns = {key: reports[:, key] for key in keys}
        dummies = np.count_nonzero(reports[:, self.keys :], axis=1)
        p, q = (self.evidence(columns, dummies, v) for v in (pair.first, pair.second))
        ratio: Floats = np.log(p / q)
        return ratio

    def worst_case(self, pair: InputPair) -> float:
        """All keys of one user are shown with their signs, and none of another with as many."""
        minus, absent, plus = self.odds(1.0)
        return log(plus / min(minus, absent))

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        add_entries(reports, totals)

    def guess_chance(self, value: Held, key: int, sign: int) -> float:
        each, _ = self.weights(value)
        held, total = held_by(value), 0.0
        for drawn, number in held.items():
            if drawn == key:
                total += each * self.own * self.signs(number)[sign] * self._share(1, self.keys - 1)
            else:
                rest = self.keys - 2
                shared = self.own * self._share(2, rest) + (1 - self.own) * self._share(1, rest)
                total += each * self.others / 2 * shared
            nothing = (1 - self.own) * (1 - self.others) ** (self.keys - 1)
            total += each * nothing / (2 * self.keys)
        nothing = (1 - self.others) ** self.keys / (2 * self.keys)
        alone = self.others / 2 * self._share(1, self.keys - 1) + nothing
        return total + (1 - each * len(held)) * alone

    def _share(self, shown: int, others: int) -> float:
        """Mean share of a key, if so many are shown for sure and of some others any number."""
        from scipy.stats import binom

        counts = np.arange(others + 1)
        return float(binom.pmf(counts, others, self.others) @ (1 / (shown + counts)))
