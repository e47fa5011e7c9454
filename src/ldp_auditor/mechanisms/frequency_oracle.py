"""What every single-report protocol shares: its parameters, its claim and its place in the list.

A protocol is a frozen dataclass derived from `FrequencyOracle` that sets `name`, randomizes a
batch (`privatize`) and knows the paper's attack (`guess`). What else it may offer, from exact rates
to the optimal attack, is declared in `capabilities.py`. Defining the class in a module of this
package is all it takes to offer it everywhere.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import new_class
from typing import Any, ClassVar, get_type_hints

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import FIRST_TWO_VALUES, Claim, Floats, InputPair, Rates, Reports, Values
from ldp_auditor.errors import must, require, whole_number
from ldp_auditor.mechanisms.capabilities import loss_law_of
from ldp_auditor.mechanisms.kernels.bits import choose_member, contains, words_for
from ldp_auditor.mechanisms.kernels.scores import choose_best
from ldp_auditor.mechanisms.kernels.sums import add_rows, add_sets
from ldp_auditor.mechanisms.kernels.xoshiro import Words, fresh_stream
from ldp_auditor.theory.composition import tight_epsilon
from ldp_auditor.theory.loss_law import LossLaw

MAX_INDEX = 2**32 - 1
"""Largest domain and hash range: the kernels scale random words to 32-bit numbers."""

MIN_EPSILON, MAX_EPSILON = 1e-6, 700
"""Beyond these, e^epsilon - 1 or e^-epsilon run out of digits."""

COMMON = ("epsilon", "domain_size", "delta")
"""Parameters that every protocol has."""

OPTION_KINDS = (int, float, str)
"""Types that other parameters may have."""

PACKAGE = __name__.partition(".")[0]

protocols: dict[str, "type[FrequencyOracle]"] = {}
"""Every named protocol of this package whose module has been imported, in order of definition."""


@dataclass(frozen=True)
class Users:
    """Users of a longitudinal study who all hold the same value."""

    value: int
    count: int
    memo: Any = None
    """What each of them keeps for ever; fresh noise keeps nothing."""


class Listed:
    """What is listed of a protocol."""

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    approximate: ClassVar[bool] = False
    """Whether the protocol needs delta > 0."""
    promises_nothing: ClassVar[bool] = False
    """Whether the protocol makes no claim of its own; an epsilon given to it is still tested."""
    memoizes: ClassVar[bool] = False
    """Whether a user's reports share randomness, so that many of them lose no more than a limit."""


@dataclass(frozen=True, kw_only=True)
class FrequencyOracle(Listed, ABC):
    """A protocol by which a user reports one value out of `domain_size`."""

    epsilon: float
    domain_size: int
    delta: float = 0.0

    def __init_subclass__(cls, listed: bool = True) -> None:
        super().__init_subclass__()
        if "name" in vars(cls) and listed and cls.__module__.startswith(f"{PACKAGE}."):
            taken = protocols.get(cls.name)
            require(
                taken is None or taken.__qualname__ == cls.__qualname__,
                f"two protocols are named {cls.name!r}: {taken} and {cls}",
            )
            protocols[cls.name] = cls

    def __post_init__(self) -> None:
        self._set("domain_size", whole_number("domain_size", self.domain_size, 2, MAX_INDEX))
        claim = Claim(self.epsilon, self.delta)
        self._set("epsilon", claim.epsilon)
        self._set("delta", claim.delta)
        self.check_epsilon()
        self.check_delta()

    def check_epsilon(self) -> None:
        """Raise unless the protocol is defined at this epsilon, which is positive."""
        must(self.epsilon < math.inf, "be finite", epsilon=self.epsilon)
        must(
            MIN_EPSILON <= self.epsilon <= MAX_EPSILON,
            f"be at least {MIN_EPSILON} and at most {MAX_EPSILON}",
            epsilon=self.epsilon,
        )

    def check_delta(self) -> None:
        """Raise unless the protocol is defined at this delta, which is at least 0 and below 1."""
        require(
            self.delta > 0 or not self.approximate,
            f"{self.name} is an approximate protocol: delta must be positive, got delta=0",
        )

    def _set(self, name: str, value: Any) -> None:
        """Normalize a field while the frozen object is being made."""
        object.__setattr__(self, name, value)

    @property
    def claim(self) -> Claim:
        """The promise that the protocol makes."""
        return Claim(self.epsilon, self.delta)

    @property
    def used_delta(self) -> float:
        """The delta that the perturbation makes use of."""
        return self.delta if self.approximate else 0.0

    @classmethod
    @cache
    def option_types(cls) -> Mapping[str, type]:
        """Names and types of the options beyond epsilon, delta and the domain size."""
        hints = get_type_hints(cls)
        types = {f.name: hints[f.name] for f in fields(cls) if f.name not in COMMON}
        for name, kind in types.items():
            require(
                kind in OPTION_KINDS,
                f"option {name!r} of {cls.name} must be an int, a float or a str, not {kind}",
            )
        return types

    @classmethod
    def required(cls) -> list[str]:
        """Names of the parameters that have no default."""
        return [f.name for f in fields(cls) if f.default is MISSING]

    @property
    def options(self) -> Mapping[str, Any]:
        """Values of those options."""
        return {name: getattr(self, name) for name in self.option_types()}

    @property
    def report_bytes(self) -> int:
        """Memory that the attack on one report needs, to size batches for the cache."""
        return max(256, 8 * self.domain_size)

    @abstractmethod
    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        """Return `n` independent reports of `value`."""

    @abstractmethod
    def guess(self, reports: Reports, rng: Generator) -> Values:
        """Return the paper's guess of the value behind every report."""

    def guess_rates(self, pair: InputPair = FIRST_TWO_VALUES) -> Rates | None:
        """Return the exact rates at which `guess` names the first value of a pair, where known."""
        return self.guess_rates_over(pair, 1)

    def check_value(self, value: int) -> int:
        """Return `value` as an int, or raise if it lies outside the domain."""
        return whole_number("value", value, at_least=0, at_most=self.domain_size - 1)

    # Many reports of the same user. What follows is fresh noise in every report; a protocol that
    # memoizes derives from `MemoizedOracle`.

    @property
    def score_columns(self) -> int:
        """Columns of the totals: one for every value, then what else `ratio_of_sums` needs."""
        return self.domain_size

    def claim_over(self, reports: int) -> Claim:
        """The promise for `reports` reports: sequential composition [Dwork14]."""
        require(
            reports * self.delta < 1,
            f"{reports} reports at delta={self.delta} promise nothing: "
            f"reports * delta = {reports * self.delta:g} must be below 1",
        )
        return Claim(reports * self.epsilon, reports * self.delta)

    def enroll(self, value: int, n: int, rng: Generator) -> Users:
        """Return `n` users with a value, each with what it keeps for all of its reports."""
        return Users(self.check_value(value), n)

    def collect(self, users: Users, reports: int, rng: Generator) -> Reports:
        """Return `reports` reports of every user, those of a user one after the other."""
        return self.privatize(users.value, users.count * reports, rng)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        """Return the exact rates of guessing the value with the largest total, where known.

        For one report that guess has the rates of `guess`.
        """
        return None

    def loss_law_over(self, pair: InputPair, reports: int) -> LossLaw | None:
        """Return the exact law of the log-likelihood ratio of `reports` reports, where known."""
        one = loss_law_of(self, pair)
        return None if one is None else one.composed(reports)

    def worst_case_over(self, pair: InputPair, reports: int) -> float | None:
        """Return the exact smallest epsilon that `reports` reports keep at their delta."""
        delta = self.claim_over(reports).delta
        law = self.loss_law_over(pair, reports)
        one = loss_law_of(self, pair)
        if law is None and one is not None and delta == 0:
            return reports * one.supremum
        return None if law is None else law.epsilon(delta)

    def combined_ratio(self, total: Floats, reports: int) -> Floats:
        """Return the log-likelihood ratio of `reports` reports whose ratios add up to `total`."""
        return total

    def composed_epsilon(self, pair: InputPair, reports: int, delta: float) -> float | None:
        """Return the tight composition of `reports` fresh reports at `delta`, where known."""
        one = loss_law_of(self, pair)
        return None if one is None else tight_epsilon(one, reports, delta)


def unlisted(class_name: str, bases: tuple[type, ...], **body: Any) -> Any:
    """Make a class of a protocol that is not listed, such as a combination."""
    return new_class(class_name, bases, {"listed": False}, lambda space: space.update(body))


class SetOracle(FrequencyOracle):
    """A protocol whose report supports a set of values.

    The paper's attack guesses a supported value, and any value if none is supported.
    """

    @abstractmethod
    def support(self, reports: Reports) -> Words:
        """Return the supported values of every report as bits (see `kernels.bits`)."""

    @property
    def report_bytes(self) -> int:
        return 8 * words_for(self.domain_size) + 8

    def guess(self, reports: Reports, rng: Generator) -> Values:
        chosen: Values = choose_member(fresh_stream(rng), self.support(reports), self.domain_size)
        return chosen

    def supports(self, reports: Reports, value: int) -> NDArray[np.bool_]:
        """Tell for every report whether it supports a value."""
        return contains(self.support(reports), value)

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        add_sets(self.support(reports), totals)

    @abstractmethod
    def loss_law(self, pair: InputPair) -> LossLaw:
        """Return the exact law of the log-likelihood ratio of a report."""

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return ln P(report | first) - ln P(report | second) for every report."""
        # Both values supported, or neither: the report says nothing about which it was.
        level = self.loss_law(pair).supremum
        return one_level_ratio(
            self.supports(reports, pair.first), self.supports(reports, pair.second), level
        )


class SupportOracle(SetOracle):
    """A protocol whose report supports the true value more often than the others."""

    @property
    @abstractmethod
    def p(self) -> float:
        """Probability that the report of a value supports it."""

    @property
    def absence(self) -> float:
        """Probability 1 - p; a protocol whose p comes near 1 computes it without subtracting."""
        return 1 - self.p

    @property
    @abstractmethod
    def q(self) -> float:
        """Probability that the report of a value supports another one."""


def one_level_ratio(
    for_first: NDArray[np.bool_], for_second: NDArray[np.bool_], level: float
) -> Floats:
    """Return `level` where only the first holds, -`level` where only the second, 0 elsewhere."""
    levels = np.array([0.0, level, -level])
    return levels[for_first.astype(np.int8) - for_second.astype(np.int8)]


class ScoreOracle(FrequencyOracle):
    """A protocol whose report has an entry per value; the paper's attack guesses the best one."""

    score_range: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    """Clipped to this range, an entry grows with the likelihood of its value."""

    @property
    def report_bytes(self) -> int:
        return 8 * self.domain_size

    def guess(self, reports: Reports, rng: Generator) -> Values:
        chosen: Values = choose_best(fresh_stream(rng), reports, *self.score_range)
        return chosen

    def add_scores(self, reports: Reports, totals: Floats) -> None:
        add_rows(reports, totals)
