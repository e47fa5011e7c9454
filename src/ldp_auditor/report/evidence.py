"""What a check found, in words that convince."""

from __future__ import annotations

import math

from ldp_auditor.checking import CheckResult, Finding


def evidence_text(result: CheckResult, command: str | None = None) -> str:
    """The verdict with its evidence, or with what could have been found."""
    claim = f"epsilon = {result.claim.epsilon:g}"
    if result.claim.delta:
        claim += f", delta = {result.claim.delta:g}"
    lines = [f"{result.name}: claim {claim}"]
    best = result.best
    if result.verdict == "violation":
        lines += [
            f"VIOLATION: epsilon is at least {_number(best.empirical_epsilon)} "
            f"(alpha = {result.alpha:g}, p-value against the claim {best.p_value:.2g})",
            *_counts(best),
        ]
    else:
        lines.append(f"no violation found (alpha = {result.alpha:g})")
        lines.append("strongest of the events that were counted on fresh reports:")
        lines += _counts(best)
        lines.append("what this run would have proven with a chance of 90%:")
        for rate, excess in result.power:
            words = f"an excess of {excess:.2g} over the claim" if excess < math.inf else "nothing"
            lines.append(f"  for an event of probability {rate:g}: {words}")
    lines.append(
        f"{len(result.values)} values, {result.pilot_trials:,} pilot reports of each, "
        f"{len(result.findings)} events counted on {result.trials:,} fresh reports of each value; "
        f"seed {result.seed}"
    )
    if command is not None:
        lines.append(f"to repeat: {command}")
    return "\n".join(lines)


def _counts(finding: Finding) -> list[str]:
    counts = finding.counts
    return [
        f"  event: {finding.event}",
        f"  value {finding.first!r}: {counts.true_positives:,} of {counts.trials:,} reports",
        f"  value {finding.second!r}: {counts.false_positives:,} of {counts.trials:,} reports",
    ]


def _number(value: float) -> str:
    return "inf" if value == math.inf else f"{value:.4f}"
