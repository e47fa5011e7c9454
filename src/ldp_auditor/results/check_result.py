"""What a check found, and what it could have found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ldp_auditor.bounds import find_bound
from ldp_auditor.bounds.betting import log_wealth
from ldp_auditor.core import Claim, Counts, Verdict, verdict_on
from ldp_auditor.errors import require
from ldp_auditor.results.fields import Plain, entry, from_plain, to_plain
from ldp_auditor.results.showing import Shown

DISTANCE = "a metric"
"""The part of a result that is there if the claim is counted in a distance."""

POWER_RATES = (0.5, 0.1, 0.01, 0.001)
"""Probabilities of an event for which the power is told."""

SMALLEST_P_VALUE = 1e-98
"""A p-value below this is not told more exactly."""


@dataclass(frozen=True)
class Finding:
    """An event that was counted on reports drawn after it was proposed."""

    first: Any = entry("the input whose reports have the event more often")
    second: Any = entry("the other input")
    event: str = entry("the event in words")
    trials: int = entry("reports of each of the two inputs, since it was proposed", least=1)
    true_positives: int = entry("reports of the first input with the event")
    false_positives: int = entry("reports of the second input with the event")
    empirical_epsilon: float = entry(
        "lower bound on epsilon that this event proves alone, with its part of the money",
        unit="nats",
    )
    p_value: float = entry("smallest alpha at which this event alone would disprove the claim")
    distance: float | None = entry("how far the two inputs are apart", part=DISTANCE, default=None)
    example: str = entry(
        "the shortest report of the first input with the event that was seen, as text", default=""
    )

    @property
    def comparison(self) -> str:
        """Both counts and the factor between them, in words."""
        more, less = self.true_positives, self.false_positives
        if not less:
            return f"{more:,} against 0: never seen for the other input"
        return f"{more:,} against {less:,}: {more / less:.3g} times as often"

    @property
    def counts(self) -> Counts:
        """Reports with the event, among those of each input."""
        return Counts(self.trials, self.true_positives, self.false_positives)


@dataclass(frozen=True)
class Power:
    """What a check could have found; it is unpacked as two numbers."""

    event_probability: float = entry("probability of an event for the first input")
    excess: float = entry(
        "smallest excess over the claim that was likely (90%) to be proven by it", unit="nats"
    )

    def __iter__(self) -> Iterator[float]:
        return iter((self.event_probability, self.excess))


@dataclass(frozen=True, kw_only=True)
class CheckResult(Shown):
    """What a check found, and what it could have found."""

    target: str = entry("what was checked, by its name")
    epsilon: float = entry("claimed epsilon")
    delta: float = entry("claimed delta", default=0.0)
    metric: str | None = entry(
        "the distance that the claim is counted in; every epsilon is one for each unit of it",
        part=DISTANCE,
        default=None,
    )
    values: tuple[Any, ...] = entry("the inputs")
    offered: int | None = entry(
        "how many inputs there were, if they are so many that only some were checked", default=None
    )
    alpha: float = entry("probability that any proven epsilon is wrong")
    seed: int = entry("seed of all random numbers that are ours")
    trials: int = entry("reports on which the first finding was counted, of each of its inputs")
    pilot_trials: int = entry("reports of each input that the last search had at least", default=0)
    reports: int = entry("reports that were drawn, or read, in all", default=0)
    dependent: str = entry(
        "how calls of one object were seen to depend on each other; then each report is that of a "
        "fresh object",
        default="",
    )
    reports_each: int | None = entry(
        "reports of one fresh object that make one report here; none if one object makes them all",
        default=None,
    )
    sure_after: int | None = entry(
        "reports after which the claim was disproved, where it was", default=None
    )
    empirical_epsilon: float = entry(
        "lower bound on epsilon that all bets together prove at `alpha`", unit="nats", default=0.0
    )
    p_value: float = entry(
        "smallest alpha at which the claim would be disproved; it holds at any time", default=1.0
    )
    learned: bool | None = entry(
        "whether a classifier proposes events, with many reports, where it is known",
        then="verdict",
        default=None,
    )
    findings: tuple[Finding, ...] = entry(
        "the richest bets; none if all reports said the same", of=Finding
    )
    power: tuple[Power, ...] = entry("what could have been proven", of=Power, default=())
    delta_seen: float | None = entry(
        "smallest probability of an event that the other input never has with which it was likely "
        "(90%) to be proven; none if it never is",
        default=None,
    )
    delta_unseen: float | None = entry(
        "the same for a chance of 10%: a delta below it could hardly have been seen", default=None
    )
    notes: tuple[str, ...] = entry(
        "how the last search took the reports apart, and what it gave up, in sentences", default=()
    )
    repeat: str = entry("what repeats the check: a command, or a line of Python", default="")
    seconds: float = entry("how long it took", unit="s", default=0.0)

    def __post_init__(self) -> None:
        _ = self.claim, [finding.counts for finding in self.findings]  # these raise if unsound

    @property
    def name(self) -> str:
        """The target by its name."""
        return self.target

    @property
    def claim(self) -> Claim:
        """What the target promises."""
        return Claim(self.epsilon, self.delta, self.metric)

    def inputs_in_words(self, thing: str) -> str:
        """Return how many inputs were checked, called `thing`, and of how many if of some only."""
        number = f"{len(self.values):,}"
        if self.offered is None:
            return f"{number} {thing}{'' if len(self.values) == 1 else 's'}"
        return f"{number} of {self.offered:,} {thing}s"

    @property
    def best(self) -> Finding:
        """The finding that proves the most, with what all bets prove together."""
        require(bool(self.findings), "there is no finding: all reports said the same")
        strongest = max(self.findings, key=lambda f: (f.empirical_epsilon, -f.p_value))
        return replace(
            strongest,
            empirical_epsilon=max(self.empirical_epsilon, strongest.empirical_epsilon),
            p_value=min(self.p_value, strongest.p_value),
        )

    @property
    def verdict(self) -> Verdict:
        """`violation` if a proven lower bound exceeds the claim; never "pass"."""
        return verdict_on(self.claim, self.best.empirical_epsilon if self.findings else 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, plain: Plain) -> CheckResult:
        """Read what `to_dict` wrote, or raise."""
        return from_plain(cls, plain)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for every event that was counted."""
        plain = self.to_dict()
        about = {name: plain[name] for name in ("target", "epsilon", "delta", "alpha", "seed")}
        return [{**about, **finding} for finding in plain["findings"]]


def p_value(claim: Claim, bound_name: str, counts: Counts) -> float:
    """Smallest alpha at which the bound exceeds the claim, or a little more than that."""
    bound = find_bound(bound_name)
    low, high = math.log(SMALLEST_P_VALUE / 10), 0.0
    if bound(counts, 1 - 1e-12, claim.delta) <= claim.epsilon:
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2
        proves = bound(counts, math.exp(middle), claim.delta) > claim.epsilon
        low, high = (low, middle) if proves else (middle, high)
    return math.exp(high)


def deltas_of(
    claim: Claim, part: float, alpha: float, trials: int
) -> tuple[float | None, float | None]:
    """Probabilities of an event that the other input never has: proven in 90%, and in 10% of runs.

    A bet of `part` of the money on `trials` reports of each wins 1 / alpha from some number of
    reports with the event on; the chance that there are so many is a binomial tail.
    """
    from scipy.special import betaincinv

    def proves(hits: int) -> bool:
        won = log_wealth(Counts(trials, hits, 0), claim.epsilon, claim.delta)
        return won + math.log(part) >= -math.log(alpha)

    if trials == 0 or not proves(trials):
        return None, None
    low, high = 0, trials  # the first does not prove it, the second does
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if proves(middle) else (middle, high)
    seen, unseen = (float(betaincinv(high, trials - high + 1, chance)) for chance in (0.9, 0.1))
    return seen, unseen


def power_of(
    claim: Claim, part: float, alpha: float, trials: int, distance: float = 1.0
) -> tuple[Power, ...]:
    """Smallest excess over the claim that was likely (90%) to be proven, by the event's rate.

    An event of probability q for the second input and q e^(claim + excess) + delta for the first is
    proven if a bet of `part` of the money on `trials` reports of each wins 1 / alpha though each
    count is as bad as one in twenty. With a metric the inputs are at a `distance`.
    """
    from scipy.special import bdtr

    def least(chance: float, rate: float) -> int:
        """Smallest number that a count does not exceed with some chance."""
        low, high = -1, trials
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if bdtr(middle, trials, rate) >= chance else (middle, high)
        return high

    claim, rows = claim.at(distance), []
    for rate in POWER_RATES:
        low, high = 0.0, 20.0

        def proves(excess: float, p: float = rate) -> bool:
            q = (p - claim.delta) * math.exp(-claim.epsilon - excess)
            if q <= 0:
                return False
            seen = Counts(trials, least(0.05, p), least(0.95, q))
            won = log_wealth(seen, claim.epsilon, claim.delta)
            return won + math.log(part) >= -math.log(alpha)

        if trials == 0 or not proves(high):
            rows.append(Power(rate, math.inf))
            continue
        while high - low > 1e-3:
            middle = (low + high) / 2
            low, high = (low, middle) if proves(middle) else (middle, high)
        rows.append(Power(rate, high / distance))
    return tuple(rows)
