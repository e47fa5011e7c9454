"""What a check found, in words that convince."""

import math

from ldp_auditor.core import Claim
from ldp_auditor.figures.words import (
    allowed_in_words,
    claim_in_words,
    p_value_in_words,
    value_in_words,
)
from ldp_auditor.report.tables import number
from ldp_auditor.results.check_result import CheckResult, Finding

ARTEFACT = "lowest bit of"
"""How words for an event begin that is about the floating-point numbers and not what they mean."""

LEARNED = (
    "a classifier (scikit-learn) proposes events once there are many reports; --no-learn: none"
)
NOT_LEARNED = "no classifier proposes events; --learn adds one (scikit-learn)"


def evidence_lines(result: CheckResult) -> str:
    """The verdict with its evidence, or with what could have been found."""
    lines = [f"{result.name}: claim {claim_in_words(result.claim)}"]
    if result.verdict == "violation":
        best = result.best
        lines += [
            f"VIOLATION: epsilon is at least {number(best.empirical_epsilon)} (alpha = "
            f"{result.alpha:g}, p-value against the claim {p_value_in_words(best.p_value)})",
            *_counts(best, result.claim),
        ]
        if ARTEFACT in best.event:
            lines.append("  (a floating-point artefact: see docs/check.md)")
    else:
        lines.append(f"no violation found (alpha = {result.alpha:g})")
        lines += _looked_at(result)
    if result.dependent:
        lines.append(
            f"calls of one object are not independent ({result.dependent}): each report is the "
            "first of a fresh object; --reports N checks N reports of one object together"
        )
    elif result.reports_each is not None:
        lines.append(f"each report: {counted(result.reports_each)} of a fresh object")
    sure = [] if result.sure_after is None else [f"sure after {result.sure_after:,} reports"]
    if result.sure_after != result.reports:
        sure.append(f"{result.reports:,} reports in all")
    lines.append(f"{result.inputs_in_words('value')}, {', '.join(sure)}, seed {result.seed}")
    if result.learned is not None:
        lines.append(LEARNED if result.learned else NOT_LEARNED)
    return "\n".join(lines)


def counted(reports: int) -> str:
    """A number of reports in words."""
    return "the only one" if reports == 1 else f"{reports} together"


def _looked_at(result: CheckResult) -> list[str]:
    """What was tried without success."""
    if not result.findings:
        return ["all reports said the same, whatever the value"]
    lines = ["strongest of the events that were bet on:", *_counts(result.best, result.claim)]
    lines.append("what a bet of the last search would have proven with a chance of 90%:")
    for rate, excess in result.power:
        words = f"an excess of {excess:.2g} over the claim" if excess < math.inf else "nothing"
        lines.append(f"  for an event of probability {rate:g}: {words}")
    if result.delta and result.delta_seen is not None:
        lines += [
            f"  for an event that the other input never has: a probability of "
            f"{result.delta_seen:.2g} (the claim allows {value_in_words(result.delta)})",
            f"  a delta of less than {result.delta_unseen:.2g} could hardly have been seen with so "
            "few reports (10%)",
        ]
    elif result.delta:
        lines.append("  no delta could have been seen with so few reports")
    return lines


def _counts(finding: Finding, claim: Claim) -> list[str]:
    counts = finding.counts
    lines = [
        f"  event: {finding.event}",
        f"  value {finding.first!r}: {counts.true_positives:,} of {counts.trials:,} reports",
        f"  value {finding.second!r}: {counts.false_positives:,} of {counts.trials:,} reports",
    ]
    allowed = allowed_in_words(claim.at(finding.distance or 1.0))
    apart = "" if finding.distance is None else f" at distance {finding.distance:g}"
    lines.append(f"  {finding.comparison}; the claim allows {allowed}{apart}")
    if finding.example and finding.event != f"report is {finding.example}":
        lines.append(f"  for example: {finding.example}")
    return lines
