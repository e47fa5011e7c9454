"""How many lines over a prime field send none of the first values below a limit: exact.

A slope a sends the values 0..k-1 to k places of a ring of `field` elements. By the theorem of the
three gaps [Sos58] neighbours among them are one of three distances apart, which depend on the two
fractions of denominators below k next to a / field: for n/d on the left and m/e on the right k - d
gaps are d a - n field long, k - e are m field - e a, and d + e - k are as long as both together.
A gap of g leaves g - limit offsets, if that is positive, at which no value is below the limit. A
gap that long has a fraction next to it whose denominator is below field / limit, so that these
fractions are all that must be looked at, whatever the number of values.
"""

import math
from functools import lru_cache

MOST_FRACTIONS = 2**17
"""Fractions that are looked at, at most."""


@lru_cache(maxsize=256)
def lines_that_avoid(field: int, limit: int, values: int) -> int | None:
    """Return the number of lines a v + b that are at least `limit` for all of the first `values`.

    None where too many fractions would have to be looked at.
    """
    total = field - limit  # of slope 0, which sends all values to one place
    if values == 1:
        return field * total
    largest = min(values - 1, field // limit)
    if largest * largest // 3 > MOST_FRACTIONS:
        return None
    for d in range(1, largest + 1):
        for n in range(d):
            if math.gcd(n, d) > 1:
                continue
            # The next fraction m/e has m d - n e = 1, and the largest e below the number of values.
            first = 1 if d == 1 else -pow(n, -1, d) % d
            e = first + (values - 1 - first) // d * d
            m = (1 + n * e) // d
            ends = n * field // d + 1, (m * field - 1) // e
            gaps = (
                (values - d, d, -n * field),
                (values - e, -e, m * field),
                (d + e - values, d - e, (m - n) * field),
            )
            found = sum(
                count * _positive_sum(slope, offset - limit, *ends) for count, slope, offset in gaps
            )
            # By the slope -a the same gaps are next to 1 - n/d, which is on their right.
            total += found if e <= largest else 2 * found
    return total


def _positive_sum(slope: int, offset: int, start: int, end: int) -> int:
    """Sum of the positive ones among slope a + offset, for a from `start` to `end`."""
    if slope > 0:
        start = max(start, -(offset // slope))
    elif slope < 0:
        end = min(end, offset // -slope)
    if end < start or (slope == 0 and offset <= 0):
        return 0
    return (end - start + 1) * (slope * (start + end) + 2 * offset) // 2
