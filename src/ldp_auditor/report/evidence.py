"""What a check found, in words that convince."""

import math

from ldp_auditor.figures.words import claim_in_words, p_value_in_words
from ldp_auditor.report.tables import number
from ldp_auditor.results.check_result import CheckResult, Finding

ARTEFACT = "lowest bit of"
"""How words for an event begin that is about the floating-point numbers and not what they mean."""

LEARNED = "a classifier (scikit-learn) was among what proposed events; --no-learn leaves it out"
NOT_LEARNED = "no classifier was among what proposed events; --learn adds one (scikit-learn)"


def evidence_lines(result: CheckResult) -> str:
    """The verdict with its evidence, or with what could have been found."""
    lines = [f"{result.name}: claim {claim_in_words(result.claim)}"]
    if result.verdict == "violation":
        best = result.best
        lines += [
            f"VIOLATION: epsilon is at least {number(best.empirical_epsilon)} (alpha = "
            f"{result.alpha:g}, p-value against the claim {p_value_in_words(best.p_value)})",
            *_counts(best),
        ]
    else:
        lines.append(f"no violation found (alpha = {result.alpha:g})")
        lines += _looked_at(result)
    fresh = (
        f"{len(result.findings)} events counted on {result.trials:,} fresh reports of each value"
        if result.findings
        else "no event to count"
    )
    lines.append(
        f"{len(result.values)} values, {result.pilot_trials:,} pilot reports of each, {fresh}; "
        f"{result.reports:,} reports in all, seed {result.seed}"
    )
    if result.learned is not None:
        lines.append(LEARNED if result.learned else NOT_LEARNED)
    return "\n".join(lines)


def _looked_at(result: CheckResult) -> list[str]:
    """What was tried without success."""
    if not result.findings:
        return ["all pilot reports said the same, whatever the value"]
    lines = ["strongest of the events that were counted on fresh reports:", *_counts(result.best)]
    lines.append("what this run would have proven with a chance of 90%:")
    for rate, excess in result.power:
        words = f"an excess of {excess:.2g} over the claim" if excess < math.inf else "nothing"
        lines.append(f"  for an event of probability {rate:g}: {words}")
    return lines


def _counts(finding: Finding) -> list[str]:
    counts = finding.counts
    lines = [
        f"  event: {finding.event}",
        f"  value {finding.first!r}: {counts.true_positives:,} of {counts.trials:,} reports",
        f"  value {finding.second!r}: {counts.false_positives:,} of {counts.trials:,} reports",
    ]
    if ARTEFACT in finding.event:
        lines.append("  (a floating-point artefact: see docs/check.md)")
    return lines
