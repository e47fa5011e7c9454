"""The plan of an audit: everything that decides its outcome."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.random import Generator

from ldp_auditor.attacks import find_attack
from ldp_auditor.audits.distances import worst_ratio
from ldp_auditor.audits.many_reports import Accumulated, Tally
from ldp_auditor.audits.stopping import MOST_TRIALS, Stopping
from ldp_auditor.bounds import find_bound
from ldp_auditor.core import Claim, Counts, InputPair, Mechanism, Reports
from ldp_auditor.errors import (
    AuditError,
    error_probability,
    fraction,
    one_of,
    require,
    seed_number,
    whole_number,
)
from ldp_auditor.mechanisms.capabilities import (
    HasOptions,
    KnowsWorstCase,
    NamesInputs,
    bytes_of_report,
    default_pair,
    inputs_of,
    lacking,
    loss_law_of,
)
from ldp_auditor.metrics import distance, name_of
from ldp_auditor.results.fields import option, plain_value
from ldp_auditor.results.journal import digest
from ldp_auditor.seeding import stream_key
from ldp_auditor.theory.loss_law import LossLaw

BATCH_BYTES = 2**21
"""Memory of a batch of reports: small enough for the cache, large enough to hide Python."""

BATCH_TRIALS = 2**16
"""Reports of a batch at most."""

MOST_REPORTS = 10**5
"""More reports of one user than this are refused."""

PURE_DELTA = 1e-5
"""Delta at which the tight composition of pure protocols is computed, if none is chosen."""

COMPOSITIONS = ("auto", "law", "simulate")


@dataclass(frozen=True, kw_only=True)
class AuditPlan:
    """Everything that decides the outcome of an audit."""

    mechanism: Mechanism
    pair: InputPair = field(default=None)  # type: ignore[assignment]
    """The two inputs, in any form that the mechanism's inputs read; by default its own pair."""
    metric: str | None = None
    """The distance that the claim is counted in; by default as the mechanism claims."""
    attack: str = "paper"
    bound: str = "clopper-pearson"
    alpha: float = 0.01
    trials: int | Stopping = 1_000_000
    """Trials of each input, or the rule by which they end."""
    seed: int = 42
    reports: tuple[int, ...] = (1,)
    """Numbers of reports of a user after which the attacker decides, in ascending order."""
    composition: str = "auto"
    """`law`: draw the sum of many reports from its exact law; `simulate`: report by report; `auto`:
    by the law where it is known."""
    composed_delta: float | None = None
    """Delta at which the tight composition is computed; by default that of the claim, or 1e-5."""

    def __post_init__(self) -> None:
        missing = lacking(self.mechanism, Mechanism)
        require(
            not missing,
            f"a mechanism needs {' and '.join(missing)}, which {self.mechanism!r} lacks",
        )
        require(
            isinstance(self.mechanism.claim, Claim),
            f"the claim of {self.mechanism.name} must be a Claim, got {self.mechanism.claim!r}",
        )
        self._set("metric", name_of(self.metric) or self.mechanism.claim.metric)
        chosen = self._default_pair if self.pair is None else self.pair
        self._set("pair", inputs_of(self.mechanism).pair(chosen))
        if isinstance(self.mechanism, NamesInputs):
            self._set("mechanism", self.mechanism.naming(self.pair))
        _ = self.distance  # raises where the inputs have none
        find_attack(self.attack, self.mechanism)
        find_bound(self.bound)
        self._set("alpha", error_probability(self.alpha))
        if not isinstance(self.trials, Stopping):
            self._set("trials", whole_number("trials", self.trials, 1, MOST_TRIALS))
        self._set("seed", seed_number(self.seed))
        self._check_reports()

    def _check_reports(self) -> None:
        several = isinstance(self.reports, Iterable) and not isinstance(self.reports, str)
        given = tuple(self.reports) if several else (self.reports,)
        looks = [whole_number("reports", r, 1, MOST_REPORTS) for r in given]
        require(bool(looks), "reports must name at least one number of reports", argument="reports")
        self._set("reports", tuple(sorted(set(looks))))
        one_of("composition", self.composition, COMPOSITIONS)
        if self.composed_delta is not None:
            self._set("composed_delta", fraction("composed_delta", self.composed_delta))
        for look in self.looks if self.is_over_time else ():
            _ = look.mechanism.claim  # raises where the reports together promise nothing

    def _set(self, name: str, value: Any) -> None:
        """Normalize a field while the frozen object is being made."""
        object.__setattr__(self, name, value)

    @property
    def claim(self) -> Claim:
        """What is promised: for each unit of distance, with a metric."""
        return replace(self.mechanism.claim, metric=self.metric)

    @cached_property
    def distance(self) -> float:
        """How far the two inputs are apart; 1 unless the claim is counted in that."""
        if self.metric is None:
            return 1.0
        return distance(self.metric, self.pair.first, self.pair.second)

    @property
    def _searches_pairs(self) -> bool:
        """Whether the worst pair is searched: a mechanism knows it for its own metric alone."""
        return self.metric is not None and self.metric != self.mechanism.claim.metric

    @property
    def _default_pair(self) -> InputPair:
        """The mechanism's own, or the worst of those that are searched."""
        own = default_pair(self.mechanism)
        found = worst_ratio(self.mechanism, self.metric, own) if self._searches_pairs else None
        return own if found is None else found[1]

    @cached_property
    def _worst_ratio(self) -> tuple[float, InputPair] | None:
        """Largest loss for each unit of distance over the pairs that are searched, and its pair."""
        return worst_ratio(self.mechanism, self.metric, self.pair)

    @property
    def worst_pair(self) -> InputPair | None:
        """The pair with the largest loss for each unit of distance, where that is known."""
        if self._searches_pairs:
            return None if self._worst_ratio is None else self._worst_ratio[1]
        return default_pair(self.mechanism) if self.metric is not None else None

    @property
    def is_over_time(self) -> bool:
        """Whether users are followed over many reports."""
        return self.reports != (1,)

    @property
    def most_trials(self) -> int:
        """Trials of each input at most."""
        return self.trials.max_trials if isinstance(self.trials, Stopping) else self.trials

    @cached_property
    def tally(self) -> Tally:
        """How the reports of a user are added up; raise if they cannot be."""
        found = Tally.of(self.mechanism, self.pair, self.attack, self.composition)
        _ = found.columns  # raises where the totals would not fit
        return found

    @cached_property
    def looks(self) -> tuple[Self, ...]:
        """The audits of a user's totals after each number of reports; of one report this audit."""
        if not self.is_over_time:
            return (self,)
        return tuple(
            replace(self, mechanism=Accumulated(self.tally, r), reports=(1,)) for r in self.reports
        )

    @property
    def domain_size(self) -> int | None:
        """Number of categories, if the inputs are such; of records, of the largest attribute."""
        return inputs_of(self.mechanism).size

    @property
    def options(self) -> dict[str, Any]:
        """Options of the mechanism beyond its claim and domain."""
        given = self.mechanism.options if isinstance(self.mechanism, HasOptions) else {}
        return {name: option(plain_value(value)) for name, value in given.items()}

    @cached_property
    def stream(self) -> int:
        """Key of the random stream, made of what is sampled, not of trials, bound and alpha."""
        if self.is_over_time:
            return stream_key({"looks": [look.stream for look in self.looks]})
        return stream_key(self._sampled)

    @property
    def _sampled(self) -> dict[str, Any]:
        return {
            "mechanism": self.mechanism.name,
            "epsilon": self.mechanism.claim.epsilon,
            "delta": self.mechanism.claim.delta,
            "domain_size": self.domain_size,
            "options": self.options,
            "pair": [self.pair.first, self.pair.second],
            "attack": self.attack,
            **({} if self.metric is None else {"metric": self.metric}),
        }

    @property
    def content(self) -> dict[str, Any]:
        """Everything that decides the outcome, as plain values; a journal names results by it."""
        by_rule = isinstance(self.trials, Stopping)
        decided = ["bound", "alpha", "seed"]
        if self.is_over_time:
            decided += ["reports", "composition", "composed_delta"]
        content = {
            **self._sampled,
            "trials": vars(self.trials) if by_rule else self.trials,
            **{name: getattr(self, name) for name in decided},
        }
        plain: dict[str, Any] = plain_value(content)
        return plain

    @property
    def key(self) -> str:
        """What tells plans apart: a digest of the content."""
        return digest(self.content)

    @property
    def loss_law(self) -> LossLaw | None:
        """Exact law of the privacy loss, where the mechanism knows it."""
        return loss_law_of(self.mechanism, self.pair)

    @property
    def worst_case_epsilon(self) -> float | None:
        """Exact smallest epsilon that the mechanism keeps at its delta, where it is known."""
        if self._searches_pairs:
            return None if self._worst_ratio is None else self._worst_ratio[0]
        if isinstance(self.mechanism, KnowsWorstCase):
            return self.mechanism.worst_case(self.pair)
        law = self.loss_law
        return None if law is None else law.epsilon(self.mechanism.claim.delta) / self.distance

    def value(self, side: int) -> Any:
        """Input of a side: 0 for the pair's first value, 1 for its second."""
        return self.pair.first if side == 0 else self.pair.second

    def privatize(self, value: Any, n: int, rng: Generator) -> Reports:
        """Return `n` reports of the mechanism, or raise if it returned something else."""
        reports = np.asarray(self.mechanism.privatize(value, n, rng))
        if reports.ndim == 0 or len(reports) != n:
            raise AuditError(
                f"{self.mechanism.name}.privatize must return an array of {n} reports, "
                f"got shape {reports.shape}"
            )
        return reports

    def bound_of(self, counts: Counts, alpha: float | None = None) -> float:
        """Epsilon that counts prove, at the plan's alpha or another one."""
        level = self.alpha if alpha is None else alpha
        return find_bound(self.bound)(counts, level, self.claim.delta) / self.distance

    def bounds_of(self, counts: Sequence[Counts]) -> Sequence[float]:
        """Epsilons that many counts of as many trials would prove, to choose among them."""
        found = find_bound(self.bound).of_each(counts, self.alpha, self.claim.delta)
        return found if self.metric is None else [each / self.distance for each in found]

    @cached_property
    def batch_trials(self) -> int:
        """Trials that are carried out at once, a property of the mechanism, not of the machine.

        Counts depend on it.
        """
        if self.is_over_time:
            return self.tally.batch_trials
        return max(1, min(BATCH_TRIALS, BATCH_BYTES // bytes_of_report(self.mechanism)))
