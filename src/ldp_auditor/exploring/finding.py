"""Which epsilon gives at most so much: the largest one whose exact number stays below a limit."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from ldp_auditor.errors import must, one_of
from ldp_auditor.exploring.curves import GRIDS
from ldp_auditor.exploring.exact import exact_at
from ldp_auditor.exploring.protocols import offered
from ldp_auditor.exploring.settings import LIMITS, Setting, check_number

LIMITED = {"attack": "the attack shows", "worst": "the worst case is"}
"""What may be limited, and how it is said."""

STEP = 1e-4
"""How exactly epsilon is found; it is rounded down."""


def read_limit(given: Mapping[str, Any]) -> tuple[str, float]:
    """Check what is to stay below which number."""
    limited, most = given["limited"], given["most"]
    one_of("limited", limited, list(LIMITED))
    check_number("most", most)
    must(most > 0, "be positive", most=most)
    return str(limited), float(most)


def largest_epsilons(setting: Setting, limited: str, most: float) -> dict[str, Any]:
    """Return the largest epsilon of every protocol at which `limited` is at most `most`."""
    rows = [
        {"protocol": name, **_largest(setting, name, limited, most)}
        for name in setting.protocols
        if "epsilon" in offered()[name].uses
    ]
    words = f"Largest ε at which {LIMITED[limited]} at most {most:g}"
    return {"words": words, "rows": rows}


def _largest(setting: Setting, name: str, limited: str, most: float) -> dict[str, Any]:
    def number(epsilon: float) -> float | None:
        found: float | None = getattr(exact_at(setting.at("epsilon", epsilon), name), limited)
        return found

    def keeps(epsilon: float) -> bool:
        found = number(epsilon)
        return found is not None and found <= most

    least, largest = LIMITS["epsilon"]
    if not keeps(least):
        why = "not known here" if number(least) is None else f"none from {least:g} on"
        return {"epsilon": None, "words": why}
    if keeps(largest):
        return {"epsilon": largest, "words": f"{largest:g} and more"}
    epsilon = _last(keeps, *_between(keeps))
    return {"epsilon": epsilon, "words": f"{epsilon:.4f}"}


def _between(keeps: Callable[[float], bool]) -> tuple[float, float]:
    """Two neighbours of the curve's grid, of which the first keeps the limit; all numbers grow."""
    places = GRIDS["epsilon"]
    low, high = 0, len(places) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(places[middle]) else (low, middle)
    return places[low], places[high]


def _last(keeps: Callable[[float], bool], low: float, high: float) -> float:
    """The last whole number of steps that keeps the limit."""
    first, last = math.ceil(low / STEP - 1e-6), math.ceil(high / STEP)
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (middle, last) if keeps(round(middle * STEP, 4)) else (first, middle)
    return round(first * STEP, 4)
