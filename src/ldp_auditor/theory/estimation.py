"""What a user's reports say for a value, on average and with which variance.

A report gives every value a score: 1 where it supports the value, or an entry of a noisy histogram.
If the mean score is a for those who hold the value and b for the others, a share f of holders
gives a mean of b + (a - b) f, which the server solves for f: [Wang17] for supports, and the same
for whatever has two such means. Users randomize on their own, so variances add up.

The population is fixed: `frequency` is the share of the `users` at hand who hold the value, and the
variance is over what the randomizers draw and nothing else. Users who are themselves drawn from a
larger population with that frequency add frequency * (1 - frequency) / users.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Self, TypeVar

import numpy as np

from ldp_auditor.core import Floats
from ldp_auditor.theory.quadrature import integrate

FloatOrFloats = TypeVar("FloatOrFloats", float, Floats)


@dataclass(frozen=True)
class ScoreLaw:
    """Mean and variance of the score of a value, over users who hold it and over the others."""

    held_mean: float
    other_mean: float
    held_variance: float
    other_variance: float

    @classmethod
    def of_bits(cls, p: float, absence: float, q: float) -> Self:
        """A score that is 1 with probability p = 1 - `absence` for holders, q for the others."""
        return cls(p, q, p * absence, q * (1 - q))

    @classmethod
    def of_two_rounds(
        cls,
        held: tuple[float, float],
        other: tuple[float, float],
        if_one: tuple[float, float],
        if_zero: tuple[float, float],
        reports: int,
    ) -> Self:
        """The mean score of `reports` reports of a bit that is kept for ever.

        `held` and `other` are the probabilities that the kept bit is 1 and 0; `if_one` and
        `if_zero` those of a report that is made of it. The variance has two parts: which bit is
        kept, for ever, and how it is reported, which shrinks with the number of reports.
        """
        lead = if_one[0] - if_zero[0]
        each = [if_one[0] * if_one[1], if_zero[0] * if_zero[1]]

        def mean(kept: tuple[float, float]) -> float:
            return kept[0] * if_one[0] + kept[1] * if_zero[0]

        def variance(kept: tuple[float, float]) -> float:
            fresh = kept[0] * each[0] + kept[1] * each[1]
            return kept[0] * kept[1] * lead * lead + fresh / reports

        return cls(mean(held), mean(other), variance(held), variance(other))

    @property
    def gain(self) -> float:
        """How much more holders score than the others."""
        return self.held_mean - self.other_mean

    def mean_of(self, reports: int) -> "ScoreLaw":
        """The law of the mean score of `reports` independent reports."""
        return ScoreLaw(
            self.held_mean,
            self.other_mean,
            self.held_variance / reports,
            self.other_variance / reports,
        )

    def frequencies(self, mean_scores: Floats) -> Floats:
        """Estimate frequencies by the mean scores of all reports, without bias."""
        return (mean_scores - self.other_mean) / self.gain

    def variance(self, users: int, frequency: FloatOrFloats) -> FloatOrFloats:
        """Exact variance of an estimated frequency whose true value among `users` is given."""
        held, other = self.held_variance, self.other_variance
        return (frequency * held + (1 - frequency) * other) / (users * self.gain * self.gain)


@lru_cache(maxsize=256)
def mean_inverse_count(trials: int, chance: float) -> float:
    """Mean of 1 / M for a binomial number M of successes, given that there is one at least.

    1 / M is the integral of u^(M - 1) over u in (0, 1), so that the mean is that of
    ((1 - chance + chance u)^trials - (1 - chance)^trials) / u, here in x = 1 - u.
    """
    edges = np.append(0.0, 0.5 ** np.arange(60.0, -1.0, -1.0))

    def integrand(x: Floats) -> Floats:
        some = np.exp(trials * np.log1p(-chance * x))
        none_left = -np.expm1(trials * (np.log1p(-chance) - np.log1p(-chance * x)))
        mean: Floats = some * none_left / (1 - x)
        return mean

    return integrate(integrand, edges) / -float(np.expm1(trials * np.log1p(-chance)))
