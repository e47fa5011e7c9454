"""Limits on columns, and which setting keeps them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from ldp_auditor.choosing.columns import Columns
from ldp_auditor.errors import must, number

LIMITED = {
    "max_epsilon": "worst_case_epsilon",
    "max_epsilon_1": "worst_case_epsilon_1",
    "max_attack_success": "attack_success",
    "max_error": "standard_error",
    "max_worst_error": "worst_standard_error",
    "max_bits": "bits",
}
"""The column that every limit is about."""

LEAKAGE = ("max_epsilon", "max_epsilon_1", "max_attack_success")
"""Limits on what grows with epsilon."""

ERRORS = ("max_error", "max_worst_error")
"""Limits on what shrinks with epsilon."""

OBJECTIVES = {
    "error": "standard_error",
    "epsilon": "worst_case_epsilon",
    "epsilon-1": "worst_case_epsilon_1",
}
"""What may be made as small as the limits allow, and its column."""

ROUNDING = 1e-9
"""How far, as a share, a number may lie beyond a limit that rounding moved it across."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The largest number that is allowed in a column; None where there is no limit."""

    max_epsilon: float | None = None
    max_epsilon_1: float | None = None
    max_attack_success: float | None = None
    max_error: float | None = None
    max_worst_error: float | None = None
    max_bits: float | None = None

    def __post_init__(self) -> None:
        for name in LIMITED:
            limit = getattr(self, name)
            if limit is not None:
                value = number(name, limit)
                must(0 < value < float("inf"), "be positive and finite", **{name: limit})
                if name == "max_attack_success":
                    must(value <= 1, "be a probability, 1 at most", **{name: limit})
                object.__setattr__(self, name, value)

    @cached_property
    def given(self) -> Mapping[str, float]:
        """The limits that there are."""
        both = {declared.name: getattr(self, declared.name) for declared in fields(self)}
        return {name: limit for name, limit in both.items() if limit is not None}

    def without(self, *names: str) -> "Limits":
        """Return these limits without those of `names`."""
        gone: dict[str, Any] = dict.fromkeys(names)
        return replace(self, **gone)

    def broken_by(self, columns: Columns, among: Collection[str] = tuple(LIMITED)) -> list[str]:
        """Return which of the limits `among` these names the setting of `columns` breaks."""
        return [
            name
            for name, limit in self.given.items()
            if name in among and columns.of(LIMITED[name]) > limit * (1 + ROUNDING)
        ]
