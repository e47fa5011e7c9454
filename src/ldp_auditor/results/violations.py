"""How many of some audits found a violation, and how many of these chance alone may produce."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from ldp_auditor.bounds import find_bound

MOST_NAMED = 5
"""Mechanisms in violation that one line names."""
LONGEST_NAME = 40
"""Letters of a name in that line."""
LIKELY = 0.05
"""So many false alarms or more must be at least as probable as this to be taken for such."""


def explained_by_chance(violations: int, audits: int, alpha: float) -> bool:
    """Tell whether `audits` of true claims at `alpha` may well show so many violations."""
    from scipy.stats import binom

    return bool(binom.sf(violations - 1, audits, alpha) >= LIKELY)


class Audited(NamedTuple):
    """What a count of violations needs of one audit."""

    mechanism: str
    verdict: str
    alpha: float
    epsilon: float
    """What is claimed."""
    bound: str


@dataclass(frozen=True)
class ViolationCount:
    """What a command that carried out many audits says of all of them together."""

    violations: int
    audits: int
    """Audits of a claim."""
    by_chance: float
    """Violations that chance alone shows on average, at most, if every claim is true."""
    is_proven: bool = True
    """Whether that is so by proof: with bounds that are asymptotic or credible it is about so."""
    unclaimed: int = 0
    """Audits without a claim, on top of those."""
    violators: Mapping[str, int] = field(default_factory=dict)
    """Violations of every mechanism that has any, if several were audited; most first."""

    @classmethod
    def of_results(cls, results: Iterable[Any]) -> Self:
        """Count the violations among results."""
        return cls.of_audits(
            Audited(r.mechanism, r.verdict, r.alpha, r.claim.epsilon, r.bound) for r in results
        )

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> Self:
        """Count the violations among rows of a table; a row that is there twice counts once."""
        once = {(row["key"], row["reports"]): row for row in rows}.values()
        return cls.of_audits(
            Audited(
                row["mechanism"],
                row["verdict"],
                row["alpha"],
                row.get("claimed_epsilon", row["epsilon"]),
                row["bound"],
            )
            for row in once
        )

    @classmethod
    def of_audits(cls, audits: Iterable[Audited]) -> Self:
        """Count the violations among audits."""
        every = list(audits)
        claimed = [audit for audit in every if audit.epsilon < math.inf]
        found = Counter(audit.mechanism for audit in claimed if audit.verdict == "violation")
        several = len({audit.mechanism for audit in every}) > 1
        guarantees = {find_bound(name).guarantee for name in {audit.bound for audit in claimed}}
        return cls(
            violations=found.total(),
            audits=len(claimed),
            by_chance=math.fsum(audit.alpha for audit in claimed),
            is_proven=guarantees <= {"confidence"},
            unclaimed=len(every) - len(claimed),
            violators=dict(found.most_common()) if several else {},
        )

    @property
    def words(self) -> str:
        """The count in one line."""
        if not self.audits + self.unclaimed:
            return "no audits"
        if not self.audits:
            return f"{_audits(self.unclaimed)} without a claim, so that none could be broken"
        more = f" and {self.unclaimed:,} more without a claim" if self.unclaimed else ""
        if not self.violations:
            return f"no violation found in {_audits(self.audits)}{more}"
        found = "1 violation" if self.violations == 1 else f"{self.violations:,} violations"
        number = f"{self.by_chance:.2g}"
        by_chance = f"{number} on average at most" if self.is_proven else f"about {number}"
        return (
            f"{found} in {_audits(self.audits)}{more}{self._named}; if every claim were true, "
            f"chance alone would show {by_chance}"
        )

    @property
    def _named(self) -> str:
        """Names of mechanisms with violations and their numbers, in brackets."""
        if not self.violators:
            return ""
        words = [f"{name[:LONGEST_NAME]} {count:,}" for name, count in self.violators.items()][
            :MOST_NAMED
        ]
        rest = len(self.violators) - MOST_NAMED
        more = f" and {rest:,} more" if rest > 0 else ""
        return f" ({', '.join(words)}{more})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "violations": self.violations,
            "audits": self.audits,
            "violations_by_chance": self.by_chance,
        }


def _audits(count: int) -> str:
    return "1 audit" if count == 1 else f"{count:,} audits"
