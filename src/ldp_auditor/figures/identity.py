"""Which colour, mark and dash a protocol has: the same in every figure and on every page.

A place is a number, of which `drawing/` and the pages' `drawing.js` make the same look: the
colour is the place modulo 7; mark and dash change with every round of colours.
"""

import zlib
from collections.abc import Iterable

KNOWN = (
    *("GRR", "SS", "SUE", "OUE", "BLH", "OLH", "THE"),
    *("SHE", "AGRR", "ASUE", "ABLH", "AOLH", "GM", "AGM"),
    *("L-GRR", "BiLOLOHA", "L-SUE", "L-OUE", "L-OSUE", "OLOLOHA", "RAPPOR"),
    *(
        "L-SOUE",
        "RS+FD[GRR]",
        "RS+FD[SUE-z]",
        "RS+FD[SUE-r]",
        "RS+FD[OUE-z]",
        "RS+FD[OUE-r]",
        "LHO",
    ),
)
"""The paper's protocols, those that figures show together in one round of seven colours."""

LOOKS = 147
"""Places that look different: seven colours, seven marks, three dashes."""


def protocol_place(name: str) -> int:
    """Which place a protocol has by its name alone.

    >>> protocol_place("GRR"), protocol_place("SHE"), protocol_place("GRR") == protocol_place("OUE")
    (0, 7, False)
    """
    if name in KNOWN:
        return KNOWN.index(name)
    # A digest, so that a protocol that is added moves no other one.
    return len(KNOWN) + zlib.crc32(name.encode()) % (LOOKS - len(KNOWN))


def protocol_places(names: Iterable[str]) -> dict[str, int]:
    """Places of protocols of one figure: their own, or the next free one if two have the same.

    >>> protocol_places(["OUE", "GRR"])
    {'OUE': 3, 'GRR': 0}
    """
    places: dict[str, int] = {}
    wanted = dict.fromkeys(names)
    for name in sorted(wanted, key=lambda name: (name not in KNOWN, name)):
        place = protocol_place(name)
        while place in places.values() and len(places) < LOOKS:
            place = (place + 1) % LOOKS
        places[name] = place
    return {name: places[name] for name in wanted}
