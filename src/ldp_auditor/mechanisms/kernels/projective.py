"""Points of a projective space over a prime field: their numbers, vectors and products."""

from typing import Any

import numpy as np

from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import next_word, scale_down

TRIES = 2**14
"""Values that are tried before all are looked at, if there are more."""


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

    Let m be the lowest coordinate of the report that is not 0. All points that lead below m are
    orthogonal to it, none that leads at m is, and of those that lead above m and differ in
    coordinate m alone one is.
    """
    point = np.empty(t, np.int64)
    vector = np.empty(t, np.int64)
    for n in range(reports.size):
        unpack_point(reports[n], q, point)
        m = 0
        below, size = np.int64(0), np.int64(1)  # points that lead below m, and at m
        while point[m] == 0:
            below += size
            size *= q
            m += 1
        start = below + size
        small = min(below, values)
        groups = np.int64(0)
        if values > start:
            groups = (values - start + size * q - 1) // (size * q) * size
        found = np.int64(-1)
        tries = min(TRIES, values) if small + groups > 0 else 0
        while found < 0 and tries > 0:
            tries -= 1
            drawn = np.int64(scale_down(next_word(stream), np.uint64(small + groups)))
            if drawn < small:
                found = drawn
                continue
            drawn -= small
            lowest = start + drawn // size * (size * q) + drawn % size
            unpack_point(lowest, q, vector)
            # The other coordinates decide coordinate m: solve for it.
            away = product(point, vector, q)
            digit = np.int64(0)
            if away != 0:
                digit = (q - away) * _inverse(point[m], q) % q
            if lowest + digit * size < values:
                found = lowest + digit * size
        if found < 0:
            members = np.uint64(0)
            for value in range(values):
                unpack_point(value, q, vector)
                if product(point, vector, q) == 0:
                    members += np.uint64(1)
                    if scale_down(next_word(stream), members) == np.uint64(0):
                        found = np.int64(value)
        if found < 0:
            found = np.int64(scale_down(next_word(stream), np.uint64(values)))
        chosen[n] = found


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
