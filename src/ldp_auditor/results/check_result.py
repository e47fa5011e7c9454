"""What a check found, and what it could have found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp_auditor.bounds import find_bound
from ldp_auditor.core import Claim, Counts, Verdict, verdict_on
from ldp_auditor.errors import require
from ldp_auditor.results.fields import Plain, real, text, truth, whole
from ldp_auditor.results.showing import Shown

POWER_RATES = (0.5, 0.1, 0.01, 0.001)
"""Probabilities of an event for which the power is told."""

SMALLEST_P_VALUE = 1e-98
"""A p-value below this is not told more exactly."""


@dataclass(frozen=True)
class Finding:
    """An event that was counted on fresh reports."""

    first: Any
    second: Any
    event: str
    counts: Counts
    empirical_epsilon: float
    p_value: float
    """Probability of counts like these under the claim, times the number of events counted."""

    @classmethod
    def from_dict(cls, plain: Plain) -> Finding:
        """Read a finding of `CheckResult.to_dict`, or raise."""
        counts = Counts(
            whole(plain, "trials", 1),
            whole(plain, "true_positives", 0),
            whole(plain, "false_positives", 0),
        )
        return cls(
            plain.get("first"),
            plain.get("second"),
            text(plain, "event"),
            counts,
            real(plain, "empirical_epsilon"),
            real(plain, "p_value"),
        )


@dataclass(frozen=True)
class CheckResult(Shown):
    """What a check found, and what it could have found."""

    name: str
    claim: Claim
    values: tuple[Any, ...]
    alpha: float
    seed: int
    trials: int
    """Fresh reports of each input that was counted."""
    pilot_trials: int
    """Pilot reports of each input."""
    findings: tuple[Finding, ...]
    """Without any, all pilot reports said the same and there was no event to count."""
    power: tuple[tuple[float, float], ...]
    """For events of these probabilities, the smallest excess over the claim that was likely to be
    proven (90%)."""
    seconds: float
    reports: int = 0
    """Reports that were made, or read, in all."""
    learned: bool | None = None
    """Whether a classifier was among what proposed events, where it is known."""
    repeat: str = ""
    """What repeats the check: a command, or a line of Python."""

    @property
    def best(self) -> Finding:
        """The finding that proves the most."""
        require(bool(self.findings), "there is no finding: all pilot reports said the same")
        return max(self.findings, key=lambda f: (f.empirical_epsilon, -f.p_value))

    @property
    def verdict(self) -> Verdict:
        """`violation` if a proven lower bound exceeds the claim; never "pass"."""
        strongest = max((f.empirical_epsilon for f in self.findings), default=0.0)
        return verdict_on(self.claim, strongest)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "target": self.name,
            "epsilon": _number(self.claim.epsilon),
            "delta": self.claim.delta,
            "values": [_plain(value) for value in self.values],
            "alpha": self.alpha,
            "seed": self.seed,
            "trials": self.trials,
            "pilot_trials": self.pilot_trials,
            "reports": self.reports,
            "learned": self.learned,
            "verdict": self.verdict,
            "findings": [
                {
                    "first": _plain(f.first),
                    "second": _plain(f.second),
                    "event": f.event,
                    "trials": f.counts.trials,
                    "true_positives": f.counts.true_positives,
                    "false_positives": f.counts.false_positives,
                    "empirical_epsilon": _number(f.empirical_epsilon),
                    "p_value": f.p_value,
                }
                for f in self.findings
            ],
            "power": [
                {"event_probability": rate, "excess": _number(excess)}
                for rate, excess in self.power
            ],
            "repeat": self.repeat,
            "seconds": self.seconds,
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for every event that was counted."""
        plain = self.to_dict()
        about = {name: plain[name] for name in ("target", "epsilon", "delta", "alpha", "seed")}
        return [{**about, **finding} for finding in plain["findings"]]

    @classmethod
    def from_dict(cls, plain: Plain) -> CheckResult:
        """Read what `to_dict` wrote, or raise."""
        lists = {name: plain.get(name, []) for name in ("findings", "power", "values")}
        for name, entries in lists.items():
            is_list = isinstance(entries, list) and name in {*plain, "power"}
            require(is_list, f"{name} must be a list, got {name}={str(entries)[:40]!r}")
        for entry in (*lists["findings"], *lists["power"]):
            shown = str(entry)[:40]
            require(isinstance(entry, dict), f"a finding must be an object, got {shown!r}")
        given = {"pilot_trials": 0, "reports": 0, "learned": None, "delta": 0.0, **plain}
        result = cls(
            name=text(plain, "target"),
            claim=Claim(real(plain, "epsilon"), real(given, "delta")),
            values=tuple(lists["values"]),
            alpha=real(plain, "alpha"),
            seed=whole(plain, "seed", 0),
            trials=whole(plain, "trials", 0),
            pilot_trials=whole(given, "pilot_trials", 0),
            findings=tuple(Finding.from_dict(entry) for entry in lists["findings"]),
            power=tuple(
                (real(row, "event_probability"), real(row, "excess")) for row in lists["power"]
            ),
            seconds=0.0,
            reports=whole(given, "reports", 0),
            learned=None if given["learned"] is None else truth(given, "learned"),
            repeat=str(plain.get("repeat", "")),
        )
        said = plain.get("verdict", result.verdict)
        require(
            said == result.verdict,
            f"its verdict {str(said)[:40]!r} does not follow from its numbers",
        )
        return result


def _number(value: float) -> float | str:
    return "inf" if value == math.inf else value


def _plain(value: Any) -> Any:
    """A value as JSON has it; what JSON does not have is shown."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _plain(entry) for key, entry in value.items()}
    return repr(value)


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


def power_of(
    claim: Claim, bound_name: str, alpha: float, trials: int
) -> tuple[tuple[float, float], ...]:
    """Smallest excess over the claim that was likely (90%) to be proven, by the event's rate.

    An event of probability q for the second input and q e^(claim + excess) + delta for the first is
    proven if its counts, 1.64 standard errors to the worse side each, still prove the claim false.
    """
    bound = find_bound(bound_name)
    rows = []
    for rate in POWER_RATES:
        low, high = 0.0, 20.0

        def proves(excess: float, p: float = rate) -> bool:
            q = (p - claim.delta) * math.exp(-claim.epsilon - excess)
            if q <= 0:
                return False
            hits = trials * p - 1.64 * math.sqrt(trials * p * (1 - p))
            alarms = trials * q + 1.64 * math.sqrt(trials * q * (1 - q))
            seen = Counts(trials, max(0, int(hits)), min(trials, math.ceil(alarms)))
            return bound(seen, alpha, claim.delta) > claim.epsilon

        if trials == 0 or not proves(high):
            rows.append((rate, math.inf))
            continue
        while high - low > 1e-3:
            middle = (low + high) / 2
            low, high = (low, middle) if proves(middle) else (middle, high)
        rows.append((rate, high))
    return tuple(rows)
