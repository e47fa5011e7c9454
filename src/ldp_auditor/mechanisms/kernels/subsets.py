"""Random sets of a fixed size, as bits."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp_auditor.mechanisms.kernels.bits import (
    ALL_BITS,
    DIGITS_APART,
    fill_bernoulli,
    last_word_mask,
    popcount,
    words_for,
)
from ldp_auditor.mechanisms.kernels.compilation import compiled
from ldp_auditor.mechanisms.kernels.eights import TOGETHER, draw_lanes, halve_eight
from ldp_auditor.mechanisms.kernels.xoshiro import (
    LANES,
    Words,
    advance,
    aligned_rows,
    aligned_words,
    copy_lanes,
    fresh_lanes,
    fresh_stream,
    next_of_lane,
    own_lanes,
    scale_down,
    threshold,
)

ROUNDS = 8
"""Halvings of all lanes together, after which few sets of one word are not full."""

MORE_ROUNDS = 10
"""As many for sets of several words; a multiple of `TOGETHER`."""

WORDS_TO_HALVE = 8
"""Sets of more words start as bits of about the right density and are mended: less to draw."""


def select_subsets(
    value: int, domain_size: int, omega: int, p: float, n: int, rng: Generator
) -> Words:
    """Return `n` sets of `omega` values: the given one with probability p, any others alike."""
    lanes, truth = fresh_lanes(rng), threshold(p)
    reports = np.empty((n, words_for(domain_size)), np.uint64)
    if reports.shape[1] == 1:
        _select_by_halving(lanes, value, domain_size, omega, truth, reports.reshape(-1))
    elif reports.shape[1] <= WORDS_TO_HALVE:
        _halve_words(lanes, np.uint64(value), domain_size, omega, truth, reports)
    else:
        fill_bernoulli(lanes, _start_density(domain_size, omega), reports.reshape(-1))
        _mend(fresh_stream(rng), value, domain_size, omega, truth, reports)
    return reports


def _start_density(domain_size: int, omega: int) -> np.uint64:
    """Return the threshold of the bits that sets start with.

    Any start gives the right law, because it treats the other values alike and so does the
    mending; one near omega / k leaves little to mend, few binary digits are cheap to draw.
    """
    return threshold(min(_costs(domain_size, omega))[1])


def _costs(domain_size: int, omega: int) -> Iterator[tuple[float, float]]:
    """Yield what a set costs that starts with a density, in tries of a bit, and that density.

    Only with operations that have the same last bit everywhere: the cheapest decides what is drawn.
    """
    for digits in range(1, domain_size.bit_length() + 1):
        numerator = min(round(omega / domain_size * 2**digits), 2**digits - 1)
        density = numerator / 2**digits
        surplus = (domain_size - 1) * density - omega
        # The mean distance of a normal variable from omega, nearly.
        spread = 0.64 * (domain_size - 1) * density * (1 - density)
        distance = math.sqrt(surplus * surplus + spread)
        hits_dropped, hits_added = max(density, 0.5 / domain_size), 1 - density
        tries = (distance + surplus) / 2 / hits_dropped + (distance - surplus) / 2 / hits_added
        yield words_for(domain_size) * (1 if digits <= DIGITS_APART else 2) + tries, density


@compiled
def _select_by_halving(
    lanes: Any, value: int, domain_size: int, omega: int, truth: Any, reports: Any
) -> None:
    """Draw sets that fit one word: take or drop random halves of the candidates until full."""
    others = last_word_mask(domain_size) & ~(np.uint64(1) << np.uint64(value))
    state = np.empty((4, LANES), np.uint64)
    copy_lanes(lanes, state)
    chosen = np.empty(LANES, np.uint64)
    candidates = np.empty(LANES, np.uint64)
    missing = np.empty(LANES, np.int64)
    for start in range(0, reports.size, LANES):
        for lane in range(LANES):
            a, b, c, d = state[0, lane], state[1, lane], state[2, lane], state[3, lane]
            word, a, b, c, d = advance(a, b, c, d)
            included = np.uint64(word < truth)
            full = included << np.uint64(value)
            still = omega - np.int64(included)
            left = others
            for _ in range(ROUNDS):
                word, a, b, c, d = advance(a, b, c, d)
                taken, left = _halve(left, word, still)
                full |= taken
                still -= np.int64(popcount(taken))
            state[0, lane] = a
            state[1, lane] = b
            state[2, lane] = c
            state[3, lane] = d
            chosen[lane] = full
            candidates[lane] = left
            missing[lane] = still
        block = reports[start : start + LANES]
        for lane in range(block.size):
            full, left, still = chosen[lane], candidates[lane], missing[lane]
            while still > 0:
                taken, left = _halve(left, next_of_lane(state, lane), still)
                full |= taken
                still -= np.int64(popcount(taken))
            block[lane] = full


@compiled
def _halve(candidates: Any, word: Any, missing: Any) -> Any:
    """Take a random half of the candidates if no more are missing, else go on within it.

    Returns what is taken and the candidates that are left, without a branch to mispredict.
    """
    half = candidates & word
    fits = np.uint64(0) - np.uint64(np.int64(popcount(half)) <= missing)
    return half & fits, (candidates & ~half & fits) | (half & ~fits)


@compiled
def _halve_words(
    lanes: Any, value: Any, domain_size: int, omega: int, truth: Any, reports: Any
) -> None:
    """Draw sets of several words as `_select_by_halving` does; lane by lane a set each."""
    n, words = np.uint64(reports.shape[0]), np.uint64(reports.shape[1])
    rows = reports.shape[1] + reports.shape[1] % 2  # the last one may be without candidates
    state = own_lanes(lanes)
    chosen, candidates = aligned_rows(rows), aligned_rows(rows)
    missing, drawn = aligned_words(LANES), aligned_words(LANES)
    halves = np.empty(words, np.uint64)
    others = _others(value, domain_size, words)
    for start in range(np.uint64(0), n, np.uint64(LANES)):
        for w in range(rows):
            for lane in range(LANES):
                chosen[w, lane] = np.uint64(0)
                candidates[w, lane] = others[w]
        draw_lanes(state, drawn)
        for lane in range(LANES):
            included = np.uint64(drawn[lane] < truth)
            chosen[value >> np.uint64(6), lane] = included << (value & np.uint64(63))
            missing[lane] = np.uint64(omega) - included
        for _ in range(MORE_ROUNDS // TOGETHER):
            first = np.uint64(0)
            while first < np.uint64(LANES):
                first = halve_eight(state, candidates, chosen, missing, first)
        for lane in range(min(np.uint64(LANES), n - start)):
            still = missing[lane]
            while still > np.uint64(0):  # in no function: counting references takes longer
                size = np.uint64(0)
                for w in range(words):
                    halves[w] = candidates[w, lane] & next_of_lane(state, lane)
                    size += popcount(halves[w])
                fits = np.uint64(0) - np.uint64(size <= still)
                still -= size & fits
                for w in range(words):
                    chosen[w, lane] |= halves[w] & fits
                    candidates[w, lane] = (candidates[w, lane] ^ (halves[w] & fits)) & (
                        halves[w] | fits
                    )
            for w in range(words):
                reports[start + lane, w] = chosen[w, lane]
    copy_lanes(state, lanes)


@compiled
def _others(value: Any, domain_size: int, words: Any) -> Any:
    """Return the bits of all values but the given one, and a word without any."""
    others = np.full(words + np.uint64(1), ALL_BITS)
    others[words] = np.uint64(0)
    others[words - np.uint64(1)] = last_word_mask(domain_size)
    others[value >> np.uint64(6)] &= ~(np.uint64(1) << (value & np.uint64(63)))
    return others


@compiled
def _mend(stream: Any, value: int, domain_size: int, omega: int, truth: Any, reports: Any) -> None:
    """Make sets of the right size of independent bits: flip random ones until it fits."""
    words = reports.shape[1]
    last = last_word_mask(domain_size)
    home = value >> 6
    flag = np.uint64(1) << np.uint64(value & 63)
    others = np.uint64(domain_size - 1)
    a, b, c, d = stream
    for i in range(reports.shape[0]):
        reports[i, words - 1] &= last
        reports[i, home] &= ~flag
        size = np.int64(0)
        for w in range(words):
            size += np.int64(popcount(reports[i, w]))
        word, a, b, c, d = advance(a, b, c, d)
        included = np.uint64(word < truth)
        surplus = size + np.int64(included) - omega
        becomes = np.uint64(surplus < 0)
        to_mend = abs(surplus)
        while to_mend > 0:
            word, a, b, c, d = advance(a, b, c, d)
            other = scale_down(word, others)
            other += np.uint64(other >= np.uint64(value))
            position = other & np.uint64(63)
            flip = ((reports[i, other >> np.uint64(6)] >> position) & np.uint64(1)) ^ becomes
            reports[i, other >> np.uint64(6)] ^= flip << position
            to_mend -= np.int64(flip)
        reports[i, home] |= included << np.uint64(value & 63)
