"""Many reports of the same user [Arcolezi24]: what is added up, and the mechanism that makes of it.

A trial is a user. The paper's attacker adds up the scores that the user's reports give to every
value (Algorithm 2 of the paper), the optimal one their log-likelihood ratios, or numbers from which
the ratio of all reports follows. Both then decide by the totals exactly as by a single report. So a
protocol whose reports are such totals is a mechanism of its own, `Accumulated`, and the attacks,
bounds and results are those of any audit.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.random import Generator

from ldp_auditor.core import Claim, Floats, InputPair, Mechanism, Rates, Values
from ldp_auditor.errors import require
from ldp_auditor.inputs import Inputs
from ldp_auditor.mechanisms.capabilities import (
    AddsEvidence,
    AddsRatios,
    AddsScores,
    DrawsSums,
    HasOptions,
    KnowsRatioOfSums,
    RemembersUsers,
    inputs_of,
    needed,
)
from ldp_auditor.mechanisms.local_mechanism import Users
from ldp_auditor.theory.loss_law import LossLaw

TOTALS_BYTES = 2**19
"""Memory of the totals of a batch of users."""

REPORTS_BYTES = 2**21
"""Memory of the reports of a batch of users that are made at once."""

MOST_USERS = 2**13
"""Users of a batch at most."""


@dataclass(frozen=True)
class Tally:
    """How the reports of a user are added up for an attack."""

    protocol: RemembersUsers
    pair: InputPair
    by_scores: bool
    """Whether the scores are added, or what tells the log-likelihood ratio."""
    by_law: bool
    """Whether the sums are drawn from their law, or made report by report."""

    @classmethod
    def of(cls, protocol: Mechanism, pair: InputPair, attack: str, composition: str) -> Self:
        """Find out how an attack adds up the reports of a protocol."""
        followed = needed(protocol, RemembersUsers, "--reports", argument="reports")
        one_ratio_tells_all = isinstance(protocol, AddsRatios)
        by_scores = attack == "paper" or (
            isinstance(protocol, KnowsRatioOfSums) and not one_ratio_tells_all
        )
        if by_scores:
            needed(protocol, AddsScores, f"--reports under the attack {attack!r}")
        known = isinstance(protocol, DrawsSums) if by_scores else one_ratio_tells_all
        require(
            known or composition != "law",
            f"the sum of reports of {protocol.name} under the attack {attack!r} is not drawn "
            "from a law; use --composition simulate",
        )
        return cls(followed, pair, by_scores, known and composition != "simulate")

    @property
    def columns(self) -> int:
        """Totals of a user."""
        if self.by_scores:
            return self.protocol.score_columns
        return self.protocol.evidence_columns if isinstance(self.protocol, AddsEvidence) else 1

    @property
    def batch_trials(self) -> int:
        """Users that are followed at once."""
        return max(1, min(MOST_USERS, TOTALS_BYTES // (8 * self.columns)))

    def start(self, users: Users) -> Floats:
        """Totals before the first report."""
        return np.zeros((users.count, self.columns))

    def add(self, users: Users, reports: int, rng: Generator, totals: Floats) -> None:
        """Add `reports` more reports of every user to `totals`."""
        protocol: Any = self.protocol
        if self.by_law and self.by_scores:
            protocol.add_sums(users, reports, rng, totals)
            return
        if self.by_law:
            protocol.add_ratios(users, reports, self.pair, totals)
            return
        at_once = max(1, REPORTS_BYTES // (users.count * protocol.report_bytes))
        for start in range(0, reports, at_once):
            more = protocol.collect(users, min(at_once, reports - start), rng)
            if self.by_scores:
                protocol.add_scores(more, totals)
            elif isinstance(protocol, AddsEvidence):
                protocol.add_evidence(more, self.pair, totals)
            else:
                ratios = protocol.log_likelihood_ratio(more, self.pair)
                totals[:, 0] += ratios.reshape(users.count, -1).sum(axis=1)


@dataclass(frozen=True)
class Accumulated:
    """A mechanism whose reports are totals: each of `reports` reports of one user."""

    tally: Tally
    reports: int

    @property
    def protocol(self) -> RemembersUsers:
        """The protocol that makes the reports."""
        return self.tally.protocol

    @property
    def report_bytes(self) -> int:
        """Memory of the totals of one user."""
        return 8 * self.tally.columns

    @property
    def name(self) -> str:
        """The name of the protocol."""
        return self.protocol.name

    @property
    def claim(self) -> Claim:
        """What is promised for all the reports together."""
        return self.protocol.claim_over(self.reports)

    @property
    def inputs(self) -> Inputs:
        """What the protocol takes."""
        return inputs_of(self.protocol)

    @property
    def options(self) -> Mapping[str, Any]:
        """Options of the protocol, number of reports, and how they were made."""
        made = "law" if self.tally.by_law else "simulate"
        own = self.protocol.options if isinstance(self.protocol, HasOptions) else {}
        return {**own, "reports": self.reports, "composition": made}

    def privatize(self, value: Any, n: int, rng: Generator) -> Floats:
        """Return the totals of `n` users."""
        users = self.protocol.enroll(value, n, rng)
        totals = self.tally.start(users)
        self.tally.add(users, self.reports, rng, totals)
        return totals

    def guess(self, totals: Floats, rng: Generator) -> Values:
        """The paper's guess by the totals of each user."""
        protocol: Any = self.protocol
        guesses: Values = protocol.guess_by_totals(totals, self.reports, rng)
        return guesses

    def guess_rates(self, pair: InputPair) -> Rates | None:
        """Exact rates of that guess, where they are known."""
        return self.protocol.guess_rates_over(pair, self.reports)

    def log_likelihood_ratio(self, totals: Floats, pair: InputPair) -> Floats:
        """Log-likelihood ratio of all the reports of each user."""
        protocol: Any = self.protocol
        if self.tally.by_scores:
            ratio: Floats = protocol.ratio_of_sums(totals, pair, self.reports)
            return ratio
        if isinstance(protocol, AddsEvidence):
            return protocol.ratio_of_evidence(totals, pair, self.reports)
        return self.protocol.combined_ratio(totals[:, 0], self.reports)

    def loss_law(self, pair: InputPair) -> LossLaw | None:
        """Exact law of that ratio, where it is known."""
        return self.protocol.loss_law_over(pair, self.reports)

    def worst_case(self, pair: InputPair) -> float | None:
        """Exact smallest epsilon that `reports` reports keep at the delta of their claim."""
        return self.protocol.worst_case_over(pair, self.reports)
