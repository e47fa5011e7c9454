"""Points: audits of one setting by one attack, averaged over seeds here only; what was varied."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, pstdev
from typing import Any

from ldp_auditor.core import Rates, exceeds
from ldp_auditor.figures.words import value_in_words
from ldp_auditor.results.audit_result import AuditResult

AXES = ("epsilon", "domain_size", "reports", "delta", "attributes", "hash_range")
"""Settings that make good axes, the best first."""

LAST = ("trials", "alpha", "bound", "domain_sizes", "pair")
"""Settings that are shown last."""

SHORT = {
    "epsilon": "ε",
    "delta": "δ",
    "domain_size": "k",
    "hash_range": "g",
    "attributes": "d",
    "trials": "T",
    "domain_sizes": "sizes",
}
"""What settings are called in few characters, if not by their names."""

Setting = Mapping[str, Any]


@dataclass(frozen=True)
class Point:
    """One setting under one attack."""

    results: Sequence[AuditResult]
    """One for every seed."""
    keys: Sequence[str]
    """Of their cells."""
    setting: Setting

    @property
    def first(self) -> AuditResult:
        """The result of the first seed, which has all that seeds do not change."""
        return self.results[0]

    @cached_property
    def claimed(self) -> float:
        """What is promised."""
        return self.first.claim.epsilon

    @property
    def exact(self) -> float | None:
        """What the attack proves with unlimited trials, where that is known."""
        return self.first.attack_epsilon

    @property
    def worst(self) -> float | None:
        """The exact worst case, where that is known."""
        return self.first.worst_case_epsilon

    @cached_property
    def measured(self) -> float:
        """The proven epsilon, averaged over seeds."""
        return fmean(result.empirical_epsilon for result in self.results)

    @cached_property
    def deviation(self) -> float | None:
        """Its standard deviation, if there are several seeds and no proven epsilon is infinite."""
        spreads = len(self.results) > 1 and self.measured < math.inf
        return pstdev(result.empirical_epsilon for result in self.results) if spreads else None

    @property
    def low(self) -> float:
        """One standard deviation below the average."""
        return self.measured - (self.deviation or 0.0)

    @property
    def high(self) -> float:
        """One standard deviation above the average."""
        return self.measured + (self.deviation or 0.0)

    @cached_property
    def estimate(self) -> float:
        """What the counts alone say, without any confidence, averaged over seeds."""
        return fmean(
            Rates(r.true_positives / r.trials, r.false_positives / r.trials).epsilon(r.claim.delta)
            / (r.distance or 1.0)
            for r in self.results
        )

    @property
    def promises(self) -> bool:
        """Whether anything is promised."""
        return self.claimed < math.inf

    @property
    def violations(self) -> list[tuple[str, AuditResult]]:
        """The results that exceed the claim, with the keys of their cells."""
        both = zip(self.keys, self.results, strict=True)
        return [(key, result) for key, result in both if result.verdict == "violation"]

    @property
    def broken_by_theory(self) -> bool:
        """Whether the exact worst case exceeds the claim."""
        return self.worst is not None and exceeds(self.worst, self.claimed)


def settings_of(result: AuditResult) -> dict[str, Any]:
    """Everything that decides an audit but its attack and its seed, the usual axes first."""
    chosen = ("composition", "neighbours", "precision", "max_trials", "metric")
    given = {
        "epsilon": result.epsilon,
        "delta": result.delta,
        "domain_size": result.domain_size,
        "reports": result.reports,
        **result.options,
        **{name: getattr(result, name) for name in chosen if getattr(result, name) is not None},
        "trials": result.counts.trials,
        "alpha": result.alpha,
        "bound": result.bound,
        "pair": (result.pair.first, result.pair.second),
    }
    return {name: given[name] for name in in_order(given)}


def in_order(names: Iterable[str]) -> list[str]:
    """Sort settings: usual axes, options, what is shown last."""
    present = set(names)
    middle = sorted(present - {*AXES, *LAST})
    return [name for name in (*AXES, *middle, *LAST) if name in present]


def points_of(audits: Iterable[tuple[str, AuditResult]]) -> dict[str, list[Point]]:
    """Collect the points of every mechanism, in the order of the journal."""
    groups: dict[tuple[str, str, str], list[tuple[str, AuditResult]]] = {}
    for key, result in audits:
        about = (result.mechanism, result.attack, repr(settings_of(result)))
        groups.setdefault(about, []).append((key, result))
    found: dict[str, list[Point]] = {}
    for (mechanism, _, _), group in groups.items():
        results = tuple(result for _, result in group)
        point = Point(results, tuple(key for key, _ in group), settings_of(results[0]))
        found.setdefault(mechanism, []).append(point)
    return found


def varied(points: Sequence[Point]) -> list[str]:
    """Settings that were varied, without those that follow from others.

    A hash range that is made from epsilon is no axis beside it: points that agree in epsilon agree
    in the hash range.
    """
    chosen: list[str] = []
    for name in in_order(name for point in points for name in point.setting):
        values: dict[str, set[str]] = {}
        for point in points:
            at = repr([point.setting.get(other) for other in chosen])
            values.setdefault(at, set()).add(repr(point.setting.get(name)))
        if any(len(distinct) > 1 for distinct in values.values()):
            chosen.append(name)
    return chosen


def axis_of(points: Sequence[Point]) -> str | None:
    """The varied setting with most values; the earlier one of two with as many."""
    counts = {}
    for name in varied(points):
        values = [point.setting.get(name) for point in points]
        if all(is_number(value) for value in values):
            counts[name] = len(set(values))
    return max(counts, key=lambda name: counts[name], default=None)


def is_number(value: Any) -> bool:
    """Tell finite numbers from all else."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def words_of(setting: Setting, names: Iterable[str]) -> str:
    """Some settings in words: "ε = 1, k = 25"."""
    shown = {
        name: f"{SHORT.get(name, name.replace('_', ' '))} = {value_in_words(setting[name])}"
        for name in names
        if setting.get(name) is not None
    }
    if setting.get("reports") == 1 and len(shown) > 1:
        shown.pop("reports", None)  # nothing special
    return ", ".join(shown.values())


def sort_key(point: Point, names: Sequence[str]) -> list[tuple[int, float, str]]:
    """Numbers by size, before words by the alphabet."""
    keys = []
    for name in in_order(names):
        value = point.setting.get(name)
        numeric = isinstance(value, int | float)
        keys.append((0, float(value or 0), "") if numeric else (1, 0.0, value_in_words(value)))
    return keys
