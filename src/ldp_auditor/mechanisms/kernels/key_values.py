"""Reports of a key and a sign, of which a user holds several."""

from typing import Any

import numpy as np

from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.xoshiro import advance, scale_down

HALF = np.uint64(2**63)


@compiled
def fill_sampled(
    stream: Any, held: Any, plus: Any, draws: Any, keys: Any, dummies: Any, out: Any, signs: Any
) -> None:
    """Write one of the keys that are held, or a dummy key, and whether its sign is positive.

    One of `draws` places is drawn; those beyond the keys that are held are for dummies.
    """
    a, b, c, d = stream
    for i in range(out.size):
        word, a, b, c, d = advance(a, b, c, d)
        other, a, b, c, d = advance(a, b, c, d)
        sign, a, b, c, d = advance(a, b, c, d)
        place = np.int64(scale_down(word, draws))
        if place < held.size:
            out[i] = held[place]
            signs[i] = sign < plus[place]
        else:
            out[i] = keys + np.int64(scale_down(other, dummies))
            signs[i] = sign < HALF


@compiled
def fill_responses(stream: Any, keep: Any, size: Any, out: Any, signs: Any) -> None:
    """Keep each key with the limit `keep`, else write another of `size` and a random sign.

    What is written is twice the key, and 1 more if the sign is positive.
    """
    a, b, c, d = stream
    for i in range(out.size):
        word, a, b, c, d = advance(a, b, c, d)
        if word < keep:
            out[i] = 2 * out[i] + signs[i]
            continue
        other, a, b, c, d = advance(a, b, c, d)
        sign, a, b, c, d = advance(a, b, c, d)
        key = np.int64(scale_down(other, size - np.uint64(1)))
        key += key >= out[i]
        out[i] = 2 * key + (sign < HALF)


@compiled
def fill_entries(stream: Any, own: Any, others: Any, keys: Any, signs: Any, out: Any) -> None:
    """Write a row of signs: the own key's with the limit `own`, and random ones of others."""
    a, b, c, d = stream
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            word, a, b, c, d = advance(a, b, c, d)
            sign = np.int8(2 * np.int64(word & np.uint64(1)) - 1)
            out[i, j] = sign if word < others else np.int8(0)
        word, a, b, c, d = advance(a, b, c, d)
        shown = np.int8(1) if signs[i] else np.int8(-1)
        out[i, keys[i]] = shown if word < own else np.int8(0)


@compiled
def add_entries(reports: Any, totals: Any) -> None:
    """Count the signs of every key, minus before plus; the keys beyond the totals are dummies."""
    users, columns = totals.shape
    each = reports.shape[0] // users
    for i in range(users):
        for t in range(i * each, (i + 1) * each):
            for key in range(columns // 2):
                if reports[t, key] != 0:
                    totals[i, 2 * key + (reports[t, key] > 0)] += 1.0


@compiled
def add_responses(reports: Any, totals: Any) -> None:
    """Count the signs of every key that reports name; the keys beyond the totals are dummies."""
    users, columns = totals.shape
    each = reports.size // users
    for i in range(users):
        for t in range(i * each, (i + 1) * each):
            if reports[t] < columns:
                totals[i, reports[t]] += 1.0
