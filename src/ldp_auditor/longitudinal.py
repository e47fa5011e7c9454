"""Longitudinal studies: a user reports the same value again and again [Arcolezi24].

A trial is a user. The attacker adds up what the user's reports say, the scores of every value
(Algorithm 2 of the paper) or the log-likelihood ratios (the optimal attack), and then decides by
the totals exactly as by a single report. So a protocol seen through its totals is a mechanism of
its own, `Accumulated`, and the attacks, bounds and results are those of any audit. Several numbers
of reports are served by one pass: the totals are looked at on the way.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.attacks import find_attack
from ldp_auditor.auditing import (
    BATCH_BYTES,
    Audit,
    AuditPlan,
    Counting,
    Hits,
    Progress,
    fit_attack,
    result_of,
    run,
)
from ldp_auditor.core import Attack, AuditResult, Claim, Counts, Floats, InputPair, Rates, Values
from ldp_auditor.errors import number, require, whole_number
from ldp_auditor.execution.engines import Engine
from ldp_auditor.execution.threads import ThreadEngine
from ldp_auditor.mechanisms.frequency_oracle import FrequencyOracle, Users
from ldp_auditor.mechanisms.kernels.scores import choose_best
from ldp_auditor.mechanisms.kernels.xoshiro import fresh_stream
from ldp_auditor.seeding import stream_key
from ldp_auditor.theory.loss_law import LossLaw

MOST_REPORTS = 10**5
"""More reports of one user than this are refused."""

TOTALS_BYTES = 2**19
"""Memory of the totals of a batch of users."""

MOST_USERS = 2**13
"""Users of a batch at most."""

PURE_DELTA = 1e-5
"""Delta at which the tight composition of pure protocols is told, if none is chosen."""

COMPOSITIONS = ("auto", "law", "simulate")


@dataclass(frozen=True, kw_only=True)
class Study:
    """How often users report, and how their reports are made."""

    reports: tuple[int, ...]
    """Numbers of reports after which the attacker decides, in ascending order."""
    composition: str = "auto"
    """`law`: draw the sum of the reports from its exact law; `simulate`: report by report; `auto`:
    by the law where it is known."""
    composed_delta: float | None = None
    """Delta at which the tight composition is told; by default that of the claim, or 1e-5."""

    def __post_init__(self) -> None:
        looks = [whole_number("reports", r, 1, MOST_REPORTS) for r in self.reports]
        require(bool(looks), "reports must name at least one number of reports")
        object.__setattr__(self, "reports", tuple(sorted(set(looks))))
        require(
            self.composition in COMPOSITIONS,
            f"composition must be one of {', '.join(COMPOSITIONS)}, got {self.composition!r}",
        )
        if self.composed_delta is not None:
            delta = number("composed_delta", self.composed_delta)
            require(0 < delta < 1, f"composed_delta must lie in (0, 1), got composed_delta={delta}")
            object.__setattr__(self, "composed_delta", delta)


def study_of(
    reports: Any, composition: str | None = None, composed_delta: float | None = None
) -> Study | None:
    """The study of one number of `reports`, or of several; a single report is none.

    What is left at None takes its default; the other two need `reports`.
    """
    chosen = {"composition": composition, "composed_delta": composed_delta}
    given: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    if reports is None:
        require(
            not given,
            f"{' and '.join(given)} is for many reports; say how many: reports",
        )
        return None
    many = isinstance(reports, Iterable) and not isinstance(reports, str)
    numbers = tuple(reports) if many else (reports,)
    study = Study(reports=numbers, **given)
    return None if study.reports == (1,) else study


@dataclass(frozen=True)
class Tally:
    """How the reports of a user are added up for an attack."""

    protocol: FrequencyOracle
    pair: InputPair
    by_scores: bool
    """Whether the scores are added, or the log-likelihood ratios."""
    by_law: bool
    """Whether the sums are drawn from their law, or made report by report."""

    @classmethod
    def of(cls, plan: AuditPlan, composition: str) -> Tally:
        """Find out how the plan's attack adds up the reports of the plan's protocol."""
        protocol = plan.mechanism
        require(
            isinstance(protocol, FrequencyOracle),
            f"{protocol.name} cannot be followed over many reports; that takes a protocol for one "
            "attribute that derives from FrequencyOracle",
        )
        assert isinstance(protocol, FrequencyOracle)
        by_scores = plan.attack == "paper" or getattr(protocol, "ratio_of_sums", None) is not None
        known = getattr(protocol, "add_sums" if by_scores else "add_ratios", None) is not None
        require(
            known or composition != "law",
            f"the sum of reports of {protocol.name} under the attack {plan.attack!r} is not drawn "
            "from a law; use --composition simulate",
        )
        return cls(protocol, plan.pair, by_scores, known and composition != "simulate")

    @property
    def columns(self) -> int:
        """Totals of a user."""
        return self.protocol.score_columns if self.by_scores else 1

    @property
    def batch_trials(self) -> int:
        """Users that are followed at once."""
        return max(1, min(MOST_USERS, TOTALS_BYTES // (8 * self.columns)))

    def start(self, users: Users) -> Floats:
        """Totals before the first report."""
        return np.zeros((users.count, self.columns))

    def add(self, users: Users, reports: int, rng: Generator, totals: Floats) -> None:
        """Add so many more reports of every user."""
        protocol: Any = self.protocol
        if self.by_law and self.by_scores:
            protocol.add_sums(users, reports, rng, totals)
            return
        if self.by_law:
            protocol.add_ratios(users, reports, self.pair, totals)
            return
        at_once = max(1, BATCH_BYTES // (users.count * protocol.report_bytes))
        for start in range(0, reports, at_once):
            more = protocol.collect(users, min(at_once, reports - start), rng)
            if self.by_scores:
                protocol.add_scores(more, totals)
            else:
                ratios = protocol.log_likelihood_ratio(more, self.pair)
                totals[:, 0] += ratios.reshape(users.count, -1).sum(axis=1)


@dataclass(frozen=True)
class Accumulated:
    """A protocol seen through the totals of so many reports of each user."""

    tally: Tally
    reports: int

    @property
    def protocol(self) -> FrequencyOracle:
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
    def domain_size(self) -> int:
        """Number of values."""
        return self.protocol.domain_size

    @property
    def options(self) -> Mapping[str, Any]:
        """Options of the protocol, number of reports, and how they were made."""
        made = "law" if self.tally.by_law else "simulate"
        return {**self.protocol.options, "reports": self.reports, "composition": made}

    def privatize(self, value: int, n: int, rng: Generator) -> Floats:
        """Return the totals of `n` users."""
        users = self.protocol.enroll(value, n, rng)
        totals = self.tally.start(users)
        self.tally.add(users, self.reports, rng, totals)
        return totals

    def guess(self, totals: Floats, rng: Generator) -> Values:
        """Algorithm 2: the value with the largest total, ties at random."""
        scores = totals[:, : self.domain_size]
        chosen: Values = choose_best(fresh_stream(rng), scores, -np.inf, np.inf)
        return chosen

    def guess_rates(self, pair: InputPair) -> Rates | None:
        """Exact rates of that guess, where they are known."""
        return self.protocol.guess_rates_over(pair, self.reports)

    def log_likelihood_ratio(self, totals: Floats, pair: InputPair) -> Floats:
        """Log-likelihood ratio of all the reports of each user."""
        protocol: Any = self.protocol
        if self.tally.by_scores:
            ratio: Floats = protocol.ratio_of_sums(totals, pair, self.reports)
            return ratio
        return self.protocol.combined_ratio(totals[:, 0], self.reports)

    def loss_law(self, pair: InputPair) -> LossLaw | None:
        """Exact law of that ratio, where it is known."""
        return self.protocol.loss_law_over(pair, self.reports)

    def worst_case(self, pair: InputPair) -> float | None:
        """Exact smallest epsilon that so many reports keep at the delta of their claim."""
        return self.protocol.worst_case_over(pair, self.reports)


@dataclass(frozen=True)
class Following:
    """A trial is a user, whose totals are looked at after each of several numbers of reports."""

    tally: Tally
    steps: tuple[int, ...]
    """Reports between one look and the next."""
    attacks: tuple[Attack, ...]

    @property
    def batch_trials(self) -> int:
        """Users that are followed at once."""
        return self.tally.batch_trials

    def hits(self, value: int, trials: int, rng: Generator) -> Hits:
        """Follow one batch of users."""
        users = self.tally.protocol.enroll(value, trials, rng)
        totals = self.tally.start(users)
        hits = np.zeros(len(self.steps), np.int64)
        for look, (step, attack) in enumerate(zip(self.steps, self.attacks, strict=True)):
            self.tally.add(users, step, rng, totals)
            hits[look] = np.count_nonzero(attack.accuse(totals, rng))
        return hits


def run_study(
    plan: AuditPlan,
    study: Study,
    engine: Engine | None = None,
    progress: Progress | None = None,
    count: Counting = Audit.count,
) -> tuple[AuditResult, ...]:
    """Carry out a plan over many reports of each user: a result for every number of reports.

    All numbers of reports share the same users, so the results depend on each other; each bound
    holds with its own probability 1 - alpha.
    """
    started = time.perf_counter()
    plans = plan_looks(plan, study)
    compositions = [_composition(look, study, plan.mechanism.claim) for look in plans]
    attacks = tuple(fit_attack(look) for look in plans)
    steps = tuple(b - a for a, b in pairwise((0, *study.reports)))
    tally = Tally.of(plan, study.composition)
    audit = Audit(plan, Following(tally, steps, attacks), _stream(plans))
    counts = count(audit, engine or ThreadEngine(), progress)
    return tuple(
        replace(
            result_of(
                look,
                attack,
                counted,
                look.bound_of(counted),
                look.bound_of(Counts(counted.trials, counted.trials, 0)),
                started,
                **composition,
            ),
            per_report=plan.mechanism.claim,
        )
        for look, attack, counted, composition in zip(
            plans, attacks, counts, compositions, strict=True
        )
    )


def carry_out(
    plan: AuditPlan,
    study: Study | None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    count: Counting = Audit.count,
) -> tuple[AuditResult, ...]:
    """Carry out a plan over one report, or over many: a result for every number of reports."""
    if study is None:
        return (run(plan, engine, progress, count),)
    return run_study(plan, study, engine, progress, count)


def plan_looks(plan: AuditPlan, study: Study) -> list[AuditPlan]:
    """Return the plan as it is after each number of reports, or raise if there is none."""
    find_attack(plan.attack, plan.mechanism)
    tally = Tally.of(plan, study.composition)
    plans = [replace(plan, mechanism=Accumulated(tally, r)) for r in study.reports]
    for look in plans:
        _ = look.mechanism.claim, tally.columns  # these raise where nothing can be promised or kept
    return plans


def _stream(plans: list[AuditPlan]) -> int:
    """Key of the random stream: that of the longest look, told apart by the looks on the way."""
    return stream_key({"looks": [plan.stream for plan in plans]})


def _composition(plan: AuditPlan, study: Study, per_report: Claim) -> dict[str, float | None]:
    """What composition theorems say after one number of reports."""
    look: Any = plan.mechanism
    delta = study.composed_delta or look.claim.delta or PURE_DELTA
    return {
        "sequential_epsilon": look.reports * per_report.epsilon,
        "sequential_delta": look.reports * per_report.delta,
        "composed_delta": delta,
        "composed_epsilon": look.protocol.composed_epsilon(plan.pair, look.reports, delta),
    }
