"""Attacks by name: how reports are turned into accusations of the pair's first value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from ldp_auditor.attacks.optimal import OptimalAttack
from ldp_auditor.attacks.paper import PaperAttack
from ldp_auditor.core import Attack, Goal, InputPair, Mechanism
from ldp_auditor.errors import require


class AttackKind(Protocol):
    """A kind of attack, before it is fitted to a mechanism."""

    needs: ClassVar[str]
    """Method that the mechanism must have."""
    remedy: ClassVar[str]
    """What that method does."""

    @classmethod
    def prepare(cls, mechanism: Any, pair: InputPair, goal: Goal) -> Attack:
        """Fit the attack to a mechanism, a pair of inputs and a goal."""
        ...


ATTACKS: Mapping[str, type[AttackKind]] = {"paper": PaperAttack, "optimal": OptimalAttack}


def find_attack(name: str, mechanism: Mechanism) -> type[AttackKind]:
    """Return the named kind of attack, or raise if it does not exist or the mechanism lacks it."""
    require(
        name in ATTACKS,
        f"unknown attack {name!r}; the attacks are: {', '.join(ATTACKS)}",
        argument="attack",
    )
    kind = ATTACKS[name]
    require(
        hasattr(mechanism, kind.needs.partition("(")[0]),
        f"{mechanism.name} has no method {kind.needs}, which the attack {name!r} needs: "
        f"{kind.remedy}",
    )
    return kind
