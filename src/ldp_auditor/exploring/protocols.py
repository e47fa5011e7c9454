"""Protocols on the page, of every kind, and which of its settings each of them uses."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ldp_auditor import mechanisms
from ldp_auditor.choosing.families import STEPS, rappor_options
from ldp_auditor.errors import AuditError, require
from ldp_auditor.inputs import (
    Ball,
    Categories,
    Cells,
    Inputs,
    KeyValues,
    Numbers,
    Places,
    Records,
    Steps,
    UnitVectors,
)
from ldp_auditor.mechanisms.capabilities import RemembersUsers, lacking

GROUPS: Mapping[str, str] = {
    "pure": "Pure protocols",
    "approximate": "Approximate protocols",
    "none": "Without a promise",
    "more": "Further protocols for values, sketches",
    "memoized": "Memoized",
    "records": "Records of several attributes",
    "numbers": "Numbers",
    "vectors": "Vectors",
    "key-values": "Keys with values",
    "distances": "Distances",
}
"""Kinds of protocols and how the page calls them; the first two are open at once."""

COMBINED = ("GRR", "OUE", "OLH", "SS", "SUE")
"""What the page combines by `Memo[...]`, `SPL[...]` and `SMP[...]`."""

MOST_VALUES: Mapping[str, int] = {"Exponential": 50, "PCKV-UE": 1000, "PCKV-GRR": 1000}
"""Domains of which one exact number takes longer than a page may."""

GRID_SIDE = 8
"""Places beside each other on the grids of this page: 64 in all."""


@dataclass(frozen=True)
class Offered:
    """A protocol of the page."""

    name: str
    group: str
    uses: tuple[str, ...]
    """Settings of the page that decide its numbers."""

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What `audit` is told of a setting for this protocol, or raise if it has no such."""
        most = MOST_VALUES.get(self.name)
        size = given["domain_size"]
        require(
            most is None or size <= most,
            f"{self.name} is shown up to domain_size={most} on this page, got {size}; "
            "the command 'ldp-auditor audit' takes more",
        )
        require(
            "reports" in self.uses or given["reports"] == 1,
            f"{self.name} is audited with one report of each user, got reports={given['reports']}",
        )
        found = {name: given[name] for name in self.uses if name != "reports"}
        match self.name:
            case "RAPPOR":
                epsilons = found.pop("epsilon"), found.pop("epsilon_infinity")
                require(epsilons[0] < epsilons[1], "epsilon must be below epsilon_infinity")
                found |= rappor_options(*epsilons, STEPS // 2)
            case "dBitFlipPM":
                found |= {"buckets": min(size, 16), "bits": min(size, 4)}
            case "PCKV-GRR" | "PCKV-UE":
                found["keys"] = found.pop("domain_size")
            case "Grid-Laplace" | "Grid-Exponential":
                found["side"] = GRID_SIDE
        return found


@cache
def offered() -> Mapping[str, Offered]:
    """Every protocol of the page by its name, the paper's first: the order decides colours."""
    listed = mechanisms.listed()
    paper = [name for name, protocol in listed.items() if _group(protocol) in PAPERS]
    others = [name for name in listed if name not in paper]
    combined = [f"{kind}[{name}]" for kind in mechanisms.COMBINATORS for name in COMBINED]
    found = [_offered(name) for name in (*paper, *others, *combined)]
    order = list(GROUPS)
    return {each.name: each for each in sorted(found, key=lambda each: order.index(each.group))}


OTHER_INPUTS: Mapping[type[Inputs], str] = {
    Records: "records",
    Numbers: "numbers",
    UnitVectors: "vectors",
    Ball: "vectors",
    KeyValues: "key-values",
    Steps: "distances",
    Cells: "distances",
    Places: "distances",
}
"""Groups by the kind of input; those for values differ by what they promise."""

PAPERS = ("pure", "approximate", "none")
"""Groups of what the paper audits once and over time."""


def _offered(name: str) -> Offered:
    protocol = mechanisms.find(name)
    options = protocol.option_types()
    uses = [
        *(["epsilon"] if not protocol.promises_nothing else []),
        *(["delta"] if protocol.approximate else []),
        *(["domain_size"] if protocol.takes.has_size or name.startswith("PCKV") else []),
        *(
            option
            for option in ("epsilon_infinity", "attributes", "dimension")
            if option in options
        ),
        *(["reports"] if not lacking(protocol, RemembersUsers) else []),
    ]
    return Offered(name, _group(protocol), tuple(uses))


def _group(protocol: Any) -> str:
    takes = protocol.takes
    if takes is Categories:
        kinds = {
            "memoized": protocol.memoizes,
            "none": protocol.promises_nothing,
            "more": bool(protocol.family),
            "approximate": protocol.approximate,
        }
        return next((kind for kind, is_so in kinds.items() if is_so), "pure")
    return OTHER_INPUTS[takes]


def find_offered(name: str) -> Offered:
    """Return the protocol of the page of that name, or raise with what is there."""
    shown = offered()
    if name not in shown:
        mechanisms.find(name)  # an unknown name is refused, with the nearest one
        raise AuditError(
            f"{name} is not on this page; the command 'ldp-auditor audit' takes it",
            argument="protocols",
        )
    return shown[name]
