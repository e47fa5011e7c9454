"""Attacks by name: how reports are turned into accusations of the pair's first value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ldp_auditor.attacks.paper import PaperAttack
from ldp_auditor.core import Attack, InputPair, Mechanism
from ldp_auditor.errors import require

ATTACKS: Mapping[str, Callable[[Any, InputPair], Attack]] = {"paper": PaperAttack}


def make_attack(name: str, mechanism: Mechanism, pair: InputPair) -> Attack:
    """Return the named attack on `mechanism` for this pair of inputs."""
    require(name in ATTACKS, f"unknown attack {name!r}; the attacks are: {', '.join(ATTACKS)}")
    return ATTACKS[name](mechanism, pair)
