"""Values that the paper's experiments share (sections 5.1 to 5.6), and names of sets of them."""

from collections.abc import Mapping
from typing import Any

PURE = ["GRR", "SS", "SUE", "OUE", "BLH", "OLH", "SHE", "THE"]
FINITE = ["AGRR", "ASUE", "ABLH", "AOLH"]
"""Approximate protocols with a finite range, which have a pure counterpart."""
GAUSSIAN = ["GM", "AGM"]
COUNTERPARTS = {"GRR": "AGRR", "SUE": "ASUE", "BLH": "ABLH", "OLH": "AOLH"}
FAKE_DATA = ["RS+FD[GRR]", "RS+FD[SUE-z]", "RS+FD[SUE-r]", "RS+FD[OUE-z]", "RS+FD[OUE-r]"]

EPSILONS = [0.25, 0.5, 0.75, 1.0, 2.0, 4.0, 6.0, 10.0]
HIGH_PRIVACY = [0.25, 0.5, 0.75, 1.0]
DOMAIN_SIZES = [25, 50, 100, 150, 200]
DELTA = 1e-5
DELTAS = [1e-7, 1e-6, 1e-5, 1e-4]
REPORTS = [5, 10, 25, 50, 75, 100, 250, 500]

SETS = {name: values for name, values in globals().items() if isinstance(values, list)}
"""What the names stand for in tables of studies and of statements."""


def members(given: Any, sets: Mapping[str, list[Any]] = SETS) -> list[Any]:
    """Return the values that are meant: names of sets stand for their members, "-X" leaves X out.

    >>> members(["PURE", "AGM", "-GRR"], {"PURE": ["GRR", "SS"]})
    ['SS', 'AGM']
    """
    found: list[Any] = []
    for value in given if isinstance(given, list) else [given]:
        if isinstance(value, str) and value.startswith("-"):
            left_out = sets.get(value[1:], [value[1:]])
            found = [one for one in found if one not in left_out]
        else:
            found += sets.get(value, [value])
    return found
