"""Attacks by name: how reports are turned into accusations of the pair's first value."""

from collections.abc import Mapping

from ldp_auditor.attacks.optimal import OptimalAttack
from ldp_auditor.attacks.paper import PaperAttack
from ldp_auditor.core import Attack, Mechanism
from ldp_auditor.errors import require
from ldp_auditor.mechanisms.capabilities import needed

ATTACKS: Mapping[str, type[Attack]] = {"paper": PaperAttack, "optimal": OptimalAttack}


def find_attack(name: str, mechanism: Mechanism) -> type[Attack]:
    """Return the named kind of attack, or raise if it does not exist or the mechanism lacks it."""
    require(
        isinstance(name, str) and name in ATTACKS,
        f"unknown attack {name!r}; the attacks are: {', '.join(ATTACKS)}",
        argument="attack",
    )
    kind = ATTACKS[name]
    needed(mechanism, kind.needs, f"the attack {name!r}")
    return kind
