"""The choice in plain sentences: what it means, and why the others lost."""

import math
from collections.abc import Mapping
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.choosing.candidate import Candidate
from ldp_auditor.choosing.columns import Columns, Question
from ldp_auditor.choosing.limits import LIMITED, Limits

COLUMNS = {
    "standard_error": "standard error",
    "worst_standard_error": "largest standard error",
    "worst_case_epsilon": "worst case of all reports",
    "worst_case_epsilon_1": "worst case of one report",
    "attack_success": "attack success",
    "bits": "size of a report",
}
"""What columns are called in sentences."""


def in_words(column: str, value: float, *, up: bool = False) -> str:
    """Return `value` of a `column` with its unit; rounded `up` where it is a limit to set."""
    if column.endswith("standard_error"):
        return f"{digits(100 * value, 3, up)} points"
    if column == "attack_success":
        return f"{digits(100 * value, 3, up)}%"
    return f"{digits(value, 4, up)} bits" if column == "bits" else f"epsilon {digits(value, 4, up)}"


def digits(value: float, count: int, up: bool) -> str:
    """Return `value` in `count` digits, the nearest number or the next larger one."""
    shown = float(f"{value:.{count}g}")
    if up and shown < value:
        shown += 10.0 ** (math.floor(math.log10(value)) - count + 1)
    return f"{shown:.{count}g}"


def points(error: float) -> str:
    """Return the share `error` in percentage points."""
    return f"{100 * error:.3g}"


def setting_in_words(
    mechanism: str, epsilon: float, options: Mapping[str, Any], digits: int = 6
) -> str:
    """Return the protocol `mechanism` with its parameters, in words."""
    shown = {name: v for name, v in options.items() if name != "domain_sizes"}
    given = shown if "epsilon_1" in shown else {"epsilon": epsilon, **shown}
    return f"{mechanism} with " + ", ".join(
        f"{name} = {value:.{digits}g}" if isinstance(value, float) else f"{name} = {value}"
        for name, value in given.items()
    )


def setting_of(candidate: Candidate, digits: int = 6) -> str:
    """Return the protocol of `candidate` with its parameters, in words."""
    return setting_in_words(candidate.mechanism, candidate.epsilon, candidate.options, digits)


def answer(candidate: Candidate, question: Question, limits: Limits) -> list[str]:
    """Return the choice in sentences for readers who know no paper about it."""
    return [
        f"Choose {setting_of(candidate)}.{_what_it_is(candidate)}",
        _privacy(candidate, question),
        _accuracy(candidate, question, limits),
    ]


def _what_it_is(candidate: Candidate) -> str:
    summary = mechanisms.find(candidate.mechanism, outside=True).summary
    return f" That is {summary}." if summary else ""


def _privacy(candidate: Candidate, question: Question) -> str:
    loss, many = candidate.worst_case_epsilon, candidate.reports
    sure = 1 / (1 + math.exp(-loss))
    seen = "one report" if many == 1 else f"all {many:,} reports of a user"
    what = "records" if question.sizes else "values"
    pure = question.delta == 0 or "epsilon_infinity" in candidate.options
    at_delta = "" if pure else f" at delta = {question.delta:g}"
    rarely = "" if pure else ", but for what delta allows"
    return (
        f"Privacy: to whoever sees {seen} and finds two {what} equally likely at first, neither "
        f"becomes more than {sure:.1%} likely{rarely} (exact worst case: epsilon "
        f"{loss:.4g}{at_delta}).{_guesses(candidate, question)}"
    )


def _guesses(candidate: Candidate, question: Question) -> str:
    one, every, many = candidate.attack_success, candidate.attack_success_all, candidate.reports
    if one is None:
        return ""
    if question.sizes:
        return (
            f" The best guess of an attribute's value from one report is right in {percent(one)} "
            f"of all cases at most, a blind guess in {percent(candidate.blind_success)}."
        )
    from_all = ""
    if many > 1 and every is not None:
        from_all = f", from all {many:,} of them in {percent(every)}"
    return (
        f" The best guess among {question.domain_size:,} values from one report is right in "
        f"{percent(one)} of all cases{from_all}, a blind guess in "
        f"{percent(candidate.blind_success)}."
    )


def percent(share: float) -> str:
    """Return `share` as a percentage with three digits."""
    return f"{100 * share:.3g}%"


def _accuracy(candidate: Candidate, question: Question, limits: Limits) -> str:
    of = "the mean over all reports" if question.of_mean else "each round of reports"
    of = f" of {of}" if question.reports > 1 else ""
    allowed = ""
    if limits.max_error is not None:
        allowed = f", {points(limits.max_error)} being allowed"
    bits = "" if candidate.bits is None else f" A report has {candidate.bits:.4g} bits."
    return (
        f"Accuracy: with {question.users:,} users, the estimated share of a value{of} is off by "
        f"{points(candidate.standard_error)} percentage points (standard error{allowed}).{bits}"
    )


def why_it_lost(columns: Columns, winner: Columns, objective: str) -> str:
    """Say why a setting that keeps all limits is not the choice."""
    mine, best = columns.of(objective), winner.of(objective)
    more = mine / best - 1
    name = COLUMNS[objective]
    if more < 5e-4:
        mean, least = columns.standard_error_of_mean, winner.standard_error_of_mean
        but = ""
        if columns.question.reports > 1 and mean > 1.001 * least:
            but = f", but the mean over all reports is off by {points(mean)} points, not by "
            but += points(least)
        return f"as good: its {name} is the same to 0.1%{but}"
    larger = f"{more:.1%} larger" if more < 1 else f"{mine / best:.3g} times as large"
    return f"its {name} of {in_words(objective, mine)} is {larger}"


def why_it_fails(columns: Columns, limits: Limits) -> str:
    """Say which limits a setting breaks, which keeps those on leakage, and by how much."""
    parts = []
    for limit in limits.broken_by(columns):
        column = LIMITED[limit]
        value, most = columns.of(column), limits.given[limit]
        parts.append(
            f"its {COLUMNS[column]} is {in_words(column, value)}, {value / most:.3g} times the "
            f"{in_words(column, most)} allowed"
        )
    return " and ".join(parts)


def binding_sentence(limit: str, now: float, needed: float | None, who: str) -> str:
    """Say that a `limit` has to rise from `now` to `needed`, where the protocol `who` fits."""
    column = LIMITED[limit]
    named = f"The {COLUMNS[column]} ({limit})"
    if needed is None:
        return f"{named} is not the only obstacle: no protocol keeps the other limits."
    return (
        f"{named} would have to rise from {in_words(column, now)} to "
        f"{in_words(column, needed, up=True)}, with {who}."
    )


def fingerprint_sentence(candidate: Candidate, unlinked: Candidate | None) -> str:
    """Say what it means that a part of the reports never changes, and what to take instead."""
    instead = ""
    if unlinked is not None:
        error = points(unlinked.standard_error)
        instead = f" To avoid that (--no-fingerprint), take {setting_of(unlinked)}: {error} points."
    return (
        f"Note that a part of what a device sends with {candidate.mechanism} never changes, so "
        f"that the device can be recognized by it.{instead}"
    )


def fine_print(question: Question) -> list[str]:
    """Return sentences on what the numbers mean."""
    told = "The standard error is the root mean square over all values, whatever the population."
    if question.sizes:
        told = (
            "The standard error is that of a value as frequent as the average one, the loss that "
            "of two records that differ in every attribute."
        )
    if question.reports > 1:
        told += " The loss is that of a user whose value stays the same."
    return [told]
