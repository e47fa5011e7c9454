"""What is known of one setting: its columns, each exact and worked out when it is asked for."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ldp_auditor.choosing.population import Population
from ldp_auditor.core import Floats, InputPair
from ldp_auditor.errors import AuditError, require
from ldp_auditor.mechanisms.capabilities import (
    Estimates,
    KnowsAttackSuccess,
    KnowsAttackSuccessOver,
    MixesFrequencies,
    RemembersUsers,
    TellsWireBits,
    default_pair,
    loss_law_of,
    needed,
)
from ldp_auditor.mechanisms.memoization import RepeatedForever
from ldp_auditor.mechanisms.memoized_filters import MemoizedFilters
from ldp_auditor.mechanisms.memoized_values import LOLOHA
from ldp_auditor.mechanisms.records import RecordMechanism
from ldp_auditor.theory.attack_success import uniform

ANY_FREQUENCY = np.linspace(0.0, 1.0, 101)
"""Where the variance of a frequency is looked at if the frequency is not known."""


@dataclass(frozen=True)
class Question:
    """What a user asks, which is the same for every protocol."""

    domain_size: int
    users: int
    reports: int = 1
    delta: float = 0.0
    """Delta at which the loss of all reports is told."""
    population: Population | None = None
    sizes: tuple[int, ...] = ()
    """Sizes of the attributes of a record."""
    of_mean: bool = False
    """Whether the error is that of the mean over all reports, or that of each round."""

    @property
    def prior(self) -> Floats:
        """What the attacker knows of the values beforehand."""
        return uniform(self.domain_size) if self.population is None else self.population.shares


class Columns:
    """The columns of a mechanism; a limit asks for one of them by its name."""

    def __init__(self, mechanism: Any, question: Question, pair: InputPair | None = None) -> None:
        """Look at a mechanism, by two inputs that are the easiest to tell apart."""
        self.mechanism, self.question = mechanism, question
        self.pair = default_pair(mechanism) if pair is None else pair

    @property
    def repeats(self) -> bool:
        """Whether a user sends the same report for ever."""
        return isinstance(self.mechanism, RepeatedForever)

    @property
    def fingerprint(self) -> bool:
        """Whether a part of a user's reports never changes, by which the device is recognized."""
        over_time = self.question.reports > 1
        return over_time and (self.repeats or isinstance(self.mechanism, LOLOHA | MemoizedFilters))

    @property
    def claimed_epsilon(self) -> float:
        """What is promised for all reports."""
        if self.question.reports == 1:
            return float(self.mechanism.claim.epsilon)
        return float(self._over_time.claim_over(self.question.reports).epsilon)

    @property
    def _over_time(self) -> RemembersUsers:
        followed: RemembersUsers = needed(self.mechanism, RemembersUsers, "choose with --reports")
        return followed

    @cached_property
    def worst_case_epsilon_1(self) -> float:
        """Exact smallest epsilon that one report keeps."""
        return self._worst_case(1)

    @cached_property
    def worst_case_epsilon(self) -> float:
        """Exact smallest epsilon that all reports keep."""
        return self._worst_case(self.question.reports)

    def _worst_case(self, reports: int) -> float:
        mechanism, delta = self.mechanism, self.question.delta
        if isinstance(mechanism, RecordMechanism):
            found = mechanism.worst_case(self.pair)
        elif mechanism.memoizes and not self.repeats:  # a pure promise, which holds at any delta
            found = self._over_time.worst_case_over(self.pair, reports)
        else:
            found = self._fresh_worst_case(1 if self.repeats else reports, delta)
        if found is None:
            raise AuditError(f"the exact loss of {reports} reports of {mechanism.name} is unknown")
        return float(found)

    def _fresh_worst_case(self, reports: int, delta: float) -> float | None:
        """Tight composition of independent reports, by their exact law or by the accountant."""
        one = loss_law_of(self.mechanism, self.pair)
        if one is None:
            return None
        if delta == 0:
            return reports * one.supremum
        law = one.composed(reports)
        if law is not None:
            return law.epsilon(delta)
        return self._over_time.composed_epsilon(self.pair, reports, delta)

    @cached_property
    def attack_success(self) -> float:
        """How often the best guess from one report is right, for the prior of the population."""
        return self._success(None if self.question.population is None else self.question.prior)

    @cached_property
    def attack_success_uniform(self) -> float:
        """How often the best guess from one report is right, if all values are as frequent."""
        return self._success(None)

    def _success(self, prior: Floats | None) -> float:
        known: KnowsAttackSuccess = needed(self.mechanism, KnowsAttackSuccess, "choose")
        found = known.attack_success(prior)
        if found is None:
            raise AuditError(f"the success of a guess is not known for {self.mechanism.name}")
        return found

    @cached_property
    def attack_success_all(self) -> float | None:
        """How often the best guess from all reports of a user is right; None if not known."""
        return self._success_over(self.question.population)

    @cached_property
    def attack_success_all_uniform(self) -> float | None:
        """The same if all values are as frequent; None if not known."""
        return self._success_over(None)

    def _success_over(self, population: Population | None) -> float | None:
        prior, reports = None if population is None else population.shares, self.question.reports
        if reports == 1:
            return self._success(prior)
        if not isinstance(self.mechanism, KnowsAttackSuccessOver):
            return None
        return self.mechanism.attack_success_over(reports, prior)

    @property
    def blind_success(self) -> float:
        """How often a guess without any report is right."""
        if self.question.population is None and self.question.sizes:
            return 1 / min(self.question.sizes)
        return float(self.question.prior.max())

    @cached_property
    def standard_error(self) -> float:
        """Standard error of a frequency: root mean square over the values of any population."""
        return self._error(self.question.reports if self.question.of_mean else 1)

    @cached_property
    def standard_error_of_mean(self) -> float:
        """Standard error of the mean over all reports of every user."""
        return self._error(self.question.reports)

    def _error(self, reports: int) -> float:
        """Return the standard error over `reports` reports of the attribute known worst."""
        if self.mixes:
            return math.sqrt(float(np.mean(self._variance(self._frequencies, reports, 0))))
        sizes = self.question.sizes or (self.question.domain_size,)
        return max(
            math.sqrt(self._variance(1 / size, reports, attribute))
            for size, attribute in {size: j for j, size in enumerate(sizes)}.items()
        )

    @cached_property
    def worst_standard_error(self) -> float:
        """Largest standard error of a frequency: of the population, or of any."""
        reports = self.question.reports if self.question.of_mean else 1
        attributes = range(max(1, len(self.question.sizes)))
        return math.sqrt(
            max(float(np.max(self._variance(self._frequencies, reports, j))) for j in attributes)
        )

    @property
    def mixes(self) -> bool:
        """Whether the error of a value depends on the frequencies of others."""
        return isinstance(self.mechanism, MixesFrequencies)

    @property
    def _frequencies(self) -> Floats:
        """Those given; without any, those that make the errors largest."""
        if self.question.population is not None:
            return self.question.population.shares
        mixed: MixesFrequencies = self.mechanism
        return mixed.worst_population if self.mixes else ANY_FREQUENCY

    def _variance(self, frequency: Any, reports: int, attribute: int) -> Any:
        server: Any = needed(self.mechanism, Estimates, "choose")
        which = {"attribute": attribute} if self.question.sizes else {}
        return server.frequency_variance(self.question.users, frequency, reports, **which)

    @cached_property
    def _bits(self) -> tuple[float, float | None]:
        told: TellsWireBits = needed(self.mechanism, TellsWireBits, "choose")
        return told.wire_bits(self.question.reports)

    @property
    def bits(self) -> float:
        """Bits of a report as it is usually sent."""
        return float(self._bits[0])

    @property
    def bits_minimum(self) -> float | None:
        """Bits of a report at least: its entropy; None for continuous noise."""
        return self._bits[1]

    def of(self, column: str) -> float:
        """Return the column of that name, or raise if it is not known."""
        value: float = getattr(self, column)
        require(not math.isnan(value), f"{column} of {self.mechanism.name} is not known")
        return value
