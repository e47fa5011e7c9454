"""Where a function of one number changes its sign."""

import math
from collections.abc import Callable

MOST_STEPS = 200
"""More than a bracket of doubles can be halved."""


def find_root(
    function: Callable[[float], float],
    low: float,
    high: float,
    *,
    absolute: float = 1e-14,
    relative: float = 1e-14,
) -> float:
    """Return a root between `low` and `high`, where `function` has unlike signs.

    Chandrupatla's method [Chandrupatla97]: inverse quadratic interpolation through the last three
    points where they lie on a curve that it fits, else the middle. Stops when the root is known to
    the `absolute` precision plus the `relative` one.
    """
    last, bound = low, high
    at_last, at_bound = function(low), function(high)
    if at_last == 0.0 or at_bound == 0.0:
        return low if at_last == 0.0 else high
    step = 0.5
    for _ in range(MOST_STEPS):
        point = last + step * (bound - last)
        value = function(point)
        if (value > 0.0) == (at_last > 0.0):
            before, at_before = last, at_last
        else:
            before, at_before = bound, at_bound
            bound, at_bound = last, at_last
        last, at_last = point, value
        best = last if abs(at_last) < abs(at_bound) else bound
        width = abs(bound - last)
        allowed = absolute + relative * abs(best) + math.ulp(best)
        if width <= allowed or value == 0.0:
            return best
        step = 0.5
        place = (last - bound) / (before - bound)
        share = (at_last - at_bound) / (at_before - at_bound)
        if share * share < place and (1.0 - share) ** 2 < 1.0 - place:
            step = at_last / (at_bound - at_last) * at_before / (at_bound - at_before)
            step += (
                (before - last)
                / (bound - last)
                * at_last
                / (at_before - at_last)
                * at_bound
                / (at_before - at_bound)
            )
        least = allowed / (2.0 * width)
        step = min(1.0 - least, max(least, step))
    return best


def bisected(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where an ascending function crosses 0, by halving 80 times."""
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if function(middle) > 0 else (middle, high)
    return low
