"""Points of a projective space over a prime field: their numbers, vectors and products."""

from typing import Any

import numpy as np

from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import next_word, scale_down


@compiled
def unpack_point(point: Any, q: Any, vector: Any) -> int:
    """Write the vector of a point, the lowest coordinate first; return where its leading 1 is."""
    lead = 0
    size = np.int64(1)
    rest = np.int64(point)
    while rest >= size:
        rest -= size
        size *= q
        lead += 1
    for i in range(vector.size):
        vector[i] = rest % q if i < lead else 0
        rest //= q
    vector[lead] = 1
    return lead


@compiled
def _inverse(element: Any, q: Any) -> Any:
    """Return the inverse of an element that is not 0: its power q - 2."""
    size = np.uint64(q)
    inverse, base, power = np.uint64(1), np.uint64(element), size - np.uint64(2)
    while power > np.uint64(0):
        if power & np.uint64(1):
            inverse = inverse * base % size
        base = base * base % size
        power >>= np.uint64(1)
    return np.int64(inverse)


@compiled
def pack_point(vector: Any, q: Any) -> Any:
    """Return the number of the point of a vector that is not 0 everywhere, else -1."""
    lead = vector.size - 1
    while lead >= 0 and vector[lead] == 0:
        lead -= 1
    if lead < 0:
        return np.int64(-1)
    inverse = _inverse(vector[lead], q)
    number = np.int64(0)
    for i in range(lead - 1, -1, -1):
        number = number * q + vector[i] * inverse % q
    size = np.int64(1)
    for _ in range(lead):
        number += size
        size *= q
    return number


@compiled
def product(first: Any, second: Any, q: Any) -> Any:
    """Return the inner product of two vectors."""
    total = np.int64(0)
    for i in range(first.size):
        total = (total + first[i] * second[i]) % q
    return total


@compiled
def draw_points(stream: Any, value: Any, q: Any, t: int, truth: Any, out: Any) -> None:
    """Write points: with the limit `truth` orthogonal to that of a value, else not."""
    own = np.empty(t, np.int64)
    vector = np.empty(t, np.int64)
    lead = unpack_point(value, q, own)
    for n in range(out.size):
        wanted = 0 if next_word(stream) < truth else 1
        out[n] = -1
        while out[n] < 0:
            for i in range(t):
                vector[i] = np.int64(scale_down(next_word(stream), np.uint64(q)))
            vector[lead] = 0
            vector[lead] = (wanted + q - product(own, vector, q)) % q
            out[n] = pack_point(vector, q)


@compiled
def guess_points(stream: Any, reports: Any, q: Any, t: int, values: Any, chosen: Any) -> None:
    """Choose any value whose point is orthogonal to the reported one; any value if none is.

    Let m be the lowest coordinate of the report that is not 0, and q^m the size of a group. All
    points that lead below m are orthogonal to it, and none that leads at m. Those that lead above m
    come in rows of q groups, by the higher coordinates, which decide coordinate m: one group of a
    row is orthogonal. The last row may be cut off by the number of values.
    """
    point = np.empty(t, np.int64)
    vector = np.empty(t, np.int64)
    for n in range(reports.size):
        unpack_point(reports[n], q, point)
        m = 0
        below, size = np.int64(0), np.int64(1)  # points that lead below m, and of a group
        while point[m] == 0:
            below += size
            size *= q
            m += 1
        inverse = _inverse(point[m], q)
        small = min(below, values)
        rows = max(np.int64(0), values - below - size) // (size * q)
        last = _group(point, vector, inverse, below + size + rows * size * q, size, q)
        members = small + rows * size + min(max(np.int64(0), values - last), size)
        if members == 0:
            chosen[n] = np.int64(scale_down(next_word(stream), np.uint64(values)))
            continue
        drawn = np.int64(scale_down(next_word(stream), np.uint64(members)))
        if drawn >= small:
            drawn -= small
            row = below + size + drawn // size * (size * q)
            drawn = _group(point, vector, inverse, row, size, q) + drawn % size
        chosen[n] = drawn


@compiled
def _group(point: Any, vector: Any, inverse: Any, row: Any, size: Any, q: Any) -> Any:
    """Return where the group of a row begins whose points are orthogonal to a given one.

    `inverse` is that of its lowest coordinate which is not 0, of which a group has one value.
    """
    t = vector.size
    space, lowest = np.int64(0), np.int64(1)
    for _ in range(t):
        space, lowest = space + lowest, lowest * q
    if row >= space:
        return space  # there is no such row
    unpack_point(row, q, vector)
    return row + (q - product(point, vector, q)) * inverse % q * size


@compiled
def add_orthogonal(reports: Any, q: Any, t: int, first: int, totals: Any) -> None:
    """Add 1 for every value from `first` on whose point is orthogonal to the reported one."""
    users, values = totals.shape
    each = reports.size // users
    point = np.empty(t, np.int64)
    vector = np.empty(t, np.int64)
    for i in range(users):
        for n in range(i * each, (i + 1) * each):
            unpack_point(reports[n], q, point)
            for v in range(values):
                unpack_point(first + v, q, vector)
                if product(point, vector, q) == 0:
                    totals[i, v] += 1.0


@compiled
def vectors_of(q: Any, out: Any) -> None:
    """Write the vectors of the first points."""
    for i in range(out.shape[0]):
        unpack_point(i, q, out[i])
