"""How many of some audits found a violation, and how many of these chance alone may produce."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

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


@dataclass(frozen=True)
class ViolationCount:
    """What a command that carried out many audits says of all of them together."""

    violations: int
    audits: int
    """Audits of a claim."""
    by_chance: float
    """Violations that chance alone shows on average, at most, if every claim is true."""
    unclaimed: int = 0
    """Audits without a claim, on top of those."""
    violators: Mapping[str, int] = field(default_factory=dict)
    """Violations of every mechanism that has any, if several were audited; most first."""

    @classmethod
    def of_results(cls, results: Iterable[Any]) -> Self:
        """Count the violations among results."""
        return cls.of_audits((r.mechanism, r.verdict, r.alpha, r.claim.epsilon) for r in results)

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> Self:
        """Count the violations among rows of a table; a row that is there twice counts once."""
        once = {(row["key"], row["reports"]): row for row in rows}.values()
        return cls.of_audits(
            (
                row["mechanism"],
                row["verdict"],
                row["alpha"],
                row.get("claimed_epsilon", row["epsilon"]),
            )
            for row in once
        )

    @classmethod
    def of_audits(cls, audits: Iterable[tuple[str, str, float, float]]) -> Self:
        """Count the violations among audits: name, verdict, alpha and claimed epsilon of each."""
        every = list(audits)
        claimed = [audit[:3] for audit in every if audit[3] < math.inf]
        found = Counter(name for name, verdict, _ in claimed if verdict == "violation")
        several = len({name for name, *_ in every}) > 1
        return cls(
            violations=found.total(),
            audits=len(claimed),
            by_chance=math.fsum(alpha for *_, alpha in claimed),
            unclaimed=len(every) - len(claimed),
            violators=dict(found.most_common()) if several else {},
        )

    @property
    def words(self) -> str:
        """The count in one line."""
        if not self.audits:
            return f"{_audits(self.unclaimed)} without a claim, so that none could be broken"
        more = f" and {self.unclaimed:,} more without a claim" if self.unclaimed else ""
        if not self.violations:
            return f"no violation found in {_audits(self.audits)}{more}"
        found = "1 violation" if self.violations == 1 else f"{self.violations:,} violations"
        return (
            f"{found} in {_audits(self.audits)}{more}{self._named}; if every claim were true, "
            f"chance alone would show {self.by_chance:.2g} on average at most"
        )

    @property
    def _named(self) -> str:
        """Whose they are: some names with their counts."""
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
