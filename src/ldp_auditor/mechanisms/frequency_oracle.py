"""What every single-report protocol shares: its parameters, its claim and its place in the list.

A protocol is a frozen dataclass derived from `FrequencyOracle` that sets `name`, randomizes a
batch (`privatize`), knows the paper's attack (`guess`) and its exact success (`guess_rates`). With
`log_likelihood_ratio` it also gets the optimal attack, with `loss_law` its exact worst case.
Defining the class in a module of this package is all it takes to offer it everywhere.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, get_type_hints

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ldp_auditor.core import Claim, Floats, InputPair, Rates, Reports, Values
from ldp_auditor.errors import number, require, whole_number
from ldp_auditor.mechanisms.kernels.bits import choose_member, contains, words_for
from ldp_auditor.mechanisms.kernels.scores import choose_best
from ldp_auditor.mechanisms.kernels.xoshiro import Words, fresh_stream
from ldp_auditor.theory.guessing import membership_guess_rates
from ldp_auditor.theory.loss_law import OneLevelLaw

MAX_INDEX = 2**32 - 1
"""Largest domain and hash range: the kernels scale random words to 32-bit numbers."""

MIN_EPSILON, MAX_EPSILON = 1e-6, 700
"""Beyond these, e^epsilon - 1 or e^-epsilon run out of digits."""

protocols: dict[str, type[FrequencyOracle]] = {}
"""Every named protocol whose module has been imported, in order of definition."""


@dataclass(frozen=True, kw_only=True)
class FrequencyOracle(ABC):
    """A protocol by which a user reports one value out of `domain_size`."""

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    approximate: ClassVar[bool] = False
    """Whether the protocol needs delta > 0."""
    promises_nothing: ClassVar[bool] = False
    """Whether the protocol makes no claim of its own; an epsilon given to it is still tested."""

    epsilon: float
    domain_size: int
    delta: float = 0.0

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in vars(cls):
            taken = protocols.get(cls.name)
            require(
                taken is None or taken.__qualname__ == cls.__qualname__,
                f"two protocols are named {cls.name!r}: {taken} and {cls}",
            )
            protocols[cls.name] = cls

    def __post_init__(self) -> None:
        self._set("domain_size", whole_number("domain_size", self.domain_size, 2, MAX_INDEX))
        self._set("epsilon", number("epsilon", self.epsilon))
        self._set("delta", number("delta", self.delta))
        self.check_epsilon()
        self.check_delta()

    def check_epsilon(self) -> None:
        """Raise unless the protocol is defined at this epsilon."""
        require(
            0 < self.epsilon < math.inf,
            f"epsilon must be positive and finite, got epsilon={self.epsilon}",
        )
        require(
            MIN_EPSILON <= self.epsilon <= MAX_EPSILON,
            f"epsilon must be at least {MIN_EPSILON} and at most {MAX_EPSILON}, "
            f"got epsilon={self.epsilon}",
        )

    def check_delta(self) -> None:
        """Raise unless the protocol is defined at this delta."""
        require(0 <= self.delta < 1, f"delta must lie in [0, 1), got delta={self.delta}")
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

    @classmethod
    @cache
    def option_types(cls) -> Mapping[str, type]:
        """Names and types of the options beyond epsilon, delta and the domain size."""
        common = {field.name for field in fields(FrequencyOracle)}
        hints = get_type_hints(cls)
        types = {f.name: hints[f.name] for f in fields(cls) if f.name not in common}
        for name, kind in types.items():
            require(
                kind in (int, float, str),
                f"option {name!r} of {cls.name} must be an int, a float or a str, not {kind}",
            )
        return types

    @property
    def options(self) -> Mapping[str, Any]:
        """Values of those options."""
        return {name: getattr(self, name) for name in self.option_types()}

    @property
    @abstractmethod
    def report_bytes(self) -> int:
        """Memory that the attack on one report needs, to size batches for the cache."""

    @abstractmethod
    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        """Return `n` independent reports of `value`."""

    @abstractmethod
    def guess(self, reports: Reports, rng: Generator) -> Values:
        """Return the paper's guess of the value behind every report."""

    @abstractmethod
    def guess_rates(self) -> Rates:
        """Return the exact rates at which `guess` names the first value of any pair."""

    def check_value(self, value: int) -> int:
        """Return `value` as an int, or raise if it lies outside the domain."""
        return whole_number("value", value, at_least=0, at_most=self.domain_size - 1)


class SupportOracle(FrequencyOracle):
    """A protocol whose report supports a set of values, the true one more often than the others.

    The paper's attack guesses a supported value, and any value if none is supported. In all of
    these protocols the true value is supported with probability `p` and the others independently
    with probability `q`, or the class gives its own `guess_rates`.
    """

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

    @abstractmethod
    def support(self, reports: Reports) -> Words:
        """Return the supported values of every report as bits (see `kernels.bits`)."""

    @property
    def report_bytes(self) -> int:
        return 8 * words_for(self.domain_size) + 8

    def guess(self, reports: Reports, rng: Generator) -> Values:
        chosen: Values = choose_member(fresh_stream(rng), self.support(reports), self.domain_size)
        return chosen

    def guess_rates(self) -> Rates:
        return membership_guess_rates(self.domain_size, self.p, self.absence, self.q)

    def supports(self, reports: Reports, value: int) -> NDArray[np.bool_]:
        """Tell for every report whether it supports a value."""
        return contains(self.support(reports), value)

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        """Return the exact law of the log-likelihood ratio of a report."""
        return OneLevelLaw(likely=self.p * (1 - self.q), unlikely=self.q * self.absence)

    def log_likelihood_ratio(self, reports: Reports, pair: InputPair) -> Floats:
        """Return ln P(report | first) - ln P(report | second) for every report."""
        # Both values supported, or neither: the report says nothing about which it was.
        level = self.loss_law(pair).supremum
        return one_level_ratio(
            self.supports(reports, pair.first), self.supports(reports, pair.second), level
        )


def one_level_ratio(
    for_first: NDArray[np.bool_], for_second: NDArray[np.bool_], level: float
) -> Floats:
    """Return `level` where only the first holds, -`level` where only the second, 0 elsewhere."""
    levels = np.array([0.0, level, -level])
    ratio: Floats = levels[for_first.astype(np.int8) - for_second.astype(np.int8)]
    return ratio


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
