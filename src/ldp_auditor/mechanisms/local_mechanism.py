"""What every protocol for one value shares: its claim, its options, its place in the list.

A protocol is a frozen dataclass that derives from `LocalMechanism` (by `FrequencyOracle`, if its
inputs are categories), sets `name` and randomizes a batch (`privatize`). What else it may offer is
declared in `capabilities.py`. Defining the class in a module of this package is all it takes to
offer it everywhere.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache, cached_property
from types import new_class
from typing import Any, ClassVar, get_type_hints

from numpy.random import Generator

from ldp_auditor.core import Claim, Floats, InputPair, Rates, Reports
from ldp_auditor.errors import must, require
from ldp_auditor.inputs import Categories, Inputs
from ldp_auditor.mechanisms.capabilities import default_pair, loss_law_of
from ldp_auditor.theory.composition import tight_epsilon
from ldp_auditor.theory.loss_law import LossLaw

MIN_EPSILON, MAX_EPSILON = 1e-6, 700
"""Beyond these, e^epsilon - 1 or e^-epsilon run out of digits."""

COMMON = ("epsilon", "domain_size", "delta", "named")
"""Parameters that are no options: what is claimed, and what there is to report."""

CHOSEN = 0
"""Stands for the number that a protocol chooses by a formula; results do not show it."""

OPTION_KINDS = (int, float, str)
"""Types that other parameters may have."""

PACKAGE = __name__.partition(".")[0]

protocols: dict[str, "type[Any]"] = {}
"""Every named protocol of this package whose module has been imported, in order of definition."""


@dataclass(frozen=True)
class Users:
    """Users of a longitudinal study who all hold the same value."""

    value: Any
    count: int
    memo: Any = None
    """What each of them keeps for ever; fresh noise keeps nothing."""


def _place(cls: type) -> tuple[str, str]:
    """Where a class is defined: a module that is imported anew defines it again."""
    return cls.__module__, cls.__qualname__


class Listed:
    """What is listed of a protocol."""

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    takes: ClassVar[type[Inputs]] = Categories
    """The kind of its inputs."""
    approximate: ClassVar[bool] = False
    """Whether the protocol needs delta > 0."""
    promises_nothing: ClassVar[bool] = False
    """Whether the protocol makes no claim of its own; an epsilon given to it is still tested."""
    family: ClassVar[str] = ""
    """The name by which protocols that the paper does not audit are compared together."""
    metric: Any = None
    """The distance that the claim is counted in, if it is: a name of `metrics.py`."""
    memoizes: ClassVar[bool] = False
    """Whether a user's reports share randomness, so that many of them lose no more than a limit."""

    def __init_subclass__(cls, listed: bool = True) -> None:
        super().__init_subclass__()
        if "name" in vars(cls) and listed and cls.__module__.startswith(f"{PACKAGE}."):
            taken = protocols.get(cls.name)
            require(
                taken is None or _place(taken) == _place(cls),
                f"two protocols are named {cls.name!r}: {taken} and {cls}",
            )
            protocols[cls.name] = cls


@dataclass(frozen=True, kw_only=True)
class LocalMechanism(Listed, ABC):
    """A protocol by which a user reports one value, whatever that is."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        claim = Claim(self.epsilon, self.delta)
        self._set("epsilon", claim.epsilon)
        self._set("delta", claim.delta)
        self.check_epsilon()
        self.check_delta()

    @property
    @abstractmethod
    def inputs(self) -> Inputs:
        """What is reported."""

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

    @cached_property
    def claim(self) -> Claim:
        """The promise that the protocol makes."""
        return Claim(self.epsilon, self.delta, self.metric)

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
        """Values of those options, but of numbers that are left to a formula."""
        values = {name: getattr(self, name) for name in self.option_types()}
        left = {f.name for f in fields(self) if type(f.default) is int and f.default == CHOSEN}
        return {name: value for name, value in values.items() if name not in left or value}

    @property
    def report_bytes(self) -> int:
        """Memory that the attack on one report needs, to size batches for the cache."""
        return 256

    @abstractmethod
    def privatize(self, value: Any, n: int, rng: Generator) -> Reports:
        """Return `n` independent reports of `value`."""

    def guess_rates(self, pair: InputPair | None = None) -> Rates | None:
        """Return the exact rates at which a guess names the first of a pair, where known."""
        return self.guess_rates_over(pair or default_pair(self), 1)

    def check_value(self, value: Any) -> Any:
        """Return `value` in its plain form, or raise if it is no input."""
        return self.inputs.check(value, "value")

    # Many reports of the same user. What follows is fresh noise in every report; a protocol that
    # memoizes derives from `MemoizedOracle`.

    def claim_over(self, reports: int) -> Claim:
        """The promise for `reports` reports: sequential composition [Dwork14]."""
        require(
            reports * self.delta < 1,
            f"{reports} reports at delta={self.delta} promise nothing: "
            f"reports * delta = {reports * self.delta:g} must be below 1",
        )
        return Claim(reports * self.epsilon, reports * self.delta, self.metric)

    def enroll(self, value: Any, n: int, rng: Generator) -> Users:
        """Return `n` users with a value, each with what it keeps for all of its reports."""
        return Users(self.check_value(value), n)

    def collect(self, users: Users, reports: int, rng: Generator) -> Reports:
        """Return `reports` reports of every user, those of a user one after the other."""
        return self.privatize(users.value, users.count * reports, rng)

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        """Return the exact rates of the guess by the totals, where known.

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
