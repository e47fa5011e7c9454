"""Ways to make every protocol of the registry, for tests that run them all."""

from __future__ import annotations

import pytest

from ldp_auditor import mechanisms
from ldp_auditor.errors import AuditError
from ldp_auditor.mechanisms import FrequencyOracle

NAMES = tuple(mechanisms.available())


def make(
    name: str, epsilon: float, domain_size: int, delta: float | None = None
) -> FrequencyOracle:
    """Make a protocol, leaving delta to those that need it; skip where it refuses the epsilon."""
    needs_delta = mechanisms.find(name).approximate
    try:
        return mechanisms.make(
            name, epsilon=epsilon, domain_size=domain_size, delta=delta if needs_delta else None
        )
    except AuditError as refusal:
        pytest.skip(str(refusal))
