"""Bloom filters as reports: a row, which is a seed of hash functions, then the bits."""

from typing import Any

import numpy as np

from ldp_auditor.mechanisms.kernels.bits import last_word_mask
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import next_word, scale_down
from ldp_auditor.mechanisms.local_hashing import hash_value

TRIES = np.uint64(64)
"""Values that are tried at random before all are looked at, at least."""

APART = np.uint64(0xD1B54A32D192ED03)
"""Distance between the seeds of the functions of a row."""


@compiled
def position(row: Any, function: Any, value: Any, width: Any) -> Any:
    """Return the bit that a function of a row sets for a value."""
    return hash_value(row + np.uint64(function) * APART, value, width)


@compiled
def key_at(keys: Any, value: Any) -> Any:
    """Return the key of the value of a number: the first have `keys`, others their numbers."""
    return keys[value] if value < np.uint64(keys.size) else value


@compiled
def tries_among(domain_size: Any) -> Any:
    """Return how many values are tried: to look at all of a million costs more than most need."""
    return max(TRIES, domain_size >> np.uint64(4))


@compiled
def is_set(report: Any, place: Any) -> Any:
    """Return a bit of the filter."""
    word = report[np.uint64(1) + (place >> np.uint64(6))]
    return (word >> (place & np.uint64(63))) & np.uint64(1)


@compiled
def has_all(report: Any, hashes: int, value: Any, width: Any) -> bool:
    """Tell whether all bits of a value are set."""
    for function in range(hashes):
        if is_set(report, position(report[0], function, value, width)) == np.uint64(0):
            return False
    return True


@compiled
def fill_filters(
    stream: Any, value: Any, rows: Any, hashes: int, width: int, flips: Any, reports: Any
) -> None:
    """Write a row and the filter of a value in it, the bits of `flips` flipped."""
    last = last_word_mask(width)
    words = flips.shape[1]
    for i in range(reports.shape[0]):
        row = next_word(stream)
        if rows != np.uint64(0):
            row = scale_down(row, rows)
        reports[i, 0] = row
        for w in range(words):
            reports[i, 1 + w] = np.uint64(0)
        for function in range(hashes):
            place = position(row, function, value, np.uint64(width))
            reports[i, np.uint64(1) + (place >> np.uint64(6))] |= np.uint64(1) << (
                place & np.uint64(63)
            )
        for w in range(words):
            reports[i, 1 + w] ^= flips[i, w]
        reports[i, words] &= last


@compiled
def guess_filters(
    stream: Any, reports: Any, hashes: int, width: Any, domain_size: Any, keys: Any, chosen: Any
) -> None:
    """Choose any value with all bits set: by trying, or else among all; any value if none has."""
    for i in range(reports.shape[0]):
        found = domain_size
        for _ in range(tries_among(domain_size)):
            value = scale_down(next_word(stream), domain_size)
            if has_all(reports[i], hashes, key_at(keys, value), width):
                found = value
                break
        if found == domain_size:
            members = np.uint64(0)
            for value in range(domain_size):
                if has_all(reports[i], hashes, key_at(keys, value), width):
                    members += np.uint64(1)
                    if scale_down(next_word(stream), members) == np.uint64(0):
                        found = value
        if found == domain_size:
            found = scale_down(next_word(stream), domain_size)
        chosen[i] = np.int64(found)


@compiled
def add_supports(reports: Any, hashes: int, width: Any, keys: Any, totals: Any) -> None:
    """Add 1 for every value whose bits are all set, a column of totals for each."""
    users, values = totals.shape
    each = reports.shape[0] // users
    for i in range(users):
        for t in range(i * each, (i + 1) * each):
            for v in range(values):
                if has_all(reports[t], hashes, key_at(keys, np.uint64(v)), width):
                    totals[i, v] += 1.0


@compiled
def among(row: Any, hashes: int, value: Any, width: Any, place: Any) -> bool:
    """Tell whether one of the first `hashes` functions of a row sets a bit for a value."""
    found = False
    for function in range(hashes):
        found = found or position(row, function, value, width) == place
    return found


@compiled
def set_alone(row: Any, function: int, hashes: int, mine: Any, other: Any, width: Any) -> Any:
    """Return the bit that a function sets for one value, or `width` if it says nothing new.

    That is so where another value sets it as well, or an earlier function does for the same value.
    """
    place = position(row, function, mine, width)
    if among(row, function, mine, width, place) or among(row, hashes, other, width, place):
        return width
    return place


@compiled
def add_leads(reports: Any, hashes: int, width: Any, first: Any, second: Any, leads: Any) -> None:
    """Add how many of the bits that differ speak for the first value, less those against it."""
    for i in range(reports.shape[0]):
        row = reports[i, 0]
        for function in range(hashes):
            place = set_alone(row, function, hashes, first, second, width)
            if place != width:
                leads[i] += 2.0 * np.float64(np.int64(is_set(reports[i], place))) - 1.0
            place = set_alone(row, function, hashes, second, first, width)
            if place != width:
                leads[i] -= 2.0 * np.float64(np.int64(is_set(reports[i], place))) - 1.0


@compiled
def add_bits(reports: Any, hashes: int, width: Any, first: Any, second: Any, totals: Any) -> None:
    """Count how often each bit that differs was 0 and was 1, all reports of a user in one row.

    The bits are those of the first value's functions, then of the second's; a bit that does not
    differ is counted as neither.
    """
    users = totals.shape[0]
    each = reports.shape[0] // users
    places = np.empty(2 * hashes, np.uint64)
    for i in range(users):
        for t in range(i * each, (i + 1) * each):
            row = reports[t, 0]
            if t == 0 or row != reports[t - 1, 0]:  # a user has one cohort
                for function in range(hashes):
                    places[function] = set_alone(row, function, hashes, first, second, width)
                    place = set_alone(row, function, hashes, second, first, width)
                    places[hashes + function] = place
            for bit in range(2 * hashes):
                if places[bit] != width:
                    totals[i, 2 * bit + np.int64(is_set(reports[t], places[bit]))] += 1.0


@compiled
def count_alone(rows: int, hashes: int, width: Any, first: Any, second: Any, counts: Any) -> None:
    """Count the rows by the numbers of bits that only the first value sets, and only the second."""
    for index in range(rows):
        row = np.uint64(index)
        mine = other = 0
        for function in range(hashes):
            mine += set_alone(row, function, hashes, first, second, width) != width
            other += set_alone(row, function, hashes, second, first, width) != width
        counts[mine, other] += 1.0
