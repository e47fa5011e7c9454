"""What protocols with memoization share: a permanent randomization, then one for every report.

A user randomizes the value once and keeps the outcome, the memo, for ever; every report randomizes
the memo again. One report keeps epsilon (called epsilon_1 in the papers); any number of them keeps
epsilon_infinity, because an attacker who averages the reports finds the memo and no more. The paper
audits these protocols in its appendix F [Arcolezi24].
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Claim, Floats, InputPair, Rates, Reports
from ldp_auditor.errors import must, number, require
from ldp_auditor.mechanisms.capabilities import (
    AddsScores,
    KnowsAttackSuccess,
    KnowsLikelihood,
    KnowsScoreLaw,
    needed,
)
from ldp_auditor.mechanisms.frequency_oracle import FrequencyOracle
from ldp_auditor.mechanisms.local_mechanism import MAX_EPSILON, Users, unlisted
from ldp_auditor.theory.estimation import ScoreLaw
from ldp_auditor.theory.loss_law import LossLaw


@dataclass(frozen=True, kw_only=True)
class MemoizedOracle(FrequencyOracle):
    """A protocol with two guarantees: `epsilon` of one report, `epsilon_infinity` of all."""

    memoizes = True

    epsilon_infinity: float

    def __post_init__(self) -> None:
        self._set("epsilon_infinity", number("epsilon_infinity", self.epsilon_infinity))
        super().__post_init__()

    def check_epsilon(self) -> None:
        """Raise unless both guarantees can be given at once."""
        super().check_epsilon()
        one, all_ = self.epsilon, self.epsilon_infinity
        rule = f"be positive and at most {MAX_EPSILON}"
        must(0 < all_ <= MAX_EPSILON, rule, epsilon_infinity=all_)
        rule = "be below epsilon_infinity, what all reports together keep"
        must(one < all_, rule, epsilon_1=one, epsilon_infinity=all_)

    @property
    def options(self) -> Mapping[str, Any]:
        return {"epsilon_1": self.epsilon, **super().options}

    def claim_over(self, reports: int) -> Claim:
        return self.claim if reports == 1 else Claim(self.epsilon_infinity, self.delta)

    def composed_epsilon(self, pair: InputPair, reports: int, delta: float) -> float | None:
        return None  # the reports depend on each other through the memo

    def privatize(self, value: int, n: int, rng: Generator) -> Reports:
        return self.collect(self.enroll(value, n, rng), 1, rng)


class RepeatedForever(FrequencyOracle):
    """The plain scheme: the memo itself is sent again and again [Ding17], so reports never differ.

    Whatever holds for one report holds for all of them.
    """

    memoizes = True

    def claim_over(self, reports: int) -> Claim:
        return self.claim

    def enroll(self, value: int, n: int, rng: Generator) -> Users:
        return Users(self.check_value(value), n, self.privatize(value, n, rng))

    def collect(self, users: Users, reports: int, rng: Generator) -> Reports:
        return np.repeat(users.memo, reports, axis=0)

    def add_sums(self, users: Users, reports: int, rng: Generator, totals: Floats) -> None:
        """Add the scores of the memo as often as it is sent."""
        once = np.zeros_like(totals)
        needed(self, AddsScores, "--reports").add_scores(users.memo, once)
        totals += reports * once

    def add_ratios(self, users: Users, reports: int, pair: InputPair, totals: Floats) -> None:
        """Add the log-likelihood ratio of the memo as often as it is sent."""
        known = needed(self, KnowsLikelihood, "the attack 'optimal'")
        totals[:, 0] += reports * known.log_likelihood_ratio(users.memo, pair)

    def combined_ratio(self, total: Floats, reports: int) -> Floats:
        return total / reports

    def guess_rates_over(self, pair: InputPair, reports: int) -> Rates | None:
        return super().guess_rates_over(pair, 1)

    def loss_law_over(self, pair: InputPair, reports: int) -> LossLaw | None:
        return super().loss_law_over(pair, 1)

    def attack_success_over(self, reports: int, prior: Floats | None = None) -> float | None:
        """Return the success of one report, where it is known."""
        once: Any = self
        return once.attack_success(prior) if isinstance(once, KnowsAttackSuccess) else None

    def score_law_over(self, reports: int) -> ScoreLaw:
        """Return the law of one report: the mean of equal ones is any of them."""
        known: KnowsScoreLaw = needed(self, KnowsScoreLaw, "the variance of a frequency")
        return known.score_law

    def composed_epsilon(self, pair: InputPair, reports: int, delta: float) -> float | None:
        return None  # the reports are all the same


@cache
def memo_of(protocol: type[FrequencyOracle]) -> type[FrequencyOracle]:
    """Make the plain scheme of any protocol: its first report, for ever."""
    require(not protocol.memoizes, f"{protocol.name} memoizes already")
    name, summary = f"Memo[{protocol.name}]", f"one report of {protocol.name}, for ever"
    bases, made = (RepeatedForever, protocol), f"Memo{protocol.__name__}"
    return unlisted(made, bases, name=name, summary=summary)  # type: ignore[no-any-return]
