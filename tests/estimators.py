"""Ways to make everything that estimates frequencies, for tests that run them all."""

from __future__ import annotations

from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.inputs import Records
from tests.protocols import NAMES, find

MEMOIZED = tuple(name for name, one in mechanisms.available().items() if one.memoizes)
PROTOCOLS = (*NAMES, *MEMOIZED, "Memo[OUE]", "Memo[SHE]")
"""Protocols for one value."""

RECORDS = (
    *mechanisms.available(Records),
    "SPL[GRR]",
    "SPL[OLH]",
    "SMP[GRR]",
    "SMP[SS]",
    "SMP[LHO]",
)
"""Mechanisms for records."""

ALL = (*PROTOCOLS, *RECORDS)

OPTIONS: dict[str, Any] = {"epsilon_infinity": 2.0, "buckets": 2, "bits": 1}
"""Options that have no default."""


def made(name: str, domain_size: int) -> Any:
    """Make a protocol with epsilon 0.9, where it takes one."""
    protocol = find(name)
    own = {option: OPTIONS[option] for option in protocol.required() if option in OPTIONS}
    epsilon = 0.9 if "epsilon" in protocol.required() else None
    return mechanisms.make(name, epsilon=epsilon, domain_size=domain_size, **own)


def made_record(name: str, sizes: tuple[int, ...]) -> Any:
    """Make a mechanism for records with epsilon 0.9, where it takes one."""
    epsilon = None if mechanisms.find(name).promises_nothing else 0.9
    return mechanisms.make(name, epsilon=epsilon, domain_sizes=sizes)
