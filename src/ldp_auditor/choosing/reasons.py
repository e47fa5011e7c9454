"""The choice in plain sentences: what it means, and why the others lost."""

import math
from collections.abc import Mapping
from typing import Any

from ldp_auditor.choosing.candidate import Candidate
from ldp_auditor.choosing.columns import Columns, Question
from ldp_auditor.choosing.limits import LIMITED, Limits

COLUMNS = {
    "standard_error": "standard error",
    "worst_standard_error": "largest standard error",
    "worst_case_epsilon": "worst case over all reports",
    "worst_case_epsilon_1": "worst case of one report",
    "attack_success": "attack success",
    "bits": "size of a report",
}
"""What columns are called in sentences."""


def in_words(column: str, value: float) -> str:
    """A number of a column with its unit."""
    if column.endswith("standard_error"):
        return f"{points(value)} points"
    if column == "attack_success":
        return f"{value:.1%}"
    return f"{value:.4g} bits" if column == "bits" else f"epsilon {value:.4g}"


def points(error: float) -> str:
    """A share in percentage points."""
    return f"{100 * error:.3g}"


def setting_in_words(mechanism: str, epsilon: float, options: Mapping[str, Any]) -> str:
    """A protocol with its parameters."""
    shown = {name: v for name, v in options.items() if name != "domain_sizes"}
    given = shown if "epsilon_1" in shown else {"epsilon": epsilon, **shown}
    return f"{mechanism} with " + ", ".join(
        f"{name} = {value:.6g}" if isinstance(value, float) else f"{name} = {value}"
        for name, value in given.items()
    )


def setting_of(candidate: Candidate) -> str:
    """A candidate's protocol with its parameters."""
    return setting_in_words(candidate.mechanism, candidate.epsilon, candidate.options)


def sentence(candidate: Candidate, users: int) -> str:
    """The choice, for somebody who has not read a paper about it."""
    loss, many = candidate.worst_case_epsilon, candidate.reports
    odds = 1 / (1 + math.exp(-loss))
    reports = "One report" if many == 1 else f"All {many:,} reports of a user together"
    what = "value" if "attributes" not in candidate.options else "record"
    at_delta = f", except with probability {candidate.delta:g}" if candidate.delta else ""
    return (
        f"Choose {setting_of(candidate)}. {reports} cannot move even odds between two {what}s "
        f"beyond {odds:.1%} (exact worst case: epsilon {loss:.4g}{at_delta}), and {users:,} users "
        f"tell the share of a value with a standard error of {points(candidate.standard_error)} "
        "percentage points."
    )


def why_it_lost(columns: Columns, winner: Columns, objective: str) -> str:
    """Why a setting that keeps all limits is not the choice."""
    mine, best = columns.of(objective), winner.of(objective)
    more = mine / best - 1
    name = COLUMNS[objective]
    if more < 5e-4:
        return f"as good: its {name} is the same to 0.1%"
    return f"its {name} of {in_words(objective, mine)} is {more:.1%} larger"


def why_it_fails(columns: Columns, limits: Limits) -> str:
    """Which limits a setting breaks that keeps those on leakage, and by how much."""
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
    """By how much a limit has to give."""
    column, flag = LIMITED[limit], "--" + limit.replace("_", "-")
    if needed is None:
        return f"{flag} = {now:g} alone cannot give enough: no protocol keeps the other limits."
    return (
        f"{flag} would have to rise from {now:g} to {needed:.4g} ({in_words(column, needed)}), "
        f"with {who}."
    )


def fingerprint_sentence(candidate: Candidate, unlinked: Candidate | None) -> str:
    """What it means that a part of the reports never changes, and what to take instead."""
    instead = ""
    if unlinked is not None:
        error = points(unlinked.standard_error)
        instead = f"; without it (--no-fingerprint) take {setting_of(unlinked)}: {error} points"
    return (
        f"Mind that a part of what a device sends with {candidate.mechanism} never changes, by "
        f"which the device can be recognized{instead}."
    )


def fine_print(question: Question) -> list[str]:
    """What the numbers are about."""
    mean = "that of the mean over all reports" if question.of_mean else "that of each round"
    lines = [
        f"The standard error is {mean}: root mean square over the values, whatever the population."
    ]
    if question.sizes:
        lines = ["The standard error is that of a value as frequent as the average one."]
    if question.reports > 1:
        lines.append("The loss is that of a user whose value stays the same.")
    if question.sizes:
        lines.append("The loss is that of two records that differ in every attribute.")
    return lines
