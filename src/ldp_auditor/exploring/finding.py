"""Which epsilon keeps a limit: the largest one for what leaks, the smallest one for the error."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ldp_auditor.errors import must, one_of
from ldp_auditor.exploring.curves import GRIDS
from ldp_auditor.exploring.exact import exact_at
from ldp_auditor.exploring.protocols import offered
from ldp_auditor.exploring.settings import Setting, check_number

LIMITED = {
    "attack": "Largest ε at which the attack shows",
    "worst": "Largest ε at which the worst case is",
    "error": "Smallest ε at which the standard error is",
}
"""What may be limited, and how it is said: what leaks grows with epsilon, the error falls."""

STEP = 1e-4
"""How exactly epsilon is found: the last whole number of steps that keeps the limit."""


def read_limit(given: Mapping[str, Any]) -> tuple[str, float]:
    """Check what is to stay below which number."""
    limited, most = given["limited"], given["most"]
    one_of("limited", limited, list(LIMITED))
    check_number("most", most)
    must(most > 0, "be positive", most=most)
    return str(limited), float(most)


def limiting_epsilons(setting: Setting, limited: str, most: float) -> dict[str, Any]:
    """Return the farthest epsilon of every protocol at which `limited` is at most `most`."""
    rows = [
        {"protocol": name, **_limiting(setting, name, limited, most)}
        for name in setting.protocols
        if "epsilon" in offered()[name].uses
    ]
    return {"words": f"{LIMITED[limited]} at most {most:g}", "rows": rows}


def _limiting(setting: Setting, name: str, limited: str, most: float) -> dict[str, Any]:
    def number(epsilon: float) -> float | None:
        found: float | None = getattr(exact_at(setting.at("epsilon", epsilon), name), limited)
        return found

    def keeps(epsilon: float) -> bool:
        found = number(epsilon)
        return found is not None and found <= most

    grid = GRIDS["epsilon"]
    # Some are defined up to an epsilon only. From the easiest place on towards the limit:
    defined = grid[: _leading(lambda place: number(place) is not None, grid)]
    falls = limited == "error"
    places = defined[::-1] if falls else grid
    kept = _leading(keeps, places)
    if not defined:
        return {"epsilon": None, "words": "not known here"}
    if kept == 0:
        return {"epsilon": None, "words": f"none {'up to' if falls else 'from'} {places[0]:g}"}
    if kept == len(places):
        words = f"{places[-1]:g} and {'less' if falls else 'more'}"
        return {"epsilon": places[-1], "words": words}
    epsilon = _last(keeps, places[kept - 1], places[kept])
    return {"epsilon": epsilon, "words": f"{epsilon:.4f}"}


def _leading(holds: Callable[[float], bool], places: Sequence[float]) -> int:
    """How many of the first places something holds at, which does not hold again later."""
    return bisect_left(places, True, key=lambda place: not holds(place))


def _last(keeps: Callable[[float], bool], within: float, beyond: float) -> float:
    """The last step from `within` towards `beyond` that keeps the limit."""
    good, bad = round(within / STEP), round(beyond / STEP)
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if keeps(round(middle * STEP, 4)) else (good, middle)
    return round(good * STEP, 4)
