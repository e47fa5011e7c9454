"""Laws of single reports of sketches, written down from their papers and not from the package.

A law is every report and the probability of each of them for every value: rows are values.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from scipy.linalg import hadamard

from ldp_auditor.core import Floats, Reports

Law = tuple[Reports, Floats]


def entry_law(mechanism: Any) -> Law:
    """HRR: a column at random, and the entry of the value's row or the opposite of it."""
    k, e = mechanism.domain_size, math.exp(mechanism.epsilon)
    size = next(2**j for j in range(1, 20) if 2**j >= k)
    matrix = hadamard(size)
    reports = np.zeros(2 * size, [("column", np.uint64), ("odd", np.uint64)])
    chances = np.zeros((k, 2 * size))
    for y in range(2 * size):
        column, odd = divmod(y, 2)
        reports[y] = (column, odd)
        entry = -1 if odd else 1
        for v in range(k):
            chances[v, y] = (e if matrix[v, column] == entry else 1) / (e + 1) / size
    return reports, chances


def response_law(mechanism: Any) -> Law:
    """HR: columns of the value are e^epsilon times as likely; sizes as the paper writes them."""
    k, e = mechanism.domain_size, math.exp(mechanism.epsilon)
    blocks = mechanism.blocks or 2 ** (math.ceil(math.log2(min(e, 2 * k))) - 1)
    size = 2 ** math.ceil(math.log2(k / blocks + 1))
    matrix = hadamard(size)
    chances = np.ones((k, blocks * size))
    for v in range(k):
        block, row = divmod(v, size - 1)
        chances[v, block * size : (block + 1) * size][matrix[row + 1] == 1] = e
    return np.arange(blocks * size), chances / chances.sum(axis=1, keepdims=True)


def hashed(seed: int, value: int, size: int) -> int:
    """The hash of `local_hashing`, in whole numbers: all 64 digits of the value's number."""
    number, mask = 0, 2**64 - 1
    for digit in range(64):
        z = (seed + (64 * (value // 64) + digit + 1) * 0x9E3779B97F4A7C15) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        number = 2 * number + (((z ^ (z >> 31)) >> (value % 64)) & 1)
    return number * size >> 64


def filter_law(mechanism: Any) -> Law:
    """CMS and one-time RAPPOR with few rows: every row, and every filter."""
    k, m, rows, h = (mechanism.domain_size, mechanism.width, mechanism.rows, mechanism.hash_count)
    flip = 1 / (1 + math.exp(mechanism.epsilon / (2 * h)))
    reports = np.zeros((rows << m, 2), np.uint64)
    chances = np.zeros((k, rows << m))
    for row in range(rows):
        filters = [
            {hashed((row + f * 0xD1B54A32D192ED03) % 2**64, v, m) for f in range(h)}
            for v in range(k)
        ]
        for bits in range(1 << m):
            y = (row << m) + bits
            reports[y] = (row, bits)
            for v in range(k):
                flipped = sum((bits >> j & 1) != (j in filters[v]) for j in range(m))
                chances[v, y] = flip**flipped * (1 - flip) ** (m - flipped) / rows
    return reports, chances


def entry_of_hash_law(mechanism: Any) -> Law:
    """HCMS with few rows: every row, every column, both entries."""
    k, m, rows = mechanism.domain_size, mechanism.width, mechanism.rows
    e = math.exp(mechanism.epsilon)
    matrix = hadamard(m)
    reports = np.zeros(
        2 * rows * m, [("row", np.uint64), ("column", np.uint64), ("odd", np.uint64)]
    )
    chances = np.zeros((k, 2 * rows * m))
    for y, (row, column, odd) in enumerate(itertools.product(range(rows), range(m), (0, 1))):
        reports[y] = (row, column, odd)
        for v in range(k):
            entry = matrix[hashed(row, v, m), column]
            chances[v, y] = (e if entry == (-1 if odd else 1) else 1) / (e + 1) / (rows * m)
    return reports, chances


def line_law(mechanism: Any) -> Law:
    """PI-RAPPOR: every line a v + b, weighed by whether it sends the value below the limit."""
    k, q, e = mechanism.domain_size, mechanism.field, math.exp(mechanism.epsilon)
    limit = math.ceil(q / (e + 1))
    reports = np.zeros(q * q, [("slope", np.uint64), ("offset", np.uint64)])
    chances = np.ones((k, q * q))
    for y, (slope, offset) in enumerate(itertools.product(range(q), repeat=2)):
        reports[y] = (slope, offset)
        for v in range(k):
            if (slope * v + offset) % q < limit:
                chances[v, y] = e
    return reports, chances / chances.sum(axis=1, keepdims=True)


def point_law(mechanism: Any) -> Law:
    """PGR: every point of the space, by vectors whose first nonzero coordinate is 1."""
    k, e = mechanism.domain_size, math.exp(mechanism.epsilon)
    q, t = mechanism.elements, mechanism.coordinates
    every = itertools.product(range(q), repeat=t)
    points = [z for z in every if any(z) and next(entry for entry in z if entry) == 1]
    points.sort()  # the leading 1 as far behind as possible first, then the digits after it
    chances = np.array(
        [
            [e if sum(a * b for a, b in zip(x, z, strict=True)) % q == 0 else 1.0 for z in points]
            for x in points[:k]
        ]
    )
    return np.arange(len(points)), chances / chances.sum(axis=1, keepdims=True)
