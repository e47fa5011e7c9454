"""Ways to make every protocol of the registry, for tests that run them all."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ldp_auditor import InputPair, mechanisms
from ldp_auditor.core import FIRST_TWO_VALUES, Rates
from ldp_auditor.errors import AuditError
from ldp_auditor.inputs import Categories, Records
from ldp_auditor.mechanisms import FrequencyOracle
from ldp_auditor.mechanisms.capabilities import KnowsLossLaw, default_pair, needed
from ldp_auditor.theory.loss_law import LossLaw

EXAMPLES = Path(__file__).parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))

OURS = tuple(name for name, protocol in mechanisms.available().items() if not protocol.memoizes)
"""Protocols of this package with fresh noise in every report."""

NAMES = (*OURS, "hadamard_response:HR")
"""Those, and one in a file outside the package whose values are not all alike."""

OTHERS = tuple(
    name
    for name, protocol in mechanisms.listed().items()
    if protocol.takes not in (Categories, Records) and not protocol.memoizes
)
"""Protocols of this package whose inputs are no categories."""

WITHOUT_DISTANCES = tuple(name for name in OTHERS if mechanisms.find(name).family != "distances")
"""Those of them whose claim is the same for all pairs; the rest is in `unit/test_distances.py`."""

EVERY = (*NAMES, *OTHERS)
"""All with fresh noise, whatever their inputs are."""

NEEDED: dict[str, Any] = {"dimension": 3, "domain_size": 5, "keys": 4}
"""Options without which a protocol of `OTHERS` may not be made."""


def make_any(name: str, **settings: Any) -> Any:
    """Make a protocol of any inputs; those that have a domain size have five values."""
    sizes = {} if name in OTHERS else {"domain_size": 5}
    if name in OTHERS:
        required = mechanisms.find(name).required()
        sizes = {option: value for option, value in NEEDED.items() if option in required}
    return mechanisms.make(name, **{**sizes, **settings})


def reversed_pair(protocol: Any) -> InputPair:
    """The pair of its own, the other way round."""
    pair = default_pair(protocol)
    return InputPair(pair.second, pair.first)


def find(name: str) -> type[FrequencyOracle]:
    """The class of a protocol, also of one outside the package."""
    return mechanisms.find_protocol(name, outside=True)


def make(
    name: str, epsilon: float, domain_size: int, delta: float | None = None
) -> FrequencyOracle:
    """Make a protocol, leaving delta to those that need it."""
    needs_delta = find(name).approximate
    made: FrequencyOracle = mechanisms.make(
        name, epsilon=epsilon, domain_size=domain_size, delta=delta if needs_delta else None
    )
    return made


def law_of(protocol: FrequencyOracle) -> LossLaw:
    """The exact law of the loss."""
    law: LossLaw = needed(protocol, KnowsLossLaw, "this test").loss_law(FIRST_TWO_VALUES)
    return law


def rates_of(protocol: FrequencyOracle, pair: InputPair = FIRST_TWO_VALUES) -> Rates:
    """The exact rates of the paper's attack on one report."""
    rates = protocol.guess_rates(pair)
    assert rates is not None
    return rates


def values_are_alike(name: str, epsilon: float) -> bool:
    """Tell whether every wrong value is guessed as often as any other."""
    protocol = make(name, epsilon, 25)
    return len({protocol.guess_rates(InputPair(value, 0)) for value in range(1, 25)}) == 1


WITH_LAW = [name for name in NAMES if issubclass(find(name), KnowsLossLaw)]
"""Those that know the exact law of their loss."""

WITH_RATES = [name for name in NAMES if make(name, 0.5, 5).guess_rates() is not None]
"""Those that know the exact rates of the paper's attack."""


def names_at(epsilons: Iterable[float], names: Iterable[str] = NAMES) -> list[tuple[str, float]]:
    """Every protocol with every epsilon at which it is defined (GM is not above 1)."""
    cells = []
    for name in names:
        for epsilon in epsilons:
            try:
                make_any(name, epsilon=epsilon)
            except AuditError:
                continue
            cells.append((name, epsilon))
    return cells
