"""Ways to make every protocol of the registry, for tests that run them all."""

from __future__ import annotations

from collections.abc import Iterable

from ldp_auditor import InputPair, mechanisms
from ldp_auditor.core import FIRST_TWO_VALUES, Rates
from ldp_auditor.errors import AuditError
from ldp_auditor.mechanisms import FrequencyOracle
from ldp_auditor.theory.loss_law import LossLaw

NAMES = tuple(name for name, protocol in mechanisms.available().items() if not protocol.memoizes)
"""Protocols with fresh noise in every report."""


def make(
    name: str, epsilon: float, domain_size: int, delta: float | None = None
) -> FrequencyOracle:
    """Make a protocol, leaving delta to those that need it."""
    needs_delta = mechanisms.find(name).approximate
    made: FrequencyOracle = mechanisms.make(
        name, epsilon=epsilon, domain_size=domain_size, delta=delta if needs_delta else None
    )
    return made


def law_of(protocol: FrequencyOracle) -> LossLaw:
    """The exact law of the loss; every protocol of this package knows it."""
    law: LossLaw = protocol.loss_law(InputPair(0, 1))  # type: ignore[attr-defined]
    return law


def rates_of(protocol: FrequencyOracle, pair: InputPair = FIRST_TWO_VALUES) -> Rates:
    """The exact rates of the paper's attack on one report."""
    rates = protocol.guess_rates(pair)
    assert rates is not None
    return rates


def names_at(epsilons: Iterable[float], names: Iterable[str] = NAMES) -> list[tuple[str, float]]:
    """Every protocol with every epsilon at which it is defined (GM is not above 1)."""
    cells = []
    for name in names:
        for epsilon in epsilons:
            try:
                make(name, epsilon, 5)
            except AuditError:
                continue
            cells.append((name, epsilon))
    return cells
