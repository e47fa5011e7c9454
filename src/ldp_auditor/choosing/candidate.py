"""One setting with all of its columns, as results show it: every field declared once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ldp_auditor.choosing.columns import Columns
from ldp_auditor.errors import AuditError
from ldp_auditor.mechanisms.capabilities import HasOptions
from ldp_auditor.results.fields import Plain, entry, from_plain, options_among, to_plain

MEASURED = "measured"
"""The part of a candidate that is timed on this machine."""

measured = partial(entry, part=MEASURED, default=None, unit="s")
"""Declare an entry of that part."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A protocol at one setting: what it promises, what leaks, what is learned, what it costs."""

    mechanism: str = entry("the protocol by its name")
    epsilon: float = entry("claimed epsilon of one report")
    delta: float = entry("claimed delta of one report", default=0.0)
    domain_size: int = entry("number k of values; of records, of the largest attribute", least=1)
    options: Mapping[str, Any] = entry("parameters of this protocol", default={})
    reports: int = entry("reports of the same value by each user", least=1, default=1)
    claimed_epsilon: float = entry("claimed epsilon of all reports together")
    worst_case_epsilon_1: float = entry("exact smallest epsilon that one report keeps", unit="nats")
    worst_case_epsilon: float = entry("exact smallest epsilon that all reports keep", unit="nats")
    attack_success: float | None = entry(
        "how often the best guess of the value from one report is right (exact), by somebody who "
        "knows the frequencies given; without any, for uniform ones"
    )
    attack_success_uniform: float | None = entry("the same for uniform frequencies (exact)")
    attack_success_all: float | None = entry(
        "the same from all reports of a user (exact); null where it is not known"
    )
    attack_success_all_uniform: float | None = entry(
        "the same from all reports, for uniform frequencies (exact); null where it is not known"
    )
    blind_success: float = entry("how often a guess without any report is right")
    standard_error: float = entry(
        "exact standard error of a frequency in one round: root mean square over all values"
    )
    worst_standard_error: float = entry(
        "exact standard error of the value that is known worst, at the frequencies given or at any"
    )
    standard_error_of_mean: float = entry("exact standard error of the mean over all reports")
    bits: float | None = entry("bits of a report as it is usually sent")
    bits_minimum: float | None = entry("entropy of a report, its least bits; null if not known")
    fingerprint: bool = entry("whether a part of a user's reports never changes")
    client_seconds: float | None = measured("time to make a report, measured here")
    server_seconds: float | None = measured("time to count a report, measured here")
    fits: bool = entry("whether all limits are kept")
    why: str = entry("why it was chosen, or why it was not")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; an option named like a column is written as option_name."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, plain: Plain) -> Candidate:
        """Read what `to_dict` wrote, or raise."""
        return from_plain(cls, plain, options=options_among(cls, plain))


def candidate_of(
    columns: Columns, *, fits: bool, why: str, seconds: tuple[float, float] | None = None
) -> Candidate:
    """Write down all columns of a setting."""
    mechanism, question = columns.mechanism, columns.question
    client, server = seconds or (None, None)
    return Candidate(
        mechanism=mechanism.name,
        epsilon=mechanism.claim.epsilon,
        delta=mechanism.claim.delta,
        domain_size=mechanism.domain_size,
        options=dict(mechanism.options) if isinstance(mechanism, HasOptions) else {},
        reports=question.reports,
        claimed_epsilon=columns.claimed_epsilon,
        worst_case_epsilon_1=_twelve(columns.worst_case_epsilon_1),
        worst_case_epsilon=_twelve(columns.worst_case_epsilon),
        attack_success=_known(columns, "attack_success"),
        attack_success_uniform=_known(columns, "attack_success_uniform"),
        attack_success_all=_known(columns, "attack_success_all"),
        attack_success_all_uniform=_known(columns, "attack_success_all_uniform"),
        blind_success=columns.blind_success,
        standard_error=_twelve(columns.standard_error),
        worst_standard_error=_twelve(columns.worst_standard_error),
        standard_error_of_mean=_twelve(columns.standard_error_of_mean),
        bits=_known(columns, "bits"),
        bits_minimum=_known(columns, "bits_minimum"),
        fingerprint=columns.fingerprint,
        client_seconds=client,
        server_seconds=server,
        fits=fits,
        why=why,
    )


def _known(columns: Columns, name: str) -> float | None:
    """Return the column `name`, or None where a protocol from elsewhere lacks it."""
    try:
        value: float | None = getattr(columns, name)
    except AuditError:
        return None
    return None if value is None else _twelve(value)


def _twelve(value: float) -> float:
    """Return `value` in twelve digits: the others are rounding."""
    return float(f"{value:.12g}")
