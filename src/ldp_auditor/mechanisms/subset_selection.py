"""Subset selection: report a set of fixed size that contains the value more often than others."""

import math
from dataclasses import dataclass
from functools import cached_property

from numpy.random import Generator

from ldp_auditor.core import Floats, InputPair, Rates, Reports
from ldp_auditor.errors import whole_number
from ldp_auditor.mechanisms.frequency_oracle import SupportOracle
from ldp_auditor.mechanisms.kernels.subsets import select_subsets
from ldp_auditor.mechanisms.kernels.xoshiro import Words
from ldp_auditor.mechanisms.local_mechanism import CHOSEN
from ldp_auditor.portable_math import exp, log
from ldp_auditor.theory.attack_success import subset_success, uniform
from ldp_auditor.theory.discrete_laws import OneLevelLaw
from ldp_auditor.theory.guessing import multinomial_guess_rates


@dataclass(frozen=True, kw_only=True)
class SS(SupportOracle):
    """Subset selection [Wang16, Ye18]; a report is a set of `omega` values as bits."""

    name = "SS"
    summary = "subset selection"

    subset_size: int = CHOSEN

    def __post_init__(self) -> None:
        super().__post_init__()
        size = whole_number("subset_size", self.subset_size, CHOSEN, self.domain_size - 1)
        self._set("subset_size", size)

    @cached_property
    def omega(self) -> int:
        """Size of the reported set: the one given, or the one that minimizes the variance."""
        if self.subset_size != CHOSEN:
            return self.subset_size
        shrink = exp(-self.epsilon)
        return max(1, round(self.domain_size * shrink / (1 + shrink)))

    @cached_property
    def p(self) -> float:
        shrink = exp(-self.epsilon)
        return self.omega / (self.omega + (self.domain_size - self.omega) * shrink)

    @property
    def absence(self) -> float:
        outside = (self.domain_size - self.omega) * exp(-self.epsilon)
        return outside / (self.omega + outside)

    @property
    def q(self) -> float:
        # Of the other values, omega - 1 or omega are in the set.
        return (self.omega - 1 + self.absence) / (self.domain_size - 1)

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        value = self.check_value(value)
        return select_subsets(value, self.domain_size, self.omega, self.p, n, rng)

    def support(self, reports: Reports) -> Words:
        return reports

    def attack_success(self, prior: Floats | None = None) -> float | None:
        prior = uniform(self.domain_size) if prior is None else prior
        return subset_success(prior, self.omega, self.p, self.absence)

    def wire_bits(self, reports: int = 1) -> tuple[float, float | None]:
        """Return bits of a set: as its members, or a bit for every value if that is less."""
        k, omega = self.domain_size, self.omega
        ways = math.lgamma(k + 1) - math.lgamma(omega + 1) - math.lgamma(k - omega + 1)
        return min(k, omega * (k - 1).bit_length()), ways / log(2.0)

    def loss_law(self, pair: InputPair) -> OneLevelLaw:
        # The first value is in the set and the second is not, when the first is true, or false.
        k, omega = self.domain_size, self.omega
        return OneLevelLaw(
            likely=self.p * (k - omega) / (k - 1), unlikely=self.absence * omega / (k - 1)
        )

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        if self.omega == 1:  # randomized response, up to the form of the report
            return multinomial_guess_rates(self.domain_size, self.p, self.q, reports)
        if reports == 1:
            return Rates(self.p / self.omega, self.q / self.omega)
        return None  # sets of a fixed size make the counts of different values depend on each other
